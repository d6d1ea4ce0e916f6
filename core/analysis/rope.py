"""Rotary positions make scores depend on the distance between two positions only."""

from typing import Any

from torch import Tensor

from ..ops import attention, embedding, heads


def scores_moved(q: Tensor, k: Tensor, by: int, **rotary: Any) -> Tensor:
    """Return the scores with all positions of the sentence and the memory shifted by `by`.

    q (head, query, d_k), k (kv_head, key, d_k) → (head, query, key). `rotary` are the settings of
    `embedding.rotary_angles`.

    Su et al. 2021, section 3.2.1: the two rotations leave the difference of the positions.

    >>> import torch
    >>> q, k = torch.tensor([[[1., 0.], [1., 0.]]]), torch.tensor([[[2., 0.], [0., 3.]]])
    >>> torch.allclose(scores_moved(q, k, 0), scores_moved(q, k, 7), atol=1e-5)
    True
    """
    turned = [
        attention.rotate(
            each, embedding.rotary_angles(each.shape[-2] + by, q.shape[-1], **rotary)[by:]
        )
        for each in (q, k)
    ]
    return heads.scores_in_groups(turned[0], attention.transpose(turned[1]))
