"""What training costs a host: its memory, and how long the home page waits while others train.

    python -m tests.benchmarks.training_memory

Takes about ten minutes. Of attention alone and of the classifier the largest is trained: by one
visitor, then in five windows with other seeds, each on a server of its own. A minute after the last
has left, what is held is looked at once more.
"""

import asyncio
import itertools
from dataclasses import dataclass

from tests.benchmarks.memory import Held, held, most, watching_memory
from tests.benchmarks.pages import APP
from tests.benchmarks.server import serving
from tests.benchmarks.viewer import Viewer

SIZES = {
    "init": "trained",
    "d_model": 64,
    "d_k": 64,
    "d_v": 64,
    "heads": 20,
    "bias": "on",
    "positions": "learned",
}
LARGEST = {"scores": SIZES, "classifier": SIZES | {"layers": 6, "d_ff": 256}}
WINDOWS, CROWD, AFTER = 5, 10, 60
HOME = 1.0  # seconds


@dataclass
class Course:
    """What a server held after its first page, at most with one and with five windows, and after
    they left."""

    start: Held
    one: Held
    five: Held
    after: Held

    def __str__(self) -> str:
        return (
            f"after a first page {self.start}; one training at most {self.one}; {WINDOWS} windows"
            f" {self.five}; {AFTER} s after they left {self.after}"
        )


async def _train(port: int, page: str, seed: int) -> None:
    async with Viewer(port) as viewer:
        answer = await viewer.run(page, **LARGEST[page], seed=seed)
    assert not answer.errors, answer.errors


async def course(page: str) -> Course:
    """One visitor's training of the largest that this page shows, then five at once."""
    with serving(APP) as server:
        async with Viewer(server.port) as viewer:
            await viewer.run()
        start = held(server)
        with watching_memory(server) as of_one:
            await _train(server.port, page, 1)
        with watching_memory(server) as of_five:
            await asyncio.gather(*(_train(server.port, page, 2 + k) for k in range(WINDOWS)))
        await asyncio.sleep(AFTER)
        return Course(start, most(of_one), most(of_five), held(server))


async def _trains_on(port: int, seeds: "itertools.count[int]") -> None:
    """One window that asks for the largest classifier with a new seed, again and again."""
    async with Viewer(port) as viewer:
        while True:
            await viewer.run("classifier", **LARGEST["classifier"], seed=next(seeds))


async def home(warm: bool, *pauses: float) -> list[float]:
    """How long the home page takes, asked for after each pause, while ten windows train: with its
    own example trained before, or not."""
    with serving(APP) as server:
        if warm:
            async with Viewer(server.port) as viewer:
                await viewer.run()
        seeds, times = itertools.count(1), []
        windows = [asyncio.create_task(_trains_on(server.port, seeds)) for _ in range(CROWD)]
        for pause in pauses:
            await asyncio.sleep(pause)
            async with Viewer(server.port) as viewer:
                times.append((await viewer.run()).seconds)
        for window in windows:
            window.cancel()
        await asyncio.gather(*windows, return_exceptions=True)
        return times


def main() -> None:
    for page in LARGEST:
        print(f"{page}: {asyncio.run(course(page))}", flush=True)
    times = asyncio.run(home(True, 60, 60, 1, 1))
    print(
        f"/ while {CROWD} windows train the largest classifier: slowest of {len(times)}"
        f" {max(times):.2f} s (at most {HOME:.0f} s)"
    )
    print(f"/ likewise, before its own example was trained: {asyncio.run(home(False, 5))[0]:.2f} s")


if __name__ == "__main__":
    main()
