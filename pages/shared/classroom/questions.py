"""A class's questions at a place (exercise, chosen cell, prediction): find, judge, count and report
them. Computed outside the event loop, one at a time."""

import asyncio
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from typing import Any

from core.quiz import answers, exercises, results
from core.quiz.question import Question, Unavailable, judge
from core.text.text import cell, labels, quote
from pages.shared.classroom.room import MAX_QUESTIONS, Asked, Place, Room
from pages.shared.layout import training_queue
from pages.shared.layout.questions.posed import make_exercise, make_for_cell, prediction
from pages.shared.link import LinkState, read_link
from pages.shared.link.beats import BEATS, on_screen
from pages.shared.link.pages import find
from pages.shared.server import computed, run

_one_at_a_time = asyncio.Semaphore(1)
PLACES = ("head", "query", "key", "column", "layer", "matrix", "part", "stage")


async def _beside(compute: Callable[..., Any], *inputs: Any) -> Any:
    def on_one_thread() -> Any:
        run.one_thread_for_torch()
        return compute(*inputs)

    async with _one_at_a_time:
        return await asyncio.to_thread(on_one_thread)


async def offers(at: Place) -> list[dict[str, str]]:
    """Return the possible questions here: name and last line."""
    return await _beside(_offers, at)


def _offers(at: Place) -> list[dict[str, str]]:
    view = read_link(at.link)
    if _still_learns(at.page, view):
        return []
    first = view.focus.exercise
    names = sorted(list_names(at.page), key=lambda name: (name in exercises.NAMES, name != first))
    made = {what: _made(what, at) for what in names}
    return [
        {"what": what, "asks": each.asks.rsplit("\n", maxsplit=1)[-1]}
        for what, each in made.items()
        if each
    ]


def list_names(page: str) -> list[str]:
    """Return the names of all questions that a page may have: predictions, the chosen cell,
    exercises."""
    predictions = [f"predict.{each.name}" for each in find(page).predictions]
    return [*predictions, "cell", *exercises.list_names(page)]


async def composed(what: str, at: Place) -> Asked:
    """Return the question of this name. Raises ValueError if there is none."""
    return await _beside(_compose, what, at)


def _compose(what: str, at: Place) -> Asked:
    if _still_learns(at.page, read_link(at.link)):
        raise ValueError("The matrices still learn: ask once the page is there.")
    made = _made(what, at)
    if made is None:
        raise ValueError("This cannot be asked here.")
    return Asked(0, what, at, made.asks, made.kind, made.options, find_inputs(what, at, made))


def find_inputs(what: str, at: Place, made: Question) -> tuple[str, ...]:
    """Return the entries that the chosen score, weight or context number is computed from, step by
    step; () for other questions, whose text contains all that is needed.

    >>> at = Place("weights", "")
    >>> find_inputs("cell", at, _made("cell", at))[:2]
    ('masked', 'scaled')
    """
    match find(made.opens.path).cell if what == "cell" and made.opens else ():
        case (name, _, _):
            trace = computed.traced(read_link(at.link).setup)
            names = [name]
            for each in names:
                entry = trace[each]
                terms = (
                    entry.origin.open(trace, (0,) * entry.value.dim()).terms if entry.origin else ()
                )
                names += dict.fromkeys(
                    ref.name for term in terms for ref in term.factors if ref.name not in names
                )
            return tuple(names[1:])
    return ()


def _still_learns(page: str, view: LinkState) -> bool:
    """Return whether the page still waits for training. It runs only there, where users see the
    queue, never for a question."""
    return bool(training_queue.list_jobs(page, view.setup, view.focus))


@lru_cache(maxsize=64)
def _made(what: str, at: Place) -> Question | None:
    made = _source(what, at.page, read_link(at.link))
    return made.simplify_for_class() if isinstance(made, Question) else None


def _source(what: str, page: str, view: LinkState) -> Question | Unavailable | None:
    setup, focus = view.setup, view.focus
    kind, _, name = what.partition(".")
    if kind == "predict" and any(each.name == name for each in find(page).predictions):
        return prediction(name, computed.traced(setup), focus)
    if what == "cell":
        return make_for_cell(page, setup, {name: getattr(focus, name) for name in PLACES})
    if what in exercises.list_names(page):
        return make_exercise(what, setup, focus.variation if focus.exercise == what else 1)
    return None


def read(asked: Asked, text: Any) -> str:
    """Return an answer in its normal form. Raises ValueError with a message for the user."""
    return answers.read(asked.kind, len(asked.options), text)


async def result(asked: Asked, given: Sequence[str]) -> dict[str, Any]:
    """Return the result of a vote."""
    return await _beside(_result, asked, tuple(given))


@lru_cache(maxsize=MAX_QUESTIONS)
def _result(asked: Asked, given: tuple[str, ...]) -> dict[str, Any]:
    made = _made(asked.what, asked.at)
    asks = made.asks if made else asked.asks
    told = {"number": asked.number, "place": place(asked.at), "asks": asks}
    return told | results.to_data(made, results.group_answers(made, given)) if made else told


async def table(votes: Iterable[tuple[Asked, Sequence[str]]]) -> str:
    """Return the results of all these votes as one CSV table."""
    return results.to_csv([await result(asked, given) for asked, given in votes if given])


async def verdict(asked: Asked, answer: str) -> dict[str, Any]:
    """Return the verdict on one answer."""
    return await _beside(_one, asked, answer)


@lru_cache(maxsize=128)
def _one(asked: Asked, answer: str) -> dict[str, Any]:
    made = _made(asked.what, asked.at)
    if made is None:
        return {}
    said = judge(made, answer)
    is_told = said.right or bool(
        made.bars
    )  # explanations of options with numbers contain the answer
    return {"right": said.right, "says": said.says, "solution": "" if is_told else made.solution}


@lru_cache(maxsize=128)  # few, since links can be long
def place(at: Place) -> str:
    """Return a lecturer's place in a few words: the page, and its beat or chosen cell.

    >>> place(Place("scores", "")), place(Place("", "")), place(Place("block", "lecture=on&beat=2"))
    ('Scores · ω[is, dessert]', 'Overview', 'Block · One word on its way through')
    """
    view, title = read_link(at.link), find(at.page).title
    if view.focus.lecturing:
        number, route = view.focus.beat, view.focus.route
        return f"{title} · {BEATS[at.page][on_screen(at.page, route, number) - 1].of(route).title}"
    return f"{title} · {named}" if (named := _cell(at.page, view)) else title


def _cell(page: str, view: LinkState) -> str:
    setup, focus = view.setup, view.focus
    tokens, keys = labels(setup.tokens), labels(setup.memory_tokens or setup.tokens)
    places = {
        "query": tokens[focus.query - 1],
        "key": keys[focus.key - 1],
        "column": focus.column_of(setup.d_v) + 1,
    }
    match find(page).cell:
        case (name, row, column):
            return cell(name, places[row], places[column])
        case (word,):
            return quote(places[word])
    return ""


def said(room: Room) -> dict[str, Any]:
    """Return a room's state as sent to browsers."""
    asked = room.asked
    return {
        "is": "room",
        "code": room.code,
        "id": room.id,
        "born": room.born,
        "page": room.at.page,
        "link": room.at.link,
        "place": place(room.at),
        "finished": len(room.finished),
        "asked": (
            asked
            and {
                "number": asked.number,
                "asks": asked.asks,
                "kind": asked.kind,
                "options": asked.options,
                "given": asked.given,
                "shown": asked.shown,
            }
        ),
    }
