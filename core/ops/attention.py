"""Scaled dot-product attention, one small function for each step, in the order of the derivation.

Vaswani et al. 2017, section 3.2.1. Each row is a token. All functions accept leading axes (heads,
batches).
"""

import torch
from torch import Tensor


def project(x: Tensor, w: Tensor, b: Tensor | None = None) -> Tensor:
    """Project each token's vector to a query, a key or a value: (token, d_model) → (token, size).

    With one matrix (d_model, size) and bias (size,) for each of several heads: → (head, token,
    size).

    >>> project(torch.tensor([[1., 2.]]), torch.tensor([[1., 0.], [0., 3.]])).tolist()
    [[1.0, 6.0]]
    """
    projected = x @ w
    # the same bias for every token
    return projected if b is None else projected + b.unsqueeze(-2)


def rotate(vectors: Tensor, angles: Tensor) -> Tensor:
    """Rotate each pair of numbers of a query or key by the angle of its position: (head, token,
    d_k), (token, pair) → (head, token, d_k).

    Su et al. 2021, equation 34. A score then depends only on the distance between two positions.

    >>> rotate(torch.tensor([[[1.0, 0.0, 5.0]]]), torch.tensor([[torch.pi / 2]])).round(
    ...     decimals=3
    ... ).tolist()
    [[[-0.0, 1.0, 5.0]]]
    """
    paired = 2 * angles.shape[-1]  # with odd d_k, the last number is unchanged
    cos, sin = angles.cos().unsqueeze(-3), angles.sin().unsqueeze(-3)  # the same for each head
    first, second = vectors[..., 0:paired:2], vectors[..., 1:paired:2]
    turned = torch.stack([first * cos - second * sin, first * sin + second * cos], dim=-1).flatten(
        -2
    )
    return torch.cat([turned, vectors[..., paired:]], dim=-1)


def transpose(k: Tensor) -> Tensor:
    """Transpose the keys, so that each key is a column: (token, d_k) → (d_k, token).

    >>> transpose(torch.tensor([[1., 2.], [3., 4.]])).tolist()
    [[1.0, 3.0], [2.0, 4.0]]
    """
    return k.transpose(-2, -1)


def scores(q: Tensor, k_t: Tensor) -> Tensor:
    """Multiply every query with every key: (query, d_k) · (d_k, key) → (query, key).

    >>> scores(torch.tensor([[1., 2.]]), torch.tensor([[3., 5.], [4., 6.]])).tolist()
    [[11.0, 17.0]]
    """
    return q @ k_t


def scale(scores: Tensor, d_k: int, temperature: float = 1.0) -> Tensor:
    """Divide the scores by √d_k, so that their size does not grow with d_k: (query, key).

    >>> scale(torch.tensor([[8., 4.]]), d_k=4).tolist()
    [[4.0, 2.0]]
    """
    return scores / (d_k**0.5 * temperature)


def divide_by_temperature(scores: Tensor, temperature: float = 1.0) -> Tensor:
    """Divide the scores by the temperature only, without √d_k: (query, key).

    >>> divide_by_temperature(torch.tensor([[8., 4.]]), temperature=2).tolist()
    [[4.0, 2.0]]
    """
    return scores / temperature


def scale_both_sides(q: Tensor, k_t: Tensor, d_k: int, temperature: float = 1.0) -> Tensor:
    """Divide queries and keys by ⁴√d_k each before the product, which divides the scores by √d_k.

    >>> scale_both_sides(torch.tensor([[8., 0.]]), torch.tensor([[2.], [1.]]), d_k=16).tolist()
    [[4.0]]
    """
    side = d_k**0.25
    return (q / side) @ (k_t / side) / temperature


def add_bias(scaled: Tensor, *biases: Tensor) -> Tensor:
    """Add to each score the bias for the distance of its query and key: (head, query, key) each.

    >>> add_bias(torch.tensor([[2.0, 4.0]]), torch.tensor([[0.0, -0.5]])).tolist()
    [[2.0, 3.5]]
    """
    return sum(biases, scaled)


def mask(scaled: Tensor, may_attend: Tensor) -> Tensor:
    """Set scores to −∞ where a query may not attend, so the weight is 0: (query, key).

    >>> mask(torch.tensor([[1., 2.]]), torch.tensor([[True, False]])).tolist()
    [[1.0, -inf]]
    """
    return scaled.masked_fill(~may_attend, -torch.inf)


def shift(masked: Tensor) -> Tensor:
    """Subtract each row's maximum, which leaves the softmax unchanged and prevents overflow:
    (query, key).

    >>> shift(torch.tensor([[5., 3.]])).tolist()
    [[0.0, -2.0]]
    """
    return masked - masked.amax(dim=-1, keepdim=True)


def exponentials(masked: Tensor) -> Tensor:
    """Return e to the power (score − its row's maximum), so the largest is 1: (query, key).

    Vaswani et al. 2017, equation 1: the numerators of the softmax.

    >>> exponentials(torch.tensor([[3., 3., -torch.inf]])).tolist()
    [[1.0, 1.0, 0.0]]
    """
    return torch.exp(shift(masked))


def softmax(masked: Tensor) -> Tensor:
    """Divide each row of exponentials by its sum, so that every row sums to 1: (query, key).

    >>> softmax(torch.tensor([[3., 3.]])).tolist()
    [[0.5, 0.5]]
    """
    exp = torch.exp(shift(masked))
    return exp / exp.sum(dim=-1, keepdim=True)


def softmax_or_zeros(masked: Tensor) -> Tensor:
    """Return the softmax, with all zeros in a row that is entirely −∞ (a query that may attend to
    nothing): (query, key).

    >>> softmax_or_zeros(torch.tensor([[3., 3.], [-torch.inf, -torch.inf]])).tolist()
    [[0.5, 0.5], [0.0, 0.0]]
    """
    looks_somewhere = masked.isfinite().any(dim=-1, keepdim=True)
    filled = torch.where(looks_somewhere, masked, 0.0)  # the softmax of an all-−∞ row is 0 / 0
    return torch.where(looks_somewhere, softmax(filled), 0.0)


def row_sums(rows: Tensor) -> Tensor:
    """Sum each row: (…, query, key) → (…, query). For weights this is 1, or 0 if a query may attend
    to nothing; for a mask, the number of keys that the query may attend to.

    >>> row_sums(torch.tensor([[0.25, 0.75], [0., 0.]])).tolist()
    [1.0, 0.0]
    >>> row_sums(torch.tensor([[True, False], [True, True]])).tolist()
    [1, 2]
    """
    return rows.sum(dim=-1)


def dropout(weights: Tensor, dropout_mask: Tensor, rate: float) -> Tensor:
    """Set the weights outside the dropout mask to 0 and divide the others by 1 − rate: (query,
    key).

    Only while training. A row then sums to 1 on average, not each time. Srivastava et al. 2014.

    >>> dropout(torch.tensor([[0.5, 0.5]]), torch.tensor([[True, False]]), rate=0.5).tolist()
    [[1.0, 0.0]]
    """
    return weights * dropout_mask / (1 - rate)


def mix(weights: Tensor, v: Tensor) -> Tensor:
    """Sum the values weighted by attention: (query, key) · (key, d_v) → (query, d_v).

    >>> mix(torch.tensor([[0.5, 0.5]]), torch.tensor([[2., 0.], [4., 6.]])).tolist()
    [[3.0, 3.0]]
    """
    return weights @ v


def weighted_values(weights: Tensor, v: Tensor) -> Tensor:
    """Return each value times its attention weight, before the sum: (query, key), (key, d_v) →
    (query, key, d_v).

    Vaswani et al. 2017, section 3.2: the output is a weighted sum of the values, and these are its
    summands.

    >>> weighted_values(torch.tensor([[0.5, 0.25]]), torch.tensor([[2., 0.], [4., 8.]])).tolist()
    [[[1.0, 0.0], [1.0, 2.0]]]
    """
    return weights.unsqueeze(-1) * v.unsqueeze(-3)
