"""What a server uses, and what it can do when it never waits.

Processor time counts only the server's own, so it hardly depends on what else the machine does;
reruns a second do, so a bare page is measured by turns. A neighbour can only take: the best turn's
rate counts, and the median of processor times.
"""

import asyncio
import itertools
import re
import statistics
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import dataclass, field
from operator import truediv
from pathlib import Path
from typing import Any, NamedTuple

import psutil

from tests.benchmarks.server import Server
from tests.benchmarks.viewer import Viewer

USUAL = 300  # reruns a second of the bare page, on the machine that the limits were written for


def row(what: str, figure: str, value: float, limit: float) -> None:
    """Print one line of the report: what was measured, and whether it is within its limit."""
    print(f"{'met' if value <= limit else 'missed':<8}{what}: {figure} (at most {limit:.3g})")


class Held(NamedTuple):
    """Megabytes: what a process holds itself, and all of it in memory, with the libraries' and
    models' files that it has mapped, whose pages a host can take back."""

    own: float
    whole: float

    def __str__(self) -> str:
        return f"{self.own:.0f} MB of its own, {self.whole:.0f} with mapped files"


def held(server: Server) -> Held:
    """Return what it holds now."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    found = re.findall(r"^(\w+):\s+(\d+) kB$", status, re.MULTILINE)
    megabytes = {name: int(size) * 1024 / 1e6 for name, size in found}
    own = megabytes["RssAnon"] + megabytes["VmSwap"]
    return Held(own, own + megabytes["RssFile"] + megabytes["RssShmem"])


def most(seen: Sequence[Held]) -> Held:
    """Return the most of each that was seen."""
    return Held(*map(max, zip(*seen, strict=True)))


@contextmanager
def watching_memory(server: Server) -> Iterator[list[Held]]:
    """Note the server's memory four times a second while the block runs."""
    seen, done = [held(server)], threading.Event()

    def watch() -> None:
        while not done.wait(0.25):
            seen.append(held(server))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()


def processor_seconds(server: Server) -> float:
    """Return user and system time of all the server's threads, those that have ended included."""
    return sum(psutil.Process(server.process.pid).cpu_times()[:2])


@dataclass
class Load:
    """What a server did in each turn: reruns a second, and milliseconds of processor time a
    rerun."""

    rates: list[float] = field(default_factory=list)
    costs: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)

    @property
    def rate(self) -> float:
        return max(self.rates)

    @property
    def cost(self) -> float:
        return statistics.median(self.costs)

    def times(self, other: "Load") -> float:
        """Return the processor time a rerun, as a multiple of the other's in the same turn."""
        return statistics.median(map(truediv, self.costs, other.costs))


@asynccontextmanager
async def viewers_of(server: Server, page: str = "", many: int = 8, **setup: object):
    """Open this page so many times."""
    async with AsyncExitStack() as stack:
        viewers = [await stack.enter_async_context(Viewer(server.port)) for _ in range(many)]
        await asyncio.gather(*(viewer.run(page, **setup) for viewer in viewers))
        yield viewers


async def burst(
    server: Server, viewers: list[Viewer], load: Load, acts: Iterator[dict[str, Any]], **more: Any
) -> None:
    """Let the viewers act on their page without a pause for 0.3 `seconds`, and add to the load
    what came of it; `setup` is what all acts have."""
    seconds, setup = more.get("seconds", 0.3), more.get("setup", {})
    start, used, answers = time.perf_counter(), processor_seconds(server), []

    async def keep_asking(viewer: Viewer) -> None:
        while time.perf_counter() < start + seconds:
            answers.append(await viewer.run(viewer.page, **setup | next(acts)))

    await asyncio.gather(*map(keep_asking, viewers))
    load.rates.append(len(answers) / (time.perf_counter() - start))
    load.costs.append((processor_seconds(server) - used) / len(answers) * 1e3)
    load.errors += itertools.chain(*(answer.errors for answer in answers))


async def bare_rate(bare: Server) -> float:
    """Return the bare page's reruns a second."""
    load = Load()
    async with viewers_of(bare) as viewers:
        for _ in range(4):
            await burst(bare, viewers, load, itertools.repeat({}), seconds=0.5)
    return load.rate
