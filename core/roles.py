"""What each head came to do: which word it looks at where a question is asked, in sentences that
training never saw."""

from dataclasses import dataclass

import torch
from torch import Tensor

from . import language, lessons
from .setup import Setup
from .training import Trained

ASKED = 200


@dataclass(frozen=True)
class Look:
    """In how many sentences a head's largest weight is on the right word, and the mean weight on
    it."""

    times: int
    mean: float


def look(weights: Tensor, places: Tensor) -> list[Look]:
    """Return a look for each head: one query's weights (sentence, head, key), and the right key of
    each sentence (sentence,).

    >>> look(torch.tensor([[[0.75, 0.25]], [[0.5, 0.5]]]), torch.tensor([0, 1]))
    [Look(times=1, mean=0.625)]
    """
    times = (weights.argmax(dim=-1) == places[:, None]).sum(dim=0)
    mean = weights[torch.arange(len(places)), :, places].mean(dim=0)
    return [Look(*both) for both in zip(times.tolist(), mean.tolist(), strict=True)]


def measure_attention(setup: Setup, result: Trained) -> dict[str, list[Look]]:
    """Return a look for each head of attention alone, by question: of the adjective at its noun, of
    the verb at its subject."""
    examples = select_examples(setup)
    own, ids = lessons.start_on_language(setup), lessons.IDS[examples]
    _, (record,) = lessons.forward(own, result.weights, ids, None)
    weights = record.value("weights")
    words = {"adjective": "noun", "verb": "subject"}
    return {
        at: look(weights[:, :, language.PLACES[at]], places(examples, word))
        for at, word in words.items()
    }


def select_examples(setup: Setup) -> Tensor:
    """Return places of the first 200 of the examples that training never sees: (example,)."""
    return lessons.split_examples(setup.seed)[1][:ASKED]


def places(examples: Tensor, word: str) -> Tensor:
    """Return where a word stands in each example, counted from 0: its noun, or its subject."""
    of_rows = [language.EXAMPLES[row] for row in examples.tolist()]
    return torch.tensor([each.tokens.index(getattr(each, word)) for each in of_rows])
