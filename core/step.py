"""A step of the derivation, with all that is told of it; and a step that was taken, of which
entries."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from torch import Tensor

from .cell import Explained, Origin


@dataclass(frozen=True, eq=False)
class Step:
    """A function that makes an entry of others: the entry's name and symbol, and what its axes are.

    Attributes:
        function: what makes all cells at once. Pages print it. origin: given the names and settings
        that the function is given, says how one cell is made. formula: LaTeX, with $a and $b for
        the first two inputs and settings by name, or a function of the settings that returns it;
        without it the function's name stands there.
        reference: given a trace and the entry's name, PyTorch's function and its numbers.
        in_groups: the function where heads share keys and values.
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
        """Return the same step where it makes another entry."""
        return replace(self, name=name, symbol=symbol, axes=axes)

    def share_among(self, group: int) -> "Step":
        """Return the same step where so many heads share keys and values."""
        return (
            self if group == 1 or self.in_groups is None else replace(self, function=self.in_groups)
        )


@dataclass(eq=False, slots=True)
class Call:
    """What made an entry: a function of other entries, by name in the order of its arguments, and
    what else it was given.

    `step` is None for what a page adds by `Trace.also`: nothing is told of it.
    """

    function: Callable[..., Tensor]
    inputs: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    step: Step | None = None

    def again(self, trace: Mapping[str, Explained]) -> Tensor:
        """Make the tensor once more from the entries of a trace."""
        return self.function(*(trace[name].value for name in self.inputs), **self.settings)
