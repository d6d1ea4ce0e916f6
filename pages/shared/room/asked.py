"""What can be asked of a class at a place: an exercise of the page, its chosen cell, a prediction; and what a browser is told of a
room. What is computed for it is computed beside the server's loop, one question at a time."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

from core import exercises, predictions, question
from core.exercises import Exercise
from core.exercises.exercise import LETTERS
from core.question import Question
from core.text import cell, labels, quoted
from pages.shared.frame import training_queue
from pages.shared.frame.exercises.posed import SOURCES, posed
from pages.shared.link import View, read_link
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import find
from pages.shared.room.rooms import Asked, Place, Room
from pages.shared.said import claims
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
    """What can be asked here: its name, and how it is called."""
    return await _beside(_offers, at)


def _offers(at: Place) -> list[dict[str, str]]:
    view = read_link(at.link)
    if _still_learns(at.page, view):
        return []
    first = view.focus.exercise
    names = sorted(exercises.of_page(at.page), key=lambda name: name != first)
    whats = [f"predict.{each.name}" for each in find(at.page).predictions] + ["cell"] + names
    made = {what: _made(what, at) for what in whats}
    return [{"what": what, "asks": _short(each.asks)} for what, each in made.items() if each]


def _short(asks: str) -> str:
    """The line that asks."""
    return asks.rsplit("\n", maxsplit=1)[-1]


async def composed(what: str, at: Place) -> Question:
    """The question. Raises ValueError where there is none of this name here."""
    made = await _beside(_asked_now, what, at)
    if made is None:
        raise ValueError("This cannot be asked here.")
    return made


def _asked_now(what: str, at: Place) -> Question | None:
    if _still_learns(at.page, read_link(at.link)):
        raise ValueError("The weights still learn: ask once the page is there.")
    return _made(what, at)


def _still_learns(page: str, view: View) -> bool:
    """Whether the page waits for a training. It is trained there, where readers queue and see how far it is; nobody trains here."""
    return bool(training_queue.jobs(page, view.setup, view.focus))


@lru_cache(maxsize=64)
def _made(what: str, at: Place) -> Question | None:
    view = read_link(at.link)
    source = _source(what, at.page, view)
    if isinstance(source, exercises.Unposed) or source is None:
        return None
    made = question.of(source)
    return replace(made, asks=_say(at)(made.asks))


def _say(at: Place) -> Callable[[str], str]:
    """The explorer's own sentences, where tokens are characters."""
    return claims.in_tokens(read_link(at.link).setup)


def _source(what: str, page: str, view: View) -> Exercise | exercises.Unposed | predictions.Prediction | None:
    setup, focus = view.setup, view.focus
    kind, _, name = what.partition(".")
    if kind == "predict" and any(each.name == name for each in find(page).predictions):
        return predictions.ask(name, computed.traced(setup), focus.head - 1, focus.query - 1)
    if what == "cell":
        return exercises.of_cell(page, setup, {name: getattr(focus, name) for name in PLACES}, SOURCES)
    if what in exercises.of_page(page):
        return posed(what, setup, focus.variation if focus.exercise == what else 1)
    return None


def read(asked: Asked, text: Any) -> str:
    """An answer in the one spelling that is kept of it. Raises ValueError with a sentence for the reader."""
    return question.read(asked.kind, len(asked.options), text)


async def result(asked: Asked, votes: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """How each vote went, and the same as a table to take home."""
    return await _beside(_result, asked, tuple(votes))


@lru_cache(maxsize=32)
def _result(asked: Asked, votes: tuple[tuple[str, ...], ...]) -> dict[str, Any]:
    made = _made(asked.what, asked.at)
    if made is None:
        return {"tallies": [], "rows": [], "csv": ""}
    tallies = [question.tally(made, answers) for answers in votes]
    say = _say(asked.at)
    said = [
        replace(each, solution=say(each.solution), groups=tuple(replace(g, says=say(g.says)) for g in each.groups))
        for each in tallies
    ]
    tallies_as_data = [question.as_data(tally) for tally in said]
    return {"tallies": tallies_as_data, "rows": question.in_rows(made, said), "csv": question.as_csv(made, said)}


async def verdict(asked: Asked, answer: str) -> dict[str, Any]:
    """What is to be said of one answer."""
    return await _beside(_one, asked, answer)


@lru_cache(maxsize=128)
def _one(asked: Asked, answer: str) -> dict[str, Any]:
    made = _made(asked.what, asked.at)
    if made is None:
        return {}
    source, say = made.source, _say(asked.at)
    if isinstance(source, predictions.Prediction):
        return {"right": int(answer) in source.right, "says": say(source.says[int(answer)]), "solution": ""}
    said = exercises.judge(source, LETTERS[int(answer)] if source.kind == "choice" else answer)
    return {"right": said.right, "says": say(said.says), "solution": "" if said.right else say(source.solution)}


@lru_cache(maxsize=128)  # few: a link may be as long as a browser has it
def place(at: Place) -> str:
    """Where a lecturer is, in a few words: the page, and its beat or the chosen cell.

    >>> place(Place("scores", "")), place(Place("", "")), place(Place("block", "lecture=on&beat=2"))
    ('Scores · ω[is, dessert]', 'Overview', 'Block · One word on its way through')
    """
    view, title = read_link(at.link), find(at.page).title
    if view.focus.lecturing:
        beats = BEATS[at.page]
        return f"{title} · {beats[min(view.focus.beat, len(beats)) - 1].of(view.setup).title}"
    return f"{title} · {named}" if (named := _cell(at.page, view)) else title


def _cell(page: str, view: View) -> str:
    setup, focus = view.setup, view.focus
    asks, asked = labels(setup.tokens), labels(setup.memory_tokens or setup.tokens)
    places = {"query": asks[focus.query - 1], "key": asked[focus.key - 1], "column": focus.column_of(setup.d_v) + 1}
    match find(page).cell:
        case (name, row, column):
            return cell(name, places[row], places[column])
        case (word,):
            return quoted(places[word])
    return ""


def said_of(room: Room, kind: str = "") -> dict[str, Any]:
    """What a browser is told of a room: all of it, or what changed."""
    asked = room.asked
    told: dict[str, Any] = {}
    if kind in ("", "at"):
        told |= {"page": room.at.page, "link": room.at.link, "place": place(room.at)}
    if kind in ("", "asked"):
        told["asked"] = asked and {
            "number": asked.number, "vote": asked.vote(), "votes": asked.votes, "asks": asked.asks, "kind": asked.kind,
            "options": asked.options, "shown": asked.shown,
        }  # fmt: skip
    return told
