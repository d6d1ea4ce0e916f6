"""How the loss reaches a weight of W_q: backwards through every step of attention, each a function
of a line or two.

`above` is always the gradient of the loss with respect to what the step made: how much more the
loss would be if that number were a little larger. Rumelhart, Hinton and Williams 1986; for matrices
Goodfellow et al. 2016, section 6.5.6.
"""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from . import attention, heads, language, lessons
from .setup import Setup


def through_answers(scores: Tensor, answers: Tensor) -> Tensor:
    """The share that each word got, less 1 for the right one; on average over the batch: (example,
    word).

    >>> through_answers(torch.zeros(1, 2), torch.tensor([0])).tolist()
    [[-0.5, 0.5]]
    """
    shares = torch.softmax(scores, dim=-1)
    shares[torch.arange(len(answers)), answers] -= 1
    return shares / len(answers)


def through_product(above: Tensor, right: Tensor) -> Tensor:
    """Back to the left side of left · right: (…, n, m), (…, k, m) → (…, n, k).

    >>> through_product(torch.tensor([[1., 2.]]), torch.tensor([[3., 4.], [5., 6.]])).tolist()
    [[11.0, 17.0]]
    """
    return above @ right.transpose(-2, -1)


def through_softmax(above: Tensor, weights: Tensor) -> Tensor:
    """A score counts by how much its weight is worth beyond the row's average: (query, key).

    >>> through_softmax(torch.tensor([[1., 0.]]), torch.tensor([[0.5, 0.5]])).tolist()
    [[0.25, -0.25]]
    """
    average = (weights * above).sum(dim=-1, keepdim=True)
    return weights * (above - average)


def through_scale(above: Tensor, divisor: float) -> Tensor:
    """What was divided on the way there is divided on the way back: (query, key).

    >>> through_scale(torch.tensor([[8.]]), 4).tolist()
    [[2.0]]
    """
    return above / divisor


@dataclass(frozen=True)
class WordsPart:
    """What one word at one place adds to a weight's gradient: its number in X times what the loss
    wants of its query."""

    word: str
    x: float
    above: float
    product: float


@dataclass(frozen=True, eq=False)
class QueryGradient:
    """The way of the loss to W_q, for a batch of examples.

    Attributes:
        ids: (example, token).
        x: what went into the projection, (example, token, d_model).
        above: the loss by each number of every query, (example, head, token, d_k).
        value: the loss by each weight, (head, d_model, d_k).
    """

    ids: Tensor
    x: Tensor
    above: Tensor
    value: Tensor

    def parts(self, head: int, row: int, column: int) -> list[WordsPart]:
        """Return one weight's gradient word by word, all counted from 0: the products add up to it.

        Only words at which a question is asked have a part: the others' queries change no answer.
        """
        parts = []
        for place in sorted(language.PLACES[question] for question in lessons.OF_ATTENTION):
            for word in self.ids[:, place].unique().tolist():
                here = self.ids[:, place] == word
                above = self.above[here, head, place, column].sum().item()
                x = self.x[here, place, row][0].item()
                parts.append(WordsPart(language.WORDS[word], x, above, x * above))
        return parts


def of_queries(setup: Setup, weights: Mapping[str, Tensor], examples: Tensor) -> QueryGradient:
    """Carry the loss of a batch of the language's examples back to W_q, step by step, in the
    weights' own precision."""
    of_language, ids = lessons.on_language(setup), lessons.IDS[examples]
    output, (record,) = lessons.forward(of_language, weights, ids, None)
    to_output = torch.zeros_like(output)
    for question in lessons.OF_ATTENTION:
        place = language.PLACES[question]
        to_scores = through_answers(
            output[:, place] @ weights["w_u"], lessons.ANSWERS[question][examples]
        )
        to_output[:, place] += through_product(to_scores, weights["w_u"])
    to_context = heads.split(through_product(to_output, weights["w_o"]), of_language.heads)
    to_weights = through_product(to_context, heads.share(record.value("v"), of_language.heads))
    to_scaled = through_softmax(to_weights, record.value("weights"))
    root = 1 if of_language.scale == "none" else of_language.d_k**0.5
    keys = heads.share(record.value("k_rotated" if of_language.turns else "k"), of_language.heads)
    to_queries = through_scale(to_scaled, root * of_language.temperature) @ keys
    if of_language.turns:  # what was turned on the way there is turned back
        to_queries = attention.rotate(to_queries, -record.value("angles"))
    x = record.value("x")
    return QueryGradient(ids, x, to_queries, torch.einsum("etm,ehtk->hmk", x, to_queries))
