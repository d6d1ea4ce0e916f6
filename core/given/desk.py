"""What is on the desk while a text is read: what was found, what was said of it, what is asked."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from .entries import Entry
from .nested import flat

WEIGHTS, QKV, BIASES = ("w_q", "w_k", "w_v"), ("q", "k", "v"), ("b_q", "b_k", "b_v", "b_o")
SYMBOLS = {
    "x": "X",
    "memory_x": "the other sentence",
    "table": "the table",
    "w_q": "W_q",
    "w_k": "W_k",
    "w_v": "W_v",
    "w_o": "W_o",
    "q": "Q",
    "k": "K",
    "v": "V",
    "mask": "the mask",
    "scores": "ω",
    "scaled": "ω′",
    "masked": "ω″",
    "weights": "α",
    "context": "Z",
    "output": "Y",
}
OF_KEYS = ("memory_x", "k", "v")  # whose rows are words that are asked
WITH_WORDS = (
    "x",
    "q",
    "weights",
    "scores",
    "scaled",
    "context",
    "output",
    "k",
    "v",
)  # whose rows are words, the surest first


class Unfit(ValueError):
    """What was read cannot be put together. The message is for the reader."""


@dataclass(frozen=True)
class Question:
    """What the text leaves open: the answers that fit, and the one that is taken if nobody says
    otherwise, where there is one."""

    name: str
    says: str
    answers: tuple[str, ...]
    default: str | None = None


class Desk:
    """The entries of a text while they are sorted out, the questions and answers about them, and
    what is to be said."""

    def __init__(self, entries: Sequence[Entry], answers: dict[str, str]) -> None:
        self.entries, self.answers = list(entries), answers
        self.questions: dict[str, Question] = {}
        self.messages: list[str] = []

    def ask(self, name: str, says: str, answers: Sequence[str], default: str | None) -> str | None:
        """Put a question, and return the answer that was given, else its default. Raises ValueError
        for an answer that is none."""
        self.questions[name] = Question(name, says, tuple(answers), default)
        answer = self.answers.get(name)
        if answer is not None and answer not in answers:
            raise ValueError(f"“{answer[:40]}” is no answer to {name}: {' or '.join(answers)} is.")
        return default if answer is None else answer

    def has(self, *names: str) -> bool:
        """Return whether something has one of these names."""
        return any(entry.name in names for entry in self.entries)

    def of(self, name: str) -> list[Entry]:
        """Return what has this name, heads in their order."""
        return sorted(
            (entry for entry in self.entries if entry.name == name),
            key=lambda entry: self.count(entry) or 0,
        )

    def change(self, entry: Entry, **changes: Any) -> None:
        """Put something else in the place of an entry."""
        self.entries = [
            replace(other, **changes) if other is entry else other for other in self.entries
        ]

    def drop(self, entry: Entry) -> None:
        """Leave an entry alone."""
        self.entries = [other for other in self.entries if other is not entry]

    def count(self, entry: Entry) -> int | None:
        """Return the number of a head: the entry's own, or that of the heading above it, where
        headings tell its like apart."""
        if entry.number is not None or len(entry.shape) == 1:
            return entry.number
        heads = {other.head for other in self.entries if other.name == entry.name}
        return entry.head if len(heads) > 1 else None

    def words(self, names: Sequence[str] = WITH_WORDS) -> tuple[str, ...]:
        """Return the words beside the rows of X or Q, else of another step; or of the first of
        these names that has some."""
        for name in names:
            for entry in self.of(name):
                if len(entry.shape) > 1 and entry.words:
                    return entry.words
        single = [
            entry
            for name in ("x", "q")
            if name in names
            for entry in self.of(name)
            if len(entry.shape) == 1
        ]
        words = tuple(entry.word or "".join(entry.words[:1]) for entry in single)
        return words if all(words) else ()


def symbol(name: str) -> str:
    """Return what a matrix is called in a sentence."""
    return SYMBOLS.get(name, name or "a matrix")


def values(entry: Entry) -> tuple[float, ...]:
    """Return what two entries have in common that say the same: shape and numbers."""
    return (*entry.shape, *map(float, flat(entry.numbers)))
