"""What a board is given: tensors as bytes for the browser, their labels, and what a click on a cell chooses."""

import base64
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

import torch
from torch import Tensor

from core.attention import row_sums
from core.text import SYMBOLS

# Axes along which words or sentences stand, which need room to be read. Along all others stand a dimension's numbers.
OF_WORDS = ("token", "query", "key", "memory", "word", "sentence")
SEEN_WHOLE = 128  # numbers of a dimension at most; of more the browser shows a part, see windowed.js

Meaning = str | int | tuple[str, int] | None


def pack(values: Tensor) -> str:
    """The numbers as they are, float32, for JavaScript."""
    return base64.b64encode(values.detach().numpy().astype("float32", copy=False).tobytes()).decode()


def pack_shares(*pictures: Tensor) -> list[str]:
    """Shares of 1, of one shape, as whole numbers up to 65,535: half the bytes, for small pictures without numbers."""
    whole = (torch.stack(pictures) * 65535).round().to(torch.uint16).numpy()
    return [base64.b64encode(numbers.tobytes()).decode() for numbers in whole]


def _pack_flags(flags: Tensor) -> str:
    """A byte for each cell, 1 where it is True; nothing where none is."""
    return base64.b64encode(flags.contiguous().to(torch.uint8).numpy().tobytes()).decode() if flags.any() else ""


@dataclass(frozen=True)
class Editable:
    """Weights that a reader may change: how the link and how a reader calls the cells of a matrix.

    `target` is what comes before row and column (`w_q.1`); `rows` are the rows that are shown, `*` for all (`29-56`), and `first`
    is how many stand above them. A reader reads `title`, the row and the column, and what stands `behind` (`, head 1`). A `vector`
    has one row, which is not named.
    """

    target: str
    title: str
    behind: str = ""
    first: int = 0
    rows: str = "*"
    vector: bool = False


@dataclass(frozen=True, eq=False)
class Matrix:
    """One matrix (row, column): its name, its numbers, its labels, what its axes are, and how it is drawn.

    A click on one of its cells says its `name`. Its border and its title have the colour of its `role`.
    """

    name: str
    values: Tensor
    rows: Sequence[str]
    columns: Sequence[str]
    axes: tuple[str, ...]
    role: str = "x"
    title: str = ""  # without one, its name
    scale: Literal["diverging", "sequential", "plain"] = "diverging"  # from 0 both ways; shares of 1; neither sign nor share
    top: float = 0  # the number that has the scale's last colour; 0 stands for the matrix's own largest
    sums: bool = False  # each row's sum stands behind it
    clickable: bool = False
    wide: bool = False  # its columns are numbers of a vector: there may be many, and narrow ones
    frame: tuple[int, int, int, int] | None = None  # rows from, to, columns from, to, the last ones not among them
    blocks: Sequence[int] = ()  # the columns that a line is drawn before
    whole: bool = False  # whole numbers, written as such
    bare: bool = False  # shares of 1 as a small picture: no labels, no numbers, half the bytes
    hide_columns: bool = False  # no labels over its columns: the matrix above has the same
    close: bool = False  # the next one is near below it
    family: int = 0  # where matrices of several families are linked, only those of one light up together
    editable: Editable | None = None  # its cells are weights that can be changed by hand
    edited: Tensor | None = None  # (row, column), True for cells with a mark: an edit is about them, or
    marked: str = "edited"  # whatever this word says
    made: str = ""  # what made its numbers, and where that stands: `words.made`
    arrows: bool = False  # its numbers are steps: arrows up and down stand for them
    dim: int = 0  # so many of its first rows have a third of their ink
    kind: str = ""  # its frame has the colour of this kind (`roles.KINDS`), not of its role
    symbol: str = ""  # what one of its numbers is called; nothing: by the symbol of the entry whose name it has

    @property
    def shape(self) -> str:
        """Its sizes and what they count; a vector has one."""
        (n, m), (down, along) = self.values.shape, self.axes
        return f"{n} × {m} ({down}, {along})" if down else f"{m} ({along})"

    @property
    def long(self) -> tuple[str, ...]:
        """The axes that are too long to be seen whole, rows' and columns', "" for one that is not; nothing where both are short."""
        named = zip(self.axes, self.values.shape, strict=True)
        axes = tuple(axis if size > SEEN_WHOLE and axis not in OF_WORDS else "" for axis, size in named)
        return axes if any(axes) else ()

    def packed(self, values: str = "") -> dict[str, Any]:
        """The matrix as the browser's scripts read it; what is as usual is left out. `values` are its numbers, where they are
        packed already."""
        n, m = self.values.shape
        if not values:
            values = pack_shares(self.values)[0] if self.bare else pack(self.values)
        unusual = {
            "symbol": self.symbol or SYMBOLS.get(self.name),
            "scale": self.scale if self.scale != "diverging" else None,
            "top": self.top,
            "sums": pack(row_sums(self.values)) if self.sums else None,
            "clickable": self.clickable,
            "wide": self.wide,
            "frame": self.frame,
            "dim": self.dim,
            "blocks": self.blocks,
            "whole": self.whole,
            "bare": self.bare,
            "kind": self.kind,
            "arrows": self.arrows,
            "shares": self.bare,
            "hideColumns": self.hide_columns or self.bare,
            "close": self.close,
            "family": self.family,
            "editable": asdict(self.editable) if self.editable else None,
            "edited": None if self.edited is None else _pack_flags(self.edited),
            "marked": self.marked if self.marked != "edited" else None,
            "long": self.long,
            "made": self.made.replace("`", ""),
        }
        return {
            "name": self.name,
            "title": self.title or self.name,
            "shape": self.shape,
            "role": self.role,
            "values": values,
            "n": n,
            "m": m,
            "rows": list(self.rows),
            "columns": list(self.columns),
        } | {key: value for key, value in unusual.items() if value}


def pictures_packed(shown: Sequence[Matrix]) -> list[dict[str, Any]]:
    """Bare matrices of one shape as the browser's scripts read them. Their numbers are packed at once: there may be 120."""
    packed = pack_shares(*(matrix.values for matrix in shown))
    return [matrix.packed(values) for matrix, values in zip(shown, packed, strict=True)]


def numbered(count: int) -> list[str]:
    """Labels for a dimension that has no words: 1, 2, 3 …"""
    return [str(k) for k in range(1, count + 1)]


def choice(
    by_matrix: Mapping[str, Mapping[str, Meaning]] | None = None, most: Mapping[str, int] | None = None, /, **fields: Meaning
) -> dict[str, Any]:
    """Which of query, key, head, column … a clicked cell sets, and to what.

    "row" and "column" mean the cell's own, counted from 1; ("column", 5) the block of five columns that it stands in;
    anything else is itself. `by_matrix` adds to it, or takes away with None, for one of the matrices; `most` caps.
    The browser makes the change: it knows the link as it is when the click comes.
    """
    return {"fields": fields, "by_matrix": by_matrix or {}, "most": most or {}}
