"""The cache of keys and values: what one word more leaves as it was, a path that computes none of it twice, and what that saves.

Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.4: word by word, all keys and values are read
again for each word, so their number decides how fast that is. Ainslie et al. 2023, section 2.2: groups of heads that share them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from . import block, counts, embedding, masks, model, weights
from .record import Numbers, Record, Trace
from .sentences import MOST_TOKENS
from .setup import Setup
from .text import token_ids
from .weights import Weights

OF_WORDS = ("token", "query", "key")  # the axes along which the words stand
# In float64 rounding is some 1e-16 of a number, and what makes it larger stays far below this.
SEEN = 1e-6


def remember(kept: Tensor, new: Tensor) -> Tensor:
    """Lay the new word's key or value below those kept: (kv_head, kept, size), (kv_head, 1, size) → (kv_head, kept + 1, size).

    >>> remember(torch.tensor([[[1.], [2.]]]), torch.tensor([[[3.]]])).flatten().tolist()
    [1.0, 2.0, 3.0]
    """
    return torch.cat([kept, new], dim=-2)


def forget(kept: Tensor, window: int) -> Tensor:
    """Under a mask with a window drop what no word will look at again: (kv_head, token, size) → (kv_head, window + 1 at most, size).

    Beltagy, Peters and Cohan 2020, section 3.1, has the window; a word looks at itself too.

    >>> forget(torch.tensor([[[1.], [2.], [3.]]]), window=1).flatten().tolist()
    [2.0, 3.0]
    """
    return kept[..., -window - 1 :, :]


@dataclass(frozen=True, eq=False)
class Kept:
    """What is kept of `words` words: of each layer the keys (kv_head, kept, d_k), turned where positions turn them, and the values
    (kv_head, kept, d_v)."""

    words: int
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    @property
    def numbers(self) -> int:
        """How many numbers that are."""
        return sum(each.numel() for each in (*self.keys, *self.values))


def nothing(setup: Setup) -> Kept:
    """Before the first word: no row of any key or value."""
    kv_heads = setup.heads // setup.group
    keys, values = torch.empty(kv_heads, 0, setup.d_k), torch.empty(kv_heads, 0, setup.d_v)
    return Kept(0, (keys,) * setup.layers, (values,) * setup.layers)


def kept_of(setup: Setup, layers: Sequence[Trace]) -> Kept:
    """What is kept of a sentence that went through the stack at once: its traces, a layer each."""
    _, k = layers[0].compared
    both = [[layer.value(name) for layer in layers] for name in (k, "v")]
    keys, values = (tuple(forget(each, setup.window) if setup.has_window else each for each in kind) for kind in both)
    return Kept(len(layers[0].value("x")), keys, values)


class _Remembering(Numbers):
    """The numbers of one row's steps, where its key and its value are laid below those that are kept."""

    def __init__(self, setup: Setup, keys: Tensor, values: Tensor) -> None:
        super().__init__()
        self.kept = {"k_rotated" if setup.turns else "k": keys, "v": values}
        self.window = setup.window if setup.has_window else None

    def keep(self, name: str, symbol: str, value: Tensor, dims: str, *made: object, **by: object) -> Tensor:
        """Of keys and values keep those of all words."""
        if name in self.kept:
            value = remember(self.kept[name], value)
            value = self.kept[name] = value if self.window is None else forget(value, self.window)
        return super().keep(name, symbol, value, dims)


def step(setup: Setup, layers: tuple[Weights, ...], kept: Kept, x: Tensor) -> tuple[Kept, Tensor]:
    """One new word through all layers, a row each: its x (1, d_model), and what is kept → what is kept with it, its out (1, d_model).

    No mask is needed: what is kept is what came before. The setup's mask has to be causal. Pope et al. 2022, section 2.1, call
    this a decode step; PyTorch has no function for it.
    """
    records = []
    for weights_of_layer, keys, values in zip(layers, kept.keys, kept.values, strict=True):
        record = _Remembering(setup, keys, values)
        if setup.turns:  # by the angle of its own place, the last
            record.keep("angles", "θ", embedding.rotary_angles(kept.words + 1, setup.d_k)[-1:], "token pair")
        sees = torch.ones(1, looks_at(setup, kept.words + 1), dtype=torch.bool)
        x = block.run(setup, weights_of_layer, x, sees, record)
        records.append(record)
    pairs = [tuple(record.kept.values()) for record in records]
    return Kept(kept.words + 1, tuple(k for k, _ in pairs), tuple(v for _, v in pairs)), x


def looks_at(setup: Setup, tokens: int) -> int:
    """How many words the last of so many looks at, itself included, under a causal mask: so many keys and values are kept.

    >>> looks_at(Setup(mask="causal"), 9), looks_at(Setup(mask="causal-window", window=2), 9)
    (9, 3)
    """
    return min(tokens, setup.window + 1) if setup.has_window else tokens


def numbers_of_a_word(setup: Setup, kv_heads: int = 0) -> int:
    """How many numbers are kept of one word: a key and a value of each layer and kv head; of the setup's own kv heads with 0.

    >>> numbers_of_a_word(Setup(layers=2, heads=4, kv_heads=2, d_k=3, d_v=5))
    32
    """
    return setup.layers * (kv_heads or setup.heads // setup.group) * (setup.d_k + setup.d_v)


def numbers_kept(setup: Setup, tokens: int) -> int:
    """How many numbers the cache of so many words holds: those of each word that the last one looks at.

    >>> numbers_kept(Setup(layers=2, heads=4, kv_heads=2, d_k=3, d_v=5, mask="causal"), tokens=10)
    320
    """
    return numbers_of_a_word(setup) * looks_at(setup, tokens)


def of_a_row(setup: Setup) -> int:
    """How many multiplications one word's row takes in all layers, but for those where it meets other words: the projections, W_o
    and the feed-forward part.

    >>> of_a_row(Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7))
    60
    """
    of_attention = sum(counts.by_matrix(replace(setup, out="d_model")).values())
    return setup.layers * (of_attention + (3 if setup.activation == "swiglu" else 2) * setup.d_model * setup.d_ff)


def of_meetings(setup: Setup, keys: int) -> int:
    """How many multiplications it takes in all layers that a query meets so many keys, and takes up their values.

    >>> of_meetings(Setup(layers=2, heads=3, d_k=5, d_v=7), keys=10)
    720
    """
    return setup.layers * setup.heads * (setup.d_k + setup.d_v) * keys


def with_cache(setup: Setup, tokens: int) -> int:
    """How many multiplications the last of so many words takes where keys and values of those before are kept: a row.

    >>> with_cache(Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10)
    140
    """
    return of_a_row(setup) + of_meetings(setup, looks_at(setup, tokens))


def without_cache(setup: Setup, tokens: int) -> int:
    """The same where all of the sentence goes through the stack again: every row, and every query meets every key, also those that
    the mask then closes. That is what `encoder.encode` does.

    >>> without_cache(Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10)
    1400
    """
    return tokens * (of_a_row(setup) + of_meetings(setup, tokens))


@dataclass(frozen=True)
class Old:
    """What became of one step's old rows, a place for each word that was there: whether its numbers are the `same` to the last
    bit, and whether they `moved` by more than rounding. `apart`: how far two of these numbers are apart at most."""

    same: tuple[bool, ...]
    moved: tuple[bool, ...]
    apart: float


@dataclass(frozen=True, eq=False)
class Grown:
    """A sentence before and after one word more: a trace for each layer, with its `steps` and its masked scores alone. `gone` first
    words had to go. `old` says of each layer, and of each of its steps, what became of the rows that both have."""

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
    def apart(self) -> float:
        """How far two numbers of old rows are apart at most; 0 where all are the same to the last bit."""
        return max(old.apart for layer in self.old for old in layer.values())

    @property
    def other_results(self) -> int:
        """Of how many old words some layer's result moved by more than rounding."""
        return sum(map(any, zip(*(layer["out"].moved for layer in self.old), strict=True)))

    @property
    def other_keys(self) -> list[int]:
        """In which layers, from 1, keys or values of old words moved by more than rounding: those that a cache keeps."""
        kept = ("k_rotated" if self.setup.turns else "k", "v")
        return [n for n, layer in enumerate(self.old, start=1) if any(any(layer[name].moved) for name in kept)]


def has_room(setup: Setup) -> bool:
    """Whether the sentence can have one word more: 32 fit, of a model that is read at most as many as it has places for."""
    places = MOST_TOKENS if setup.real is None else setup.real.sizes.places
    return len(setup.tokens) < min(MOST_TOKENS, places)


def grown(setup: Setup, word: str, gone: int = 0) -> Grown:
    """The sentence, and the same with one word more and without `gone` of its first ones, through the same weights, compared.

    Both are computed once more in float64, which tells a change from rounding.

    Raises:
        ValueError: the vocabulary does not have the word, or nothing would be left to compare.
    """
    if not 0 <= gone < len(setup.tokens):
        raise ValueError(f"gone={gone}: expected 0 to {len(setup.tokens) - 1}, so that a word stays")
    sentences, layers = (setup.tokens, (*setup.tokens[gone:], word)), weights.layers(setup)
    in_float32, in_float64 = (
        tuple(_through(setup, layers, _x(setup, tokens, word, kind), tokens) for tokens in sentences)
        for kind in (torch.float32, torch.float64)
    )
    pairs, old = [], []
    for pair, exact in zip(zip(*in_float32, strict=True), zip(*in_float64, strict=True), strict=True):
        pairs.append(pair)
        old.append({name: _old(_both(pair, name, gone), _both(exact, name, gone)) for name in steps(setup)})
    before, after = zip(*pairs, strict=True)
    return Grown(before, after, gone, tuple(old))


def steps(setup: Setup) -> tuple[str, ...]:
    """The steps of a layer that are compared, in the order in which they are made.

    >>> steps(Setup())
    ('x', 'q', 'k', 'v', 'scores', 'weights', 'context', 'out')
    """
    turned = ("q_rotated", "k_rotated") if setup.turns else ()
    return ("x", "q", "k", "v", *turned, "scores", "weights", "context", "out")


def _x(setup: Setup, tokens: tuple[str, ...], word: str, kind: torch.dtype) -> Tensor:
    """These words and their places as X (token, d_model): the setup's own, and the `word` that a model which is read may say."""
    given = weights.embedding(setup)
    words = setup.vocabulary
    if word not in words:
        if setup.real is None:
            raise ValueError(f"{word!r} is not in the vocabulary")
        given["embedding_table"] = torch.cat([given["embedding_table"], setup.real.embedding_table((word,))])
        words = (*words, word)
    if setup.positions == "learned":
        given["positions"] = weights.positions(setup, len(tokens))
    exact = {name: each.to(kind) for name, each in given.items()}
    return model.embed(setup, exact, Numbers(), token_ids(tokens, words))


def _through(setup: Setup, layers: Sequence[Weights], x: Tensor, tokens: tuple[str, ...]) -> Iterator[Trace]:
    """What each layer makes of x, one after the other: in float64 the weights of a layer take room only while it is its turn."""
    for layer in layers:
        of_layer = {name: each.to(x.dtype) for name, each in layer.items()}
        record = Record()
        x = block.run(setup, of_layer, x, masks.of(setup, len(x)), record)
        seen = {name: record.entries[name] for name in (*steps(setup), "masked")}
        yield Trace(setup, seen, _tokens=tokens)


def _both(pair: Sequence[Trace], name: str, gone: int) -> tuple[Tensor, Tensor]:
    """A step's numbers in the rows that both sentences have, in keys' columns too: (token, …) both."""
    first, second = (trace[name] for trace in pair)
    before, after = first.value, second.value
    for axis, what in enumerate(first.dims):
        if what in OF_WORDS:
            stay = before.shape[axis] - gone
            before, after = before.narrow(axis, gone, stay), after.narrow(axis, 0, stay)
    rows = next(axis for axis, what in enumerate(first.dims) if what in OF_WORDS)
    return before.movedim(rows, 0).flatten(1), after.movedim(rows, 0).flatten(1)


def _old(near: tuple[Tensor, Tensor], exact: tuple[Tensor, Tensor]) -> Old:
    """What became of old rows, each pair (token, …): as the pages compute them, and in float64."""
    before, after = near
    apart, size = (exact[0] - exact[1]).abs().amax(dim=1), max(each.abs().max().item() for each in exact)
    same, moved = (before == after).all(dim=1), apart > SEEN * size
    return Old(tuple(same.tolist()), tuple(moved.tolist()), (before - after).abs().max().item())


def stepped(of: Grown) -> tuple[Kept, Tensor, Tensor]:
    """The new word by `step`, after what is kept of the words before: what is kept then, its out (1, d_model), and the same row of
    the stack that took in all of the sentence (1, d_model).

    Raises:
        ValueError: the mask is not causal, or first words had to go: what was kept is then no longer true.
    """
    if of.gone or not of.setup.is_causal:
        raise ValueError("nothing can be kept: old rows change")
    kept = kept_of(of.setup, of.before)
    kept, out = step(of.setup, weights.layers(of.setup), kept, of.after[0].value("x")[-1:])
    return kept, out, of.after[-1].value("out")[-1:]
