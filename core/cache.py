"""The cache of keys and values: a path that computes nothing twice, and what that saves. What may
be kept, `grown` finds.

Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.4: word by
word, all keys and values are read again for each word, so their number decides how fast that is.
Ainslie et al. 2023, section 2.2: groups of heads that share them.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from . import block, counts, embedding
from .names import Weights
from .record import Numbers, Trace
from .setup import Setup


def remember(kept: Tensor, new: Tensor) -> Tensor:
    """Lay the new word's key or value below those kept: (kv_head, kept, size), (kv_head, 1, size) →
    (kv_head, kept + 1, size).

    >>> remember(torch.tensor([[[1.], [2.]]]), torch.tensor([[[3.]]])).flatten().tolist()
    [1.0, 2.0, 3.0]
    """
    return torch.cat([kept, new], dim=-2)


def forget(kept: Tensor, window: int) -> Tensor:
    """Under a mask with a window drop what no word will look at again: (kv_head, token, size) →
    (kv_head, window + 1 at most, size).

    Beltagy, Peters and Cohan 2020, section 3.1, has the window; a word looks at itself too.

    >>> forget(torch.tensor([[[1.], [2.], [3.]]]), window=1).flatten().tolist()
    [2.0, 3.0]
    """
    return kept[..., -window - 1 :, :]


@dataclass(frozen=True, eq=False)
class Kept:
    """What is kept of `words` words: of each layer the keys (kv_head, kept, d_k), turned where
    positions turn them, and the values (kv_head, kept, d_v)."""

    words: int
    keys: tuple[Tensor, ...]
    values: tuple[Tensor, ...]

    @property
    def numbers(self) -> int:
        """How many numbers that are."""
        return sum(each.numel() for each in (*self.keys, *self.values))


def nothing(setup: Setup) -> Kept:
    """Return what is kept before the first word: no row of any key or value."""
    kv_heads = setup.heads // setup.group
    keys, values = torch.empty(kv_heads, 0, setup.d_k), torch.empty(kv_heads, 0, setup.d_v)
    return Kept(0, (keys,) * setup.layers, (values,) * setup.layers)


def kept_of(setup: Setup, layers: Sequence[Trace]) -> Kept:
    """Return what is kept of a sentence that went through the stack at once: its traces, a layer
    each."""
    both = [[layer.value(name) for layer in layers] for name in (setup.compared[1], "v")]
    keys, values = (
        tuple(forget(each, setup.window) if setup.has_window else each for each in kind)
        for kind in both
    )
    return Kept(len(layers[0].value("x")), keys, values)


class Remembering(Numbers):
    """The numbers of one row's steps, where its key and its value are laid below those that are
    kept."""

    def __init__(self, setup: Setup, keys: Tensor, values: Tensor) -> None:
        super().__init__()
        self.kept = {setup.compared[1]: keys, "v": values}
        self.window = setup.window if setup.has_window else None

    def keep(
        self, name: str, symbol: str, value: Tensor, dims: str, *made: object, **by: object
    ) -> Tensor:
        """Of keys and values keep those of all words."""
        if name in self.kept:
            value = remember(self.kept[name], value)
            value = self.kept[name] = value if self.window is None else forget(value, self.window)
        return super().keep(name, symbol, value, dims)


def step(setup: Setup, layers: tuple[Weights, ...], kept: Kept, x: Tensor) -> tuple[Kept, Tensor]:
    """One new word through all layers, a row each: its x (1, d_model), and what is kept → what is
    kept with it, its out (1, d_model).

    No mask is needed: what is kept is what came before. The setup's mask has to be causal. Pope et
    al. 2022, section 2.1, call this a decode step; PyTorch has no function for it.
    """
    records = []
    for weights_of_layer, keys, values in zip(layers, kept.keys, kept.values, strict=True):
        record = Remembering(setup, keys, values)
        if setup.turns:  # by the angle of its own place, the last
            record.keep(
                "angles",
                "θ",
                embedding.rotary_angles(kept.words + 1, setup.d_k, setup.rotary_base)[-1:],
                "token pair",
            )
        sees = torch.ones(1, looks_at(setup, kept.words + 1), dtype=torch.bool)
        x = block.run(setup, weights_of_layer, x, sees, record)
        records.append(record)
    pairs = [tuple(record.kept.values()) for record in records]
    return Kept(kept.words + 1, tuple(k for k, _ in pairs), tuple(v for _, v in pairs)), x


def looks_at(setup: Setup, tokens: int) -> int:
    """How many words the last of so many looks at, itself included, under a causal mask: so many
    keys and values are kept.

    >>> looks_at(Setup(mask="causal"), 9), looks_at(Setup(mask="causal-window", window=2), 9)
    (9, 3)
    """
    return min(tokens, setup.window + 1) if setup.has_window else tokens


def numbers_of_a_word(setup: Setup, kv_heads: int = 0) -> int:
    """How many numbers are kept of one word: a key and a value of each layer and kv head; of the
    setup's own kv heads with 0.

    >>> numbers_of_a_word(Setup(layers=2, heads=4, kv_heads=2, d_k=3, d_v=5))
    32
    """
    return setup.layers * (kv_heads or setup.heads // setup.group) * (setup.d_k + setup.d_v)


def numbers_kept(setup: Setup, tokens: int) -> int:
    """How many numbers the cache of so many words holds: those of each word that the last one looks
    at.

    >>> numbers_kept(Setup(layers=2, heads=4, kv_heads=2, d_k=3, d_v=5, mask="causal"), tokens=10)
    320
    """
    return numbers_of_a_word(setup) * looks_at(setup, tokens)


def of_a_row(setup: Setup) -> int:
    """How many multiplications one word's row takes in all layers, but for those where it meets
    other words: the projections, W_o and the feed-forward part.

    >>> of_a_row(Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7))
    60
    """
    of_attention = sum(counts.by_matrix(replace(setup, out="d_model")).values())
    return setup.layers * (
        of_attention + (3 if setup.activation == "swiglu" else 2) * setup.d_model * setup.d_ff
    )


def of_meetings(setup: Setup, keys: int) -> int:
    """Return how many multiplications it takes in all layers that a query meets so many keys, and
    takes up their values.

    Scaled by ⁴√d_k on both sides they meet twice: as they are, for ω, and divided, for ω′.

    >>> of_meetings(Setup(layers=2, heads=3, d_k=5, d_v=7), keys=10)
    720
    """
    meetings = 2 if setup.scale == "fourth-root" else 1
    return setup.layers * setup.heads * (meetings * setup.d_k + setup.d_v) * keys


def with_cache(setup: Setup, tokens: int) -> int:
    """How many multiplications the last of so many words takes where keys and values of those
    before are kept: a row.

    >>> with_cache(
    ...     Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10
    ... )
    140
    """
    return of_a_row(setup) + of_meetings(setup, looks_at(setup, tokens))


def without_cache(setup: Setup, tokens: int) -> int:
    """The same where all of the sentence goes through the stack again: every row, and every query
    meets every key, also those that the mask then closes. That is what `encoder.encode` does.

    >>> without_cache(
    ...     Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10
    ... )
    1400
    """
    return tokens * (of_a_row(setup) + of_meetings(setup, tokens))
