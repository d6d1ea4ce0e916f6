"""A class of a hundred, with the machine's own yardstick beside it.

    python -m tests.benchmarks.lesson [seconds, 60 by default]

Each viewer acts once in two seconds, on a random page with a random change. How fast a bare page is
at saturation, before and after the class in the same run, says what machine it was.
"""

import asyncio
import itertools
import sys
from dataclasses import dataclass

from tests.benchmarks.load import Outcome, crowd
from tests.benchmarks.memory import Held, held, most, watching_memory
from tests.benchmarks.pages import APP, BARE
from tests.benchmarks.saturation import Load, burst, eight, processor_seconds
from tests.benchmarks.server import Server, serving
from tests.benchmarks.viewer import Viewer

USUAL = 300  # reruns a second of the bare page, on the machine that the limits were written for
VIEWERS = 100


@dataclass
class Lesson:
    """What the class met, what the server held, and what the machine's bare page managed."""

    outcome: Outcome
    start: Held
    peak: Held
    bare: float
    busy: float

    def scaled(self, limit: float) -> float:
        """A limit for the usual machine, as it is for this one."""
        return limit * USUAL / self.bare

    def __str__(self) -> str:
        return (
            f"{VIEWERS} viewers: {self.outcome}\nmemory after start {self.start}; peak {self.peak};"
            f" the server used {self.busy:.2f} cores; bare page {self.bare:.0f} reruns a second in"
            " the same run"
        )


async def _bare_rate(server: Server, load: Load) -> None:
    async with eight(server) as viewers:
        for _ in range(4):
            await burst(server, viewers, load, "", {}, itertools.repeat({}), 0.5)


async def _first_page(port: int) -> None:
    async with Viewer(port) as viewer:
        await viewer.run()


def measure(seconds: float) -> Lesson:
    """Start both servers, let the class act, and time the bare page before and after."""
    yardstick = Load()
    with serving(APP) as app, serving(BARE) as bare:
        asyncio.run(_first_page(app.port))
        start = held(app)
        asyncio.run(_bare_rate(bare, yardstick))
        used = processor_seconds(app)
        with watching_memory(app) as seen:
            outcome = crowd(app.port, VIEWERS, seconds)
        busy = (processor_seconds(app) - used) / seconds
        asyncio.run(_bare_rate(bare, yardstick))
    return Lesson(outcome, start, most(seen), yardstick.rate, busy)


if __name__ == "__main__":
    print(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0))
