"""Long axes are shortened: of a pretrained model's hundreds of dimensions a board shows 40, and of
a long sentence a small picture shows 64 tokens."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from .packed import Matrix

SHOWN = 40  # numbers shown of a long axis

PICTURED = 64  # tokens of a small picture: two hundred of them are sent at each click

Cell = tuple[int, int]


def select_pictured(tokens: int, chosen: Cell) -> list[int]:
    """Return the tokens that small pictures show: all, or 64 with the chosen query, and its key if
    that is near enough.

    >>> select_pictured(100, (40, 35))[::63], select_pictured(100, (99, 2))[::63]
    ([32, 95], [36, 99])
    """
    if tokens <= PICTURED:
        return list(range(tokens))
    block, first = PICTURED // 2, min(chosen)
    near = max(chosen) < first // block * block + PICTURED
    start = min((first if near else chosen[0]) // block * block, tokens - PICTURED)
    return list(range(start, start + PICTURED))


def cut_pictures(matrices: Sequence[Matrix], chosen: Cell) -> tuple[list[Matrix], Cell]:
    """Return small square pictures with the tokens of `select_pictured` alone, and the chosen
    cell's place there; a key that is not among them is where the query is."""
    tokens = len(matrices[0].rows)
    shown = select_pictured(tokens, chosen)
    if len(shown) == tokens:
        return list(matrices), chosen
    row, column = (place if place in shown else chosen[0] for place in chosen)
    parts = [matrix.part(shown, shown) for matrix in matrices]
    return parts, (shown.index(row), shown.index(column))


def largest(terms: Tensor) -> list[int]:
    """Return the indices of a sum's largest terms by absolute value, in ascending order.

    >>> import torch
    >>> largest(torch.arange(100) - 30.5)[:3], len(largest(torch.ones(100)))
    ([0, 61, 62], 40)
    """
    return sorted(terms.abs().topk(SHOWN).indices.tolist())


def find_block(place: int, size: int) -> list[int]:
    """Return the indices of the block that contains this index; the last block ends with the axis.

    >>> find_block(57, 384)[0], find_block(383, 384)[0]
    (40, 344)
    """
    start = min(place // SHOWN * SHOWN, size - SHOWN)
    return list(range(start, start + SHOWN))


def cut_long_axes(
    matrices: Sequence[Matrix], main: int, chosen: Cell, picked: Mapping[str, list[int]]
) -> tuple[list[Matrix], Cell]:
    """Return the matrices with long axes shortened, and the chosen cell's new place in the one at
    `main`.

    Matrices that share an axis show the same part: the `picked` indices, or the block with the
    chosen cell.
    """
    sizes = {
        axis: size
        for matrix in matrices
        for axis, size in zip(matrix.long, matrix.values.shape, strict=True)
        if axis
    }
    axes = matrices[main].long
    followed = dict(zip(axes, chosen, strict=True))
    shown = {
        axis: picked.get(axis) or find_block(followed.get(axis, 0), size)
        for axis, size in sizes.items()
    }
    row, column = (
        shown[axis].index(place) if axis else place
        for axis, place in zip(axes, chosen, strict=True)
    )
    parts = [matrix.part(*map(shown.get, matrix.long)) for matrix in matrices]
    return parts, (row, column)
