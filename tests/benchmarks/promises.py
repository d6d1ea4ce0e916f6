"""Older promises that hold still: bytes a rerun, no message while hovering, a cold start, visitors who leave nothing.

    python -m tests.benchmarks.promises

Takes about seven minutes: visitors who have gone are remembered for two.
"""

import asyncio
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from pages.shared.link.steps import STEPS
from tests.benchmarks.load import crowd
from tests.benchmarks.memory import megabytes
from tests.benchmarks.pages import APP, BARE, SETUPS
from tests.benchmarks.server import launch, serving, stop
from tests.benchmarks.viewer import Viewer
from tests.helpers import FLAGS, find_chromium

FORGOTTEN_AFTER = 150  # seconds; Streamlit keeps a session for 120 after its viewer has left
MOST_KILOBYTES = {"default": 60, "largest": 500}


def row(what: str, figure: str, limit: str, met: bool) -> None:
    print(f"{'met   ' if met else 'missed'}  {what:<52}{figure:<44}{limit}", flush=True)


async def _kilobytes(port: int, path: str, setup: dict[str, object]) -> float:
    async with Viewer(port) as viewer:
        await viewer.run(path, **setup)
        return (await viewer.run(path, **setup, seed=7)).size / 1000


def rerun_bytes() -> None:
    with serving(APP) as server:
        for kind, setup in SETUPS.items():
            sizes = {step.path or "overview": asyncio.run(_kilobytes(server.port, step.path, setup)) for step in STEPS}
            heaviest = max(sizes, key=sizes.__getitem__)
            size, most = sizes[heaviest], MOST_KILOBYTES[kind]
            row(f"bytes a rerun, {kind} setup", f"{size:.0f} kB ({heaviest})", f"≤ {most} kB", size <= most)


async def _first_page(port: int) -> None:
    async with Viewer(port) as viewer:
        await viewer.run()


def _seconds_to_first_page(script: Path) -> float:
    start = time.perf_counter()
    server = launch(script)
    asyncio.run(_first_page(server.port))
    seconds = time.perf_counter() - start
    stop(server)
    return seconds


def cold_start(tries: int = 5) -> None:
    pairs = [(_seconds_to_first_page(APP), _seconds_to_first_page(BARE)) for _ in range(tries)]
    app, bare = (sorted(times)[tries // 2] for times in zip(*pairs, strict=True))
    row("cold start to first page", f"{app:.2f} s, bare script {bare:.2f} s", "≤ 1.25 ×", app <= 1.25 * bare)


def visitors() -> None:
    with serving(APP) as server:
        crowd(server.port, 100, 4, pause=2)
        time.sleep(FORGOTTEN_AFTER)
        before = megabytes(server)
        for _ in range(10):
            crowd(server.port, 100, 5, pause=5)
        time.sleep(FORGOTTEN_AFTER)
        after = megabytes(server)
    change = after / before - 1
    figure = f"{before:.0f} MB before, {after:.0f} MB after ({change:+.1%})"
    row("memory after 1,000 visitors have come and gone", figure, "within 5 %", change <= 0.05)


def hover() -> None:
    frames: list[int] = []
    with serving(APP) as server, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
        page = browser.new_page()
        page.on("websocket", lambda socket: socket.on("framesent", lambda _: frames.append(1)))
        page.goto(f"{server.url}/scores")
        page.wait_for_selector("html[data-acts]", state="attached")
        box = page.locator("[data-name=scores] image").first.bounding_box()
        before = len(frames)
        for k in range(1, 30):
            page.mouse.move(box["x"] + box["width"] * k / 30, box["y"] + box["height"] * k / 30)
        browser.close()
    row("messages to the server while hovering", str(len(frames) - before), "0", len(frames) == before)


if __name__ == "__main__":
    rerun_bytes()
    hover()
    cold_start()
    visitors()
