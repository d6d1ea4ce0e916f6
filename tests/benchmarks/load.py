"""A class at work: many viewers, each acting every few seconds: a random change, and on to a random
page before the answer.

The viewers are spread over processes, so that it is the server that is measured and not them.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Iterable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field

from core.setup import CHOICES
from pages.shared.link.pages import PAGES, find
from tests.benchmarks.viewer import Viewer

PATIENCE = 30.0
WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "saw", "one", "dog", "run", "far")


@dataclass
class Outcome:
    """What a crowd met: seconds of each answer, errors on pages, answers that never came."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lost: int = 0

    def add(self, other: "Outcome") -> None:
        self.seconds += other.seconds
        self.errors += other.errors
        self.lost += other.lost

    def percentile(self, share: float) -> float:
        return sorted(self.seconds)[min(int(share * len(self.seconds)), len(self.seconds) - 1)]

    def __str__(self) -> str:
        median, tail, slowest = (
            seconds * 1e3
            for seconds in (
                statistics.median(self.seconds),
                self.percentile(0.95),
                max(self.seconds),
            )
        )
        times = f"median {median:.0f} ms, 95th percentile {tail:.0f} ms, slowest {slowest:.0f} ms"
        return f"{len(self.seconds)} answers, {times}, {len(self.errors)} errors, {self.lost} lost"


PATHS = [step.path for step in PAGES]
# Choices whose controls stand on some pages only.
ELSEWHERE = {name for page in PAGES for name in page.controls}


def random_change(dice: random.Random, setup: dict[str, object], page: str) -> dict[str, object]:
    """The setup with one choice made anew, as a student plays with it: one that this page has a
    control for."""
    here = [name for name in CHOICES if name not in ELSEWHERE or name in find(page).controls]
    name = dice.choice(
        ["text", "d_model", "d_k", "d_v", "heads", "seed", "query", "key", "temperature", *here]
    )
    if name == "text":
        value: object = " ".join(dice.choices(WORDS, k=dice.randint(2, 12)))
    elif name in CHOICES:
        value = dice.choice(
            [
                option
                for option in CHOICES[name]
                if option not in ("narrow", "characters", "trained")
            ]
        )
    elif name == "temperature":
        value = dice.choice([0.5, 1.0, 2.0])
    else:
        value = dice.randint(1, {"heads": 8, "query": 2, "key": 2, "seed": 10_000}.get(name, 40))
    return {**setup, name: value}


async def act(viewer: Viewer, page: str, setup: dict[str, object], outcome: Outcome) -> None:
    try:
        answer = await asyncio.wait_for(viewer.run(page, **setup), PATIENCE)
    except TimeoutError:
        outcome.lost += 1
        return
    outcome.seconds.append(answer.seconds)
    outcome.errors += answer.errors


async def student(port: int, seed: int, start: float, seconds: float, pause: float) -> Outcome:
    """One viewer, from opening the page to the end of the lesson. `start` is on time.monotonic's
    clock."""
    outcome, dice, setup = Outcome(), random.Random(seed), {}
    first = start + dice.random() * pause
    await asyncio.sleep(max(first - time.monotonic(), 0))
    async with Viewer(port) as viewer:
        for turn in range(max(int(seconds / pause), 1)):
            await asyncio.sleep(max(first + turn * pause - time.monotonic(), 0))
            if turn:
                setup = random_change(dice, setup, viewer.page)
            await act(viewer, dice.choice(PATHS), setup, outcome)
    return outcome


async def _crowd(
    port: int, seeds: Iterable[int], start: float, seconds: float, pause: float
) -> Outcome:
    total = Outcome()
    for outcome in await asyncio.gather(
        *(student(port, seed, start, seconds, pause) for seed in seeds)
    ):
        total.add(outcome)
    return total


def _process(port: int, seeds: list[int], start: float, seconds: float, pause: float) -> Outcome:
    return asyncio.run(_crowd(port, seeds, start, seconds, pause))


def crowd(
    port: int, viewers: int, seconds: float, pause: float = 2.0, processes: int = 2
) -> Outcome:
    """Let a class loose on a server, and say what it met. With `seconds` = `pause`, each opens one
    page."""
    start, total = time.monotonic() + 2.0, Outcome()
    with ProcessPoolExecutor(processes) as pool:
        shares = [list(range(k, viewers, processes)) for k in range(processes)]
        jobs = [pool.submit(_process, port, share, start, seconds, pause) for share in shares]
        for job in jobs:
            total.add(job.result())
    return total
