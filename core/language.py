"""A small language in which who is looked at has a meaning: sentences put together from parts, and what is asked of them.

`the cat drank the milk because it was thirsty`: what was thirsty, the cat or the milk? One word decides it. Some verbs
take either noun first (`the milk warmed the cat`), so who did it is told by the order alone.
"""

from dataclasses import dataclass
from itertools import product

from .text import vocabulary

ANIMALS = ("cat", "dog", "horse", "mouse", "bird", "fox")
FOODS = ("milk", "soup", "broth", "tea", "juice", "cider")
FITS_ANIMALS = ("thirsty", "hungry", "tired", "happy")
FITS_FOODS = ("fresh", "warm", "sour", "sweet")
VERBS = ("drank", "tasted", "warmed", "saved")
VERBS_OF_FOODS = ("warmed", "saved")

# Where a question is asked, counted from 0: the noun VERB the noun because IT was ADJECTIVE.
PLACES = {"verb": 2, "it": 6, "adjective": 8}
LENGTH = 9


@dataclass(frozen=True)
class Example:
    """A sentence, the noun that its adjective is said of, and the noun that does what the verb says."""

    tokens: tuple[str, ...]
    noun: str
    subject: str

    def answer(self, question: str) -> str:
        """The right word at the verb (who does it), at `it` and at the adjective (which noun is meant)."""
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
ROWS = {example.tokens: row for row, example in enumerate(EXAMPLES)}  # where each stands among the examples, from 0


def row_of(sentence: str) -> int:
    """Where one of the sentences stands among the examples, from 0; KeyError for any other.

    >>> EXAMPLES[row_of("the cat drank the milk because it was sour")].noun
    'milk'
    """
    return ROWS[tuple(sentence.split())]
