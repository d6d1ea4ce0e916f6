"""Several heads: cut apart, put side by side again, and mixed by W_o.

Vaswani et al. 2017, section 3.2.2. Leading axes (a batch) are left alone.
"""

import torch
from torch import Tensor

from . import attention


def project(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """Each head's projection of a batch: (sentence, token, d_model), (head, d_model, size) → (sentence, head, token, size).

    It goes through one matrix in which the heads stand side by side, a word being projected by itself: head by head,
    as `attention.project` does it for one sentence, takes twice as long.

    >>> project(torch.tensor([[[1., 2.]]]), torch.tensor([[[1.], [0.]], [[0.], [3.]]])).tolist()
    [[[[1.0]], [[6.0]]]]
    """
    side_by_side = w.transpose(0, 1).flatten(1)
    projected = attention.project(x, side_by_side, None if b is None else b.flatten())
    return projected.unflatten(-1, (len(w), -1)).transpose(-3, -2)


def as_one_head(x: Tensor) -> Tensor:
    """Without projections the input is the only head's queries, keys and values: (token, size) → (1, token, size).

    >>> as_one_head(torch.tensor([[1., 2.]])).tolist()
    [[[1.0, 2.0]]]
    """
    return x.unsqueeze(-3)


def concatenate(context: Tensor) -> Tensor:
    """Put each token's heads side by side: (head, query, d_v) → (query, head·d_v).

    >>> concatenate(torch.tensor([[[1., 2.]], [[3., 4.]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    each_head = context.unbind(dim=-3)
    return torch.cat(each_head, dim=-1)


def split(wide: Tensor, heads: int) -> Tensor:
    """Cut each row into heads, the way back: (token, head·size) → (head, token, size).

    >>> split(torch.tensor([[1., 2., 3., 4.]]), heads=2).tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    pieces = wide.chunk(heads, dim=-1)
    return torch.stack(pieces, dim=-3)


def combine(concat: Tensor, w_o: Tensor, b_o: Tensor | None = None) -> Tensor:
    """Mix the heads into one vector for each token: (query, head·d_v) → (query, out).

    >>> combine(torch.tensor([[1., 2.]]), torch.tensor([[1.], [10.]])).tolist()
    [[21.0]]
    """
    return concat @ w_o if b_o is None else concat @ w_o + b_o


def contributions(context: Tensor, w_o: Tensor) -> Tensor:
    """What each head adds to the output: its context times its own rows of W_o: (head, query, out).

    >>> contributions(torch.tensor([[[1.]], [[2.]]]), torch.tensor([[1.], [10.]])).tolist()
    [[[1.0]], [[20.0]]]
    """
    heads = context.shape[-3]
    rows_of_each_head = torch.stack(w_o.chunk(heads))
    return context @ rows_of_each_head
