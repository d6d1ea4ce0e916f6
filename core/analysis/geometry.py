"""Lengths, angles and principal planes of vectors, in float64."""

from dataclasses import dataclass

import torch
from torch import Tensor

# Variation below this share of the longest row is rounding.
ROUNDING = 1e-6


def lengths(rows: Tensor) -> Tensor:
    """Return the length of each row, √(x₁² + x₂² + …): (row, size) → (row,).

    >>> lengths(torch.tensor([[3., 4.], [0., 0.]])).tolist()
    [5.0, 0.0]
    """
    return rows.double().norm(dim=-1)


def project_into_query_plane(query: Tensor, keys: Tensor) -> Tensor:
    """Return each key in the plane that it spans with the query: (d_k,), (key, d_k) → (key, 2).

    The first number is along the query, the second (0 or more) perpendicular to it. A zero query
    has no direction: both are NaN.

    >>> keys = torch.tensor([[1., 3., 4.], [-7., 0., 0.]])
    >>> project_into_query_plane(torch.tensor([2., 0., 0.]), keys).tolist()
    [[1.0, 5.0], [-7.0, 0.0]]
    """
    query, keys = query.double(), keys.double()
    direction = query / query.norm()
    along = keys @ direction
    return torch.stack([along, lengths(keys - along[:, None] * direction)], dim=-1)


def angles(in_plane: Tensor) -> Tensor:
    """Return the angle between each key and the query, in degrees: (key, 2) → (key,); NaN for a
    zero key.

    >>> angles(torch.tensor([[1., 1.], [0., 2.], [-3., 0.], [0., 0.]])).tolist()
    [45.0, 90.0, 180.0, nan]
    """
    along, across = in_plane.double().unbind(dim=-1)
    degrees = torch.atan2(across, along).rad2deg()
    return degrees.where((along != 0) | (across != 0), torch.nan)


def parts_of_scores(in_plane: Tensor, scores: Tensor) -> Tensor:
    """Return the parts of each key's score with one query: |k|, θ in degrees, cos θ, |k| cos θ, and
    the score: (key, 5).

    `in_plane` (key, 2) is from `project_into_query_plane`, `scores` (key,) are the computed ones.
    |q| times the fourth number gives the last, q · k = |q| |k| cos θ (Strang, Introduction to
    Linear Algebra, section 1.2). For a zero key, θ and cos θ are NaN.

    >>> parts_of_scores(torch.tensor([[2., 0.], [-3., 0.]]), torch.tensor([8., -12.])).tolist()
    [[2.0, 0.0, 1.0, 2.0, 8.0], [3.0, 180.0, -1.0, -3.0, -12.0]]
    """
    degrees = angles(in_plane)
    return torch.stack(
        [lengths(in_plane), degrees, degrees.deg2rad().cos(), in_plane[:, 0], scores.double()],
        dim=-1,
    )


def cosines(rows: Tensor) -> Tensor:
    """Return the cosine between each two rows: (row, size) → (row, row); NaN for a row of zeros.

    >>> cosines(torch.tensor([[2., 0.], [3., 4.], [0., 0.]]))[0].tolist()
    [1.0, 0.6, nan]
    """
    directions = rows.double() / lengths(rows)[:, None]
    return (directions @ directions.T).clamp(-1, 1)


@dataclass(frozen=True)
class Plane:
    """A plane through a centre (size,), spanned by two axes (2, size), each of length 1, or 0 if
    there is no such direction.

    `shares` are the parts of the rows' variance along each axis.
    """

    centre: Tensor
    axes: Tensor
    shares: tuple[float, float]

    def of(self, rows: Tensor) -> Tensor:
        """Project rows (row, size) orthogonally onto the plane: (row, 2)."""
        return self.along(rows.double() - self.centre)

    def along(self, rows: Tensor) -> Tensor:
        """Return the coordinates of rows (row, size) along the axes, from zero rather than the
        centre: (row, 2)."""
        return rows.double() @ self.axes.T


def principal_plane(rows: Tensor) -> Plane:
    """Return the plane through the rows' mean along their first two principal components (Pearson
    1901).

    `rows` is (row, size). Each axis points to where its largest component is positive. If the rows
    vary in fewer than two directions, the next axis is such that the plane contains zero.

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
    """Return the direction with the sign that makes its largest component positive."""
    return direction if direction[direction.abs().argmax()] > 0 else -direction
