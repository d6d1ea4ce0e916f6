"""Does word order affect the stack's output?

The sentence goes through the stack in its own order and shuffled; each output is moved back to its
word's position and compared, without positions and with each kind of positions.
"""

from dataclasses import dataclass, replace
from functools import cached_property, lru_cache

import torch
from torch import Tensor

from ..forward.encoder import result
from ..ops import embedding, norms
from ..ops.weight_names import Weights
from ..setup.choices import ADDED
from ..setup.setup import Setup
from ..weights import weights

KINDS = ("none", *ADDED)


@dataclass(frozen=True, eq=False)
class Shuffled:
    """The changes: `order` is the token at each position, from 0; `moved` is (kind of positions,
    token), the largest change of each token's output."""

    setup: Setup
    order: tuple[int, ...]
    moved: Tensor

    def largest(self, kind: str) -> float:
        """Return the largest change with this kind of positions."""
        return self._largest[self.kinds.index(kind)]

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of positions that are tested."""
        return kinds(self.setup)

    @cached_property
    def _largest(self) -> list[float]:
        return self.moved.amax(dim=-1).tolist()


def kinds(setup: Setup) -> tuple[str, ...]:
    """Return the kinds of positions to test: all, or no learned ones if a real model has none."""
    return KINDS if setup.real is None or setup.real.usual["positions"] == "learned" else KINDS[:-1]


def order(setup: Setup) -> tuple[int, ...]:
    """Return the token at each position after the shuffle, from 0; shuffle 0 keeps the order. A
    real model's special tokens stay in place."""
    own = None if setup.real is None else setup.real.tokenizer
    before, after = (len(own.before), len(own.after)) if own else (0, 0)
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


_waves = lru_cache(maxsize=8)(embedding.sinusoidal)  # depends on the two sizes only


def shuffle(setup: Setup, layers: tuple[Weights, ...], embedded: Tensor, out: Tensor) -> Shuffled:
    """Shuffle the tokens' embeddings, `embedded`, and compare with `out`, the setup's known output.

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
    # One batch of five sentences: shuffled with each kind of positions, unshuffled with the kinds
    # not in use.
    both = _embed_rows(
        setup, torch.cat([embedded[places] + positions, embedded + positions[unused]])
    )
    may_attend = weights.may_attend(setup, tokens).expand(len(both), -1, -1)
    other, known = result(added, layers, both, may_attend).split((len(tried), len(unused)))
    typed, back = torch.empty_like(other), torch.empty_like(other)
    typed[:], typed[unused] = out, known
    back[:, places] = other  # moved back to each token's position
    moved = (typed - back).abs().amax(dim=-1)
    return Shuffled(setup, tuple(places), moved)


def _embed_rows(setup: Setup, rows: Tensor) -> Tensor:
    """Return the stack's input for embeddings with positions (sentence, token, d_model), as in
    `model.embed`."""
    around = weights.get_input_weights(setup)
    if "gain_0" not in around:
        return rows
    normed = norms.layer_norm_with_gain(
        rows + around.get("part", 0.0), around["gain_0"], around["shift_0"], setup.epsilon
    )
    return normed @ around["w_in"] + around["b_in"] if "w_in" in around else normed
