"""The beats of a page, or of many, as slides: the browser goes through them in a frame of 16:9,
copies each, and prints the copies."""

import json
from pathlib import Path
from typing import Any

from core import pretrained
from core.setup import Setup
from pages.shared.browser.scripts import script
from pages.shared.link import write_link
from pages.shared.link.beats import BEATS, WHY, Beat, route
from pages.shared.link.pages import LATER, PAGES, find
from pages.shared.said import elements

HERE = Path(__file__).parent
_slides = elements.component(
    "attention_slides",
    js=script("frame/share/slides"),
    css=(HERE / "slides.css").read_text(encoding="utf-8"),
)
PAPER = (HERE / "slides_paper.css").read_text(encoding="utf-8")
QUIET, LONGEST = (
    45,
    900,
)  # seconds: a frame in which nothing changes is given up; one that learns may take longer
DOWN = "From the next word to one product of a query and a key"
ROUTE = {DOWN: "why"}  # whose beats have titles and notes of their own
NOT_OF_A_SLIDE = ("lecture", "notes", "beat", "route", "open")


def show(path: str, parameters: dict[str, str], setup: Setup) -> None:
    """Draw a button that makes the slides of this link's setup, and the choice of which."""
    kept = {name: value for name, value in parameters.items() if name not in NOT_OF_A_SLIDE}
    given = {
        "link": write_link(kept | {"lecture": "on"}),
        "decks": [
            {"name": name, "slides": slides, "route": ROUTE.get(name, "")}
            for name, slides in decks(path).items()
            if slides
        ],
        "beats": {page.path: beats(page.path, setup) for page in PAGES},
        "pages": {page.path: page.menu for page in PAGES},
        "paper": PAPER,
        "quiet": 1000 * QUIET,
        "longest": 1000 * LONGEST,
    }
    _slides(key="slides", data=json.dumps(given).encode())


def decks(path: str) -> dict[str, list[tuple[str, int]]]:
    """Return what can be had as slides, by its name: pages, and of each the number of a beat, from
    1."""
    there = [page.path for page in PAGES if page.path != "model" or pretrained.names()]
    steps = [page.path for page in PAGES if page not in LATER]
    return {
        f"This page: {find(path).menu}": _slides_of([path], "whole"),
        "The seven steps, from the overview to the heads": _slides_of(steps, "whole"),
        "The seven steps, the short route": _slides_of(steps, "short"),
        DOWN: list(WHY),
        "All pages": _slides_of(there, "whole"),
    }


def _slides_of(paths: list[str], kind: str) -> list[tuple[str, int]]:
    return [(path, number) for path in paths for number in route(path, kind)]


def beats(path: str, setup: Setup) -> list[dict[str, Any]]:
    """Return a page's beats as they are with this setup: title, and what is for the speaker; under
    the name of a route where that has others."""
    return [
        _texts(beat.of(setup))
        | {kind: _texts(beat.of(setup, kind)) for kind in ROUTE.values() if kind in beat.otherwise}
        for beat in BEATS[path]
    ]


def _texts(beat: Beat) -> dict[str, Any]:
    return {"title": beat.title, "say": beat.say, "ask": beat.ask, "wrong": beat.wrong}
