"""Boards with arrows and points, the same scale both ways. `key`, `alt`, `chosen`, `chooses` and `part` are as in `views`.

What is chosen is one row, from 0; a click on an arrow or a point chooses its row of the first matrix.
"""

from collections.abc import Sequence
from typing import Any

from torch import Tensor

from pages.shared.board.mount import show
from pages.shared.board.packed import Matrix, pack
from pages.shared.board.views import Chooses

# What is said of each key in a fan, in this order: `geometry.parts_of_scores`.
OF_A_KEY = ("length |k|", "θ in degrees", "cos θ", "|k| cos θ", "score ω")


def fan(
    keys: Matrix, *, query: str, length: float, key: str, alt: str, chosen: int, chooses: Chooses, part: float | None = None
) -> None:
    """All keys as arrows around one query, which points to the right; each has its own length and its own angle to the query.

    `keys` has a row for each key, and `OF_A_KEY` for columns. `query` is the query's name, `length` how long it is.
    """
    _mount("fan", key, alt, [keys], chosen, chooses, part, query=query, length=length)


def points(
    rows: Matrix,
    cosines: Matrix,
    *,
    axes: Sequence[str],
    key: str,
    alt: str,
    chosen: int,
    chooses: Chooses,
    part: float | None = None,
) -> None:
    """Rows as points: `rows` is (row, 2), `cosines` of the angles between each two (row, row). `axes` are the names of both."""
    _mount("points", key, alt, [rows, cosines], chosen, chooses, part, axes=axes)


def mixtures(
    values: Matrix,
    mixed: Matrix,
    *,
    weights: Tensor,
    own: bool,
    axes: Sequence[str],
    key: str,
    alt: str,
    chosen: int,
    chooses: Chooses,
    part: float | None = None,
) -> None:
    """Values as points (key, 2), what queries mix of them (query, 2), and the way from (0, 0) to the chosen one.

    That way is the chain of the values' arrows, each shortened by its weight (query, key), head to tail. `own`: values and queries
    are those of the same words, and an arrow leads from one's own value to the mixture.
    """
    _mount("mixtures", key, alt, [values, mixed], chosen, chooses, part, axes=axes, weights=pack(weights), own=own)


def stretch(
    before: Matrix,
    after: Matrix,
    *,
    circle: Tensor,
    sizes: Tensor,
    by: str,
    key: str,
    alt: str,
    chosen: int,
    chooses: Chooses,
    part: float | None = None,
) -> None:
    """Rows in a plane (row, 2), and what the matrix called `by` makes of them (row, 2): `sizes` (2,) times as far along each axis.

    `circle` (2,) are the half-axes of what becomes the ellipse: 1, and 0 where there is no second direction.
    """
    halves = {"circle": circle.tolist(), "sizes": sizes.tolist()}
    _mount("stretch", key, alt, [before, after], chosen, chooses, part, by=by, **halves)


def turn(
    before: Matrix, after: Matrix, *, angles: Tensor, key: str, alt: str, chosen: int, chooses: Chooses, part: float | None = None
) -> None:
    """A pair of numbers of every row as an arrow (row, 2), and the same arrows turned by `angles` (row,), in radians."""
    more = {"circle": [0, 0], "sizes": [0, 0], "by": "θ", "angles": angles.tolist()}
    _mount("stretch", key, alt, [before, after], chosen, chooses, part, **more)


def _mount(
    view: str, key: str, alt: str, shown: Sequence[Matrix], chosen: int, chooses: Chooses, part: float | None, **more: Any
) -> None:
    data = {"view": view, "alt": alt, "chosen": chosen, "matrices": [matrix.packed() for matrix in shown]} | more
    # With little of the screen the type is as small as can be read from the last row, so that the drawing is larger.
    # Larger than this, the drawing would leave no room for the numbers beside it.
    small = {"part": part, "maxZoom": 1.5 if part < 0.6 else 1.75} if part else {}
    show(data | small, key, chooses)
