"""What other machines on the same computer took: time in which one of our processors had work and was not there."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import psutil

from tests.benchmarks.watch import watching

CALM = 0.02  # of all our processors' time; an undisturbed machine loses less
BEFORE, AFTER = 2.0, 1.0  # seconds around an act in which a disturbance, or what it held up, can reach its answer


@dataclass
class Neighbours:
    """The share of our processors that was taken, span by span; on a computer of our own, or one that does not say, none."""

    spans: list[tuple[float, float, float]] = field(default_factory=list)  # from, until, share; on time.monotonic's clock

    def were_calm(self, moment: float) -> bool:
        """Whether nothing to speak of was taken around a moment. How long an answer took has no say in it: slow ones of our own
        must not drop out because they lasted into a disturbance."""
        return not any(share > CALM for since, until, share in self.spans if since < moment + AFTER and until > moment - BEFORE)

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
    seen, (since, before) = Neighbours(), (time.monotonic(), _taken())

    def look() -> None:
        nonlocal since, before
        until, now = time.monotonic(), _taken()
        seen.spans.append((since, until, (now - before) / (until - since) / (psutil.cpu_count() or 1)))
        since, before = until, now

    with watching(0.5, look):
        yield seen
