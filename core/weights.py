"""The one source of weights: whatever computes with one asks for it here. All of them are drawn.

The first layer of a stack attends with the weights of the seven steps; each further layer is drawn in the same
way from a seed of its own, and so is everything else that a stack has.
"""

from dataclasses import replace

import torch
from torch import Tensor

from . import draws
from .setup import Setup

Weights = dict[str, Tensor]
# What layer 1 has in common with the seven steps. Its W_o is another matrix wherever theirs leads to d_v.
OF_THE_STEPS = {"w_q", "w_k", "w_v", "b_q", "b_k", "b_v"}


def attention(setup: Setup) -> Weights:
    """What the seven steps need: embedding_table (word, d_model), learned positions (token, d_model), and `projections`."""
    learned = {"positions": positions(setup, len(setup.tokens))} if setup.positions == "learned" else {}
    return {"embedding_table": draws.embedding_table(setup)} | learned | projections(setup)


def projections(setup: Setup) -> Weights:
    """W_q and W_k (head, d_model, d_k), W_v (head, d_model, d_v), W_o (head·d_v, out), and where biases are on b_q and b_k
    (head, d_k), b_v (head, d_v), b_o (out). Empty for a setup without projections."""
    if setup.projections == "none":
        return {}
    return draws.projections(setup) | (draws.biases(setup) if setup.bias == "on" else {})


def words(setup: Setup, count: int) -> Tensor:
    """The table of a batch: the sentence's own words, then so many that it does not have: (word, d_model)."""
    return torch.cat([draws.embedding_table(setup), draws.words(setup, count)])


def positions(setup: Setup, tokens: int) -> Tensor:
    """A learned row for each place, whatever positions the setup has itself: (token, d_model)."""
    return draws.positions(setup, tokens)


def layer(setup: Setup, n: int) -> Weights:
    """One block of the stack, counted from 1: attention back to d_model (`projections`) and the feed-forward part: w_1
    (d_model, d_ff) and w_2 (d_ff, d_model), with b_1 (d_ff) and b_2 (d_model) where biases are on."""
    own = replace(setup, out="d_model", seed=setup.seed if n == 1 else draws.own_seed(setup.seed, f"layer {n}"))
    return projections(own) | draws.feed_forward(own)


def layers(setup: Setup) -> tuple[Weights, ...]:
    """Every block of the stack, from the lowest."""
    return tuple(layer(setup, n) for n in range(1, setup.layers + 1))


def classifier(setup: Setup) -> Weights:
    """w_c (d_model, class), and b_c (class) where biases are on."""
    return draws.classifier(setup)


def named(setup: Setup) -> Weights:
    """Every weight of the setup under a name of its own, but for the rows of further sentences' words (`words`).

    The seven steps' and the classifier's have the names they have everywhere; a layer's begin with layer1., layer2. and
    so on. What layer 1 has in common with the seven steps stands there once, under the short name.
    """
    every = attention(setup) | classifier(setup)
    for n, weights in enumerate(layers(setup), start=1):
        every |= {f"layer{n}.{name}": weight for name, weight in weights.items() if n > 1 or name not in OF_THE_STEPS}
    return every
