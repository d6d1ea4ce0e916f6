"""Every page at saturation, beside a bare Streamlit page measured by turns in the same run.

    python -m tests.benchmarks.pages [rounds of three turns, 8 by default]

Two kinds of act: a change of the seed, so that no number was there before, and a change of the
query word, which only moves what is looked at.
"""

import itertools
import statistics
from collections.abc import Callable
from dataclasses import dataclass, field
from operator import truediv

from pages.shared.link.pages import PAGES
from tests.benchmarks.saturation import Acts, Load, burst, eight
from tests.benchmarks.server import ROOT, Server, serving
from tests.benchmarks.viewer import Viewer

APP = ROOT / "streamlit_app.py"
BARE = ROOT / "tests" / "benchmarks" / "bare.py"
TURN = 0.3  # seconds

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


def new_seeds() -> Acts:
    return ({"seed": seed} for seed in itertools.count(1000))


def other_words() -> Acts:
    # The default sentence has six words; a prime step, so that neighbouring acts of one viewer
    # differ.
    return ({"query": 1 + k * 5 % 6} for k in itertools.count())


ACTS: dict[str, Callable[[], Acts]] = {"seed": new_seeds, "click": other_words}


@dataclass
class Beside:
    """A page under each kind of act, and the bare page in the turns between."""

    bare: Load = field(default_factory=Load)
    acts: dict[str, Load] = field(default_factory=lambda: {name: Load() for name in ACTS})

    def share(self, act: str) -> float:
        """Reruns a second, as a share of the bare page's."""
        return self.acts[act].rate / self.bare.rate

    def times(self, act: str) -> float:
        """Processor time a rerun, as a multiple of the bare page's in the turn before."""
        return statistics.median(map(truediv, self.acts[act].costs, self.bare.costs))


Measured = dict[tuple[str, str], Beside]


async def one_page(
    app: Server, bare: Server, idle: list[Viewer], path: str, setup: dict, rounds: int
) -> Beside:
    """Short turns: the bare page, the page with new seeds, the page with clicks."""
    found = Beside()
    acts = {name: make() for name, make in ACTS.items()}
    async with eight(app, path, **setup) as viewers:
        for _ in range(rounds):
            await burst(bare, idle, found.bare, "", {}, itertools.repeat({}), TURN)
            for name, load in found.acts.items():
                await burst(app, viewers, load, path, setup, acts[name], TURN)
    return found


async def measure(rounds: int) -> Measured:
    """Every page at both setups."""
    with serving(APP) as app, serving(BARE) as bare:
        async with eight(bare) as idle:
            return {
                (kind, step.path): await one_page(app, bare, idle, step.path, setup, rounds)
                for kind, setup in SETUPS.items()
                for step in PAGES
            }


def report(measured: Measured) -> None:
    """A line for each page and setup."""
    print(
        "                      processor ms a rerun             x bare      reruns a second        "
        "  share of bare"
    )
    print(
        f"{'setup':<9}{'page':<12}{'bare':>7}{'seed':>8}{'click':>8}{'seed':>9}{'click':>7}", end=""
    )
    print(f"{'bare':>8}{'seed':>7}{'click':>7}{'seed':>10}{'click':>7}  errors")
    for (kind, path), found in measured.items():
        seed, click, bare = found.acts["seed"], found.acts["click"], found.bare
        print(
            f"{kind:<9}{path or 'overview':<12}"
            f"{bare.cost:>7.1f}{seed.cost:>8.1f}{click.cost:>8.1f}",
            end="",
        )
        print(f"{found.times('seed'):>9.1f}{found.times('click'):>7.1f}", end="")
        print(f"{bare.rate:>8.0f}{seed.rate:>7.0f}{click.rate:>7.0f}", end="")
        print(
            f"{found.share('seed'):>10.3f}{found.share('click'):>7.3f}"
            f"{len(seed.errors) + len(click.errors):>8}"
        )
