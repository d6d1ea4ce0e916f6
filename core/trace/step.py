"""A step of the derivation with its description, and a call of a step on entries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor

from .cell import Explained, Origin


@dataclass(frozen=True, eq=False)
class Step:
    """A function that computes an entry from others, with the entry's name, symbol and axes.

    Attributes:
        function: computes all cells at once. Pages print it. origin: given the input names and
        settings, returns how one cell is computed. formula: LaTeX, with $a and $b for the first two
        inputs and settings by name, or a function of the settings that returns it; the default is
        the function's name. reference: given a trace and the entry's name, PyTorch's function and
        its numbers. in_groups: the function for heads that share keys and values.
    """

    function: Callable[..., Tensor]
    origin: Callable[..., Origin]
    name: str
    symbol: str
    axes: str
    formula: str | Callable[..., str] = ""
    reference: Callable[[Any, str], tuple[str, Tensor]] | None = None
    in_groups: Callable[..., Tensor] | None = None

    def named(self, name: str, symbol: str, axes: str) -> "Step":
        """Return the same step for another entry."""
        return replace(self, name=name, symbol=symbol, axes=axes)

    def share_among(self, group: int) -> "Step":
        """Return the step for groups of this many heads that share keys and values."""
        return (
            self if group == 1 or self.in_groups is None else replace(self, function=self.in_groups)
        )


@dataclass(eq=False, slots=True)
class Call:
    """A function call that computed an entry: the input entries by name, in the order of the
    arguments, and the other arguments.

    `step` is None for entries that a page adds by `Trace.also`.
    """

    function: Callable[..., Tensor]
    inputs: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    step: Step | None = None

    def again(self, trace: Mapping[str, Explained]) -> Tensor:
        """Compute the tensor again from a trace's entries."""
        return self.function(*(trace[name].value for name in self.inputs), **self.settings)
