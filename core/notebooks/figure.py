"""A notebook's systems, and the results each printed beside ours."""

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

# N0's own input is known to four decimals only, which limits its products.
ROUNDING = 2e-4


def read_printed(text: str) -> Tensor:
    """Return the numbers of a text, as a notebook printed them.

    >>> read_printed("0.5 -1.25")
    tensor([ 0.5000, -1.2500])
    """
    return torch.tensor([float(number) for number in text.split()])


@dataclass(frozen=True, eq=False)
class Figure:
    """One printed result of a notebook, and ours. `published` is a shape, numbers, or None if
    nothing was printed."""

    what: str
    ours: Tensor
    published: tuple[int, ...] | Tensor | None = None

    @property
    def difference(self) -> float | None:
        """The largest absolute difference from the printed numbers; None for a shape."""
        if not isinstance(self.published, Tensor):
            return None
        return (
            (self.ours.flatten()[: self.published.numel()] - self.published.flatten())
            .abs()
            .max()
            .item()
        )

    @property
    def agrees(self) -> bool:
        """Whether the printed shape is equal, or the printed numbers are, except for rounding."""
        if isinstance(self.published, Tensor):
            return self.difference <= ROUNDING
        return self.published is None or tuple(self.ours.shape) == self.published


@dataclass(frozen=True)
class System:
    """One system of a notebook: what it builds, its sizes, and the page that shows it on any
    sentence."""

    notebook: str
    title: str
    builds: str
    page: str
    link: dict[str, object]
    figures: Callable[[], tuple[Figure, ...]]
