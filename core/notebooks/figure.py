"""A notebook's systems, and what each printed beside what comes out here."""

from collections.abc import Callable
from dataclasses import dataclass

from torch import Tensor

# N0's own input is only known as printed, four decimals; its products inherit that.
ROUNDING = 2e-4


@dataclass(frozen=True, eq=False)
class Figure:
    """One thing a notebook printed, and ours. `published` is a shape, numbers, or None where
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
        """The printed shape exactly, or the printed numbers but for the rounding of what was
        printed."""
        if isinstance(self.published, Tensor):
            return self.difference <= ROUNDING
        return self.published is None or tuple(self.ours.shape) == self.published


@dataclass(frozen=True)
class System:
    """One system of a notebook: what it is, with which sizes, and where the explorer shows it on
    any sentence."""

    notebook: str
    title: str
    builds: str
    page: str
    link: dict[str, object]
    figures: Callable[[], tuple[Figure, ...]]
