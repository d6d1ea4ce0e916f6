"""The lecture's beats: one idea on screen each, with notes for the speaker. No Streamlit here.

Each page has a file of texts beside this one; the address says which beat is on screen.
"""

import tomllib
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pages.shared.link.pages import PAGES

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Beat:
    """One screen of a page: `name` for `lecture.shows`, `title` as its heading.

    For the speaker: what to say, what to ask, and the usual wrong answer. `story` is the text for
    newcomers on the route `story`, with `{asks}` and `{asked}` for the pair's words.
    `why` is the beat with a title and notes of its own, on the route of that name.
    """

    name: str
    title: str
    say: str
    ask: str
    wrong: str
    story: str = ""
    why: "Beat | None" = None

    def of(self, route: str) -> "Beat":
        """Return the beat on this route."""
        return self.why if self.why and route == "why" else self


def file_of(path: str) -> Path:
    """Return the file with the beats of this page."""
    return FOLDER / f"{path or 'overview'}.toml"


def read(file: Path) -> tuple[Beat, ...]:
    """Return a page's beats in the order of its file, one table `[[beat]]` each. Raises ValueError
    with the file, the beat and the reason."""
    try:
        tables = tomllib.loads(file.read_text(encoding="utf-8"))["beat"]
        return tuple(map(_read_beat, tables))
    except (KeyError, ValueError) as error:
        raise ValueError(f"{file.name}: {error}") from error


def _read_beat(table: dict[str, Any]) -> Beat:
    shared = {name: table[name] for name in ("name", "story") if name in table}
    try:
        why = Beat(**table["why"] | shared) if "why" in table else None
        return Beat(**table | {"why": why})
    except TypeError as error:
        raise ValueError(f"beat {table.get('name')}: {error}") from error


# By page path, in the lecture's order.
BEATS: dict[str, tuple[Beat, ...]] = {page.path: read(file_of(page.path)) for page in PAGES}


Place = tuple[str, int]  # a page's path, and its beat's number from 1


def place_of(path: str, name: str) -> Place:
    """Return the place of the beat with this name."""
    return path, next(
        number for number, beat in enumerate(BEATS[path], start=1) if beat.name == name
    )


EVERY: tuple[Place, ...] = tuple(
    (path, number) for path, beats in BEATS.items() for number in range(1, len(beats) + 1)
)
# The beats for newcomers.
STORY = tuple((path, number) for path, number in EVERY if BEATS[path][number - 1].story)
# The beats from a predicted word down to one product of a query and a key, and back.
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
# Each route's beats in order.
ROUTES: dict[str, tuple[Place, ...]] = {"whole": EVERY, "story": STORY, "why": WHY}


def route(path: str, kind: str) -> tuple[int, ...]:
    """Return the numbers (from 1) of a page's beats on a route, all if the route skips the page."""
    return tuple(number for page, number in ROUTES[kind] if page == path) or tuple(
        range(1, len(BEATS[path]) + 1)
    )


def on_screen(path: str, kind: str, asked: int) -> int:
    """Return the beat that a route shows for this number: its last one up to it, or its first."""
    there = route(path, kind)
    return max((each for each in there if each <= asked), default=there[0])


def beside(path: str, number: int, kind: str) -> tuple[Place | None, Place | None]:
    """Return the beats before and after on the route, or on the whole lecture if the route skips
    the page."""
    places = ROUTES[kind] if any(page == path for page, _ in ROUTES[kind]) else EVERY
    at = places.index((path, number))
    return (places[at - 1] if at else None), (places[at + 1] if at + 1 < len(places) else None)
