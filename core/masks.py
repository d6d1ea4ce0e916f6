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


def padding(is_word: Tensor) -> Tensor:
    """No query may look at padding: (sentence, token), True = a word → (sentence, query, key).

    >>> padding(torch.tensor([[True, False]])).tolist()
    [[[True, False], [True, False]]]
    """
    return is_word[..., None, :].expand(*is_word.shape, is_word.shape[-1])


MASKS = {"none": everyone, "causal": causal}
