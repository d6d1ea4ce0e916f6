"""The output as a sum of the heads' contributions and the bias. Vaswani et al. 2017, section 3.2.2.

A product with W_o is the sum of each head's context times its own rows of W_o
(`heads.contributions`).
"""

import torch
from torch import Tensor

from ..ops import heads
from ..trace.cell import Cell, Ref, Term


def summands(parts: Tensor, b_o: Tensor | None = None) -> Tensor:
    """Return the summands of the output: the heads' parts (head, query, out) and last the bias
    (out): (summand, query, out).

    >>> summands(torch.tensor([[[1., 2.]], [[3., 4.]]]), torch.tensor([5., 6.])).tolist()
    [[[1.0, 2.0]], [[3.0, 4.0]], [[5.0, 6.0]]]
    """
    return parts if b_o is None else torch.cat([parts, b_o.expand(1, *parts.shape[1:])])


def add_up(parts: Tensor, b_o: Tensor | None = None) -> Tensor:
    """Return the output as the sum of the heads' parts (head, query, out) and the bias (out):
    (query, out).

    >>> add_up(torch.tensor([[[1., 2.]], [[3., 4.]]]), torch.tensor([5., 6.])).tolist()
    [[9.0, 12.0]]
    """
    whole = parts.sum(dim=0)
    return whole if b_o is None else whole + b_o


def measure_moves(parts: Tensor) -> Tensor:
    """Return how far each token's output moves if a head is ablated, its rows of W_o 0: parts
    (head, query, out) → (head, query).

    This is the length of the head's contribution.

    >>> measure_moves(torch.tensor([[[3., 4.]], [[0., 2.]]])).tolist()
    [[5.0], [2.0]]
    """
    return parts.norm(dim=-1)


def compute_norms(weights: Tensor, v: Tensor, w_o: Tensor | None = None) -> Tensor:
    """Return how much each word contributes to a query's output, as opposed to its weight: the
    length of α · v · W_o.

    weights (head, query, key), v (kv_head, key, d_v), w_o (head·d_v, out), or the values alone
    without it → (head, query, key). Kobayashi et al. 2020, section 3.

    >>> compute_norms(
    ...     torch.tensor([[[0.5, 0.5]]]),
    ...     torch.tensor([[[3.0, 4.0], [0.0, 1.0]]]),
    ...     torch.tensor([[1.0, 0.0], [0.0, 2.0]]),
    ... ).tolist()
    [[[4.27200174331665, 1.0]]]
    """
    of_heads = heads.share(v, len(weights))
    of_output = of_heads if w_o is None else of_heads @ torch.stack(w_o.chunk(len(weights)))
    lengths = of_output.norm(dim=-1)
    return weights * lengths[..., None, :]


def average_over_queries(lengths: Tensor) -> Tensor:
    """Return each key's share of the total weights or contributions over all queries: (…, query,
    key) → (…, key).

    A key with a large share of the weights and a small one of the norms is a sink: Kobayashi et al.
    2020, section 4.2.

    >>> average_over_queries(torch.tensor([[0.75, 0.25], [0.25, 0.75]])).tolist()
    [0.5, 0.5]
    """
    of_key = lengths.sum(dim=-2)
    return of_key / of_key.sum(dim=-1, keepdim=True).clamp(min=1e-30)


def open_cell(parts: Tensor, b_o: Tensor | None, output: Tensor, query: int, column: int) -> Cell:
    """Return one number of the output (query, out) written out: a term for each head of `parts`
    (head, query, out), and the bias.

    >>> cell = open_cell(
    ...     torch.tensor([[[1.0]], [[20.0]]]),
    ...     torch.tensor([5.0]),
    ...     torch.tensor([[26.0]]),
    ...     query=0,
    ...     column=0,
    ... )
    >>> [term.value for term in cell.terms], cell.value
    ([1.0, 20.0, 5.0], 26.0)
    """
    refs = [
        Ref("contribution", (head, query, column), contribution[query, column].item())
        for head, contribution in enumerate(parts)
    ]
    if b_o is not None:
        refs.append(Ref("b_o", (column,), b_o[column].item()))
    terms = tuple(Term((ref,), ref.value) for ref in refs)
    return Cell(terms, output[query, column].item(), "the sum over heads")
