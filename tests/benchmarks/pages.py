"""Time and bytes of a rerun of every page, beside a bare Streamlit page, in one run.

    python -m tests.benchmarks.pages [rounds]

The servers take turns, a burst of reruns each, so that whatever else the machine does hits both.
Within a burst one rerun follows the other at once and the first is dropped: Streamlit collects garbage
after it has said that a run is finished, and only the next run feels it. Every rerun changes the
setup a little: nothing can be answered from a cache.
"""

import asyncio
import statistics
import sys

from pages.shared.steps import STEPS
from tests.benchmarks.server import ROOT, serving
from tests.benchmarks.viewer import Answer, Viewer

BARE = ROOT / "tests" / "benchmarks" / "bare.py"
# The app's settings are in force for the bare page too, but for the one that Streamlit would have on.
STREAMLITS_OWN = ("--runner.postScriptGC", "true")
BURST = 6

LARGEST: dict[str, object] = {
    "text": " ".join(f"word{k}" for k in range(32)),
    "d_model": 64,
    "d_k": 64,
    "d_v": 64,
    "heads": 20,
    "out": "d_model",
    "bias": "on",
    "positions": "sinusoidal",
    "others": "\n".join(" ".join(f"w{k}" for k in range(32)) for _ in range(7)),
    "dropout": 0.5,
    "layers": 6,
    "d_ff": 256,
    "classes": 10,
}
SETUPS: dict[str, dict[str, object]] = {"default": {}, "largest": LARGEST}
Answers = dict[tuple[str, str], list[Answer]]


async def measure(rounds: int) -> Answers:
    """Bursts of reruns of every page at both setups, and of the bare page in between."""
    with serving(ROOT / "streamlit_app.py") as app, serving(BARE, *STREAMLITS_OWN) as bare:
        answers: Answers = {}
        async with Viewer(bare.port) as yardstick:
            for kind, setup in SETUPS.items():
                for step in STEPS:
                    async with Viewer(app.port) as viewer:
                        await viewer.run(step.path, **setup)
                        await yardstick.run()
                        for turn in range(rounds):
                            burst = [await yardstick.run() for _ in range(BURST)]
                            answers.setdefault(("bare", ""), []).extend(burst[1:])
                            seeds = range(turn * BURST, (turn + 1) * BURST)
                            burst = [await viewer.run(step.path, **setup, seed=1 + seed) for seed in seeds]
                            answers.setdefault((kind, step.path), []).extend(burst[1:])
    return answers


def median_seconds(answers: list[Answer]) -> float:
    return statistics.median(answer.seconds for answer in answers)


def report(answers: Answers) -> None:
    """A line for each page and setup."""
    base = median_seconds(answers["bare", ""])
    print(f"{'setup':<9}{'page':<13}{'median ms':>10}{'p95 ms':>9}{'x bare':>8}{'kB':>8}{'errors':>8}")
    for (kind, path), runs in answers.items():
        times = sorted(a.seconds for a in runs)
        size = statistics.median(a.size for a in runs) / 1000
        errors = sum(len(a.errors) for a in runs)
        page = "" if kind == "bare" else path or "overview"
        print(
            f"{kind:<9}{page:<13}{median_seconds(runs) * 1e3:>10.1f}{times[int(0.95 * len(times))] * 1e3:>9.1f}"
            f"{median_seconds(runs) / base:>8.1f}{size:>8.1f}{errors:>8}"
        )


if __name__ == "__main__":
    report(asyncio.run(measure(int(sys.argv[1]) if len(sys.argv) > 1 else 10)))
