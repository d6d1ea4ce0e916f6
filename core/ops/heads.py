"""Multiple heads: project to heads, concatenate them, and combine them by W_o.

Vaswani et al. 2017, section 3.2.2. Leading axes (a batch) are kept.
"""

import torch
from torch import Tensor

from . import attention


def project(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """Project a batch for each head: (sentence, token, d_model), (head, d_model, size) → (sentence,
    head, token, size).

    All heads are one matrix product, twice as fast as head by head.

    >>> project(torch.tensor([[[1., 2.]]]), torch.tensor([[[1.], [0.]], [[0.], [3.]]])).tolist()
    [[[[1.0]], [[6.0]]]]
    """
    side_by_side = w.transpose(0, 1).flatten(1)
    projected = attention.project(x, side_by_side, None if b is None else b.flatten())
    return projected.unflatten(-1, (len(w), -1)).transpose(-3, -2)


def add_head_axis(x: Tensor) -> Tensor:
    """Use the input as queries, keys and values of a single head, without projections: (token,
    size) → (1, token, size).

    >>> add_head_axis(torch.tensor([[1., 2.]])).tolist()
    [[[1.0, 2.0]]]
    """
    return x.unsqueeze(-3)


def share(of_groups: Tensor, heads: int) -> Tensor:
    """Repeat each group's keys or values for its heads: (kv_head, …, …) → (head, …, …).

    Ainslie et al. 2023, section 2.2; one group is Shazeer's multi-query attention (2019).

    >>> share(torch.tensor([[[1.]], [[2.]]]), heads=4).flatten().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    return of_groups.repeat_interleave(heads // of_groups.shape[-3], dim=-3)


def scores_in_groups(q: Tensor, k_t: Tensor) -> Tensor:
    """Multiply each head's queries with its group's keys: (head, query, d_k), (kv_head, d_k, key) →
    (head, query, key).

    >>> scores_in_groups(torch.tensor([[[2.]], [[3.]]]), torch.tensor([[[10.]]])).flatten().tolist()
    [20.0, 30.0]
    """
    return q @ share(k_t, heads=q.shape[-3])


def scale_both_sides_in_groups(
    q: Tensor, k_t: Tensor, d_k: int, temperature: float = 1.0
) -> Tensor:
    """Return grouped scores scaled as in `attention.scale_both_sides`.

    >>> scale_both_sides_in_groups(
    ...     torch.tensor([[[8.0, 0.0]]]), torch.tensor([[[2.0], [1.0]]]), d_k=16
    ... ).flatten().tolist()
    [4.0]
    """
    side = d_k**0.25
    return (q / side) @ (share(k_t, heads=q.shape[-3]) / side) / temperature


def mix_in_groups(weights: Tensor, v: Tensor) -> Tensor:
    """Sum a group's values weighted by each head's own weights: (head, query, key), (kv_head, key,
    d_v) → (head, query, d_v).

    >>> mix_in_groups(torch.tensor([[[1.]], [[2.]]]), torch.tensor([[[10.]]])).flatten().tolist()
    [10.0, 20.0]
    """
    return weights @ share(v, heads=weights.shape[-3])


def concatenate(context: Tensor) -> Tensor:
    """Concatenate each token's heads: (head, query, d_v) → (query, head·d_v).

    >>> concatenate(torch.tensor([[[1., 2.]], [[3., 4.]]])).tolist()
    [[1.0, 2.0, 3.0, 4.0]]
    """
    each_head = context.unbind(dim=-3)
    return torch.cat(each_head, dim=-1)


def split(wide: Tensor, heads: int) -> Tensor:
    """Split each row into heads: (token, head·size) → (head, token, size).

    >>> split(torch.tensor([[1., 2., 3., 4.]]), heads=2).tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]]]
    """
    pieces = wide.chunk(heads, dim=-1)
    return torch.stack(pieces, dim=-3)


def combine(concat: Tensor, w_o: Tensor, b_o: Tensor | None = None) -> Tensor:
    """Project the concatenated heads: (query, head·d_v) → (query, out).

    >>> combine(torch.tensor([[1., 2.]]), torch.tensor([[1.], [10.]])).tolist()
    [[21.0]]
    """
    return concat @ w_o if b_o is None else concat @ w_o + b_o


def contributions(context: Tensor, w_o: Tensor) -> Tensor:
    """Return each head's part of the output, context · its rows of W_o: (head, query, out).

    >>> contributions(torch.tensor([[[1.]], [[2.]]]), torch.tensor([[1.], [10.]])).tolist()
    [[[1.0]], [[20.0]]]
    """
    heads = context.shape[-3]
    rows_of_each_head = torch.stack(w_o.chunk(heads))
    return context @ rows_of_each_head
