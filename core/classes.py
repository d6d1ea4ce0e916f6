"""From a vector for each word to the probabilities of a sentence's classes: the steps, each a line
or two."""

import torch  # noqa: F401 (the worked examples use it)
from torch import Tensor

from . import attention


def mean_over_words(x: Tensor, is_word: Tensor) -> Tensor:
    """The mean of a sentence's words, padding left out: (sentence, token, d_model) → (sentence,
    d_model).

    >>> mean_over_words(
    ...     torch.tensor([[[1.0], [3.0], [50.0]]]), torch.tensor([[True, True, False]])
    ... ).tolist()
    [[2.0]]
    """
    return (x * is_word[..., None]).sum(dim=-2) / is_word.sum(dim=-1, keepdim=True)


def log_softmax(logits: Tensor) -> Tensor:
    """The logarithm of each class's share: (sentence, class); e to a row sums to 1.

    >>> log_softmax(torch.tensor([[0., 0.]])).exp().tolist()
    [[0.5, 0.5]]
    """
    shifted = attention.shift(logits)
    return shifted - shifted.exp().sum(dim=-1, keepdim=True).log()


def probabilities(log_probabilities: Tensor) -> Tensor:
    """The share of each class, e to the power of its logarithm: (sentence, class) both.

    >>> probabilities(torch.tensor([[0., -torch.inf]])).tolist()
    [[1.0, 0.0]]
    """
    return log_probabilities.exp()


def cross_entropy(logits: Tensor, answers: Tensor) -> Tensor:
    """How surprising each right answer is: −ln of its share, in nats: (…, class), the answers'
    places (…,) → (…,).

    Of the next word every place is a question, and all are answered at once: (token, word),
    (token,) → (token,). Shannon 1948.

    >>> cross_entropy(torch.tensor([[0., 0.]]), torch.tensor([1])).exp().tolist()
    [2.0]
    """
    return -log_softmax(logits).gather(-1, answers[..., None])[..., 0]
