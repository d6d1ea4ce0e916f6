"""Tensors and opened cells as tables with words on their axes. No Streamlit here."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from core.forward.trace import Entry
from core.text.text import SYMBOLS
from core.text.written import escape_formula
from core.trace.cell import Cell
from pages.shared.text.words import number, round_as_printed

if TYPE_CHECKING:
    import pandas as pd
    from pandas.io.formats.style import Styler

Columns = Mapping[str, Sequence[Any]]  # by name
MAX_WRITTEN = 200_000  # the cells that pandas formats


def frame(columns: "Columns | pd.DataFrame") -> "pd.DataFrame":
    """Return columns as a DataFrame. pandas is imported when it is needed."""
    import pandas as pd

    return pd.DataFrame(columns)


def label_columns(entry: Entry, head: int = 0) -> "pd.DataFrame":
    """Return an entry as a DataFrame with columns like `d_k 3`."""
    found = entry.frame(head)
    axis = found.columns.name
    return found.rename(columns=lambda name: f"{axis} {name}" if f"{name}".isdecimal() else name)


def write_numbers(table: "pd.DataFrame") -> "pd.DataFrame | Styler":
    """Return a table whose numbers are shown as they are printed everywhere, with a real minus
    sign; sorted, copied and saved they are numbers. One of very many stays as it is."""
    fractions = table.select_dtypes("floating").columns
    if not len(fractions) or table.size > MAX_WRITTEN:
        return table
    # by default drawn at random: the same table would be sent again
    return table.style.set_uuid("").format(number, na_rep="", subset=fractions)


def to_csv(table: "pd.DataFrame", **how: Any) -> bytes:
    """Return a table as CSV with full precision. A label that a spreadsheet would take for a
    formula gets an apostrophe.

    >>> to_csv(frame({"name": ["=1+1"], "Z": [0.1]}).set_index("name"))
    b"name,Z\\n'=1+1,0.1\\n"
    """
    table = table.rename(index=escape_formula, columns=escape_formula)
    return table.to_csv(lineterminator="\n", na_rep="nan", **how).encode()


def terms(cell: Cell, labels: Sequence[str]) -> dict[str, list]:
    """Return a sum's terms by column: label, factors by name, term and running sum.

    The last sum is the cell's own value from the tensor. A bias has one factor and no label.
    """
    names = [SYMBOLS.get(ref.name, ref.name) for ref in cell.terms[0].factors]
    if _is_sum(cell):
        names = ["number"]
    if all(len(term.factors) == 1 for term in cell.terms):
        names = []  # the term is the number itself
    values = [term.value for term in cell.terms]
    columns: dict[str, list] = {"label": [*labels, "bias"][: len(cell.terms)]}
    for k, name in enumerate(names):
        columns[name] = [
            t.factors[k].value if len(t.factors) == len(names) else None for t in cell.terms
        ]
    sums = [*accumulate(values[:-1]), cell.value]
    return columns | {"term": values, "sum so far": sums}


def _is_sum(cell: Cell) -> bool:
    """Return whether the terms are numbers of different tensors, so that no single name fits."""
    return len({term.factors[0].name for term in cell.terms}) > 1 and all(
        len(t.factors) == 1 for t in cell.terms
    )


def term_labels(cell: Cell) -> list[str]:
    """Return each term's column number, or its tensor's name if they differ."""
    refs = [
        term.factors[0] for term in cell.terms if len(term.factors) == len(cell.terms[0].factors)
    ]
    return [ref.name if _is_sum(cell) else str(ref.index[-1] + 1) for ref in refs]


def find_rounding(cell: Cell) -> float:
    """Return the sum of a cell's printed terms minus the printed cell.

    Computed in decimals to the cell's last printed digit: 0 means that both agree.
    """
    result = round_as_printed(cell.value)
    total = sum(round_as_printed(term.value) for term in cell.terms)
    return float(total.quantize(result, rounding=ROUND_HALF_UP) - result)
