"""Two derivations held against each other: what is the same, where the first number differs, and by
how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from .record import Entry
from .setup import Setup

Axes = tuple[tuple[str, int], ...]  # each axis and its size

# The fields that decide how long an axis is.
DECIDED_BY = {
    "token": ("text",),
    "query": ("text",),
    "key": ("text", "memory"),
    "memory": ("memory", "text"),
    "word": (
        "text",
        "init",
        "task",
        "memory",
    ),  # a trained table has a row for each word of its language
    "head": ("heads",),
    "kv_head": ("heads", "kv_heads"),
    "pair": ("d_k",),
    "sentence": ("others",),
}


@dataclass(frozen=True)
class Pair:
    """One tensor as two derivations have it.

    `held` and `present` are its axes with their sizes, None where one of the two has no such
    tensor. `largest` is how far numbers in the same place are apart at most, 0 where all are equal,
    None where the shapes differ. `first` is the place of the first number that differs, from 0, and
    `numbers` are the held and the present one there; None where there is none.
    """

    name: str
    held: Axes | None
    present: Axes | None
    largest: float | None = None
    first: tuple[int, ...] | None = None
    numbers: tuple[float, float] | None = None

    @property
    def same(self) -> bool:
        """Whether shape and numbers are equal, to the last bit."""
        return self.largest == 0

    def axes_apart(self) -> tuple[tuple[str, int, int], ...]:
        """Return each axis of another size: its name, the held and the present size."""
        both = zip(self.held or (), self.present or (), strict=False)
        return tuple(
            (axis if axis == now_axis else f"{axis}·{now_axis}", before, now)
            for (axis, before), (now_axis, now) in both
            if before != now
        )


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


def why(pair: Pair, held: Setup, present: Setup, batch: bool) -> tuple[str, ...]:
    """Return the fields that differ and decide an axis of another size; of a `batch` the further
    sentences decide too."""
    deciding: list[str] = []
    for axis in [axis for joined, _, _ in pair.axes_apart() for axis in joined.split("·")]:
        out = ["out", "layer", *(of.out if of.layer == 1 else "d_model" for of in (held, present))]
        deciding += out if axis == "out" else DECIDED_BY.get(axis, (axis,))
        deciding += ["others"] if batch and axis in ("token", "query", "key", "word") else []
    return tuple(
        dict.fromkeys(
            field for field in deciding if getattr(held, field) != getattr(present, field)
        )
    )


def _pair(name: str, held: Entry | None, present: Entry | None) -> Pair:
    if held is None or present is None or held.value.shape != present.value.shape:
        return Pair(name, _axes(held), _axes(present))
    apart = difference(held.value, present.value).abs()
    places = apart.nonzero()
    first = tuple(places[0].tolist()) if len(places) else None
    numbers = None if first is None else (held.value[first].item(), present.value[first].item())
    return Pair(name, _axes(held), _axes(present), apart.max().item(), first, numbers)


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
