"""Tensors and opened cells as tables, the sentence's words on their axes. No Streamlit here."""

from collections.abc import Mapping, Sequence
from decimal import ROUND_HALF_UP
from itertools import accumulate
from typing import TYPE_CHECKING, Any

from core.cell import Cell
from core.text import SYMBOLS
from core.trace import Entry
from pages.shared.said.words import number, round_as_printed

if TYPE_CHECKING:
    import pandas as pd

Columns = Mapping[str, Sequence[Any]]  # by name
# In a spreadsheet.
BEGINS_A_FORMULA = ("=", "+", "-", "@", "＝", "＋", "－", "＠")


def frame(columns: "Columns | pd.DataFrame") -> "pd.DataFrame":
    """Return columns as a DataFrame. pandas is imported here, once it is needed."""
    import pandas as pd

    return pd.DataFrame(columns)


def label_columns(entry: Entry, head: int = 0) -> "pd.DataFrame":
    """Return an entry as a DataFrame whose columns say what they count: `d_k 3`."""
    found = entry.frame(head)
    axis = found.columns.name
    return found.rename(columns=lambda name: f"{axis} {name}" if f"{name}".isdecimal() else name)


def print_cells(entry: Entry, head: int = 0) -> "pd.DataFrame":
    """Return the same with each number as a reader meets it."""
    return label_columns(entry, head).map(number)


def to_csv(table: "pd.DataFrame", **how: Any) -> bytes:
    """Write a table as a file, each number with as many digits as tell it from its neighbours. A
    label that a spreadsheet would take for a formula gets an apostrophe in front.

    >>> to_csv(frame({"name": ["=1+1"], "Z": [0.1]}).set_index("name"))
    b"name,Z\\n'=1+1,0.1\\n"
    """
    table = table.rename(index=harmless, columns=harmless)
    return table.to_csv(lineterminator="\n", na_rep="nan", **how).encode()


def harmless(label: Any) -> Any:
    """Return a label as a cell of a file."""
    is_formula = isinstance(label, str) and label.lstrip().startswith(BEGINS_A_FORMULA)
    return f"'{label}" if is_formula else label


def terms(cell: Cell, labels: Sequence[str]) -> dict[str, list]:
    """Return the terms of a cell that is their sum, by column: label, the factors by name, term and
    sum so far.

    The last sum is the cell itself, as it stands in the tensor, so that a cell has one number
    everywhere. A bias has one factor and no label of its own.
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
    """Return whether the terms are numbers of different tensors: then no single tensor's name fits
    the column."""
    return len({term.factors[0].name for term in cell.terms}) > 1 and all(
        len(t.factors) == 1 for t in cell.terms
    )


def term_labels(cell: Cell) -> list[str]:
    """Name each term: its column, or its tensor where each is of another."""
    refs = [
        term.factors[0] for term in cell.terms if len(term.factors) == len(cell.terms[0].factors)
    ]
    return [ref.name if _is_sum(cell) else str(ref.index[-1] + 1) for ref in refs]


def find_rounding(cell: Cell) -> float:
    """Return the sum of a cell's printed terms minus the printed cell.

    Added up in decimals, to the last digit that the cell has, as a reader would: 0 means that both
    agree in each digit.
    """
    result = round_as_printed(cell.value)
    total = sum(round_as_printed(term.value) for term in cell.terms)
    return float(total.quantize(result, rounding=ROUND_HALF_UP) - result)
