"""Why √d_k, empirically: many scores of random words, with weights sampled as the setup samples
them."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..setup.setup import Setup
from ..training import init
from . import std

DRAWS, PAIRS = 100, 20
SCORES = DRAWS * PAIRS


@dataclass(frozen=True)
class Sample:
    """Scores (score,) of pairs of random words, and their products before the sum, (score, d_k). In
    float64."""

    scores: Tensor
    products: Tensor

    @property
    def d_k(self) -> int:
        """The number of products in a score."""
        return self.products.shape[-1]

    @property
    def of_product(self) -> float:
        """The variance of one product, averaged over the d_k positions."""
        return self.products.var(dim=0).mean().item()

    @property
    def of_score(self) -> float:
        """The variance of a score."""
        return self.scores.var().item()

    @property
    def times_expected(self) -> float:
        """The score's variance divided by its value for independent products, d_k times that of
        one."""
        return self.of_score / (self.d_k * self.of_product)


def sample(setup: Setup) -> Sample:
    """Sample 100 pairs of W_q and W_k as in this setup (`std.kind`), and 20 pairs of words for
    each.

    The first pair of matrices is head 1's, if its weights are random. Words are sampled like the
    table's rows, from their own seed. Without projections, words are the queries and keys. Vaswani
    et al. 2017, section 3.2.1, note 4.
    """
    kind, source = std.kind(setup), init.generator(init.own_seed(setup.seed, "drawn words"))
    words = torch.randn(2, DRAWS, PAIRS, setup.d_model, generator=source, dtype=torch.float64)
    if kind == "none":
        products = (words[0] * words[1]).flatten(0, 1)
        return Sample(products.sum(dim=-1), products)
    of_weights = init.generator_of_weights(setup.seed, setup.init)
    drawn = torch.stack(
        [init.WEIGHTS[kind](of_weights, setup.d_k, setup.d_model) for _ in range(2 * DRAWS)]
    ).double()
    w_q, w_k = drawn[0::2].mT, drawn[1::2].mT
    products = ((words[0] @ w_q) * (words[1] @ w_k)).flatten(0, 1)
    return Sample(products.sum(dim=-1), products)
