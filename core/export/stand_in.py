"""What stands in an exported script for what is the explorer's own: the setup, with the fields that
the draws look at, and how a number is held against its page."""

from types import SimpleNamespace
from typing import Any

import torch
from torch import Tensor


class Setup(SimpleNamespace):
    """The choices that decide the drawn weights."""

    @property
    def group(self) -> int:
        """How many heads share keys and values."""
        return self.heads // (self.kv_heads or self.heads)

    @property
    def out_size(self) -> int:
        """How many numbers the output has for each token."""
        return self.d_v if self.out == "d_v" else self.d_model


def replace(setup: Setup, **changes: Any) -> Setup:
    """Return the same choices, but for these."""
    return Setup(**(vars(setup) | changes))


def first(value: Tensor) -> Tensor:
    """Return what is printed of a tensor: of several heads the first's, of a large matrix the first
    eight rows and columns.

    >>> first(torch.arange(20).reshape(2, 1, 10)).tolist()
    [[0, 1, 2, 3, 4, 5, 6, 7]]
    """
    rows = value[None] if value.ndim == 1 else value.reshape(-1, *value.shape[-2:])[0]
    return rows[:8, :8]


def check(name: str, value: Tensor, page: list[list[float]]) -> None:
    """Print a tensor, and hold its numbers against those that its page showed.

    Raises:
        AssertionError: the numbers are others; names the tensor.
    """
    print(f"{name} {tuple(value.shape)}\n{first(value)}\n")
    torch.testing.assert_close(
        first(value).double(),
        torch.tensor(page, dtype=torch.float64),
        rtol=1e-4,
        atol=1e-4,
        msg=lambda why: f"{name}: the page shows others. {why}",
    )
