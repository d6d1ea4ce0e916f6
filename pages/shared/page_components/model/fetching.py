"""Downloads of models from the hub at a user's request: once for all visitors, beside everything
else, with their progress."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from core import pretrained
from core.pretrained import hub
from core.pretrained.folders import match
from pages.shared.server import background

MB = 1_000_000
AGAIN = 1  # seconds until a page that shows progress is redrawn
_threads = ThreadPoolExecutor(16, "fetching")
_lock = Lock()


@dataclass
class Download:
    """The last download of a model: which attempt, its result, and the bytes so far and in
    total."""

    attempt: int
    future: Future[None] = field(default_factory=Future)
    come: int = 0
    of: int = 0


_downloads: dict[str, Download] = {}


def follow(name: str, attempt: int) -> str:
    """Return the progress of a requested download, or why it failed; "" if the model is there.

    A later attempt than the one that failed starts it again; a reload does not.
    """
    if not name or match(name, pretrained.names()):
        return ""
    with _lock:
        one = _downloads.get(name)
        if one is None or (one.future.done() and (attempt > one.attempt or not _why(one))):
            one = _downloads[name] = Download(attempt)
            one.future = _threads.submit(_fetch, name, one)
    if not background.is_done(one.future, AGAIN):
        return describe_progress(name)
    return _why(one)


def next_attempt(name: str) -> int | None:
    """Return the number of the attempt that a click starts; None for the first."""
    one = _downloads.get(name)
    return one.attempt + 1 if one and one.future.done() else None


def offers() -> dict[str, str]:
    """Return a description of each model on the host's list that is not here."""
    here = pretrained.names()
    return {
        name: describe_offer(one)
        for name, one in hub.list_offered().items()
        if not match(one.repository, here) and not match(name, here)
    }


def describe_progress(name: str) -> str:
    """Describe the progress of a download, "" if there is none."""
    one = _downloads.get(name)
    if one is None or one.future.done():
        return ""
    if not one.of:
        return f"{name} is being asked for."
    return f"{name} is being fetched: {one.come / MB:.1f} of {one.of / MB:.1f} MB have come."


def describe_offer(one: hub.Offered) -> str:
    """Return a model's size in megabytes and its licence after a colon, "" if unknown.

    >>> describe_offer(hub.KNOWN["distilgpt2"]), describe_offer(hub.Offered("owner/name"))
    (': 353 MB, Apache-2.0', '')
    """
    known = [f"{one.megabytes} MB"] * bool(one.megabytes) + [one.licence] * bool(one.licence)
    return f": {', '.join(known)}" if known else ""


def _fetch(name: str, one: Download) -> None:
    def report(come: int, of: int) -> None:
        one.come, one.of = come, of

    hub.download(name, report)


def _why(one: Download) -> str:
    error = one.future.exception()
    return str(error) if error else ""
