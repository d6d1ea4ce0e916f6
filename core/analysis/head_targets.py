"""What each head learned: which word it attends to at each question, in sentences outside the
training set."""

from dataclasses import dataclass

import torch
from torch import Tensor

from ..setup.setup import Setup
from ..text import language
from ..training import objectives
from ..training.training import Trained

ASKED = 200


@dataclass(frozen=True)
class Look:
    """The number of sentences in which a head's largest weight is on the right word, and the mean
    weight on it."""

    times: int
    mean: float


def look(weights: Tensor, places: Tensor) -> list[Look]:
    """Return a Look for each head, from one query's weights (sentence, head, key) and each
    sentence's right key (sentence,).

    >>> look(torch.tensor([[[0.75, 0.25]], [[0.5, 0.5]]]), torch.tensor([0, 1]))
    [Look(times=1, mean=0.625)]
    """
    times = (weights.argmax(dim=-1) == places[:, None]).sum(dim=0)
    mean = weights[torch.arange(len(places)), :, places].mean(dim=0)
    return [Look(*both) for both in zip(times.tolist(), mean.tolist(), strict=True)]


def measure_attention(setup: Setup, result: Trained) -> dict[str, list[Look]]:
    """Return a Look for each head of attention alone, by question: from the adjective to its noun,
    from the verb to its subject."""
    examples = select_examples(setup)
    own, ids = objectives.start_on_language(setup), objectives.IDS[examples]
    _, (record,) = objectives.forward(own, result.weights, ids, None)
    weights = record.value("weights")
    words = {"adjective": "noun", "verb": "subject"}
    return {
        at: look(weights[:, :, language.PLACES[at]], places(examples, word))
        for at, word in words.items()
    }


def select_examples(setup: Setup) -> Tensor:
    """Return the indices of the first 200 test examples: (example,)."""
    return objectives.split_examples(setup.seed)[1][:ASKED]


def places(examples: Tensor, word: str) -> Tensor:
    """Return the position of a word in each example, from 0: its noun, or its subject."""
    of_rows = [language.EXAMPLES[row] for row in examples.tolist()]
    return torch.tensor([each.tokens.index(getattr(each, word)) for each in of_rows])
