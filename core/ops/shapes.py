"""Which shapes can be multiplied, according to PyTorch."""

import torch

from . import attention


def refusal(q_shape: tuple[int, int], k_t_shape: tuple[int, int]) -> str:
    """Return PyTorch's error if queries and keys of these shapes cannot be multiplied, else "".

    >>> refusal((6, 7), (24, 6))
    'RuntimeError: mat1 and mat2 shapes cannot be multiplied (6x7 and 24x6)'
    >>> refusal((6, 24), (24, 6))
    ''
    """
    try:
        attention.scores(torch.zeros(q_shape), torch.zeros(k_t_shape))
    except RuntimeError as error:
        return f"{type(error).__name__}: {error}"
    return ""
