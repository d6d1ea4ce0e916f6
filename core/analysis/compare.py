"""Compare the tensors of two derivations, a pinned one and the present one."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..trace.record import Entry

Axes = tuple[tuple[str, int], ...]  # each axis and its size


@dataclass(frozen=True)
class Pair:
    """One tensor in both derivations.

    `held` and `present` are its axes with their sizes, None if the derivation has no such tensor.
    `largest` is the largest absolute difference, None if the shapes differ.
    """

    name: str
    held: Axes | None
    present: Axes | None
    largest: float | None = None

    @property
    def same(self) -> bool:
        """Whether shape and numbers are exactly equal."""
        return self.largest == 0


def compare(held: Mapping[str, Entry], present: Mapping[str, Entry]) -> tuple[Pair, ...]:
    """Return every tensor of two derivations (traces, or results of `derivation`), in the present
    one's order."""
    return tuple(
        _pair(name, held.get(name), present.get(name))
        for name in _order(tuple(held), tuple(present))
    )


def derivation(
    trace: Mapping[str, Entry], layers: Sequence[Mapping[str, Entry]]
) -> dict[str, Entry]:
    """Return the tensors through a stack: up to its input, then each layer's, named `layer1.q` and
    so on."""
    names = list(trace)
    below = {name: trace[name] for name in names[: names.index("x") + 1]}
    of_layers = {
        f"layer{k}.{name}": entry
        for k, layer in enumerate(layers, 1)
        for name, entry in layer.items()
        if name != "x"
    }  # a layer's input is the output of the one below
    return below | of_layers


def first_apart(pairs: Sequence[Pair]) -> Pair | None:
    """Return the first pair that differs; None if all are equal."""
    return next((pair for pair in pairs if not pair.same), None)


def difference(held: Tensor, present: Tensor) -> Tensor:
    """Return present − held elementwise, 0 where both are equal, including −∞; any shape, the same
    for both.

    >>> difference(torch.tensor([1.0, -torch.inf]), torch.tensor([1.5, -torch.inf])).tolist()
    [0.5, 0.0]
    """
    return torch.where(held == present, torch.zeros_like(present), present - held)


def _pair(name: str, held: Entry | None, present: Entry | None) -> Pair:
    if held is None or present is None or held.value.shape != present.value.shape:
        return Pair(name, _axes(held), _axes(present))
    apart = difference(held.value, present.value).abs().max().item()
    return Pair(name, _axes(held), _axes(present), apart)


def _axes(entry: Entry | None) -> Axes | None:
    return None if entry is None else tuple(zip(entry.dims, entry.value.shape, strict=True))


def _order(held: Sequence[str], present: Sequence[str]) -> list[str]:
    """Return the names in the present order; a name only in `held` follows its predecessor
    there."""
    order, at = list(present), 0
    for name in held:
        if name not in present:
            order.insert(at, name)
        at = order.index(name) + 1
    return order
