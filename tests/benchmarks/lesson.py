"""A class of a hundred, with the machine's own yardstick beside it.

    python -m tests.benchmarks.lesson [seconds, 60 by default] [training]

Each viewer acts once in two seconds, on a random page with a random change. How fast a bare page is at
saturation, before and after the class in the same run, says what machine it was; what neighbours took of it meanwhile is
said beside, and how long the answers took while they took nothing. With `training` one more visitor trains
all the time, the default sizes with a new seed each time.
"""

import asyncio
import itertools
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass

from tests.benchmarks.load import Outcome, crowd
from tests.benchmarks.memory import megabytes, watching_memory
from tests.benchmarks.neighbours import Neighbours, watching_neighbours
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
    neighbours: Neighbours
    start: float
    peak: float
    bare: float
    busy: float

    @property
    def calm(self) -> Outcome:
        """The answers while no neighbour took anything to speak of."""
        return self.outcome.while_calm(self.neighbours)

    def scaled(self, limit: float) -> float:
        """A limit for the usual machine, as it is for this one."""
        return limit * USUAL / self.bare

    def __str__(self) -> str:
        return (
            f"{VIEWERS} viewers: {self.outcome}\nmemory after start {self.start:.0f} MB, peak {self.peak:.0f} MB; "
            f"the server used {self.busy:.2f} cores; bare page {self.bare:.0f} reruns a second in the same run\n"
            f"neighbours took {self.neighbours.share:.1%} of the machine; while they took nothing: {self.calm.times()}"
        )


async def _bare_rate(server: Server, load: Load) -> None:
    async with eight(server) as viewers:
        for _ in range(4):
            await burst(server, viewers, load, "", {}, itertools.repeat({}), 0.5)


async def _first_page(port: int) -> None:
    async with Viewer(port) as viewer:
        await viewer.run()


async def _train(port: int, until: float) -> int:
    """One trained page after the other, and how many there were."""
    async with Viewer(port) as viewer:
        for count in itertools.count():
            if time.monotonic() > until:
                return count
            await viewer.run("weights", init="trained", positions="sinusoidal", seed=count)


@contextmanager
def _training(port: int, seconds: float) -> Iterator[None]:
    """Somebody who trains, in a process apart, for so long."""
    with ProcessPoolExecutor(1) as pool:
        trains = pool.submit(_trains, port, seconds)
        yield
        print(f"{trains.result()} trainings meanwhile")


def _trains(port: int, seconds: float) -> int:
    return asyncio.run(_train(port, time.monotonic() + seconds))


def measure(seconds: float, trains: bool = False) -> Lesson:
    """Start both servers, let the class act, and time the bare page before and after."""
    yardstick = Load()
    with serving(APP) as app, serving(BARE) as bare:
        asyncio.run(_first_page(app.port))
        start = megabytes(app)
        asyncio.run(_bare_rate(bare, yardstick))
        used = processor_seconds(app)
        training = _training(app.port, seconds) if trains else nullcontext()
        with watching_memory(app) as seen, watching_neighbours() as neighbours, training:
            outcome = crowd(app.port, VIEWERS, seconds)
        busy = (processor_seconds(app) - used) / seconds
        asyncio.run(_bare_rate(bare, yardstick))
    return Lesson(outcome, neighbours, start, max(seen), yardstick.rate, busy)


if __name__ == "__main__":
    print(measure(float(sys.argv[1]) if len(sys.argv) > 1 else 60.0, "training" in sys.argv))
