"""A small synthetic language in which attention has a known meaning: generated sentences and
questions about them.

`the cat drank the milk because it was thirsty`: what was thirsty, the cat or the milk? One word
decides it. Some verbs allow either noun as subject (`the milk warmed the cat`), so that only word
order shows the subject.

A second language consists of letters: a row that repeats after a while, so that one letter predicts
the next.
"""

import math
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise, product

from .text import vocabulary

ANIMALS = ("cat", "dog", "horse", "mouse", "bird", "fox")
FOODS = ("milk", "soup", "broth", "tea", "juice", "cider")
FITS_ANIMALS = ("thirsty", "hungry", "tired", "happy")
FITS_FOODS = ("fresh", "warm", "sour", "sweet")
VERBS = ("drank", "tasted", "warmed", "saved")
VERBS_OF_FOODS = ("warmed", "saved")

# The position of each question, from 0: the noun VERB the noun because IT was ADJECTIVE.
PLACES = {"verb": 2, "it": 6, "adjective": 8}
LENGTH = 9


@dataclass(frozen=True)
class Example:
    """A sentence, the noun that its adjective describes, and the subject of its verb."""

    tokens: tuple[str, ...]
    noun: str
    subject: str

    def answer(self, question: str) -> str:
        """Return the right word at the verb (its subject), and at `it` and the adjective (the noun
        meant)."""
        return self.subject if question == "verb" else self.noun


def _examples() -> tuple[Example, ...]:
    examples = []
    for animal, food, adjective in product(ANIMALS, FOODS, FITS_ANIMALS + FITS_FOODS):
        noun = animal if adjective in FITS_ANIMALS else food
        for subject, other, verbs in ((animal, food, VERBS), (food, animal, VERBS_OF_FOODS)):
            for verb in verbs:
                tokens = ("the", subject, verb, "the", other, "because", "it", "was", adjective)
                examples.append(Example(tokens, noun, subject))
    return tuple(examples)


EXAMPLES = _examples()
WORDS = vocabulary(tuple(token for example in EXAMPLES for token in example.tokens))
LETTERS = tuple("abcdefghijkl")
WORDS_OF = {"questions": WORDS, "next": WORDS, "repeat": LETTERS}  # by task
ROWS = {example.tokens: row for row, example in enumerate(EXAMPLES)}  # each example's index, from 0


def row_of(sentence: str) -> int:
    """Return the index of a sentence among the examples, from 0; KeyError for any other.

    >>> EXAMPLES[row_of("the cat drank the milk because it was sour")].noun
    'milk'
    """
    return ROWS[tuple(sentence.split())]


def surprise(tokens: tuple[str, ...]) -> tuple[float, ...]:
    """Return −ln of each word's probability given the words before, in nats, from the second word
    on.

    >>> [round(nats, 2) for nats in surprise(EXAMPLES[0].tokens)]
    [2.2, 1.39, 0.0, 1.79, 0.0, 0.0, 0.0, 2.08]
    """
    begins = [_BEGINNINGS[tokens[:length]] for length in range(1, LENGTH + 1)]
    return tuple(math.log(before / now) for before, now in pairwise(begins))


def floor() -> tuple[float, ...]:
    """Return the least possible mean loss for each word from the second on, in nats: the language's
    conditional entropy. Shannon 1951, "Prediction and Entropy of Printed English".

    >>> [round(nats, 2) for nats in floor()]
    [2.43, 1.16, 0.0, 1.79, 0.0, 0.0, 0.0, 2.08]
    """
    each = [surprise(example.tokens) for example in EXAMPLES]
    return tuple(sum(of_place) / len(EXAMPLES) for of_place in zip(*each, strict=True))


def list_next_words(beginning: tuple[str, ...]) -> dict[str, float]:
    """Return the possible next words after a sentence's beginning with their probabilities; empty
    if no sentence begins so.

    >>> list_next_words(("the", "milk"))
    {'saved': 0.5, 'warmed': 0.5}
    """
    there = _BEGINNINGS[beginning]
    return {
        word: _BEGINNINGS[*beginning, word] / there
        for word in WORDS
        if _BEGINNINGS[*beginning, word]
    }


def predict_repeated_letter(row: tuple[str, ...]) -> dict[str, float]:
    """Return the next letter of a row that has begun to repeat, with probability 1; empty if it
    cannot be known.

    >>> predict_repeated_letter(("c", "a", "b", "c")), predict_repeated_letter(("c", "a", "b"))
    ({'a': 1.0}, {})
    """
    for period in range(1, len(row)):
        if len({*row[:period]}) == period and row[period:] == row[:-period]:
            return {row[-period]: 1.0}
    return {}


_BEGINNINGS = Counter(
    example.tokens[:length] for example in EXAMPLES for length in range(1, LENGTH + 1)
)
