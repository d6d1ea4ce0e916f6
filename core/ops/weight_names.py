"""Names of weights: `w_q` in the seven steps, `layer2.w_q` in the second layer of a stack."""

from collections.abc import Mapping

import torch
from torch import Tensor

Weights = dict[str, Tensor]
# Shared by layer 1 of a stack and the seven steps. W_o is not, if theirs projects to d_v.
OF_THE_STEPS = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")
PROJECTED = ("q", "k", "v")  # may be given instead of these weights


def full(weight: Tensor) -> Tensor:
    """Return a weight as used in computation: 16-bit floats as float32, others unchanged.

    >>> full(torch.ones(2, dtype=torch.bfloat16)).dtype
    torch.float32
    """
    return weight.float() if weight.dtype in (torch.float16, torch.bfloat16) else weight


def layer_of(weights: Mapping[str, Tensor], n: int) -> Weights:
    """Return one layer's weights by their short names: `w_q` for layer2.w_q."""
    prefix = f"layer{n}."
    return {
        name.removeprefix(prefix): weight
        for name, weight in weights.items()
        if name.startswith(prefix)
    }
