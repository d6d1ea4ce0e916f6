"""Boards with arrows and points, the same scale both ways.

What is chosen is one row, from 0; a click on an arrow or a point chooses its row of the first
matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from pages.shared.board.mount import View
from pages.shared.board.packed import Matrix

# What is said of each key in a fan, in this order: `geometry.parts_of_scores`.
OF_A_KEY = ("length |k|", "θ in degrees", "cos θ", "|k| cos θ", "score ω")


@dataclass(kw_only=True)
class Plane(View):
    """What all of these have."""

    chosen: int
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Bound the zoom.

        With little of the screen the type is as small as can be read from the last row, so that the
        drawing is larger. Larger than this, the drawing would leave no room for the numbers beside
        it.
        """
        if self.of_screen:
            self.max_zoom = 1.5 if self.of_screen < 0.6 else 1.75


@dataclass(kw_only=True)
class Fan(Plane):
    """All keys as arrows around one query, which points to the right; each has its own length and
    its own angle to the query.

    The matrix has a row for each key, and `OF_A_KEY` for columns.
    """

    query: str  # its name
    length: float
    of_screen: float | None = None
    max_zoom: float | None = field(init=False, default=None)


@dataclass(kw_only=True)
class Points(Plane):
    """Rows as points (row, 2); the second matrix has the cosines of the angles between each two
    (row, row)."""

    axes: Sequence[str]  # the names of both
    of_screen: float | None = None
    max_zoom: float | None = field(init=False, default=None)


@dataclass(kw_only=True)
class Mixtures(Plane):
    """Values as points (key, 2), what queries mix of them (query, 2), and the way from (0, 0) to
    the chosen one.

    That way is the chain of the values' arrows, each shortened by its weight, head to tail.
    """

    axes: Sequence[str]
    weights: Tensor  # (query, key)
    # values and queries are those of the same words, and an arrow leads from one's own value to the
    # mixture
    own: bool
    of_screen: float | None = None
    max_zoom: float | None = field(init=False, default=None)


@dataclass(kw_only=True)
class Turn(Plane):
    """A pair of numbers of every row as an arrow (row, 2), and the same arrows turned."""

    angles: Sequence[float]  # (row,), in radians
    of_screen: float | None = None
    max_zoom: float | None = field(init=False, default=None)
