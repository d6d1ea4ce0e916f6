"""Downloads of models from the hub at a user's request: once for all visitors, beside everything
else, with their progress."""

from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Lock

from core import pretrained
from core.pretrained import hub, summary
from core.pretrained.folders import match
from core.pretrained.hub import MB
from pages.shared.server import background
from pages.shared.text.memory import explain_memory

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
    here, free = pretrained.names(), summary.measure_free_memory()
    return {
        name: describe_offer(one, free)
        for name, one in hub.list_offered().items()
        if not match(one.repository, here) and not match(name, here)
    }


def describe_progress(name: str) -> str:
    """Describe the progress of a download and the memory of a large model, "" if there is none."""
    one = _downloads.get(name)
    if one is None or one.future.done():
        return ""
    if not one.of:
        return f"{name} is being asked for."
    memory = explain_memory(one.of, summary.measure_free_memory())
    told = f"{name} is being fetched: {one.come / MB:.1f} of {one.of / MB:.1f} MB have come."
    return f"{told} It {memory}." if memory else told


def describe_offer(one: hub.Offered, free: int | None) -> str:
    """Return a model's megabytes, its licence and, if it is large for the free memory, what it
    takes of that, after a colon; "" if unknown.

    >>> describe_offer(hub.KNOWN["distilgpt2"], None), describe_offer(hub.Offered("a/b"), None)
    (': 353 MB, Apache-2.0', '')
    """
    size = f"{one.megabytes} MB" * bool(one.megabytes)
    known = [*filter(None, (size, one.licence, explain_memory(one.megabytes * MB, free)))]
    return f": {', '.join(known)}" if known else ""


def _fetch(name: str, one: Download) -> None:
    def report(come: int, of: int) -> None:
        one.come, one.of = come, of

    hub.download(name, report)


def _why(one: Download) -> str:
    error = one.future.exception()
    return str(error) if error else ""
