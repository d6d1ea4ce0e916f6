"""The lecture's beats: what stands on the screen, one idea at a time, and what its speaker may say.

The texts stand beside this file, one file a page: an address says which beat is on screen. No
Streamlit here.
"""

import tomllib
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from pages.shared.link.pages import PAGES

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Beat:
    """One screen of a page. `name` is what the page asks for (`lecture.shows`), `title` is its
    heading.

    The rest is for the speaker alone: what to say, what to ask the class, and the usual wrong
    answer. `story` is what a newcomer reads, where the beat is one of the twelve that tell the
    whole: `{asks}` and `{asked}` stand for the pair's words. `why` is the same beat as it is on the
    route of that name, with a title and notes of its own.
    """

    name: str
    title: str
    say: str
    ask: str
    wrong: str
    story: str = ""
    why: "Beat | None" = None

    def of(self, route: str) -> "Beat":
        """Return the beat as it is on this route."""
        return self.why if self.why and route == "why" else self


TEXTS = {each.name for each in fields(Beat)} - {"story", "why"}


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
    if unknown := set(table) - TEXTS - {"story", "why"}:
        raise ValueError(f"{where}: unknown {', '.join(sorted(unknown))}")
    for key in sorted(TEXTS | ({"story"} & set(table))):
        text = table[key]
        if not isinstance(text, str) or "\n" in text:
            raise ValueError(
                f"{where}: {key} must be text without a break: a line that goes on ends in a"
                " backslash"
            )
    if "why" not in table:
        return Beat(**table)
    shared = {name: table[name] for name in ("name", "story") if name in table}
    return Beat(**table | {"why": _checked(table["why"] | shared, f"{where}, why")})


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
