"""Two derivations held against each other: what is the same, and how far the rest is apart."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .record import Entry

Axes = tuple[tuple[str, int], ...]  # each axis and its size


@dataclass(frozen=True)
class Pair:
    """One tensor as two derivations have it.

    `held` and `present` are its axes with their sizes, None where one of the two has no such
    tensor. `largest` is how far numbers in the same place are apart at most, 0 where all are equal,
    None where the shapes differ.
    """

    name: str
    held: Axes | None
    present: Axes | None
    largest: float | None = None

    @property
    def same(self) -> bool:
        """Whether shape and numbers are equal, to the last bit."""
        return self.largest == 0


def compare(held: Mapping[str, Entry], present: Mapping[str, Entry]) -> tuple[Pair, ...]:
    """Return every tensor of two derivations (a trace, or what `derivation` gives), in the order of
    the present one."""
    return tuple(
        _pair(name, held.get(name), present.get(name))
        for name in _order(tuple(held), tuple(present))
    )


def derivation(
    trace: Mapping[str, Entry], layers: Sequence[Mapping[str, Entry]]
) -> dict[str, Entry]:
    """Return the derivation through a stack: up to what goes into it, then each layer's tensors,
    called `layer1.q` and so on."""
    names = list(trace)
    below = {name: trace[name] for name in names[: names.index("x") + 1]}
    of_layers = {
        f"layer{k}.{name}": entry
        for k, layer in enumerate(layers, 1)
        for name, entry in layer.items()
        if name != "x"
    }  # what goes into a layer is what the one below handed on
    return below | of_layers


def first_apart(pairs: Sequence[Pair]) -> Pair | None:
    """Return where along the derivation the two part; None where they never do."""
    return next((pair for pair in pairs if not pair.same), None)


def difference(held: Tensor, present: Tensor) -> Tensor:
    """Return present − held, number by number, 0 where both are the same, −∞ included; any shape,
    the same for both.

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
    """Return the present one's order; what only the held one has stands behind what it stood behind
    there."""
    order, at = list(present), 0
    for name in held:
        if name not in present:
            order.insert(at, name)
        at = order.index(name) + 1
    return order
