"""A page's questions, made from the pages' cached results."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from core import Setup
from core.forward.trace import Trace
from core.quiz import exercises, predictions
from core.quiz.exercises import Sources
from core.quiz.question import LETTERS, Question, Unavailable
from pages.shared.link.focus import Focus
from pages.shared.link.pages import find
from pages.shared.server import computed, run

SOURCES = Sources(
    computed.traced,
    computed.compute_batch,
    computed.compute_layers,
    computed.said,
)


def list_exercises(path: str) -> list[str]:
    """Return the page's exercises; a link may limit them."""
    names, do = exercises.list_names(path), run.focus().do
    return [name for name in do or names if name in names]


def ways(names: Sequence[str], name: str = "", variation: int = 0, also: str = "") -> list[str]:
    """Return links to these exercises, and to a variation of the current one; `also` is added to
    the links."""
    of_one_page = len({each.partition(".")[0] for each in names}) == 1 and name
    kinds = {"1": "exercise", "choice": "question"}
    labels = []
    for each in names:
        page, _, kind = each.partition(".")
        what = kinds[kind]
        labels.append(what.capitalize() if of_one_page else f"{find(page).title}, {what}")
    links = list(zip(labels, names, [1] * len(names), strict=True))
    links += [("Another like this", name, variation % 99 + 1)] if name else []
    current = ' aria-current="step"'
    return [
        f'<a href="./{each.partition(".")[0]}" data-sets="exercise={each}&amp;variation={number}'
        f'{also}"{current if each == name and number == 1 else ""}>{label}</a>'
        for label, each, number in links
    ]


@lru_cache(maxsize=64)
def make_exercise(name: str, setup: Setup, variation: int) -> Question | Unavailable:
    """Return this exercise, or why there is none."""
    return exercises.make(name, setup, variation, SOURCES)


def make_for_cell(
    path: str, setup: Setup, places: Mapping[str, str | int]
) -> Question | Unavailable:
    """Return the exercise about the cell that these link fields choose, or why there is none."""
    return exercises.make_for_cell(path, setup, places, SOURCES)


def prediction(name: str, trace: Trace, focus: Focus) -> Question | None:
    """Return this prediction about the selected head and query, None if it has no choices."""
    return predictions.ask(name, trace, focus.head - 1, focus.query - 1)


def split_lines(question: Question) -> str:
    """Return the question and its options, one on each line."""
    lettered = zip(LETTERS, question.options, strict=False)
    return "\n".join([question.asks, *(f"{letter}  {option}" for letter, option in lettered)])
