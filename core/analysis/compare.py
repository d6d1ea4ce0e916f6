"""Compare the tensors of two derivations, a pinned one and the present one.

Where their words differ, a word is compared with the same word, wherever it stands.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from ..setup.setup import Setup
from ..trace.record import Entry

Axes = tuple[tuple[str, int], ...]  # each axis and its size
Places = tuple[list[int], list[int]]  # of the words that both have: in held, in present


@dataclass(frozen=True)
class Pair:
    """One tensor in both derivations.

    `held` and `present` are its axes with their sizes, None if the derivation has no such tensor.
    `largest` is the largest absolute difference, None if the shapes differ. `others` counts the
    differing whole numbers and all, for ids.
    """

    name: str
    held: Axes | None
    present: Axes | None
    largest: float | None = None
    others: tuple[int, int] | None = None

    @property
    def same(self) -> bool:
        """Whether shape and numbers are exactly equal."""
        return self.largest == 0


def match_words(held: Setup, present: Setup, layers: bool = False) -> dict[str, Places]:
    """Return, for each axis whose words differ, where the words stand that both setups have; lists
    are empty if there are none. In `layers` each word looks at its own sentence.

    >>> match_words(Setup(text="dog bites man"), Setup(text="man bites"))["query"]
    ([2, 1], [0, 1])
    """
    asked = [
        setup.tokens if layers or not setup.memory else setup.memory_tokens
        for setup in (held, present)
    ]
    own = [held.tokens, present.tokens]
    words = dict.fromkeys(("token", "query"), own) | dict.fromkeys(("key", "memory"), asked)
    if not (held.real or present.real):
        words["word"] = [held.vocabulary, present.vocabulary]
    return {axis: _match(*both) for axis, both in words.items() if both[0] != both[1]}


def _match(held: Sequence[str], present: Sequence[str]) -> Places:
    """Match each word's first occurrence with its first, the second with its second."""
    there, here = ({word: k for k, word in enumerate(_count(all))} for all in (held, present))
    both = [word for word in here if word in there]
    return [there[word] for word in both], [here[word] for word in both]


def _count(words: Sequence[str]) -> list[tuple[str, int]]:
    seen: Counter[str] = Counter()
    numbered = []
    for word in words:
        numbered.append((word, seen[word]))
        seen[word] += 1
    return numbered


def take_places(value: Tensor, dims: Sequence[str], places: Mapping[str, list[int]]) -> Tensor:
    """Return a tensor with only these places of its axes, in this order."""
    for k, axis in enumerate(dims):
        if axis in places:
            value = value.index_select(k, torch.tensor(places[axis]))
    return value


def compare(
    held: Mapping[str, Entry],
    present: Mapping[str, Entry],
    matched: Mapping[str, Places] | None = None,
) -> tuple[Pair, ...]:
    """Return every tensor of two derivations (traces, or results of `derivation`), in the present
    one's order; with `matched` words, each beside the same word."""
    found = {axis: places for axis, places in (matched or {}).items() if places[0]}
    return tuple(
        _pair(name, held.get(name), present.get(name), found)
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


def _pair(
    name: str, held: Entry | None, present: Entry | None, matched: Mapping[str, Places]
) -> Pair:
    if held is None or present is None:
        return Pair(name, _axes(held), _axes(present))
    before, now = (
        take_places(entry.value, entry.dims, {axis: both[k] for axis, both in matched.items()})
        for k, entry in enumerate((held, present))
    )
    if before.shape != now.shape:
        return Pair(name, _axes(held), _axes(present))
    apart, others = difference(before, now).abs().max().item(), None
    if not now.is_floating_point():
        others = int((before != now).sum()), now.numel()
    return Pair(name, _axes(held), _axes(present), apart, others)


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
