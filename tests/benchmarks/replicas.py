"""Two servers behind the load balancer of compose.yaml: how much more they answer, and what a class
notices of one's death.

python -m tests.benchmarks.replicas
"""

import asyncio
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack
from dataclasses import dataclass, field

from pages.shared.link.pages import PAGES
from tests.benchmarks.balancer import Address, balancing
from tests.benchmarks.load import random_change
from tests.benchmarks.pages import APP, new_seeds
from tests.benchmarks.roaming import Roaming
from tests.benchmarks.saturation import VIEWERS, Load, burst, machine_seconds, processor_seconds
from tests.benchmarks.server import Server, serving
from tests.benchmarks.viewer import Viewer

PAUSE = 2.0


@dataclass
class Act:
    """One act of one viewer and its answer: when it was answered, after how long, and what the page
    showed."""

    page: str
    setup: dict[str, object]
    answered: float  # on time.monotonic's clock
    seconds: float
    errors: list[str]
    picture: str
    moves: int
    home: str  # the server that the viewer had first


async def student(port: int, seed: int, start: float, seconds: float) -> list[Act]:
    """One viewer of the class, who stays whatever happens to the servers."""
    dice, setup, acts = random.Random(seed), {}, []
    first = start + dice.random() * PAUSE
    await asyncio.sleep(max(first - time.monotonic(), 0))
    async with Roaming(port) as viewer:
        home = viewer.replica
        for turn in range(int(seconds / PAUSE)):
            await viewer.idle(first + turn * PAUSE - time.monotonic())
            page, setup = (
                dice.choice(PAGES).path,
                random_change(dice, setup, viewer.page) if turn else setup,
            )
            answer = await viewer.act(page, setup)
            now = time.monotonic()
            acts.append(
                Act(
                    page,
                    setup,
                    now,
                    answer.seconds,
                    answer.errors,
                    answer.picture,
                    viewer.moves,
                    home,
                )
            )
    return acts


def _students(port: int, seeds: list[int], start: float, seconds: float) -> list[list[Act]]:
    async def together() -> list[list[Act]]:
        return await asyncio.gather(*(student(port, seed, start, seconds) for seed in seeds))

    return asyncio.run(together())


@dataclass
class Lesson:
    """What everybody did, and when one server was killed."""

    viewers: list[list[Act]]
    killed: float
    survivor: Server
    lost: list[tuple[str, dict]] = field(default_factory=list)

    @property
    def spread(self) -> list[int]:
        """How many viewers each server had at first."""
        return list(Counter(acts[0].home for acts in self.viewers).values())

    @property
    def moved(self) -> int:
        return sum(acts[-1].moves > 0 for acts in self.viewers)

    def first_after(self) -> list[Act]:
        """The first answer that each viewer had after the kill."""
        return [next(act for act in acts if act.answered > self.killed) for acts in self.viewers]

    def errors(self) -> list[str]:
        return [error for acts in self.viewers for act in acts for error in act.errors]


def a_death(one: Server, two: Server, viewers: int, seconds: float, processes: int = 2) -> Lesson:
    """A class on two servers; in the middle the first of them is killed."""
    with balancing(Address(one.port), Address(two.port)) as front:
        asyncio.run(_warm(one, two))
        start = time.monotonic() + 3.0
        with ProcessPoolExecutor(processes) as pool:
            shares = [list(range(k, viewers, processes)) for k in range(processes)]
            jobs = [pool.submit(_students, front.port, share, start, seconds) for share in shares]
            time.sleep(max(start + seconds / 2 - time.monotonic(), 0))
            os.kill(one.process.pid, signal.SIGKILL)
            killed = time.monotonic()
            lesson = Lesson([acts for job in jobs for acts in job.result()], killed, two)
    asyncio.run(_compare(lesson))
    return lesson


async def _warm(*servers: Server) -> None:
    """A class does not begin on servers that nobody has ever asked for a page."""
    for server in servers:
        async with Viewer(server.port) as viewer:
            await viewer.run()


async def _compare(lesson: Lesson) -> None:
    """Whoever opens a viewer's link must see what that viewer saw: after the kill, and at the
    end."""
    for act in [*lesson.first_after(), *(acts[-1] for acts in lesson.viewers)]:
        async with Viewer(lesson.survivor.port) as fresh:
            answer = await fresh.run(act.page, **act.setup)
        if answer.picture != act.picture:
            lesson.lost.append((act.page, act.setup))


@dataclass
class Gain:
    """Reruns a second on one and on two servers, and the cores that viewers, balancer and servers
    took meanwhile, and all."""

    one: Load = field(default_factory=Load)
    two: Load = field(default_factory=Load)
    cores: dict[str, float] = field(default_factory=dict)
    spread: list[int] = field(default_factory=list)


async def _gain(
    one: Server, both: Server, servers: Sequence[Server], rounds: int, seconds: float
) -> Gain:
    gain, seeds = Gain(), new_seeds()
    clocks = {
        "clock": time.perf_counter,
        "viewers": time.process_time,
        "balancer": lambda: processor_seconds(both),
        "servers": lambda: sum(map(processor_seconds, servers)),
        "all": machine_seconds,
    }
    used = dict.fromkeys(clocks, 0.0)
    async with AsyncExitStack() as stack:
        few, many = [
            [await stack.enter_async_context(Roaming(s.port)) for _ in range(VIEWERS)]
            for s in (one, both)
        ]
        for viewer in (*few, *many):
            await viewer.run("scores")
        gain.spread = list(Counter(viewer.replica for viewer in many).values())
        for _ in range(rounds):
            await burst(one, few, gain.one, "scores", {}, seeds, seconds)
            before = {name: read() for name, read in clocks.items()}
            await burst(both, many, gain.two, "scores", {}, seeds, seconds)
            used = {name: used[name] + read() - before[name] for name, read in clocks.items()}
    took = used.pop("clock")
    gain.cores = {name: seconds / took for name, seconds in used.items()}
    return gain


def two_for_one(rounds: int = 10, seconds: float = 1.0) -> Gain:
    """By turns: the class's page through the balancer to one server, and to two."""
    with serving(APP) as first, serving(APP) as second:
        addresses = Address(first.port), Address(second.port)
        with balancing(addresses[0]) as one, balancing(*addresses) as both:
            return asyncio.run(_gain(one, both, (first, second), rounds, seconds))


def main() -> None:
    gain = two_for_one()
    ratio = gain.two.rate / gain.one.rate
    cores = gain.cores
    others = max(cores["all"] - cores["viewers"] - cores["balancer"] - cores["servers"], 0.0)
    print(
        f"{'met' if ratio >= 1.5 else 'missed'}     one server {gain.one.rate:.0f} reruns a second,"
        f" two {gain.two.rate:.0f}: {ratio:.2f} × (≥ 1.5 ×); with two, the servers took"
        f" {cores['servers']:.2f} cores, the load generator {cores['viewers']:.2f}, the balancer"
        f" {cores['balancer']:.2f}, neighbours on the machine {others:.2f}; viewers by server"
        f" {gain.spread}"
    )
    with serving(APP) as one, serving(APP) as two:
        lesson = a_death(one, two, viewers=100, seconds=30)
    slowest = max(act.seconds for act in lesson.first_after())
    fine = slowest <= 10 and not lesson.lost and not lesson.errors()
    print(
        f"{'met' if fine else 'missed'}     one of two servers killed under 100 viewers"
        f" ({lesson.spread}): {lesson.moved} moved, {len(lesson.lost)} lost their setup,"
        f" {len(lesson.errors())} errors; the slowest answer after it took {slowest:.1f} s (≤ 10 s)"
    )


if __name__ == "__main__":
    main()
