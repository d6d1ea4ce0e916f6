"""A board's data: tensors as bytes for the browser, their labels, and the effect of a click."""

import base64
import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor

from ..ops.attention import row_sums
from ..text.text import SYMBOLS

# Axes with words or sentences, which need room for labels. All others are numbered dimensions.
OF_WORDS = ("token", "query", "key", "memory", "word", "sentence")
SEEN_WHOLE = 128  # longer dimensions are shown in part, see long_axes.py

Meaning = str | int | tuple[str, int | Sequence[Sequence[int]]] | None


def pack(values: Tensor) -> str:
    """Return the numbers as float32 bytes in base64."""
    return base64.b64encode(
        values.detach().numpy().astype("float32", copy=False).tobytes()
    ).decode()


def pack_shares(shares: Tensor) -> str:
    """Return probabilities as 16-bit integers up to 65,535 in base64, half the size, for small
    pictures; of a square with 0 above its diagonal, the rest row by row, a quarter. Only 0 becomes
    0, and only 1 becomes 1: less than 1% is not 0%."""
    if is_triangle(shares):
        shares = shares[tuple(torch.tril_indices(*shares.shape))]
    steps = (shares * 65535).round().clamp((shares > 0).float(), 65535 - (shares < 1).float())
    return base64.b64encode(steps.to(torch.uint16).numpy().tobytes()).decode()


def is_triangle(values: Tensor) -> bool:
    """Return whether this matrix is a square with 0 above its diagonal, as causal weights are."""
    n, m = values.shape
    return n == m > 1 and not values.triu(1).any()


def _pack_flags(flags: Tensor) -> str:
    """Return one byte for each cell, 1 for True, in base64; "" if none is True."""
    return base64.b64encode(flags.to(torch.uint8).numpy().tobytes()).decode() if flags.any() else ""


def to_json(given: Any) -> str:
    """Return the data as JSON."""
    return json.dumps(given, default=_plain)


def _plain(value: Any) -> Any:
    """Return a tensor as bytes, a dataclass as its `packed` or its fields, anything else
    unchanged."""
    if isinstance(value, Tensor):
        return _pack_flags(value) if value.dtype is torch.bool else pack(value)
    return (
        value.packed()
        if hasattr(value, "packed")
        else sent(value)
        if is_dataclass(value)
        else value
    )


def sent(given: Any) -> dict[str, Any]:
    """Return a dataclass's fields by their names in the browser: `max_zoom` becomes `maxZoom`.

    Fields with default None are omitted if they are None or False.
    """
    found = [(there, getattr(given, here), usual) for here, there, usual in _names(given.__class__)]
    said = [
        (there, value)
        for there, value, usual in found
        if usual is not None or (value is not None and value is not False)
    ]
    return {there: _plain(value) for there, value in said}


def unusual(given: Any) -> dict[str, Any]:
    """Return, by browser names, the optional fields that are not empty and differ from their
    default."""
    found = [
        (there, getattr(given, here), usual)
        for here, there, usual in _names(given.__class__)
        if usual is not MISSING
    ]
    told = [(there, _plain(value), usual) for there, value, usual in found if value is not usual]
    return {there: value for there, value, usual in told if value and value != usual}


@cache
def _names(kind: type) -> list[tuple[str, str, Any]]:
    """Return each field's name in Python and in the browser, and its default."""
    parts = [(each, each.name.split("_")) for each in fields(kind)]
    return [
        (each.name, first + "".join(map(str.capitalize, more)), each.default)
        for each, (first, *more) in parts
    ]


@dataclass(frozen=True)
class Editable:
    """Editable weights: how the link and the interface name a matrix's cells.

    The interface shows `title`, row and column, then `behind`.
    """

    target: str  # the edit's prefix before row and column (`w_q.1`)
    title: str
    behind: str = ""  # a suffix (`, head 1`)
    first: int = 0  # rows above the shown ones
    rows: str = "*"  # the shown rows (`29-56`), `*` for all
    vector: bool = False  # its only row is not named


@dataclass(frozen=True)
class Cut:
    """The shown rows and columns of a shortened matrix, None for all, and its full size."""

    rows: list[int] | None
    columns: list[int] | None
    size: tuple[int, int]


@dataclass(eq=False)
class Matrix:
    """One matrix (row, column): its name, numbers, labels, axes and appearance.

    A click on a cell sends `name`. `role` sets the colour of border and title.
    """

    name: str
    values: Tensor
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, ...]
    role: str = "x"
    title: str = ""  # default: the name
    # the symbol of one of its numbers; default: that of the entry with its name
    symbol: str = ""
    scale: Literal["diverging", "for", "sequential", "plain"] = (
        "diverging"  # signed; signed, against or for a word; shares; grey
    )
    top: float = 0  # the number with the scale's last colour; 0: the matrix's largest
    sums: bool = False  # show each row's sum
    clickable: bool = False
    wide: bool = False  # its columns are dimensions of a vector, possibly many and narrow
    frame: tuple[int, int, int, int] | None = None  # row start and stop, column start and stop
    dim: int = 0  # the first rows, this many, at a third of their colour
    blocks: Sequence[int] = ()  # columns with a line before them
    whole: bool = False  # integers
    bare: bool = False  # probabilities as a small picture: no labels, no numbers, half the bytes
    shares: bool = field(init=False, default=False)  # packed as 16-bit integers, as for `bare`
    hide_columns: bool = False  # no column labels: the matrix above has the same
    close: bool = False  # little space below
    family: int = 0  # of linked matrices, only those of one family are highlighted together
    editable: Editable | None = None  # its cells are editable weights
    unedited: Tensor | None = None  # the numbers before the edits, which decide the colours
    marks: Tensor | None = None  # True for marked cells, in the shape of `values`
    marked: str = "edited"  # the meaning of a mark
    held: Tensor | None = (
        None  # (row, column), the pinned setup's numbers, shown as a ghost in each cell
    )
    cut: Cut | None = field(init=False, default=None)  # set if it is a part of a longer matrix
    texts: Sequence[str] = ()  # texts in place of the numbers, row by row
    told: Sequence[str] = ()  # descriptions of the cells, row by row, in place of name and number
    made: str = ""  # the function that computed it and its location: `words.made`

    def __post_init__(self) -> None:
        """Set the fields that depend on others."""
        self.title, self.symbol = self.title or self.name, self.symbol or SYMBOLS.get(self.name, "")
        self.shares, self.hide_columns, self.made = (
            self.bare,
            self.hide_columns or self.bare,
            self.made.replace("`", ""),
        )

    @property
    def shape(self) -> str:
        """Return its sizes and axes, and how many are shown; a vector has one size."""
        (n, m), (down, along) = self.values.shape, self.axes
        rows, columns = self.cut.size if self.cut else (n, m)
        if not down:
            return f"{columns} ({along})" + (f", {m} shown" if self.cut else "")
        return f"{rows} × {columns} ({down}, {along})" + (f", {n} × {m} shown" if self.cut else "")

    @property
    def long(self) -> tuple[str, str]:
        """Return the axes of rows and columns, "" for one that is shown whole."""
        down, along = (
            axis if size > SEEN_WHOLE and axis not in OF_WORDS else ""
            for axis, size in zip(self.axes, self.values.shape, strict=True)
        )
        return down, along

    def part(self, rows: list[int] | None, columns: list[int] | None) -> "Matrix":
        """Return these rows and columns (None for all), with labels and colours as in the whole
        matrix."""
        if rows is None and columns is None:
            return self
        (n, m), part = self.values.shape, copy(self)
        down, along = rows or list(range(n)), columns or list(range(m))

        def edge(places: list[int], of_whole: int) -> int:
            return sum(place < of_whole for place in places)

        part.cut = Cut(rows, columns, (n, m))
        part.values = self.values[down][:, along]
        part.unedited, part.marks, part.held = (
            None if each is None else each[down][:, along]
            for each in (self.unedited, self.marks, self.held)
        )
        part.rows, part.columns = [self.rows[k] for k in down], [self.columns[k] for k in along]
        coloured = self.values if self.unedited is None else self.unedited
        part.top = self.top or coloured[coloured.isfinite()].abs().max().item()
        part.blocks = [edge(along, k) for k in self.blocks if 0 < edge(along, k) < len(along)]
        if self.frame:
            top, bottom, left, right = self.frame
            frame = edge(down, top), edge(down, bottom), edge(along, left), edge(along, right)
            part.frame = frame if frame[0] < frame[1] and frame[2] < frame[3] else None
        return part

    def packed(self) -> dict[str, Any]:
        """Return the matrix as the browser's scripts read it."""
        n, m = self.values.shape
        more = unusual(self)
        if self.sums:
            more["sums"] = pack(row_sums(self.values))
        if self.bare and is_triangle(self.values):
            more["triangle"] = True
        if not self.bare or list(self.columns) != list(self.rows):  # else the browser copies them
            more["columns"] = list(self.columns)
        return {
            "name": self.name,
            "title": self.title,
            "shape": self.shape,
            "role": self.role,
            "values": pack_shares(self.values) if self.bare else pack(self.values),
            "n": n,
            "m": m,
            "rows": list(self.rows),
        } | more


def number_labels(count: int) -> list[str]:
    """Return labels for a dimension: 1, 2, 3 …"""
    return [str(k) for k in range(1, count + 1)]


def choice(
    by_matrix: Mapping[str, Mapping[str, Meaning]] | None = None,
    most: Mapping[str, int] | None = None,
    /,
    **fields: Meaning,
) -> dict[str, Any]:
    """Return the link fields (query, key, head, column …) that a click on a cell sets.

    "row" and "column" are the cell's own, from 1; ("column", 5) its block of five columns; ("cell",
    [[…], …]) a value for each cell; anything else is a constant. `by_matrix` adds fields for one
    matrix, or removes them with None; `most` sets upper limits. The browser applies it to the link
    at the time of the click.
    """
    return {"fields": fields, "by_matrix": by_matrix or {}, "most": most or {}}
