"""Forty visitors for four minutes, who train models of all sizes and read with a real one: what the
server holds, how long they wait.

    python -m tests.benchmarks.visitors [seconds]

A real model is read where ATTENTION_MODELS names one. The same visitors' acts each time: they are
drawn from a seed.
"""

import asyncio
import os
import random
import sys
import time

from pages.shared.link.pages import PAGES
from tests.benchmarks.memory import held, middle, most, watching_memory
from tests.benchmarks.pages import APP
from tests.benchmarks.server import serving
from tests.benchmarks.viewer import Viewer

VISITORS, SECONDS, PAUSE = 40, 240, 4.0
SMALL = {"d_model": 16, "d_k": 8, "d_v": 8, "heads": 2, "layers": 2, "steps": 40}
MIDDLE = {"d_model": 32, "d_k": 16, "d_v": 16, "heads": 4, "layers": 3, "steps": 200}
LARGE = {"d_model": 64, "d_k": 64, "d_v": 64, "heads": 20, "layers": 6}
TRAINED = ("scores", "weights", "heads", "block", "encoder", "next", "classifier", "training")
WORDS = (
    "the",
    "cat",
    "drank",
    "milk",
    "because",
    "it",
    "was",
    "thirsty",
    "and",
    "slept",
    "on",
    "a",
    "warm",
    "chair",
    "in",
    "sun",
)


def act(draw: random.Random, real: bool) -> tuple[str, str, dict]:
    """One act: what kind it is, the page and the link."""
    text = " ".join(draw.choices(WORDS, k=draw.randint(3, 20)))
    kind = draw.choices(("drawn", "small", "middle", "large", "real"), (60, 20, 8, 4, 8 * real))[0]
    if kind == "drawn":
        return (
            kind,
            draw.choice(PAGES).path,
            {"text": text, "seed": draw.randint(1, 99), "heads": draw.randint(1, 6)},
        )
    if kind == "real":
        return (
            kind,
            draw.choice(("model", "weights", "heads", "scores")),
            {"init": "real", "text": text, "layer": draw.randint(1, 6)},
        )
    size = {"small": SMALL, "middle": MIDDLE, "large": LARGE}[kind]
    return (
        kind,
        draw.choice(TRAINED),
        {"init": "trained", "text": text, "seed": draw.randint(1, 9)} | size,
    )


async def _visits(port: int, number: int, until: float, waits: list[tuple[str, float]]) -> None:
    draw = random.Random(number)
    async with Viewer(port) as viewer:
        while time.monotonic() < until:
            kind, page, link = act(draw, "ATTENTION_MODELS" in os.environ)
            waiting = time.monotonic()
            try:
                async with asyncio.timeout_at(asyncio.get_running_loop().time() + 120):
                    await viewer.run(page, **link)
            except TimeoutError:  # goes on, as a reader does
                await viewer.socket.close()
                await viewer.connect()
            waits.append((kind, time.monotonic() - waiting))
            await asyncio.sleep(draw.expovariate(1 / PAUSE))


async def _all(port: int, seconds: float, waits: list[tuple[str, float]]) -> None:
    until = time.monotonic() + seconds
    await asyncio.gather(*(_visits(port, number, until, waits) for number in range(VISITORS)))


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else SECONDS
    waits: list[tuple[str, float]] = []
    with serving(APP) as server:
        with watching_memory(server) as seen:
            asyncio.run(_all(server.port, seconds, waits))
        print(f"{VISITORS} visitors, {len(waits)} acts")
        print(f"half of the time {middle(seen)}; at most {most(seen)}; at the end {held(server)}")
        quarter = len(seen) // 4
        print(
            "a quarter of the time each: "
            + "; ".join(str(middle(seen[k * quarter : (k + 1) * quarter])) for k in range(4))
        )
    for kind in dict.fromkeys(kind for kind, _ in sorted(waits)):
        of = sorted(seconds for each, seconds in waits if each == kind)
        late = sum(wait >= 120 for wait in of)
        print(
            f"{kind}: {len(of)} acts, half in {of[len(of) // 2]:.1f} s, 19 of 20 in"
            f" {of[len(of) * 19 // 20]:.1f}, {late} gave up"
        )


if __name__ == "__main__":
    main()
