"""Compare two ways of computing the same result, for the numbers that a page shows."""

from torch import Tensor

from ..ops import attention


def largest(*values: Tensor) -> float:
    """Return the largest finite absolute value in these tensors, 0 if there is none.

    >>> import torch
    >>> largest(torch.tensor([1., -2.]), torch.tensor([float("-inf")]))
    2.0
    """
    sizes = (each[each.isfinite()].abs() for each in values)
    return max((size.max().item() for size in sizes if size.numel()), default=0.0)


def largest_difference(one: Tensor, other: Tensor) -> float:
    """Return the largest absolute difference between two tensors of the same shape.

    Raises ValueError if the shapes differ, since broadcasting would compare the wrong cells.

    >>> import torch
    >>> largest_difference(torch.tensor([1., 2.]), torch.tensor([1.5, -1.]))
    3.0
    """
    if one.shape != other.shape:
        raise ValueError(
            f"expected two results of one shape, not {tuple(one.shape)} and {tuple(other.shape)}"
        )
    return (one - other).abs().max().item()


def compare_one_row(x: Tensor, w: Tensor, b: Tensor | None, projected: Tensor, token: int) -> float:
    """Return the largest difference between one token's row projected alone and its row in the full
    projection; `token` counts from 0.

    (token, d_model), (d_model, size), (size,), (token, size) → number

    >>> import torch
    >>> x, w = torch.tensor([[1., 2.], [3., 4.]]), torch.tensor([[1.], [10.]])
    >>> compare_one_row(x, w, None, torch.tensor([[21.], [43.25]]), 1)
    0.25
    """
    alone = attention.project(x[token : token + 1], w, b)
    return largest_difference(alone, projected[token : token + 1])


def check_ids_give_tokens(
    tokens: tuple[str, ...], vocabulary: tuple[str, ...], ids: Tensor
) -> bool:
    """Return whether looking up the ids (token,) in the vocabulary gives the tokens back.

    >>> import torch
    >>> check_ids_give_tokens(("the", "cat"), ("cat", "the"), torch.tensor([1, 0]))
    True
    """
    return tuple(vocabulary[place] for place in ids.tolist()) == tokens
