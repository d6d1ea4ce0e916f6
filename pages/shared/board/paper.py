"""What one side of paper holds: tables cut into pieces that are no wider than it, and how high they
are together.

Lengths are in CSS pixels, 96 to the inch: A4 upright without its margins. `print.css` sets the same
heights.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from pages.shared.board.packed import Matrix

WIDTH, HEIGHT = 700, 1030
LETTER, PADDING = 6.2, 11  # of the type that tables have, and of a cell
LINE, BLANK, CAPTION, GAP = 18, 30, 22, 12  # heights; a line with a blank is one to write in
BLANK_CELL = 56  # wide enough for a number written by hand
FEWEST = 12  # rows of a piece that goes on beside itself


@dataclass(frozen=True)
class Piece:
    """A part of a table, and how wide its labels and its cells are."""

    matrix: Matrix
    label: int
    cell: int

    @property
    def width(self) -> float:
        """Return how wide it is, with the gap beside it."""
        return self.label + self.cell * self.matrix.values.shape[1] + GAP

    @property
    def height(self) -> float:
        """Return how high it is, with the line of its columns and the gap below."""
        first, last = self.matrix.frame[:2] if self.matrix.frame else (0, 0)
        return (
            LINE * (1 + self.matrix.values.shape[0] - (last - first)) + BLANK * (last - first) + GAP
        )


@dataclass(frozen=True)
class Table:
    """A table in pieces, one beside the other as long as they fit, and its caption above them."""

    caption: str
    pieces: tuple[Piece, ...]

    @property
    def width(self) -> float:
        """Return how wide it is, as wide as the paper at most."""
        return min(
            max(sum(piece.width for piece in self.pieces), LETTER * len(self.caption) + GAP),
            WIDTH + GAP,
        )

    @property
    def height(self) -> float:
        """Return how high it is."""
        return CAPTION + height(self.pieces)

    def packed(self) -> dict[str, Any]:
        """Return the table as the browser's scripts read it."""
        pieces = [
            piece.matrix.packed() | {"label": piece.label, "cell": piece.cell}
            for piece in self.pieces
        ]
        return {"caption": self.caption, "pieces": pieces}


def cut(matrix: Matrix) -> Table:
    """Return the table in pieces: as many columns in each as a side has room for; a long and narrow
    one goes on beside itself, and so does a long vector, which is turned for it."""
    n, m = matrix.values.shape
    label, cell = _widths(matrix)
    across = math.ceil(m / max((WIDTH - label) // cell, 1))
    if n == 1 and across > 2:
        return cut(_turned(matrix))
    down = max(min((WIDTH + GAP) // (label + cell * m + GAP), n // FEWEST), 1) if across == 1 else 1
    size = math.ceil(n / down), math.ceil(m / across)
    starts = [(i, j) for j in range(0, m, size[1]) for i in range(0, n, size[0])]
    return Table(
        matrix.title, tuple(Piece(_part(matrix, i, j, *size), label, cell) for i, j in starts)
    )


def height(boxes: Sequence[Piece] | Sequence[Table]) -> float:
    """Return how high they are, one beside the other as long as they fit."""
    filled, highest, total = 0.0, 0.0, 0.0
    for box in boxes:
        if filled + box.width > WIDTH + GAP:
            filled, highest, total = 0.0, 0.0, total + highest
        filled, highest = filled + box.width, max(highest, box.height)
    return total + highest


def _widths(matrix: Matrix) -> tuple[int, int]:
    longest = max(
        len(str(v) if matrix.whole else f"{v:.2f}") for v in matrix.values.flatten().tolist()
    )
    cell = math.ceil(LETTER * max(longest, *map(len, matrix.columns)) + PADDING)
    return math.ceil(LETTER * max(map(len, matrix.rows)) + PADDING), max(
        cell, BLANK_CELL
    ) if matrix.frame else cell


def _turned(matrix: Matrix) -> Matrix:
    i0, i1, j0, j1 = matrix.frame or (0, 0, 0, 0)
    frame = (j0, j1, i0, i1) if matrix.frame else None
    return replace(
        matrix, values=matrix.values.T, rows=matrix.columns, columns=matrix.rows, frame=frame
    )


def _part(matrix: Matrix, i: int, j: int, n: int, m: int) -> Matrix:
    values = matrix.values[i : i + n, j : j + m]
    frame = None
    if matrix.frame:
        i0, i1, j0, j1 = matrix.frame
        within = (
            max(i0 - i, 0),
            min(i1 - i, values.shape[0]),
            max(j0 - j, 0),
            min(j1 - j, values.shape[1]),
        )
        frame = within if within[0] < within[1] and within[2] < within[3] else (0, 0, 0, 0)
    rows, columns = matrix.rows[i : i + n], matrix.columns[j : j + m]
    return replace(matrix, values=values, rows=rows, columns=columns, frame=frame)
