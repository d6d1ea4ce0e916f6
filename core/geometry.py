"""Vectors as arrows and points: lengths, angles, and the plane in which most of a picture lies. All
in float64."""

from dataclasses import dataclass

import torch
from torch import Tensor

# Directions in which rows differ by less than this share of the longest row are rounding.
ROUNDING = 1e-6


def lengths(rows: Tensor) -> Tensor:
    """Return how long each row is, √(x₁² + x₂² + …): (row, size) → (row,).

    >>> lengths(torch.tensor([[3., 4.], [0., 0.]])).tolist()
    [5.0, 0.0]
    """
    return rows.double().norm(dim=-1)


def project_into_query_plane(query: Tensor, keys: Tensor) -> Tensor:
    """Return each key in the plane that it spans with the query: (d_k,), (key, d_k) → (key, 2).

    The first number lies along the query, the second, 0 or more, at a right angle to it. Where the
    query is zero it has no direction: both are NaN.

    >>> keys = torch.tensor([[1., 3., 4.], [-7., 0., 0.]])
    >>> project_into_query_plane(torch.tensor([2., 0., 0.]), keys).tolist()
    [[1.0, 5.0], [-7.0, 0.0]]
    """
    query, keys = query.double(), keys.double()
    direction = query / query.norm()
    along = keys @ direction
    return torch.stack([along, lengths(keys - along[:, None] * direction)], dim=-1)


def angles(in_plane: Tensor) -> Tensor:
    """Return the angle between each key and the query, in degrees: (key, 2) → (key,). A key of
    zero has none: NaN.

    >>> angles(torch.tensor([[1., 1.], [0., 2.], [-3., 0.], [0., 0.]])).tolist()
    [45.0, 90.0, 180.0, nan]
    """
    along, across = in_plane.double().unbind(dim=-1)
    degrees = torch.atan2(across, along).rad2deg()
    return degrees.where((along != 0) | (across != 0), torch.nan)


def parts_of_scores(in_plane: Tensor, scores: Tensor) -> Tensor:
    """Return what each key's score with one query is made of: |k|, θ in degrees, cos θ, |k| cos θ,
    and the score: (key, 5).

    `in_plane` (key, 2) is from `project_into_query_plane`, `scores` (key,) are as they were
    computed. |q| times the fourth number gives the last, q · k = |q| |k| cos θ (Strang,
    Introduction to Linear Algebra, section 1.2). A key of zero has no angle: θ and cos θ are NaN.

    >>> parts_of_scores(torch.tensor([[2., 0.], [-3., 0.]]), torch.tensor([8., -12.])).tolist()
    [[2.0, 0.0, 1.0, 2.0, 8.0], [3.0, 180.0, -1.0, -3.0, -12.0]]
    """
    degrees = angles(in_plane)
    return torch.stack(
        [lengths(in_plane), degrees, degrees.deg2rad().cos(), in_plane[:, 0], scores.double()],
        dim=-1,
    )


def cosines(rows: Tensor) -> Tensor:
    """Return the cosine of the angle between each two rows: (row, size) → (row, row). A row of
    zeros has none: NaN.

    >>> cosines(torch.tensor([[2., 0.], [3., 4.], [0., 0.]]))[0].tolist()
    [1.0, 0.6, nan]
    """
    directions = rows.double() / lengths(rows)[:, None]
    return (directions @ directions.T).clamp(-1, 1)


@dataclass(frozen=True)
class Plane:
    """A plane through a centre (size,), spanned by two axes (2, size), each of length 1 or, where
    there is no such direction, 0.

    `shares` are the parts of the rows' variance along each.
    """

    centre: Tensor
    axes: Tensor
    shares: tuple[float, float]

    def of(self, rows: Tensor) -> Tensor:
        """Return where rows (row, size) stand in it, seen at a right angle: (row, 2)."""
        return self.along(rows.double() - self.centre)

    def along(self, rows: Tensor) -> Tensor:
        """Return how far rows (row, size) go along each axis from zero, not from the centre: (row,
        2)."""
        return rows.double() @ self.axes.T


def principal_plane(rows: Tensor) -> Plane:
    """Return the plane through the rows' mean along which they vary most: their first two principal
    components (Pearson 1901).

    `rows` is (row, size). An axis points to where its largest part is positive. Rows on one line,
    or at one point, vary in fewer than two directions: the next axis is then the one that leads to
    zero.

    >>> principal_plane(torch.tensor([[0., 4.], [3., 4.], [9., 4.]])).shares
    (1.0, 0.0)
    """
    rows = rows.double()
    centre = rows.mean(dim=0)
    _, sizes, directions = torch.linalg.svd(rows - centre, full_matrices=False)
    varies = sizes > ROUNDING * max(lengths(rows).max().item(), torch.finfo(torch.float64).tiny)
    found = [_orient(direction) for direction in directions[varies][:2]]
    if len(found) < 2:
        to_zero = centre - sum((centre @ axis * axis for axis in found), torch.zeros_like(centre))
        if to_zero.norm() > ROUNDING * centre.norm():
            found.append(_orient(to_zero / to_zero.norm()))
    axes = torch.stack([*found, *[torch.zeros_like(centre)] * (2 - len(found))])
    variances = sizes.where(varies, 0).square()
    whole = variances.sum().item() or 1.0
    first, second = (*(variances[:2] / whole).tolist(), 0.0)[:2]
    return Plane(centre, axes, (first, second))


def _orient(direction: Tensor) -> Tensor:
    """Return the same line, read in the way in which its largest part is positive."""
    return direction if direction[direction.abs().argmax()] > 0 else -direction
