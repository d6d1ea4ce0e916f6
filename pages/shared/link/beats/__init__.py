"""The lecture's beats: what stands on the screen, one idea at a time, and what its speaker may say.

The texts stand beside this file, one file a page: an address says which beat is on screen. No Streamlit here.
"""

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from core.setup import CHOICES, Setup
from pages.shared.link.pages import PAGES

FOLDER = Path(__file__).parent


@dataclass(frozen=True)
class Beat:
    """One screen of a page. `name` is what the page asks for (`lecture.shows`), `title` is its heading.

    The rest is for the speaker alone: what to say, what to ask the class, and the usual wrong answer. `short` marks the
    beats of the short route, for an hour with questions. `story` is what a newcomer reads, where the beat is one of the twelve that
    tell the whole: `{asks}` and `{asked}` stand for the pair's words. `of_task` holds the same beat as it is where a stack has
    learned to say what comes next, by the task: its own title and notes.
    """

    name: str
    title: str
    say: str
    ask: str
    wrong: str
    short: bool = False
    story: str = ""
    of_task: Mapping[str, "Beat"] = field(default_factory=dict)

    def of(self, setup: Setup) -> "Beat":
        """Return the beat as it is with what this setup has learned."""
        return self.of_task.get(setup.task, self) if setup.learns_words else self


TASKS = tuple(task for task in CHOICES["task"] if task != "questions")
TEXTS = {each.name for each in fields(Beat)} - {"short", "story", "of_task"}


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
        raise ValueError(f"{file.name}: expected tables [[beat]], in double brackets, and nothing else")
    return tuple(_checked(table, f"{file.name}, beat {number}") for number, table in enumerate(document["beat"], start=1))


def _checked(table: dict[str, Any], where: str) -> Beat:
    """Return the beat in this table. Raises ValueError where a key is missing or unknown, or its text is not one line."""
    where += f" ({table.get('name', 'without a name')})"
    if missing := TEXTS - set(table):
        raise ValueError(f"{where}: missing {', '.join(sorted(missing))}")
    if unknown := set(table) - TEXTS - {"short", "story", *TASKS}:
        raise ValueError(f"{where}: unknown {', '.join(sorted(unknown))}")
    if not isinstance(table.get("short", True), bool):
        raise ValueError(f"{where}: short must be true or false")
    for key in sorted(TEXTS | ({"story"} & set(table))):
        text = table[key]
        if not isinstance(text, str) or "\n" in text:
            raise ValueError(f"{where}: {key} must be text without a break: a line that goes on ends in a backslash")
    shared = {name: table[name] for name in ("name", "short", "story") if name in table}
    of_task = {task: _checked(table[task] | shared, f"{where}, {task}") for task in TASKS if task in table}
    return Beat(**{name: value for name, value in table.items() if name not in TASKS}, of_task=of_task)


# By a page's path, in the order of the lecture.
BEATS: dict[str, tuple[Beat, ...]] = {page.path: read(file_of(page.path)) for page in PAGES}


ROUTES: dict[str, Callable[[Beat], object]] = {
    "whole": lambda _: True,
    "short": lambda beat: beat.short,
    "story": lambda beat: beat.story,
}


def route(path: str, kind: str) -> tuple[int, ...]:
    """Return the numbers of a page's beats, from 1, on the `whole` route, on the `short` one or in the `story`.

    A page without a marked beat has all of them on each: a speaker who goes on past the heads loses nothing.
    """
    marked = tuple(number for number, beat in enumerate(BEATS[path], start=1) if ROUTES[kind](beat))
    return marked or tuple(range(1, len(BEATS[path]) + 1))


# The twelve that tell the whole: of each its page's path and its number there.
STORY = tuple((path, number) for path, beats in BEATS.items() for number, beat in enumerate(beats, start=1) if beat.story)
