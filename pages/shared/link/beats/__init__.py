"""The lecture's beats: what stands on the screen, one idea at a time, and what its speaker may say.

The texts stand beside this file, one file a page: an address says which beat is on screen. No
Streamlit here.
"""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from core import filling
from core.setup import CHOICES, Setup
from pages.shared.link.pages import PAGES

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Beat:
    """One screen of a page. `name` is what the page asks for (`lecture.shows`), `title` is its
    heading.

    The rest is for the speaker alone: what to say, what to ask the class, and the usual wrong
    answer. `story` is what a newcomer reads, where the beat is one of the twelve that tell the
    whole: `{asks}` and `{asked}` stand for the pair's words. `otherwise` holds the same beat with a
    title and notes of its own: as it is on the route `why`, at [MASK], or where a stack has learned
    to say what comes next, by the task.
    """

    name: str
    title: str
    say: str
    ask: str
    wrong: str
    story: str = ""
    otherwise: Mapping[str, "Beat"] = field(default_factory=dict)

    def of(self, setup: Setup, route: str = "whole") -> "Beat":
        """Return the beat as it is on this route, or with what this setup has learned."""
        learned = "mask" if filling.looks_ahead(setup) else setup.task if setup.learns_words else ""
        return self.otherwise.get(route) or self.otherwise.get(learned, self)


OTHERWISE = ("why", "mask", *(task for task in CHOICES["task"] if task != "questions"))
TEXTS = {each.name for each in fields(Beat)} - {"story", "otherwise"}


def file_of(path: str) -> Path:
    """Return the file with the beats of the page with this path."""
    return FOLDER / f"{path or 'overview'}.toml"


def read(file: Path) -> tuple[Beat, ...]:
    """Return a page's beats, in the order of its file: one table `[[beat]]` each.

    A ValueError names the file and the beat that is wrong, and what is wrong with it.
    """
    try:
        document = tomllib.loads(file.read_text(encoding="utf-8"))
    except tomllib.TOMLDecodeError as error:
        raise ValueError(f"{file.name}: {error}") from error
    if set(document) != {"beat"} or not isinstance(document["beat"], list):
        raise ValueError(
            f"{file.name}: expected tables [[beat]], in double brackets, and nothing else"
        )
    return tuple(
        _checked(table, f"{file.name}, beat {number}")
        for number, table in enumerate(document["beat"], start=1)
    )


def _checked(table: dict[str, Any], where: str) -> Beat:
    """Return the beat in this table. Raises ValueError where a key is missing or unknown, or its
    text is not one line."""
    where += f" ({table.get('name', 'without a name')})"
    if missing := TEXTS - set(table):
        raise ValueError(f"{where}: missing {', '.join(sorted(missing))}")
    if unknown := set(table) - TEXTS - {"story", *OTHERWISE}:
        raise ValueError(f"{where}: unknown {', '.join(sorted(unknown))}")
    for key in sorted(TEXTS | ({"story"} & set(table))):
        text = table[key]
        if not isinstance(text, str) or "\n" in text:
            raise ValueError(
                f"{where}: {key} must be text without a break: a line that goes on ends in a"
                " backslash"
            )
    shared = {name: table[name] for name in ("name", "story") if name in table}
    otherwise = {
        kind: _checked(table[kind] | shared, f"{where}, {kind}")
        for kind in OTHERWISE
        if kind in table
    }
    return Beat(
        **{name: value for name, value in table.items() if name not in OTHERWISE},
        otherwise=otherwise,
    )


# By a page's path, in the order of the lecture.
BEATS: dict[str, tuple[Beat, ...]] = {page.path: read(file_of(page.path)) for page in PAGES}


Place = tuple[str, int]  # a page's path, and the number of one of its beats, from 1


def place_of(path: str, name: str) -> Place:
    """Return where the beat of this name is."""
    return path, next(
        number for number, beat in enumerate(BEATS[path], start=1) if beat.name == name
    )


EVERY: tuple[Place, ...] = tuple(
    (path, number) for path, beats in BEATS.items() for number in range(1, len(beats) + 1)
)
# The twelve that tell the whole.
STORY = tuple((path, number) for path, number in EVERY if BEATS[path][number - 1].story)
# The twelve from a word that was said to one product of a query and a key that it hangs on, and up
# again.
WHY = tuple(
    place_of(path, name)
    for path, name in (
        ("next", "shares"),
        ("next", "rather"),
        ("next", "brings"),
        ("next", "by_word"),
        ("next", "largest"),
        ("weights", "shares"),
        ("scores", "row"),
        ("scores", "products"),
        ("context", "mixture"),
        ("heads", "part"),
        ("next", "off"),
        ("next", "lens"),
    )
)
# The routes of a lecture, each in its order.
ROUTES: dict[str, tuple[Place, ...]] = {"whole": EVERY, "story": STORY, "why": WHY}


def route(path: str, kind: str) -> tuple[int, ...]:
    """Return the numbers of a page's beats, from 1, in their order on a route; all of them where it
    does not go by the page."""
    return tuple(number for page, number in ROUTES[kind] if page == path) or tuple(
        range(1, len(BEATS[path]) + 1)
    )


def on_screen(path: str, kind: str, asked: int) -> int:
    """Return which of a page's beats a route shows where this one is asked for: past its end its
    last, and of one that it leaves out the one before it, or its first."""
    there = route(path, kind)
    return max((each for each in there if each <= asked), default=there[0])


def beside(path: str, number: int, kind: str) -> tuple[Place | None, Place | None]:
    """Return the places before and after a beat of a route, or on the whole lecture where that does
    not go by the page."""
    places = ROUTES[kind] if any(page == path for page, _ in ROUTES[kind]) else EVERY
    at = places.index((path, number))
    return (places[at - 1] if at else None), (places[at + 1] if at + 1 < len(places) else None)
