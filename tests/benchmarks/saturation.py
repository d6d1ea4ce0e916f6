"""What a server can do when it never waits: reruns a second, and processor time for each.

Eight viewers ask without a pause, in short turns. Processor time counts only the server's own, so
it hardly depends on what else the machine does; reruns a second do, so a bare page is measured by
turns, and the best turn of each counts.
"""

import asyncio
import itertools
import statistics
import time
from collections.abc import Iterator
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

import psutil

from tests.benchmarks.server import Server
from tests.benchmarks.viewer import Answer, Viewer

VIEWERS = 8


def processor_seconds(server: Server) -> float:
    """User and system time of all the server's threads, those that have ended included."""
    used = psutil.Process(server.process.pid).cpu_times()
    return used.user + used.system


def machine_seconds() -> float:
    """Time in which any of the machine's processors was busy, for whomever."""
    times = psutil.cpu_times()
    return times.user + times.system + getattr(times, "nice", 0.0)


@dataclass
class Load:
    """What a server did in each of its turns: reruns a second, and milliseconds of processor time a
    rerun.

    A neighbour on the machine can only take: the best turn's rate counts, and the median of
    processor times.
    """

    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return max(self.rates)

    @property
    def cost(self) -> float:
        return statistics.median(self.costs)

    def add(self, answers: list[Answer], seconds: float, processor: float) -> None:
        self.rates.append(len(answers) / seconds)
        self.costs.append(processor / len(answers) * 1e3)
        self.errors += [error for answer in answers for error in answer.errors]


@asynccontextmanager
async def eight(server: Server, page: str = "", **setup: object):
    """Eight viewers who have opened this page."""
    async with AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(Viewer(server.port)) for _ in range(VIEWERS)]
        await asyncio.gather(*(viewer.run(page, **setup) for viewer in viewers))
        yield viewers


Acts = Iterator[dict[str, Any]]


async def _keep_asking(
    viewer: Viewer, page: str, setup: dict[str, Any], acts: Acts, until: float
) -> list[Answer]:
    answers = []
    while time.perf_counter() < until:
        answers.append(await viewer.run(page, **setup | next(acts)))
    return answers


async def burst(
    server: Server,
    viewers: list[Viewer],
    load: Load,
    page: str,
    setup: dict,
    acts: Acts,
    seconds: float,
) -> None:
    """Let the viewers act on their page for so long, and add to the load what came of it."""
    start, used = time.perf_counter(), processor_seconds(server)
    jobs = (_keep_asking(viewer, page, setup, acts, start + seconds) for viewer in viewers)
    answers = await asyncio.gather(*jobs)
    took = time.perf_counter() - start
    load.add(list(itertools.chain(*answers)), took, processor_seconds(server) - used)
