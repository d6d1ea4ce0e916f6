"""Everything that the explorer promises about speed and memory, measured: one row a promise.

    python -m tests.benchmarks [seconds of the lesson, 300 by default]

Takes about twelve minutes: the lesson is five, and visitors who have gone are remembered for two.
"""

import asyncio
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
from playwright.sync_api import sync_playwright

from tests.benchmarks import growth
from tests.benchmarks.load import crowd
from tests.benchmarks.pages import BARE, Answers, measure, median_seconds, report
from tests.benchmarks.server import ROOT, Server, serving, stop
from tests.benchmarks.server import launch as launch_server
from tests.benchmarks.viewer import Viewer
from tests.conftest import FLAGS, find_chromium

APP = ROOT / "streamlit_app.py"
FORGOTTEN_AFTER = 150  # seconds; Streamlit keeps a session for 120 after its viewer has left


def row(what: str, figure: str, limit: str, met: bool) -> None:
    print(f"{'met   ' if met else 'MISSED'}  {what:<52}{figure:<44}{limit}", flush=True)


def megabytes(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / 1e6


@contextmanager
def watching_memory(server: Server) -> Iterator[list[float]]:
    """Note the server's memory four times a second while the block runs."""
    seen, done = [megabytes(server)], threading.Event()

    def watch() -> None:
        while not done.wait(0.25):
            seen.append(megabytes(server))

    watcher = threading.Thread(target=watch)
    watcher.start()
    yield seen
    done.set()
    watcher.join()


async def first_page(port: int) -> None:
    async with Viewer(port) as viewer:
        await viewer.run()


def reruns(answers: Answers) -> None:
    bare = median_seconds(answers["bare", ""])
    for kind, limit, most_kb in (("default", max(2.5 * bare, 0.012), 60), ("largest", 0.060, 500)):
        pages = {path or "overview": runs for (setup, path), runs in answers.items() if setup == kind}
        slowest = max(pages, key=lambda path: median_seconds(pages[path]))
        seconds = median_seconds(pages[slowest])
        figure = f"{seconds * 1e3:.1f} ms ({slowest}), bare page {bare * 1e3:.1f} ms"
        row(f"slowest page, {kind} setup, median", figure, f"≤ {limit * 1e3:.1f} ms", seconds <= limit)
        heaviest = max(pages, key=lambda path: max(answer.size for answer in pages[path]))
        size = max(answer.size for answer in pages[heaviest]) / 1000
        row(f"bytes a rerun, {kind} setup", f"{size:.0f} kB ({heaviest})", f"≤ {most_kb} kB", size <= most_kb)


def cold_start(tries: int = 5) -> None:
    def once(script) -> float:
        start = time.perf_counter()
        server = launch_server(script)
        asyncio.run(first_page(server.port))
        seconds = time.perf_counter() - start
        stop(server)
        return seconds

    pairs = [(once(APP), once(BARE)) for _ in range(tries)]
    app, bare = (sorted(times)[tries // 2] for times in zip(*pairs, strict=True))
    row("cold start to first page", f"{app:.2f} s, bare script {bare:.2f} s", "≤ 1.25 ×", app <= 1.25 * bare)


def lesson(seconds: float) -> None:
    with serving(APP) as server:
        asyncio.run(first_page(server.port))
        start = megabytes(server)
        row("memory after start", f"{start:.0f} MB", "≤ 450 MB", start <= 450)
        opened = crowd(server.port, 100, 5, pause=5)
        rendered = len(opened.seconds) == 100 and max(opened.seconds) <= 5 and not opened.errors
        row("100 viewers open the link within 5 s", f"slowest after {max(opened.seconds):.2f} s", "≤ 5 s", rendered)
        with watching_memory(server) as seen:
            outcome = crowd(server.port, 100, seconds)
        fine = outcome.percentile(0.95) <= 0.3 and not outcome.errors and not outcome.lost
        row(f"100 viewers act every 2 s for {seconds:.0f} s", f"95th percentile {outcome.percentile(0.95) * 1e3:.0f} ms, "
            f"{len(outcome.errors)} errors, {outcome.lost} lost", "≤ 300 ms, 0, 0", fine)  # fmt: skip
        print(f"        ({outcome})")
        row("memory under that load, peak", f"{max(seen):.0f} MB", "≤ 600 MB", max(seen) <= 600)


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
        page.wait_for_selector(".st-key-next button")
        box = page.locator("[data-name=scores] image").first.bounding_box()
        before = len(frames)
        for k in range(1, 30):
            page.mouse.move(box["x"] + box["width"] * k / 30, box["y"] + box["height"] * k / 30)
        browser.close()
    row("messages to the server while hovering", str(len(frames) - before), "0", len(frames) == before)


def main() -> None:
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else 300.0
    answers = asyncio.run(measure(10))
    report(answers)
    print()
    reruns(answers)
    hover()
    cold_start()
    lesson(seconds)
    visitors()
    print()
    growth.main()


if __name__ == "__main__":
    main()
