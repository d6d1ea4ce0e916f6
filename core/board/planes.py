"""Boards with arrows and points, with equal scales on both axes.

A click on an arrow or a point chooses its row (from 0) of the first matrix.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from torch import Tensor

from .packed import Matrix
from .view import View

# The columns of a fan, as in `geometry.parts_of_scores`.
OF_A_KEY = ("length |k|", "θ in degrees", "cos θ", "|k| cos θ", "score ω")


@dataclass(kw_only=True)
class Plane(View):
    """The base of these views."""

    chosen: int
    of_screen: float | None = None
    max_zoom: float | None = field(init=False, default=None)
    matrices: Sequence[Matrix]

    def __post_init__(self) -> None:
        """Bound the zoom.

        If the board has little of the screen, type stays as small as is readable, for a larger
        drawing; above the bound no room is left for the numbers beside it.
        """
        if self.of_screen:
            self.max_zoom = 1.5 if self.of_screen < 0.6 else 1.75


@dataclass(kw_only=True)
class KeyArrows(Plane):
    """All keys as arrows around one query, which points right; each has its own length and angle.

    The matrix has one row for each key and the columns `OF_A_KEY`.
    """

    query: str  # its word
    length: float


@dataclass(kw_only=True)
class Points(Plane):
    """Rows as points (row, 2); the second matrix has all pairs' cosines (row, row)."""

    axes: Sequence[str]  # the names of the two axes


@dataclass(kw_only=True)
class Mixtures(Plane):
    """Values as points (key, 2), the queries' contexts (query, 2), and the chosen context as a sum.

    The sum is drawn head to tail: each value's arrow times its weight, from (0, 0).
    """

    axes: Sequence[str]
    weights: Tensor  # (query, key)
    # self-attention: an arrow leads from a word's own value to its context
    own: bool


@dataclass(kw_only=True)
class Rotation(Plane):
    """One pair of dimensions of every row as an arrow (row, 2), before and after rotation."""

    angles: Sequence[float]  # (row,), in radians
