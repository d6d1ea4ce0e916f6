"""What is measured, a function each; `python -m tests.benchmarks NAME` runs one."""

import asyncio
import itertools
import json
import os
import random
import secrets
import statistics
import time
from urllib.parse import parse_qsl

from websockets.asyncio.client import ClientConnection, connect

from pages.shared.link.pages import PAGES
from tests.benchmarks import click, pages, replicas
from tests.benchmarks.load import crowd
from tests.benchmarks.memory import held, middle, most, watching_memory
from tests.benchmarks.pages import APP, BARE
from tests.benchmarks.saturation import Load, burst, eight, processor_seconds
from tests.benchmarks.server import Server, serving
from tests.benchmarks.viewer import Viewer

USUAL = 300  # reruns a second of the bare page, on the machine that the limits were written for


async def first_page(server: Server, page: str = "", **link: object) -> None:
    """Open one page as the first visitor."""
    async with Viewer(server.port) as viewer:
        answer = await viewer.run(page, **link)
    assert not answer.errors, answer.errors


async def bare_rate(server: Server) -> float:
    """Return how many reruns a second the bare page manages: what machine this is."""
    load = Load()
    async with eight(server) as viewers:
        for _ in range(4):
            await burst(server, viewers, load, "", {}, itertools.repeat({}), 0.5)
    return load.rate


def rerun_costs(rounds: int = 8) -> None:
    """Each page at saturation, beside a bare page, with new numbers and with clicks."""
    pages.report(asyncio.run(pages.measure(rounds)))


def click_to_paint(clicks: int = 20) -> None:
    """From a click on a cell until the new picture is painted, in a real browser."""
    print(f"half of the clicks are painted after {click.median(click.measure(clicks)):.0f} ms")


def a_hundred(seconds: int = 60, viewers: int = 100) -> None:
    """A class: each acts once in two seconds, on a random page with a random change."""
    with serving(APP) as app, serving(BARE) as bare:
        asyncio.run(first_page(app))
        start, rate, used = held(app), asyncio.run(bare_rate(bare)), processor_seconds(app)
        with watching_memory(app) as seen:
            outcome = crowd(app.port, viewers, seconds)
        busy = (processor_seconds(app) - used) / seconds
        rate = max(rate, asyncio.run(bare_rate(bare)))
    print(f"{viewers} viewers: {outcome}; the server used {busy:.2f} cores")
    print(
        f"95th percentile at most {200 * USUAL / rate:.0f} ms here; bare page {rate:.0f} a second"
    )
    print(f"memory after a first page {start}; at most {most(seen)}")


# ---------- a class that follows its lecturer ----------

LECTURE = [
    *(("scores", f"lecture=on&beat={beat}") for beat in range(2, 6)),
    *(("weights", "lecture=on"), ("scores", "query=3&key=4"), ("context", "query=4&key=1")),
    *(("heads", "query=4"), ("scores", "d_k=5&query=4"), ("block", ""), ("encoder", "")),
]


async def enter(port: int, **come: str) -> ClientConnection:
    """Open a line to a class."""
    line = await connect(f"ws://127.0.0.1:{port}/room", open_timeout=60, max_queue=None)
    await line.send(json.dumps({"do": "come", "who": secrets.token_hex(16), **come}))
    return line


async def _follow(port: int, room: str, arrived: list[float]) -> None:
    async with Viewer(port) as viewer:
        async for text in await enter(port, room=room):
            message = json.loads(text)
            if message["is"] == "end":
                return
            if message["is"] in ("room", "at"):
                await viewer.run(message["page"], **dict(parse_qsl(message["link"])))
                arrived.append(time.monotonic())


async def _lead(server: Server, people: int, still: float) -> tuple[float, list[float]]:
    line = await enter(server.port, key=secrets.token_hex(16), page="scores", link="lecture=on")
    room, arrived, seconds = json.loads(await line.recv())["room"], [], []
    class_ = [asyncio.create_task(_follow(server.port, room, arrived)) for _ in range(people)]
    while len(arrived) < people:
        await asyncio.sleep(0.2)
    used, start = processor_seconds(server), time.monotonic()
    await asyncio.sleep(still)
    cost = (processor_seconds(server) - used) / (time.monotonic() - start) / people * 1e3
    for page, link in LECTURE:
        arrived.clear()
        acted = time.monotonic()
        await line.send(json.dumps({"do": "at", "page": page, "link": link}))
        while len(arrived) < people and time.monotonic() < acted + 30:
            await asyncio.sleep(0.05)
        seconds += [each - acted for each in arrived]
    await line.send(json.dumps({"do": "end"}))
    await asyncio.gather(*class_)
    return cost, sorted(seconds)


def following(people: int = 100, still: int = 20) -> None:
    """A class that goes where its lecturer goes, and what it costs while nobody does anything."""
    with serving(APP) as app:
        cost, seconds = asyncio.run(_lead(app, people, still))
    print(f"{people} followers: each costs {cost:.2f} ms of processor time a second, sitting still")
    print(f"an act is on a screen after {statistics.median(seconds):.2f} s, 19 of 20 after", end="")
    print(f" {seconds[int(0.95 * len(seconds))]:.2f}")


# ---------- memory ----------


def first_pages() -> None:
    """Memory of a fresh server, whatever its first page is."""
    for page in ("", "weights", "next", "training"):
        with serving(APP) as app:
            asyncio.run(first_page(app, page, open="variance,sizes,tables_weights"))
            print(f"/{page:<9} {held(app)}")


SIZES = {
    "drawn": (60, {}),
    "small": (20, {"d_model": 16, "d_k": 8, "d_v": 8, "heads": 2, "layers": 2, "steps": 40}),
    "middle": (8, {"d_model": 32, "d_k": 16, "d_v": 16, "heads": 4, "layers": 3, "steps": 200}),
    "large": (4, {"d_model": 64, "d_k": 64, "d_v": 64, "heads": 20, "layers": 6}),
    "real": (8, {"init": "real"}),
}
WORDS = [
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
]


def random_act(dice: random.Random) -> tuple[str, str, dict[str, object]]:
    """Return an act's kind, its page and its link."""
    kinds = [kind for kind in SIZES if kind != "real" or "ATTENTION_MODELS" in os.environ]
    (kind,) = dice.choices(kinds, [SIZES[kind][0] for kind in kinds])
    link = {"text": " ".join(dice.choices(WORDS, k=dice.randint(3, 20)))} | SIZES[kind][1]
    if kind != "real":
        link["seed"] = dice.randint(1, 9)
    if kind in ("small", "middle", "large"):
        link["init"] = "trained"
    page = dice.choice([each.path for each in PAGES if kind == "drawn" or each.trains])
    return kind, page, link


async def _visit(port: int, number: int, until: float, waits: dict[str, list[float]]) -> None:
    dice = random.Random(number)
    async with Viewer(port) as viewer:
        while time.monotonic() < until:
            (kind, page, link), start = random_act(dice), time.monotonic()
            try:
                async with asyncio.timeout(120):
                    await viewer.run(page, **link)
            except TimeoutError:  # goes on, as a reader does
                await viewer.socket.close()
                await viewer.connect()
            waits.setdefault(kind, []).append(time.monotonic() - start)
            await asyncio.sleep(dice.expovariate(1 / 4.0))


def visitors(seconds: int = 240, people: int = 40) -> None:
    """Forty visitors for four minutes, who train models of all sizes and read with a real one,
    where ATTENTION_MODELS names one: what the server holds, and how long they wait."""
    waits: dict[str, list[float]] = {}

    async def all_of_them(port: int) -> None:
        until = time.monotonic() + seconds
        await asyncio.gather(*(_visit(port, number, until, waits) for number in range(people)))

    with serving(APP) as app:
        with watching_memory(app) as seen:
            asyncio.run(all_of_them(app.port))
        print(f"half of the time {middle(seen)}; at most {most(seen)}; at the end {held(app)}")
    for kind, times in waits.items():
        times.sort()
        half, tail = (times[int(share * len(times))] for share in (0.5, 0.95))
        late = sum(each >= 120 for each in times)
        print(
            f"{kind}: {len(times)} acts, half in {half:.1f} s, 19 of 20 in {tail:.1f}, {late} late"
        )


def real_model(text: str = "The capital of France is") -> None:
    """Each page on the first model of ATTENTION_MODELS, cold and after a click on another head."""

    async def each_page(server: Server) -> None:
        async with Viewer(server.port) as viewer:
            for page in PAGES:
                link = {"init": "real", "text": text}
                cold, warm = [await viewer.run(page.path, **link, head=k) for k in (1, 2)]
                assert not cold.errors + warm.errors, cold.errors + warm.errors
                row = f"/{page.path:<12}{cold.seconds:>7.2f} s{warm.seconds:>7.2f} s"
                print(f"{row}   {held(server)}", flush=True)

    with serving(APP) as app, watching_memory(app) as seen:
        asyncio.run(each_page(app))
    print(f"at most {most(seen)}")


def two_servers() -> None:
    """Two servers behind the balancer of compose.yaml: how much more they answer than one."""
    gain = replicas.two_for_one()
    ratio = gain.two.rate / gain.one.rate
    print(f"one {gain.one.rate:.0f}, two {gain.two.rate:.0f} reruns a second: {ratio:.2f} times")


SCENARIOS = {
    "pages": rerun_costs,
    "click": click_to_paint,
    "class": a_hundred,
    "following": following,
    "first": first_pages,
    "visitors": visitors,
    "model": real_model,
    "servers": two_servers,
}
