"""What a board is given: tensors as bytes for the browser, their labels, and what a click on a cell
chooses."""

import base64
import json
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import MISSING, dataclass, field, fields, is_dataclass
from functools import cache
from typing import Any, Literal

import torch
from torch import Tensor

from core.attention import row_sums
from core.text import SYMBOLS

# Axes along which words or sentences stand, which need room to be read. Along all others stand a
# dimension's numbers.
OF_WORDS = ("token", "query", "key", "memory", "word", "sentence")
SEEN_WHOLE = 128  # numbers of a dimension at most; of more a board shows a part, see long.py

Meaning = str | int | tuple[str, int | Sequence[Sequence[int]]] | None


def pack(values: Tensor) -> str:
    """Return the numbers as they are, float32, for JavaScript."""
    return base64.b64encode(
        values.detach().numpy().astype("float32", copy=False).tobytes()
    ).decode()


def pack_shares(shares: Tensor) -> str:
    """Return shares of 1 as whole numbers up to 65,535: half the bytes, for small pictures without
    numbers."""
    return base64.b64encode((shares * 65535).round().to(torch.uint16).numpy().tobytes()).decode()


def _pack_flags(flags: Tensor) -> str:
    """Return a byte for each cell, 1 where it is True; nothing where none is."""
    return base64.b64encode(flags.to(torch.uint8).numpy().tobytes()).decode() if flags.any() else ""


def to_json(given: Any) -> str:
    """Write all this as JSON."""
    return json.dumps(given, default=_plain)


def _plain(value: Any) -> Any:
    """Return a tensor in bytes, a dataclass as its `packed` says or by its fields, and all else as
    it is."""
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
    """Return a dataclass's fields by their names in the browser: `max_zoom` is `maxZoom` there.

    What is None unless it is said is left out where it is not said, or False.
    """
    found = [(there, getattr(given, here), usual) for here, there, usual in _names(type(given))]
    said = [
        (there, value)
        for there, value, usual in found
        if usual is not None or (value is not None and value is not False)
    ]
    return {there: _plain(value) for there, value in said}


def unusual(given: Any) -> dict[str, Any]:
    """Return, in the same way, those of its fields that need not be said, are not empty, and not as
    usual."""
    found = [
        (there, getattr(given, here), usual)
        for here, there, usual in _names(type(given))
        if usual is not MISSING
    ]
    told = [(there, _plain(value), usual) for there, value, usual in found if value is not usual]
    return {there: value for there, value, usual in told if value and value != usual}


@cache
def _names(kind: type) -> list[tuple[str, str, Any]]:
    """Return the name of each field here and in the browser, and what it is unless it is said."""
    parts = [(each, each.name.split("_")) for each in fields(kind)]
    return [
        (each.name, first + "".join(map(str.capitalize, more)), each.default)
        for each, (first, *more) in parts
    ]


@dataclass(frozen=True)
class Editable:
    """Weights that a reader may change: how the link and how a reader calls the cells of a matrix.

    A reader reads `title`, the row and the column, and what stands `behind`.
    """

    target: str  # what comes before row and column (`w_q.1`)
    title: str
    behind: str = ""  # (`, head 1`)
    first: int = 0  # how many rows stand above those that are shown
    rows: str = "*"  # those that are shown, `*` for all (`29-56`)
    vector: bool = False  # it has one row, which is not named


@dataclass(frozen=True)
class Cut:
    """Which rows and columns of a matrix are shown, None for all; and the size of the whole."""

    rows: list[int] | None
    columns: list[int] | None
    size: tuple[int, int]


@dataclass(eq=False)
class Matrix:
    """One matrix (row, column): its name, its numbers, its labels, what its axes are, and how it is
    drawn.

    A click on one of its cells says its `name`. Its border and its title have the colour of its
    `role`.
    """

    name: str
    values: Tensor
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, ...]
    role: str = "x"
    title: str = ""  # without one, its name
    # what one of its numbers is called; nothing: by the symbol of the entry whose name it has
    symbol: str = ""
    scale: Literal["diverging", "for", "sequential", "plain"] = (
        "diverging"  # from 0 both ways, against and for; shares; neither
    )
    top: float = (
        0  # the number that has the scale's last colour; 0 stands for the matrix's own largest
    )
    sums: bool = False  # each row's sum stands behind it
    clickable: bool = False
    wide: bool = False  # its columns are numbers of a vector: there may be many, and narrow ones
    frame: tuple[int, int, int, int] | None = (
        None  # rows from, to, columns from, to, the last ones not among them
    )
    dim: int = 0  # so many of its first rows have a third of their colour
    blocks: Sequence[int] = ()  # the columns that a line is drawn before
    whole: bool = False  # whole numbers, written as such
    bare: bool = False  # shares of 1 as a small picture: no labels, no numbers, half the bytes
    kind: str = ""  # its frame has the colour of this kind (`roles.KINDS`), not of its role
    shares: bool = field(init=False, default=False)  # its numbers are packed as those of a bare one
    hide_columns: bool = False  # no labels over its columns: the matrix above has the same
    close: bool = False  # the next one is near below it
    family: int = (
        0  # where matrices of several families are linked, only those of one light up together
    )
    editable: Editable | None = None  # its cells are weights that can be changed by hand
    marks: Tensor | None = (
        None  # (row, column), True for cells with a mark: an edit is about them, or
    )
    marked: str = "edited"  # whatever this word says
    held: Tensor | None = (
        None  # (row, column), what a held setup has there: a ghost below in each cell
    )
    cut: Cut | None = field(init=False, default=None)  # it is a part of a longer one
    texts: Sequence[str] = ()  # what stands in its cells, row by row, in place of their numbers
    told: Sequence[
        str
    ] = ()  # what is said of each cell, row by row, in place of its name and number
    made: str = ""  # what made its numbers, and where that stands: `words.made`

    def __post_init__(self) -> None:
        """Say what follows from what was given."""
        self.title, self.symbol = self.title or self.name, self.symbol or SYMBOLS.get(self.name, "")
        self.shares, self.hide_columns, self.made = (
            self.bare,
            self.hide_columns or self.bare,
            self.made.replace("`", ""),
        )

    @property
    def shape(self) -> str:
        """Return its sizes and what they count, and how many are shown; a vector has one."""
        (n, m), (down, along) = self.values.shape, self.axes
        rows, columns = self.cut.size if self.cut else (n, m)
        if not down:
            return f"{columns} ({along})" + (f", {m} shown" if self.cut else "")
        return f"{rows} × {columns} ({down}, {along})" + (f", {n} × {m} shown" if self.cut else "")

    @property
    def long(self) -> tuple[str, str]:
        """Return the axes of rows and columns, "" for one that is seen whole."""
        down, along = (
            axis if size > SEEN_WHOLE and axis not in OF_WORDS else ""
            for axis, size in zip(self.axes, self.values.shape, strict=True)
        )
        return down, along

    def part(self, rows: list[int] | None, columns: list[int] | None) -> "Matrix":
        """Return these rows and columns of it, None for all, with the labels and colours that they
        have in the whole."""
        if rows is None and columns is None:
            return self
        (n, m), part = self.values.shape, copy(self)
        down, along = rows or list(range(n)), columns or list(range(m))

        def edge(places: list[int], of_whole: int) -> int:
            return sum(place < of_whole for place in places)

        part.cut = Cut(rows, columns, (n, m))
        part.values, part.marks, part.held = (
            None if each is None else each[down][:, along]
            for each in (self.values, self.marks, self.held)
        )
        part.rows, part.columns = [self.rows[k] for k in down], [self.columns[k] for k in along]
        part.top = self.top or self.values[self.values.isfinite()].abs().max().item()
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
        return {
            "name": self.name,
            "title": self.title,
            "shape": self.shape,
            "role": self.role,
            "values": pack_shares(self.values) if self.bare else pack(self.values),
            "n": n,
            "m": m,
            "rows": list(self.rows),
            "columns": list(self.columns),
        } | more


def number_labels(count: int) -> list[str]:
    """Return labels for a dimension that has no words: 1, 2, 3 …"""
    return [str(k) for k in range(1, count + 1)]


def choice(
    by_matrix: Mapping[str, Mapping[str, Meaning]] | None = None,
    most: Mapping[str, int] | None = None,
    /,
    **fields: Meaning,
) -> dict[str, Any]:
    """Return which of query, key, head, column … a clicked cell sets, and to what.

    "row" and "column" mean the cell's own, counted from 1; ("column", 5) the block of five columns
    that it stands in, ("cell", [[…], …]) what stands there for each cell; anything else is itself.
    `by_matrix` adds to it, or takes away with None, for one of the matrices; `most` caps. The
    browser makes the change: it knows the link as it is when the click comes.
    """
    return {"fields": fields, "by_matrix": by_matrix or {}, "most": most or {}}
