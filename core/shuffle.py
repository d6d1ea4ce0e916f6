"""The words in another order: does the stack notice?

An experiment: the sentence goes through the stack as it was typed and shuffled, each result is put
back to where its word was typed, and the two are compared; once without positions, and once with
each kind of them.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import torch
from torch import Tensor

from . import embedding, norms, weights
from .choices import ADDED
from .encoder import result
from .names import Weights
from .setup import Setup

KINDS = ("none", *ADDED)


@dataclass(frozen=True, eq=False)
class Shuffled:
    """What moved: `order` says which token stands in each place, from 0; `moved` is (kind of
    positions, token), the largest change of each token's result."""

    setup: Setup
    order: tuple[int, ...]
    moved: Tensor

    def largest(self, kind: str) -> float:
        """Return how far results move at most, with this kind of positions."""
        return self._largest[self.kinds.index(kind)]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of positions that are tried."""
        return kinds(self.setup)

    @cached_property
    def _largest(self) -> list[float]:
        return self.moved.amax(dim=-1).tolist()


def kinds(setup: Setup) -> tuple[str, ...]:
    """Return the kinds of positions that are tried: learned ones not where a model that is read has
    none."""
    return KINDS if setup.real is None or setup.real.usual["positions"] == "learned" else KINDS[:-1]


def order(setup: Setup) -> tuple[int, ...]:
    """Return which token stands in each place after the shuffle, from 0; shuffle 0 leaves the order
    as it was typed. What a model that is read puts around a sentence stays where it is."""
    before, after = (0, 0) if setup.real is None else setup.real.tokenizer.around
    inner = _order(len(setup.tokens) - before - after, setup.shuffle)
    return (
        *range(before),
        *(before + k for k in inner),
        *range(before + len(inner), len(setup.tokens)),
    )


@lru_cache(maxsize=64)
def _order(tokens: int, seed: int) -> tuple[int, ...]:
    if seed == 0:
        return tuple(range(tokens))
    return tuple(torch.randperm(tokens, generator=torch.Generator().manual_seed(seed)).tolist())


_waves = lru_cache(maxsize=8)(embedding.sinusoidal)  # they depend on the two sizes alone


def shuffle(setup: Setup, layers: tuple[Weights, ...], embedded: Tensor, out: Tensor) -> Shuffled:
    """Shuffle the tokens' rows of the table, `embedded`, and compare with `out`, the known result
    of the setup itself.

    `layers` are the weights of every layer.
    """
    tokens, d_model = embedded.shape
    places = list(order(setup))
    tried, rows = kinds(setup), [torch.zeros(tokens, d_model), _waves(tokens, d_model)]
    if "learned" in tried:
        rows.append(weights.positions(setup, tokens))
    positions = torch.stack(rows).to(embedded.dtype)
    added = setup if setup.positions in tried else replace(setup, positions="none")
    unused = [k for k, kind in enumerate(tried) if kind != setup.positions]
    # Five sentences as one batch: the other order with each kind of positions, the typed one with
    # those that are not in use.
    both = _embed_rows(
        setup, torch.cat([embedded[places] + positions, embedded + positions[unused]])
    )
    may_attend = weights.may_attend(setup, tokens).expand(len(both), -1, -1)
    other, known = result(added, layers, both, may_attend).split((len(tried), len(unused)))
    typed, back = torch.empty_like(other), torch.empty_like(other)
    typed[:], typed[unused] = out, known
    back[:, places] = other  # each token's result, put back to where it was typed
    moved = (typed - back).abs().amax(dim=-1)
    return Shuffled(setup, tuple(places), moved)


def _embed_rows(setup: Setup, rows: Tensor) -> Tensor:
    """Return what the stack takes in, of words with their positions (sentence, token, d_model): as
    `model.embed` makes it."""
    around = weights.get_input_weights(setup)
    if "gain_0" not in around:
        return rows
    normed = norms.layer_norm_with_gain(
        rows + around.get("part", 0.0), around["gain_0"], around["shift_0"], setup.epsilon
    )
    return normed @ around["w_in"] + around["b_in"] if "w_in" in around else normed
