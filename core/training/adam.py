"""Adam's rule (Kingma and Ba 2015, algorithm 1), for one weight or for all weights of a tensor at
once."""

from typing import TypeVar

from torch import Tensor

RATE = 0.01

Number = TypeVar("Number", float, Tensor)


def adam_step(
    before: Number, gradient: Number, first: Number, second: Number, step: int
) -> tuple[Number, Number, Number]:
    """Return a weight and its two running means after one Adam step. `first` and `second` are the
    means before it (the paper's m and v); `step` counts from 1.

    >>> adam_step(before=1.0, gradient=0.5, first=0.0, second=0.0, step=1)[0]
    0.9900000002
    """
    first = 0.9 * first + 0.1 * gradient
    second = 0.999 * second + 0.001 * gradient**2
    first_corrected = first / (1 - 0.9**step)
    second_corrected = second / (1 - 0.999**step)
    after = before - RATE * first_corrected / (second_corrected**0.5 + 1e-8)
    return after, first, second
