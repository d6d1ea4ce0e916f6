"""The exercises that count on a page, made of what the pages have computed already."""

from collections.abc import Callable
from functools import lru_cache

from core import exercises
from core.exercises import Exercise, Sources, Unposed
from core.exercises.exercise import LETTERS
from core.setup import Setup
from pages.shared.link.focus import Focus
from pages.shared.link.pages import PAGES
from pages.shared.server import computed

SOURCES = Sources(computed.traced, computed.batched, lambda setup: computed.stacked(setup)[1], computed.predicted)
PATHS = {page.path for page in PAGES}


def in_play(focus: Focus) -> list[str]:
    """The exercises that count: those that a teacher set, in that order, or all; as far as their page exists."""
    return [name for name in focus.do or exercises.NAMES if name.partition(".")[0] in PATHS]


@lru_cache(maxsize=64)
def posed(name: str, setup: Setup, variation: int) -> Exercise | Unposed:
    """The exercise of this name, or why there is none."""
    return exercises.make(name, setup, variation, SOURCES)


def asked(exercise: Exercise, say: Callable[[str], str], last_line: bool = False) -> str:
    """The question, or its last line, which asks; and its options, each on a line of its own.

    Options may quote a reader's words, and stay as they are.
    """
    question = exercise.question.split("\n")[-1] if last_line else exercise.question
    options = zip(LETTERS, exercise.options, strict=False)
    return "\n".join([say(question), *(f"{letter}  {option}" for letter, option in options)])
