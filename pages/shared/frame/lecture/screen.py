"""What is on screen: one beat of a page in a lecture, all of them outside one."""

from pages.shared.link.beats import BEATS, WHY, Beat, on_screen
from pages.shared.server import run


def is_on() -> bool:
    """Return whether there is one beat on screen only."""
    return run.focus().lecturing


def current_beat() -> str | None:
    """Return the name of the beat that is on screen; None where all are."""
    return now(run.now().page.path)[1].name if is_on() else None


def shows(*names: str) -> bool:
    """Return whether one of these beats is on screen; outside a lecture all are."""
    return not is_on() or current_beat() in names


def now(path: str) -> tuple[int, Beat]:
    """Return the number of the beat on screen, from 1, and the beat as it is on its route."""
    route = run.focus().route
    number = on_screen(path, route, run.focus().beat)
    return number, BEATS[path][number - 1].of(route)


def is_brief() -> bool:
    """Return whether the beat's title and its figure say all: a route that crosses the pages has no
    room for their sentences."""
    path = run.now().page.path
    return is_on() and run.focus().route == "why" and (path, now(path)[0]) in WHY
