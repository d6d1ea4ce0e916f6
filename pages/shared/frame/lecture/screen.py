"""What is on screen: one beat of a page in a lecture, all of them outside one."""

from pages.shared.link.beats import BEATS, Beat, route
from pages.shared.server import run


def on() -> bool:
    """Return whether there is one beat on screen only."""
    return run.focus().lecturing


def current_beat() -> str | None:
    """Return the name of the beat that is on screen; None where all are."""
    return now(run.now().page.path)[1].name if on() else None


def shows(*names: str) -> bool:
    """Return whether one of these beats is on screen; outside a lecture all are."""
    return not on() or current_beat() in names


def now(path: str) -> tuple[int, Beat]:
    """Return the number of the beat on screen, from 1, and the beat. The story has its own alone: the one before, or its first."""
    number = min(run.focus().beat, len(BEATS[path]))
    if run.focus().route == "story":
        told = route(path, "story")
        number = max((each for each in told if each <= number), default=told[0])
    return number, BEATS[path][number - 1].of(run.setup())
