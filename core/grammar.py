"""Sentences that are put together from parts, so that it is known of which word another one is said.

`the old and black cat drank cold milk because it was thirsty`: each word stands at several distances from what belongs to it, so
that no fixed distance finds it. Two halves share no noun and no verb.
"""

from dataclasses import dataclass
from itertools import product

from .language import ANIMALS, FITS_ANIMALS, FITS_FOODS, FOODS

RELATIONS = ("determiner to noun", "adjective to noun", "verb to object", "pronoun to what it means")
VERBS = (("drank", "tasted"), ("spilled", "wanted"))  # of each half
OF_ANIMALS = ((), ("old",), ("small", "black"))
OF_FOODS = ((), ("white",), ("cold", "clean"))
DETERMINERS = ("the", "some", "")
TAILS = ("because it was", "and it was very")
TAKEN = 127  # one of so many that can be put together; a prime, so that every part has its turn


@dataclass(frozen=True)
class Marked:
    """A sentence, and for each relation from which word to which other it leads, counted from 0."""

    words: tuple[str, ...]
    marks: dict[str, tuple[tuple[int, int], ...]]


def phrase(determiner: str, adjectives: tuple[str, ...], noun: str) -> tuple[str, ...]:
    """A noun with what stands before it.

    >>> phrase("the", ("small", "black"), "cat"), phrase("", (), "milk")
    (('the', 'small', 'and', 'black', 'cat'), ('milk',))
    """
    return (*filter(None, (determiner, *" and ".join(adjectives).split(), noun)),)


def marked(subject: tuple[str, ...], verb: str, thing: tuple[str, ...], tail: str, adjective: str) -> Marked:
    """A sentence of these parts. Its pronoun means the subject where the adjective fits an animal, or else the object.

    >>> marked(("the", "cat"), "drank", ("milk",), "because it was", "fresh").marks["pronoun to what it means"]
    ((5, 3),)
    """
    before = (*subject, verb)
    words = (*before, *thing, *tail.split(), adjective)
    nouns = (len(subject) - 1, len(before) + len(thing) - 1)
    inside = [(place, noun) for start, noun in zip((0, len(before)), nouns, strict=True) for place in range(start, noun)]
    meant = nouns[0] if adjective in FITS_ANIMALS else nouns[1]
    determiners = tuple(pair for pair in inside if words[pair[0]] in DETERMINERS)
    adjectives = tuple(pair for pair in inside if words[pair[0]] not in (*DETERMINERS, "and"))
    pairs = (determiners, adjectives, ((len(subject), nouns[1]),), ((words.index("it"), meant),))
    return Marked(words, dict(zip(RELATIONS, pairs, strict=True)))


def half(which: int) -> tuple[Marked, ...]:
    """The sentences of the first half (0) or of the second (1)."""
    animals, foods = (words[3 * which : 3 * which + 3] for words in (ANIMALS, FOODS))
    parts = product(OF_ANIMALS, animals, VERBS[which], DETERMINERS, OF_FOODS, foods, TAILS, FITS_ANIMALS + FITS_FOODS)
    every = [
        marked(phrase("the", of_animal, animal), verb, phrase(determiner, of_food, food), tail, adjective)
        for of_animal, animal, verb, determiner, of_food, food, tail, adjective in parts
    ]
    return tuple(every[::TAKEN])
