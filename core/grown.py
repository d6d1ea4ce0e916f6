"""One word more: what it leaves of a sentence's old rows as it was, in every step of every layer;
measured, not derived."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch
from torch import Tensor

from . import block, cache, model, weights
from .names import Weights
from .record import Numbers, Record, Trace
from .sentences import MOST_TOKENS
from .setup import Setup
from .text import token_ids

OF_WORDS = ("token", "query", "key")  # the axes along which the words stand
# In float64 rounding is some 1e-16 of a number, and what makes it larger stays far below this.
SEEN = 1e-6


@dataclass(frozen=True)
class Old:
    """What became of one step's old rows, a place for each word that was there: whether its numbers
    are the `same` to the last bit, and whether they `moved` by more than rounding. `apart`: how far
    two of these numbers are apart at most, and `size` how large they are at most."""

    same: tuple[bool, ...]
    moved: tuple[bool, ...]
    apart: float
    size: float


@dataclass(frozen=True, eq=False)
class Grown:
    """A sentence before and after one word more: a trace for each layer, with its `steps`, scaled
    and masked scores alone. `gone` first words had to go. `old` says of each layer, and of each of
    its steps, what became of the rows that both have."""

    before: tuple[Trace, ...]
    after: tuple[Trace, ...]
    gone: int
    old: tuple[dict[str, Old], ...]

    @property
    def setup(self) -> Setup:
        """With which setup."""
        return self.after[0].setup

    @property
    def words(self) -> int:
        """How many words both have."""
        return len(self.before[0].tokens) - self.gone

    @property
    def is_rounding(self) -> bool:
        """Whether all old rows stay, but for rounding."""
        return not any(any(old.moved) for layer in self.old for old in layer.values())

    @property
    def furthest(self) -> Old:
        """The step in which two numbers of old rows are furthest apart; by 0 where all are the same
        to the last bit."""
        return max((old for layer in self.old for old in layer.values()), key=lambda old: old.apart)

    @property
    def other_results(self) -> int:
        """Of how many old words some layer's result moved by more than rounding."""
        return sum(map(any, zip(*(layer["out"].moved for layer in self.old), strict=True)))

    @property
    def other_keys(self) -> list[int]:
        """In which layers, from 1, keys or values of old words moved by more than rounding: those
        that a cache keeps."""
        kept = (self.setup.compared[1], "v")
        return [
            n
            for n, layer in enumerate(self.old, start=1)
            if any(any(layer[name].moved) for name in kept)
        ]


def has_room(setup: Setup) -> bool:
    """Return whether the sentence can have one word more: 32 fit, of a model that is read at most
    as many as it has places for."""
    places = MOST_TOKENS if setup.real is None else setup.real.sizes.places
    return len(setup.tokens) < min(MOST_TOKENS, places)


def grown(setup: Setup, word: str, gone: int = 0) -> Grown:
    """Compare the sentence with the same with one word more and without `gone` of its first ones,
    through the same weights.

    Both are computed once more in float64, which tells a change from rounding.

    Raises:
        ValueError: the vocabulary does not have the word, or nothing would be left to compare.
    """
    if not 0 <= gone < len(setup.tokens):
        raise ValueError(
            f"gone={gone}: expected 0 to {len(setup.tokens) - 1}, so that a word stays"
        )
    sentences, layers = (setup.tokens, (*setup.tokens[gone:], word)), weights.layers(setup)
    in_float32, in_float64 = (
        tuple(
            _through(setup, layers, _x(setup, tokens, word, kind), tokens) for tokens in sentences
        )
        for kind in (torch.float32, torch.float64)
    )
    pairs, old = [], []
    for pair, exact in zip(
        zip(*in_float32, strict=True), zip(*in_float64, strict=True), strict=True
    ):
        pairs.append(pair)
        old.append(
            {name: _old(_both(pair, name, gone), _both(exact, name, gone)) for name in steps(setup)}
        )
    before, after = zip(*pairs, strict=True)
    return Grown(before, after, gone, tuple(old))


def steps(setup: Setup) -> tuple[str, ...]:
    """Return the steps of a layer that are compared, in the order in which they are made.

    >>> steps(Setup())
    ('x', 'q', 'k', 'v', 'scores', 'weights', 'context', 'out')
    """
    normed = ("q_normed", "k_normed") if setup.norms_heads else ()
    turned = ("q_rotated", "k_rotated") if setup.turns else ()
    return ("x", "q", "k", "v", *normed, *turned, "scores", "weights", "context", "out")


def _x(setup: Setup, tokens: tuple[str, ...], word: str, kind: torch.dtype) -> Tensor:
    """Return these words and their places as X (token, d_model): the setup's own, and the `word`
    that a model which is read may say."""
    given = weights.embedding(setup, tokens)
    words = setup.vocabulary
    if word not in words:
        if setup.real is None:
            raise ValueError(f"{word!r} is not in the vocabulary")
        given["embedding_table"] = torch.cat(
            [given["embedding_table"], setup.real.embedding_table((word,))]
        )
        words = (*words, word)
    exact = {name: each.to(kind) for name, each in given.items()}
    return model.embed(setup, exact, Numbers(), token_ids(tokens, words))


def _through(
    setup: Setup, layers: Sequence[Weights], x: Tensor, tokens: tuple[str, ...]
) -> Iterator[Trace]:
    """Yield what each layer makes of x, one after the other: in float64 the weights of a layer take
    room only while it is its turn."""
    for layer in layers:
        of_layer = {name: each.to(x.dtype) for name, each in layer.items()}
        record = Record()
        x = block.run(setup, of_layer, x, weights.may_attend(setup, len(x)), record)
        seen = {name: record.entries[name] for name in (*steps(setup), "scaled", "masked")}
        yield Trace(setup, seen, _tokens=tokens)


def _both(pair: Sequence[Trace], name: str, gone: int) -> tuple[Tensor, Tensor]:
    """Return a step's numbers in the rows that both sentences have, in keys' columns too: (token,
    …) both."""
    first, second = (trace[name] for trace in pair)
    before, after = first.value, second.value
    for axis, what in enumerate(first.dims):
        if what in OF_WORDS:
            stay = before.shape[axis] - gone
            before, after = before.narrow(axis, gone, stay), after.narrow(axis, 0, stay)
    rows = next(axis for axis, what in enumerate(first.dims) if what in OF_WORDS)
    return before.movedim(rows, 0).flatten(1), after.movedim(rows, 0).flatten(1)


def _old(near: tuple[Tensor, Tensor], exact: tuple[Tensor, Tensor]) -> Old:
    """Return what became of old rows, each pair (token, …): as the pages compute them, and in
    float64."""
    before, after = near
    apart, size = (
        (exact[0] - exact[1]).abs().amax(dim=1),
        max(each.abs().max().item() for each in exact),
    )
    same, moved = (before == after).all(dim=1), apart > SEEN * size
    return Old(
        tuple(same.tolist()), tuple(moved.tolist()), (before - after).abs().max().item(), size
    )


def stepped(of: Grown) -> tuple[cache.Kept, Tensor, Tensor]:
    """Return the new word by `cache.step`, after what is kept of the words before: what is kept
    then, its out (1, d_model), and the same row (1, d_model) of the stack that took in all of the
    sentence.

    Raises:
        ValueError: the mask is not causal, or first words had to go: what was kept is then no
        longer true.
    """
    if of.gone or not of.setup.is_causal:
        raise ValueError("nothing can be kept: old rows change")
    kept = cache.kept_of(of.setup, of.before)
    kept, out = cache.step(of.setup, weights.layers(of.setup), kept, of.after[0].value("x")[-1:])
    return kept, out, of.after[-1].value("out")[-1:]
