"""From word vectors to class probabilities, one short function for each step."""

import torch  # noqa: F401 (the worked examples use it)
from torch import Tensor

from . import attention


def mean_over_words(x: Tensor, is_word: Tensor) -> Tensor:
    """Return the mean over a sentence's words, without padding: (sentence, token, d_model) →
    (sentence, d_model).

    >>> mean_over_words(
    ...     torch.tensor([[[1.0], [3.0], [50.0]]]), torch.tensor([[True, True, False]])
    ... ).tolist()
    [[2.0]]
    """
    return (x * is_word[..., None]).sum(dim=-2) / is_word.sum(dim=-1, keepdim=True)


def log_softmax(logits: Tensor) -> Tensor:
    """Return the logarithm of each class's probability: (sentence, class).

    >>> log_softmax(torch.tensor([[0., 0.]])).exp().tolist()
    [[0.5, 0.5]]
    """
    shifted = attention.shift(logits)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def probabilities(log_probabilities: Tensor) -> Tensor:
    """Return each class's probability from its logarithm: (sentence, class) both.

    >>> probabilities(torch.tensor([[0., -torch.inf]])).tolist()
    [[1.0, 0.0]]
    """
    return log_probabilities.exp()


def cross_entropy(logits: Tensor, answers: Tensor) -> Tensor:
    """Return −ln of the right answer's probability, in nats: (…, class), the answers' indices (…,)
    → (…,).

    For next-word prediction: (token, word), (token,) → (token,). Shannon 1948.

    >>> cross_entropy(torch.tensor([[0., 0.]]), torch.tensor([1])).exp().tolist()
    [2.0]
    """
    return -log_softmax(logits).gather(-1, answers[..., None])[..., 0]
