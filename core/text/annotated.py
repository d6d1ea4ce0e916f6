"""Sentences with known word relations, generated and annotated by a small English grammar.

They measure what a model's heads attend to. Between two related words are zero, one or two others,
to distinguish a head that finds the word from one that attends at a fixed distance.
"""

from dataclasses import dataclass
from functools import cache
from random import Random

MEN = ("king", "father", "brother", "uncle", "boy", "man", "prince", "son")
WOMEN = ("queen", "mother", "sister", "aunt", "girl", "woman", "princess", "daughter")
ANIMALS = ("dog", "cat", "horse", "fox", "bird", "mouse", "wolf", "bear")
FOODS = ("bread", "milk", "soup", "meat", "fruit", "cheese", "fish", "rice")
OF_PEOPLE = ("old", "young", "tall", "kind", "quiet", "famous", "rich", "brave")
OF_THINGS = ("small", "white", "red", "brown", "good", "little", "new", "big")
MET = ("thanked", "helped", "followed", "watched", "called", "met", "loved", "found")
ATE = ("ate", "wanted", "found", "liked", "took", "saw", "stole", "tasted")
OF_BOTH = ("late", "right", "happy", "tired", "angry", "ready", "wrong", "sick")
FITS_ANIMALS, FITS_FOODS = (
    ("hungry", "thirsty", "tired", "afraid"),
    ("fresh", "sweet", "cheap", "cold"),
)

# Query word → key word.
RELATIONS = (
    "determiner → noun",
    "adjective → noun",
    "verb → object",
    "object → verb",
    "pronoun → who is meant",
)
COUNT = 200


@dataclass(frozen=True)
class Marked:
    """A sentence and its relations: name, and the indices of query word and key word, from 0."""

    words: tuple[str, ...]
    marks: tuple[tuple[str, int, int], ...]

    @property
    def text(self) -> str:
        """The sentence as text."""
        return " ".join(self.words)


@cache
def sentences(count: int = COUNT) -> tuple[Marked, ...]:
    """Return this many different sentences, always the same. Half are about two people, half about
    an animal and its food."""
    random = Random(0)
    made: dict[tuple[str, ...], Marked] = {}
    while len(made) < count:
        sentence = (_about_people if len(made) % 2 else _about_food)(random)
        made.setdefault(sentence.words, sentence)
    return tuple(made.values())


class _Draft:
    """A sentence being built word by word."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.words: list[str] = []
        self.marks: list[tuple[str, int, int]] = []

    def add(self, word: str) -> int:
        """Append one word; return its index."""
        self.words.append(word)
        return len(self.words) - 1

    def add_noun(self, noun: str, adjectives: tuple[str, ...]) -> int:
        """Append a determiner, up to two adjectives, and the noun; return the noun's index."""
        determiner = self.add(self.random.choice(("the", "this", "that", "my", "your")))
        of_noun = [
            self.add(word) for word in self.random.sample(adjectives, self.random.randrange(3))
        ]
        place = self.add(noun)
        self.marks.append(("determiner → noun", determiner, place))
        self.marks += [("adjective → noun", adjective, place) for adjective in of_noun]
        return place

    def add_clause(
        self,
        subject: str,
        verb: str,
        object_: str,
        adjectives: tuple[tuple[str, ...], tuple[str, ...]],
    ) -> tuple[int, int]:
        """Append subject, verb and object; return the indices of subject and object."""
        who = self.add_noun(subject, adjectives[0])
        does = self.add(verb)
        whom = self.add_noun(object_, adjectives[1])
        self.marks += [("verb → object", does, whom), ("object → verb", whom, does)]
        return who, whom

    def add_reason(self, pronoun: str, meant: int, state: str) -> None:
        """Append a reason whose pronoun refers to one of the two."""
        self.add("because")
        self.marks.append(("pronoun → who is meant", self.add(pronoun), meant))
        self.add("was")
        self.add(state)

    def done(self) -> Marked:
        """Return the sentence."""
        return Marked(tuple(self.words), tuple(self.marks))


def _about_people(random: Random) -> Marked:
    """Return a sentence whose pronoun shows who is meant: one person is a man, the other a
    woman."""
    draft, people = _Draft(random), [random.choice(MEN), random.choice(WOMEN)]
    random.shuffle(people)
    places = draft.add_clause(people[0], random.choice(MET), people[1], (OF_PEOPLE, OF_PEOPLE))
    which = random.randrange(2)
    draft.add_reason("he" if people[which] in MEN else "she", places[which], random.choice(OF_BOTH))
    return draft.done()


def _about_food(random: Random) -> Marked:
    """Return a sentence whose last word shows what `it` means: only animals are hungry, only food
    is fresh."""
    draft = _Draft(random)
    places = draft.add_clause(
        random.choice(ANIMALS), random.choice(ATE), random.choice(FOODS), (OF_THINGS, OF_THINGS)
    )
    which = random.randrange(2)
    draft.add_reason("it", places[which], random.choice((FITS_ANIMALS, FITS_FOODS)[which]))
    return draft.done()
