"""The questions of a page, made of what the pages have computed already, in words that say what its
tokens are."""

from collections.abc import Mapping
from functools import lru_cache

from core import exercises, predictions
from core.exercises import Sources
from core.question import LETTERS, Question, Unposed
from core.setup import Setup
from core.trace import Trace
from pages.shared.link.focus import Focus
from pages.shared.link.pages import PAGES
from pages.shared.server import computed

SOURCES = Sources(
    computed.traced, computed.batched, lambda setup: computed.stacked(setup)[1], computed.said
)
PATHS = {page.path for page in PAGES}


def in_play(focus: Focus) -> list[str]:
    """Return the exercises that count: those that a teacher set, in that order, or all; as far as
    their page exists."""
    return [name for name in focus.do or exercises.NAMES if name.partition(".")[0] in PATHS]


@lru_cache(maxsize=64)
def posed(name: str, setup: Setup, variation: int) -> Question | Unposed:
    """Return the exercise of this name, or why there is none."""
    return exercises.make(name, setup, variation, SOURCES)


def of_cell(path: str, setup: Setup, places: Mapping[str, str | int]) -> Question | Unposed:
    """Return the exercise that asks for the cell that these fields of a link choose, or why there
    is none."""
    return exercises.of_cell(path, setup, places, SOURCES)


def prediction(name: str, trace: Trace, focus: Focus) -> Question | None:
    """Return the prediction of this name about the head and the query that are looked at; None
    where there is nothing to choose."""
    return predictions.ask(name, trace, focus.head - 1, focus.query - 1)


def in_lines(question: Question, last_line: bool = False) -> str:
    """Return the question, or its last line, which asks; and its options, each on a line of its
    own."""
    asks = question.asks.split("\n")[-1] if last_line else question.asks
    return "\n".join(
        [
            asks,
            *(
                f"{letter}  {option}"
                for letter, option in zip(LETTERS, question.options, strict=False)
            ),
        ]
    )
