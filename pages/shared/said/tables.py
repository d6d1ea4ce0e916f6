"""Tensors and opened cells as columns, the words of the sentence on their axes. No Streamlit
here."""

import io
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP
from itertools import accumulate
from math import prod

import numpy as np
from pyarrow import csv

from core.cell import Cell
from core.text import SYMBOLS
from core.trace import Entry, Trace
from pages.shared.said import arrow
from pages.shared.said.words import axis_labels, printed


@dataclass(frozen=True, eq=False)
class WithLabels:
    """Numbers (row, column) with their labels, and the name of the column that the rows' labels
    stand in."""

    name: str
    rows: Sequence[str]
    columns: Sequence[str]
    values: np.ndarray


def columns(
    trace: Trace, name: str, head: int | None = None
) -> tuple[dict[str, Sequence[str]], dict[str, list[float]]]:
    """Return the rows' labels and the numbers of one entry, by column; of an entry with heads, the
    one that is asked for (from 0)."""
    labelled = _labelled(trace, name, head)
    return {labelled.name: labelled.rows}, dict(
        zip(labelled.columns, labelled.values.T.tolist(), strict=True)
    )


def as_csv(trace: Trace, name: str, head: int | None = None) -> bytes:
    """Return the same as a file, each number with as many digits as tell it from its neighbours.
    Arrow writes a column at once."""
    labelled, file = _labelled(trace, name, head), io.BytesIO()
    columns = dict(
        zip(map(_harmless, labelled.columns), np.ascontiguousarray(labelled.values.T), strict=True)
    )
    csv.write_csv(arrow.table({labelled.name: list(map(_harmless, labelled.rows))} | columns), file)
    return file.getvalue()


def _harmless(label: str) -> str:
    """Write a reader's word as a cell of a file: one that a spreadsheet would take for a formula
    gets an apostrophe in front.

    >>> _harmless("cat"), _harmless("=1+1")
    ('cat', "'=1+1")
    """
    return f"'{label}" if label.startswith(("=", "+", "-", "@")) else label


def as_long_csv(entry: Entry) -> bytes:
    """Write an entry of a batch as one file: in front of each row its sentence, its head and its
    place, as far as it has these, each from 1. In each place stand other words, so that it is only
    numbered."""
    *front, last = entry.dims
    shape, file = entry.value.shape, io.BytesIO()
    places = np.indices(shape[:-1]).reshape(len(front), prod(shape[:-1])) + 1
    columns = dict(zip(front, places, strict=True))
    numbers = np.ascontiguousarray(entry.value.numpy().reshape(-1, shape[-1]).T)
    csv.write_csv(
        arrow.table(columns | {f"{last} {k}": column for k, column in enumerate(numbers, start=1)}),
        file,
    )
    return file.getvalue()


def _labelled(trace: Trace, name: str, head: int | None) -> WithLabels:
    value, dims = trace[name].matrix({} if head is None else trace.places(head))
    rows = axis_labels(trace, dims[0], value.shape[0]) if dims[0] else [name]
    columns = [
        f"{dims[1]} {c}" if c.isdecimal() else c
        for c in axis_labels(trace, dims[1], value.shape[1])
    ]
    # A word of the sentence may be the same as the axis' name: a space keeps the two columns apart.
    first = dims[0] if dims[0] and dims[0] not in columns else f"{dims[0]} "
    return WithLabels(first, rows, columns, value.numpy())


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


def rounding(cell: Cell) -> float:
    """Return the sum of a cell's printed terms minus the printed cell.

    Added up in decimals, to the last digit that the cell has, as a reader would: 0 means that both
    agree in each digit.
    """
    result = printed(cell.value)
    total = sum(printed(term.value) for term in cell.terms)
    return float(total.quantize(result, rounding=ROUND_HALF_UP) - result)
