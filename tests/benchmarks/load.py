"""A class at work: many viewers, each acting every few seconds: a random change, and on to a random
page before the answer.

The viewers are spread over processes, so that it is the server that is measured and not them.
"""

import asyncio
import random
import statistics
import time
from collections.abc import Callable, Coroutine, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from typing import Any

from core.setup.setup import CHOICES
from pages.shared.link.pages import PAGES, find
from tests.benchmarks.viewer import Viewer

PATIENCE = 30.0
WORDS = ("the", "cat", "sat", "on", "a", "mat", "and", "saw", "one", "dog", "run", "far")
PATHS = [step.path for step in PAGES]
# Choices whose controls stand on some pages only.
ELSEWHERE = {name for page in PAGES for name in page.controls}
NUMBERS = {"heads": 8, "query": 2, "key": 2, "seed": 10_000, "d_model": 40, "d_k": 40, "d_v": 40}


@dataclass
class Outcome:
    """What a crowd met: seconds of each answer, errors on pages, answers that never came."""

    seconds: list[float] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    lost: int = 0

    def percentile(self, share: float) -> float:
        """Return in how many seconds this share of the answers came."""
        return sorted(self.seconds)[min(int(share * len(self.seconds)), len(self.seconds) - 1)]

    def __str__(self) -> str:
        median, slowest = statistics.median(self.seconds) * 1e3, max(self.seconds) * 1e3
        return (
            f"{len(self.seconds)} answers, median {median:.0f} ms, 95th percentile"
            f" {self.percentile(0.95) * 1e3:.0f} ms, slowest {slowest:.0f} ms,"
            f" {len(self.errors)} errors, {self.lost} lost"
        )


def random_change(dice: random.Random, setup: dict[str, object], page: str) -> dict[str, object]:
    """Return the setup with one choice made anew, as a student plays with it: one that this page
    has a control for."""
    here = [name for name in CHOICES if name not in ELSEWHERE or name in find(page).controls]
    name = dice.choice(["text", "temperature", *NUMBERS, *here])
    if name == "text":
        value: object = " ".join(dice.choices(WORDS, k=dice.randint(2, 12)))
    elif name == "temperature":
        value = dice.choice([0.5, 1.0, 2.0])
    elif name in NUMBERS:
        value = dice.randint(1, NUMBERS[name])
    else:
        slow = ("narrow", "trained")
        value = dice.choice([option for option in CHOICES[name] if option not in slow])
    return {**setup, name: value}


async def student(port: int, seed: int, start: float, seconds: float, pause: float) -> Outcome:
    """Act as one viewer, from opening the page to the end of the lesson. `start` is on
    time.monotonic's clock."""
    outcome, dice, setup = Outcome(), random.Random(seed), {}
    first = start + dice.random() * pause
    await asyncio.sleep(max(first - time.monotonic(), 0))
    async with Viewer(port) as viewer:
        for turn in range(max(int(seconds / pause), 1)):
            await asyncio.sleep(max(first + turn * pause - time.monotonic(), 0))
            setup = random_change(dice, setup, viewer.page) if turn else setup
            try:
                running = viewer.run(dice.choice(PATHS), **setup)
                answer = await asyncio.wait_for(running, PATIENCE)
            except TimeoutError:
                outcome.lost += 1
                continue
            outcome.seconds.append(answer.seconds)
            outcome.errors += answer.errors
    return outcome


def _together(work: Callable[..., Coroutine], inputs: Sequence[tuple]) -> list[Any]:
    async def all_of_them() -> list[Any]:
        return await asyncio.gather(*(work(*each) for each in inputs))

    return asyncio.run(all_of_them())


def spread(work: Callable[..., Coroutine], inputs: Sequence[tuple], processes: int = 2) -> list:
    """Return what the work comes to for each of these inputs, done at the same time."""
    with ProcessPoolExecutor(processes) as pool:
        shares = [inputs[k::processes] for k in range(processes)]
        jobs = [pool.submit(_together, work, share) for share in shares]
        return [each for job in jobs for each in job.result()]


def crowd(port: int, viewers: int, seconds: float, pause: float = 2.0) -> Outcome:
    """Let a class loose on a server, and return what it met. With `seconds` = `pause`, each opens
    one page."""
    start, total = time.monotonic() + 2.0, Outcome()
    seeds = range(viewers)
    for each in spread(student, [(port, seed, start, seconds, pause) for seed in seeds]):
        total.seconds += each.seconds
        total.errors += each.errors
        total.lost += each.lost
    return total
