"""Several heads: cut apart, put side by side again, and mixed by W_o.

Vaswani et al. 2017, section 3.2.2. Leading axes (a batch) are left alone.
"""

import torch
from torch import Tensor

from . import attention


def project(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """Each head's projection of a batch: (sentence, token, d_model), (head, d_model, size) →
    (sentence, head, token, size).

    It goes through one matrix in which the heads stand side by side, a word being projected by
    itself: head by head, as `attention.project` does it for one sentence, takes twice as long.

    >>> project(torch.tensor([[[1., 2.]]]), torch.tensor([[[1.], [0.]], [[0.], [3.]]])).tolist()
    [[[[1.0]], [[6.0]]]]
    """
    side_by_side = w.transpose(0, 1).flatten(1)
    projected = attention.project(x, side_by_side, None if b is None else b.flatten())
    return projected.unflatten(-1, (len(w), -1)).transpose(-3, -2)


def add_head_axis(x: Tensor) -> Tensor:
    """Without projections the input is the only head's queries, keys and values: (token, size) →
    (1, token, size).

    >>> add_head_axis(torch.tensor([[1., 2.]])).tolist()
    [[[1.0, 2.0]]]
    """
    return x.unsqueeze(-3)


def share(of_groups: Tensor, heads: int) -> Tensor:
    """Give each head the keys or values that its group shares: (kv_head, …, …) → (head, …, …).

    Ainslie et al. 2023, section 2.2; one group is Shazeer's multi-query attention (2019).

    >>> share(torch.tensor([[[1.]], [[2.]]]), heads=4).flatten().tolist()
    [1.0, 1.0, 2.0, 2.0]
    """
    return of_groups.repeat_interleave(heads // of_groups.shape[-3], dim=-3)


def scores_in_groups(q: Tensor, k_t: Tensor) -> Tensor:
    """Multiply each head's queries with the keys that its group shares: (head, query, d_k),
    (kv_head, d_k, key) → (head, query, key).

    >>> scores_in_groups(torch.tensor([[[2.]], [[3.]]]), torch.tensor([[[10.]]])).flatten().tolist()
    [20.0, 30.0]
    """
    return q @ share(k_t, heads=q.shape[-3])


def scale_both_sides_in_groups(
    q: Tensor, k_t: Tensor, d_k: int, temperature: float = 1.0
) -> Tensor:
    """The same with both divided by ⁴√d_k first, as `attention.scale_both_sides` does it.

    >>> scale_both_sides_in_groups(
    ...     torch.tensor([[[8.0, 0.0]]]), torch.tensor([[[2.0], [1.0]]]), d_k=16
    ... ).flatten().tolist()
    [4.0]
    """
    side = d_k**0.25
    return (q / side) @ (share(k_t, heads=q.shape[-3]) / side) / temperature


def mix_in_groups(weights: Tensor, v: Tensor) -> Tensor:
    """Add up the values that a group shares, by each head's own weights: (head, query, key),
    (kv_head, key, d_v) → (head, query, d_v).

    >>> mix_in_groups(torch.tensor([[[1.]], [[2.]]]), torch.tensor([[[10.]]])).flatten().tolist()
    [10.0, 20.0]
    """
    return weights @ share(v, heads=weights.shape[-3])


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
