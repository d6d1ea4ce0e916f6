"""The same numbers by another way, for tests of several files."""

import math

import torch
from torch import Tensor

from core.setup import Setup


def turned(setup: Setup, vectors: Tensor) -> Tensor:
    """Queries or keys (…, token, d_k) after rotary positions in float64: one matrix for each place, with a small rotation for each
    pair of numbers on its diagonal. Su et al. 2021, equation 15."""
    vectors = vectors.double()
    if setup.positions != "rotary":
        return vectors
    size, tokens = vectors.shape[-1], vectors.shape[-2]
    paired, turns = size - size % 2, torch.eye(size, dtype=torch.float64).repeat(tokens, 1, 1)
    for place in range(tokens):
        for i in range(0, paired, 2):
            angle = place * 10000 ** (-i / paired)
            turns[place, i : i + 2, i : i + 2] = torch.tensor(
                [[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]], dtype=torch.float64
            )
    return (turns @ vectors.unsqueeze(-1)).squeeze(-1)
