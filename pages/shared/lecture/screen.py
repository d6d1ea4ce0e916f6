"""Which beats are on screen: one in a lecture, all otherwise."""

from pages.shared.link.beats import BEATS, WHY, Beat, on_screen
from pages.shared.server import run


def is_on() -> bool:
    """Return whether one beat at a time is shown."""
    return run.focus().lecturing


def current_beat() -> str | None:
    """Return the name of the beat on screen, None if all are."""
    return now(run.now().page.path)[1].name if is_on() else None


def shows(*names: str) -> bool:
    """Return whether one of these beats is on screen; outside a lecture, all are."""
    return not is_on() or current_beat() in names


def now(path: str) -> tuple[int, Beat]:
    """Return the number (from 1) of the beat on screen, and the beat with its route's texts."""
    route = run.focus().route
    number = on_screen(path, route, run.focus().beat)
    return number, BEATS[path][number - 1].of(route)


def is_brief() -> bool:
    """Return whether the route has room only for the beat's title and figure."""
    path = run.now().page.path
    return is_on() and run.focus().route == "why" and (path, now(path)[0]) in WHY
