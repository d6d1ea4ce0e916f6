"""Long axes are shortened: of a pretrained model's hundreds of dimensions a board shows 40."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from pages.shared.board.packed import Matrix

SHOWN = 40  # numbers shown of a long axis

Cell = tuple[int, int]


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
