"""Why √d_k: what happens to q·k, to the weights and to their gradient as d_k grows."""

import math
from dataclasses import dataclass

import torch
from torch import Tensor

from . import draws
from .attention import scores, softmax, transpose
from .setup import Setup
from .text import token_ids

LARGEST = 512
# What float64 rounds away of a sum, in units of its terms' sizes added up, is far less than this.
ROUNDING = 1e-12
SIZES = tuple(2**power for power in range(int(math.log2(LARGEST)) + 1))


@dataclass(frozen=True)
class Spread:
    """For one d_k: the standard deviation of all q·k, and for the scores as they are and divided
    by √d_k, the largest weight and the softmax's slope, each averaged over the queries.

    A standard deviation of 0 says that all scores are equal, but for rounding.
    """

    d_k: int
    standard_deviation: float
    largest_weight: tuple[float, float]
    slope: tuple[float, float]


def kind(setup: Setup) -> str:
    """Return how the study draws its weights: as the setup does, `none` without projections. In
    place of trained matrices or a model's, which have one size only, it draws what training begins
    with: Glorot and Bengio's."""
    if setup.projections == "none":
        return "none"
    return setup.init if setup.init in draws.WEIGHTS else "xavier"


def measure(setup: Setup, x: Tensor, memory: Tensor | None = None) -> list[Spread]:
    """Draw one long query and key projection as this setup draws them, and cut it at every d_k.

    `x` is (token, d_model), and `memory` (memory, d_model) where another sentence is asked. Without
    projections it is the embedding that is drawn long and cut, and serves as query and key. The
    first d_k columns of the long matrices serve as the matrices for d_k, so neighbouring points
    differ by their size, not by luck. Xavier's bound depends on the size and is set anew for each.
    In float64, so that rounding lies far below any spread.
    """
    bounds = torch.ones(len(SIZES), dtype=torch.float64)
    drawn = kind(setup)
    if drawn == "none":
        asking, asked = (
            token_ids(of, setup.vocabulary)
            for of in (setup.tokens, setup.memory_tokens or setup.tokens)
        )
        table = draws.normal(draws.generator(setup.seed), len(setup.vocabulary), LARGEST).double()
        return _measure(table[asking], table[asked], bounds)
    source = draws.generator_of_weights(setup.seed, setup.init)
    unstretched = "uniform" if drawn == "xavier" else drawn
    w_q, w_k = (
        draws.WEIGHTS[unstretched](source, LARGEST, setup.d_model).T.double() for _ in range(2)
    )
    if drawn == "xavier":
        w_q, w_k = 2 * w_q - 1, 2 * w_k - 1
        bounds = (6 / (setup.d_model + torch.tensor(SIZES, dtype=torch.float64))) ** 0.5
    asked = x if memory is None else memory
    return _measure(x.double() @ w_q, asked.double() @ w_k, bounds)


def _measure(q: Tensor, k: Tensor, bounds: Tensor) -> list[Spread]:
    """Cut long queries (token, d_k) and keys at every d_k; `bounds` (size,) stretches both of them
    there."""
    stretched = bounds.square()[:, None, None]
    raw = stretched * torch.stack([scores(q[:, :d_k], transpose(k[:, :d_k])) for d_k in SIZES])
    roots = torch.tensor(SIZES, dtype=torch.float64).sqrt()[:, None, None]
    both = softmax(torch.stack([raw, raw / roots], dim=1))  # (size, scaled or not, query, key)
    largest = both.amax(dim=-1).mean(dim=-1)
    # The diagonal of the softmax's Jacobian is w(1 − w): how far a weight moves when its score
    # does.
    slope = (both * (1 - both)).amax(dim=-1).mean(dim=-1)
    # Equal words have equal scores, but sums of many products are rounded, not always alike.
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


def growth(measured: list[Spread], start: int = 8) -> float:
    """Return the power of d_k with which the standard deviation grows, fitted from `start` on; 0.5
    is √d_k.

    Not a number where all scores are equal.

    >>> growth([Spread(d, 3 * d**0.5, (1, 1), (0, 0)) for d in (8, 32, 128)])
    0.5
    """
    points = [
        (math.log(s.d_k), math.log(s.standard_deviation))
        for s in measured
        if s.d_k >= start and s.standard_deviation > 0
    ]
    if len(points) < 2:
        return math.nan
    mean_x, mean_y = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope = sum((a - mean_x) * (b - mean_y) for a, b in points) / sum(
        (a - mean_x) ** 2 for a, _ in points
    )
    return round(slope, 3)
