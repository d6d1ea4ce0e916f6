"""What a model that people use costs a host: every page open on it, its memory and its times.

    ATTENTION_MODELS=folder python -m tests.benchmarks.real_model [model, the first by default]

Every page is shown twice: cold, and after a click on another head. A server's own memory is what it
holds beside mapped files, whose pages the system takes back when it needs them. The most of it
counts what is measured behind the page: what each head does.
"""

import asyncio
import sys
from tempfile import TemporaryDirectory

import psutil

from pages.shared.link.pages import PAGES
from tests.benchmarks.memory import Held, held, most, watching_memory
from tests.benchmarks.pages import APP
from tests.benchmarks.server import Server, serving
from tests.benchmarks.viewer import Viewer

TEXT = "The capital of France is"
MEASURED = 60  # seconds, for what is measured behind the page


def processor(server: Server) -> float:
    """The seconds of processors that it took."""
    return sum(psutil.Process(server.process.pid).cpu_times()[:2])


async def measure(model: str) -> None:
    """Print a line for each page, and how much more memory the server has than one without a model,
    after the same pages."""
    with (
        TemporaryDirectory() as nothing,
        serving(APP, environment={"ATTENTION_MODELS": nothing}) as server,
    ):
        async with Viewer(server.port) as viewer:
            for step in PAGES:
                await viewer.run(step.path, text=TEXT)
            without = held(server)
    print(f"without a model {without}")
    print(
        f"{'page':<12}"
        + "".join(
            f"{each:>8}" for each in ("cold s", "of cpu", "head s", "of cpu", "own MB", "most")
        )
    )
    with serving(APP) as server, watching_memory(server) as seen:
        async with Viewer(server.port) as viewer:
            for step in PAGES:
                await of_page(server, viewer, step.path, model, seen)
            await asyncio.sleep(MEASURED)
        more = (
            held(server).own - without.own,
            most(seen).own - without.own,
            held(server).whole - without.whole,
        )
    print("{:.0f} MB more, at most {:.0f}; with mapped files {:.0f}".format(*more))


async def of_page(server: Server, viewer: Viewer, page: str, model: str, seen: list[Held]) -> None:
    """Print the seconds until a page stands, and those after a click on another head."""
    times = []
    for head in (1, 2):
        start = processor(server)
        said = await viewer.run(page, init="real", model=model, text=TEXT, head=head)
        times += [said.seconds, processor(server) - start]
        assert not said.errors, said.errors
    row = f"{page or 'overview':<12}" + "".join(f"{each:>8.2f}" for each in times)
    print(f"{row}{held(server).own:>8.0f}{most(seen).own:>8.0f}", flush=True)


if __name__ == "__main__":
    asyncio.run(measure(sys.argv[1] if len(sys.argv) > 1 else ""))
