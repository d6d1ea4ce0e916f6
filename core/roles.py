"""What each head came to do: which word it looks at where a question is asked, in sentences that
training never saw."""

from dataclasses import dataclass

import torch
from torch import Tensor

from . import language, lessons
from .setup import Setup
from .text import token_ids
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


def of_attention(setup: Setup, result: Trained) -> dict[str, list[Look]]:
    """Return a look for each head of attention alone, by question: of the adjective at its noun, of
    the verb at its subject."""
    examples = asked(setup)
    weights = _weights(setup, result, lessons.IDS[examples], None)
    words = {"adjective": "noun", "verb": "subject"}
    return {
        at: look(weights[:, :, language.PLACES[at]], places(examples, word))
        for at, word in words.items()
    }


def of_it(setup: Setup, result: Trained, depth: int) -> dict[str, list[Look]]:
    """Return a look for each head of the uppermost of so many layers, at the word `it`, by what it
    may look at."""
    examples = asked(setup)
    weights = _weights(setup, result, lessons.IDS[examples], depth)[:, :, language.PLACES["it"]]
    return {
        word: look(weights, places(examples, word))
        for word in ("noun", "animal", "food", "adjective")
    }


def it_in(setup: Setup, result: Trained, depth: int) -> Tensor | None:
    """Return the same in the setup's own sentence: the row of `it` in each head, (head, key). None
    where it is not of the language's form."""
    tokens, it = setup.tokens, language.PLACES["it"]
    if (
        len(tokens) != language.LENGTH
        or tokens[it] != "it"
        or not set(tokens) <= set(language.WORDS)
    ):
        return None
    return _weights(setup, result, token_ids(tokens, language.WORDS)[None], depth)[0, :, it]


def asked(setup: Setup) -> Tensor:
    """Return places of the first 200 of the examples that training never sees: (example,)."""
    return lessons.learned_and_unseen(setup.seed)[1][:ASKED]


def places(examples: Tensor, word: str) -> Tensor:
    """Return where a word stands in each example, counted from 0: its noun, its subject, its
    animal, its food or its adjective."""
    return torch.tensor([_place(language.EXAMPLES[row], word) for row in examples.tolist()])


def _place(example: language.Example, word: str) -> int:
    if word == "adjective":
        return language.PLACES[word]
    kinds = {
        "animal": language.ANIMALS,
        "food": language.FOODS,
        "noun": (example.noun,),
        "subject": (example.subject,),
    }
    return next(place for place, token in enumerate(example.tokens) if token in kinds[word])


def _weights(setup: Setup, result: Trained, ids: Tensor, depth: int | None) -> Tensor:
    """Return who looks at whom in the uppermost layer of sentences (sentence, token): (sentence,
    head, query, key)."""
    _, records = lessons.forward(lessons.on_language(setup), result.weights, ids, depth)
    return records[-1].value("weights")
