"""Sentences in which it is known which word belongs to which: a small grammar of English makes them
and marks them.

What heads of a model look at is measured on them. Between a word and the one that it belongs to
stand zero, one or two others, so that a head which always looks so many places on is told from one
that finds the word.
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

# Who asks, and who is asked.
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
    """A sentence, and of each relation in it which word asks and which is asked, from 0."""

    words: tuple[str, ...]
    marks: tuple[tuple[str, int, int], ...]

    @property
    def text(self) -> str:
        """The sentence, as a reader writes it."""
        return " ".join(self.words)


@cache
def sentences(count: int = COUNT) -> tuple[Marked, ...]:
    """Return so many different ones, always the same. Half of them are about two people, half about
    an animal and what it eats."""
    random = Random(0)
    made: dict[tuple[str, ...], Marked] = {}
    while len(made) < count:
        sentence = (_about_people if len(made) % 2 else _about_food)(random)
        made.setdefault(sentence.words, sentence)
    return tuple(made.values())


class _Draft:
    """A sentence that grows word by word."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.words: list[str] = []
        self.marks: list[tuple[str, int, int]] = []

    def add(self, word: str) -> int:
        """Add one word; return where it stands."""
        self.words.append(word)
        return len(self.words) - 1

    def add_noun(self, noun: str, adjectives: tuple[str, ...]) -> int:
        """Add a determiner, none to two adjectives, and the noun; return where the noun stands."""
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
        """Add who does what to whom; return where subject and object stand."""
        who = self.add_noun(subject, adjectives[0])
        does = self.add(verb)
        whom = self.add_noun(object_, adjectives[1])
        self.marks += [("verb → object", does, whom), ("object → verb", whom, does)]
        return who, whom

    def add_reason(self, pronoun: str, meant: int, state: str) -> None:
        """Add why, said of one of the two by a pronoun."""
        self.add("because")
        self.marks.append(("pronoun → who is meant", self.add(pronoun), meant))
        self.add("was")
        self.add(state)

    def done(self) -> Marked:
        """Return the sentence."""
        return Marked(tuple(self.words), tuple(self.marks))


def _about_people(random: Random) -> Marked:
    """Make a sentence in which the pronoun says by itself who is meant: one of the two is a man,
    the other a woman."""
    draft, people = _Draft(random), [random.choice(MEN), random.choice(WOMEN)]
    random.shuffle(people)
    places = draft.add_clause(people[0], random.choice(MET), people[1], (OF_PEOPLE, OF_PEOPLE))
    which = random.randrange(2)
    draft.add_reason("he" if people[which] in MEN else "she", places[which], random.choice(OF_BOTH))
    return draft.done()


def _about_food(random: Random) -> Marked:
    """Make a sentence in which the last word says what `it` means: only an animal is hungry, only
    food is fresh."""
    draft = _Draft(random)
    places = draft.add_clause(
        random.choice(ANIMALS), random.choice(ATE), random.choice(FOODS), (OF_THINGS, OF_THINGS)
    )
    which = random.randrange(2)
    draft.add_reason("it", places[which], random.choice((FITS_ANIMALS, FITS_FOODS)[which]))
    return draft.done()
