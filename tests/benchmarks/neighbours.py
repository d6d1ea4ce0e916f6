"""What other machines on the same computer took: time in which one of our processors had work and was not there."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

CALM = 0.02  # of all our processors' time; an undisturbed machine loses less
BACKLOG = 2.0  # seconds after a disturbance in which work that was held up is still done


@dataclass
class Neighbours:
    """The share of our processors that was taken, span by span; on a computer of our own, or one that does not say, none."""

    spans: list[tuple[float, float, float]] = field(default_factory=list)  # from, until, share; on time.monotonic's clock

    def were_calm(self, start: float, end: float) -> bool:
        """Whether nothing to speak of was taken between two moments, and shortly before."""
        return not any(share > CALM for since, until, share in self.spans if since < end and until > start - BACKLOG)

    @property
    def share(self) -> float:
        """What was taken in all."""
        whole = sum(until - since for since, until, _ in self.spans)
        return sum((until - since) * share for since, until, share in self.spans) / whole if whole else 0.0


def _taken() -> float:
    """Seconds that were taken since the computer started, of all processors."""
    return getattr(psutil.cpu_times(), "steal", 0.0)


@contextmanager
def watching_neighbours() -> Iterator[Neighbours]:
    """Note twice a second what is taken while the block runs."""
    seen, done = Neighbours(), threading.Event()

    def watch() -> None:
        since, before = time.monotonic(), _taken()
        while not done.wait(0.5):
            until, now = time.monotonic(), _taken()
            seen.spans.append((since, until, (now - before) / (until - since) / (psutil.cpu_count() or 1)))
            since, before = until, now

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()
