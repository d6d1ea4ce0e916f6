"""Who may look at whom. True means: may attend."""

import torch
from torch import Tensor


def everyone(tokens: int) -> Tensor:
    """Each query may look at every key: (query, key), all True.

    >>> everyone(2).tolist()
    [[True, True], [True, True]]
    """
    return torch.ones(tokens, tokens, dtype=torch.bool)


def causal(tokens: int) -> Tensor:
    """A query may look at itself and at what came before: (query, key).

    >>> causal(2).tolist()
    [[True, False], [True, True]]
    """
    return torch.ones(tokens, tokens, dtype=torch.bool).tril()


MASKS = {"none": everyone, "causal": causal}
