"""Why √d_k: how q·k, the weights and their gradient change as d_k grows."""

import math
from dataclasses import dataclass
from statistics import linear_regression

import torch
from torch import Tensor

from ..ops.attention import scores, softmax, transpose
from ..setup.setup import Setup
from ..text.text import token_ids
from ..training import init

LARGEST = 512
# Far above float64's rounding error of a sum, relative to the sum of its terms' absolute values.
ROUNDING = 1e-12
SIZES = tuple(2**power for power in range(int(math.log2(LARGEST)) + 1))


@dataclass(frozen=True)
class Spread:
    """For one d_k: the standard deviation of all q·k; and for unscaled scores and scores divided by
    √d_k, the largest weight and the softmax's slope, averaged over the queries.

    A standard deviation of 0 means that all scores are equal, except for rounding.
    """

    d_k: int
    standard_deviation: float
    largest_weight: tuple[float, float]
    slope: tuple[float, float]


def kind(setup: Setup) -> str:
    """Return how the study samples its weights: as in the setup, or `none` without projections.
    Trained, read or given matrices have one size only; for these it uses Glorot and Bengio's, with
    which training here begins."""
    if setup.projections == "none":
        return "none"
    return setup.init if setup.init in init.WEIGHTS else "xavier"


def measure(setup: Setup, x: Tensor, memory: Tensor | None = None) -> list[Spread]:
    """Sample one long query and key projection as in this setup, and truncate them to every d_k.

    `x` is (token, d_model), and `memory` (memory, d_model) in cross-attention. Without projections,
    long embeddings are the queries and keys. The first d_k columns of the long matrices are the
    matrices for d_k, so neighbouring points differ by size, not by chance. Xavier's bound depends
    on the size and is recomputed for each. In float64, so that rounding is far below any spread.
    """
    bounds = torch.ones(len(SIZES), dtype=torch.float64)
    drawn = kind(setup)
    if drawn == "none":
        asking, asked = (
            token_ids(of, setup.vocabulary)
            for of in (setup.tokens, setup.memory_tokens or setup.tokens)
        )
        table = init.normal(init.generator(setup.seed), len(setup.vocabulary), LARGEST).double()
        return _measure(table[asking], table[asked], bounds)
    source = init.generator_of_weights(setup.seed, setup.init)
    unstretched = "uniform" if drawn == "xavier" else drawn
    w_q, w_k = (
        init.WEIGHTS[unstretched](source, LARGEST, setup.d_model).T.double() for _ in range(2)
    )
    if drawn == "xavier":
        w_q, w_k = 2 * w_q - 1, 2 * w_k - 1
        bounds = (6 / (setup.d_model + torch.tensor(SIZES, dtype=torch.float64))) ** 0.5
    asked = x if memory is None else memory
    return _measure(x.double() @ w_q, asked.double() @ w_k, bounds)


def _measure(q: Tensor, k: Tensor, bounds: Tensor) -> list[Spread]:
    """Truncate long queries (token, d_k) and keys to every d_k; `bounds` (size,) scales both
    there."""
    stretched = bounds.square()[:, None, None]
    raw = stretched * torch.stack([scores(q[:, :d_k], transpose(k[:, :d_k])) for d_k in SIZES])
    roots = torch.tensor(SIZES, dtype=torch.float64).sqrt()[:, None, None]
    both = softmax(torch.stack([raw, raw / roots], dim=1))  # (size, scaled or not, query, key)
    largest = both.amax(dim=-1).mean(dim=-1)
    # The diagonal of the softmax's Jacobian, w(1 − w): a weight's derivative by its own score.
    slope = (both * (1 - both)).amax(dim=-1).mean(dim=-1)
    # Equal words have equal scores, except for rounding of the sums.
    added = stretched * torch.stack(
        [scores(q[:, :d_k].abs(), transpose(k[:, :d_k]).abs()) for d_k in SIZES]
    )
    standard_deviation = raw.std(dim=(1, 2), correction=0)
    standard_deviation = torch.where(
        standard_deviation > ROUNDING * added.amax(dim=(1, 2)), standard_deviation, 0.0
    )
    columns = (
        SIZES,
        standard_deviation.tolist(),
        map(tuple, largest.tolist()),
        map(tuple, slope.tolist()),
    )
    return [Spread(*values) for values in zip(*columns, strict=True)]


def fit_exponent(measured: list[Spread]) -> float:
    """Return the power of d_k with which the standard deviation grows, fitted from d_k = 8 on; 0.5
    is √d_k.

    NaN if all scores are equal.

    >>> fit_exponent([Spread(d, 3 * d**0.5, (1, 1), (0, 0)) for d in (8, 32, 128)])
    0.5
    """
    fitted = [each for each in measured if each.d_k >= 8 and each.standard_deviation > 0]
    if len(fitted) < 2:
        return math.nan
    sizes = [math.log(each.d_k) for each in fitted]
    deviations = [math.log(each.standard_deviation) for each in fitted]
    return round(linear_regression(sizes, deviations).slope, 3)
