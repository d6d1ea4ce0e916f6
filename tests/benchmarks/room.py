"""A class that follows: what it costs to sit still, and how long a lecturer's act takes to be on
all screens.

    python -m tests.benchmarks.room [followers, 100 by default]

Each follower has two lines to the server, as a browser has: Streamlit's own, with a page on it, and
the class's. Told of another place, it asks Streamlit for that page. Beside it the same followers of
a small page that looks twice a second by itself, a fragment of Streamlit's, which is the other way
to hear of a lecturer.
"""

import asyncio
import itertools
import json
import secrets
import statistics
import sys
import time
from collections.abc import Callable, Coroutine
from concurrent.futures import ProcessPoolExecutor
from contextlib import AsyncExitStack, suppress
from multiprocessing import Manager
from urllib.parse import parse_qsl

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosedError

from tests.benchmarks.lesson import USUAL
from tests.benchmarks.pages import APP, BARE
from tests.benchmarks.saturation import Load, burst, eight, processor_seconds
from tests.benchmarks.server import ROOT, Server, serving
from tests.benchmarks.viewer import Viewer

LOOKING = ROOT / "tests" / "benchmarks" / "looking.py"
STILL, PAUSE, PROCESSES = 20.0, 3.0, 2  # seconds of sitting still, and between two acts
# Through the pages as in a lecture: on by beats, to other pages, another cell, another setup.
ACTS = [
    *(("scores", f"lecture=on&beat={beat}") for beat in range(2, 6)),
    ("weights", "lecture=on"),
    ("weights", "lecture=on&beat=2"),
    ("scores", "query=3&key=4"),
    ("scores", "query=4&key=1"),
    ("context", "query=4&key=1"),
    ("heads", "query=4"),
    ("scores", "d_k=5&query=4"),
    ("projection", "d_k=5"),
    ("block", ""),
    ("encoder", ""),
    ("scores", "text=the+cat+the+mat"),
]


async def enter(port: int, **come: str) -> ClientConnection:
    """A line to a class."""
    line = await connect(f"ws://127.0.0.1:{port}/room", open_timeout=60)
    await line.send(json.dumps({"do": "come", "who": secrets.token_hex(16), **come}))
    return line


async def follow(port: int, room: str, seen: list) -> None:
    """A follower: whenever the class goes on, its page is asked for, and when it is there that is
    noted."""
    async with Viewer(port) as viewer:
        line = await enter(port, room=room)
        async for text in line:
            message = json.loads(text)
            if message["is"] in ("room", "at"):
                answer = await viewer.run(message["page"], **dict(parse_qsl(message["link"])))
                seen.append((message["page"], message["link"], time.monotonic(), answer.errors))
            elif message["is"] == "end":
                return


async def look(port: int, number: int) -> None:
    """A viewer of the page that looks by itself: asks for its fragment as often as the server wants
    it."""
    async with Viewer(port) as viewer:
        await viewer.send()
        data = ForwardMsg()
        while data.WhichOneof("type") != "auto_rerun":
            data = ForwardMsg.FromString(await viewer.socket.recv())
        message = BackMsg()
        message.rerun_script.fragment_id, message.rerun_script.is_auto_rerun = (
            data.auto_rerun.fragment_id,
            True,
        )
        message.rerun_script.context_info.url = f"http://127.0.0.1:{port}/"
        await asyncio.sleep(number % 100 * 0.005)
        ends = time.monotonic() + STILL + 15
        while time.monotonic() < ends:
            await viewer.socket.send(message.SerializeToString())
            await asyncio.gather(asyncio.sleep(data.auto_rerun.interval), _one_answer(viewer))


async def _one_answer(viewer: Viewer) -> None:
    while ForwardMsg.FromString(await viewer.socket.recv()).WhichOneof("type") != "script_finished":
        pass


async def sit(port: int, number: int) -> None:
    """A reader with a page on screen and no class."""
    async with Viewer(port) as viewer:
        await viewer.run("scores")
        await asyncio.sleep(STILL + 15)


async def _all(one: Callable[..., Coroutine], inputs: list[tuple]) -> None:
    await asyncio.gather(*(one(*each) for each in inputs))


def _process(one: Callable[..., Coroutine], inputs: list[tuple]) -> None:
    asyncio.run(_all(one, inputs))


def still(server: Server, people: int, one: Callable[..., Coroutine]) -> float:
    """Milliseconds of processor time that each of so many costs in a second, while nobody does
    anything."""
    with ProcessPoolExecutor(PROCESSES) as pool:
        for k in range(PROCESSES):
            pool.submit(
                _process, one, [(server.port, number) for number in range(k, people, PROCESSES)]
            )
        time.sleep(10)  # all are there
        before, start = processor_seconds(server), time.monotonic()
        time.sleep(STILL)
        return (processor_seconds(server) - before) / (time.monotonic() - start) / people * 1e3


async def lead(
    server: Server, people: int, seen: list, room: asyncio.Future
) -> tuple[float, list[float]]:
    """The lecturer: what still followers cost, and for each act and follower the seconds until it
    was there."""
    line = await enter(
        server.port,
        key="a key of the benchmark".replace(" ", "-"),
        page="scores",
        link="lecture=on",
    )
    told = json.loads(await line.recv())
    room.set_result(told["room"])
    hears = asyncio.create_task(_hear(line))
    while len(seen) < people:
        await asyncio.sleep(0.2)
    await asyncio.sleep(2)
    before, start = processor_seconds(server), time.monotonic()
    await asyncio.sleep(STILL)
    cost = (processor_seconds(server) - before) / (time.monotonic() - start) / people * 1e3
    seconds = []
    for page, link in ACTS:
        del seen[:]
        acted, used = time.monotonic(), processor_seconds(server)
        await line.send(json.dumps({"do": "at", "page": page, "link": link}))
        while len(seen) < people and time.monotonic() < acted + 30:
            await asyncio.sleep(0.05)
        arrived = sorted(at - acted for *_, at, errors in seen if not errors)
        seconds += arrived
        middle, last = statistics.median(arrived), arrived[-1]
        cpu = processor_seconds(server) - used
        what = f"  {page or 'overview':<12}{link:<24}{len(arrived)} of {people}"
        print(f"{what}, median {middle:.2f}, last {last:.2f} s; the server worked {cpu:.2f} s")
        await asyncio.sleep(PAUSE)
    await line.send(json.dumps({"do": "end"}))
    await hears
    return cost, seconds


async def _hear(line: ClientConnection) -> None:
    """Whoever does not listen is hung up on."""
    with suppress(ConnectionClosedError):
        async for _ in line:
            pass


def a_class(server: Server, people: int) -> tuple[float, list[float]]:
    """So many followers and one lecturer."""

    async def lesson() -> tuple[float, list[float]]:
        loop = asyncio.get_running_loop()
        room = loop.create_future()
        with Manager() as manager, ProcessPoolExecutor(PROCESSES) as pool:
            seen = manager.list()
            led = asyncio.create_task(lead(server, people, seen, room))
            await asyncio.wait({room, led}, return_when=asyncio.FIRST_COMPLETED)
            code = room.result()
            jobs = [
                pool.submit(
                    _process,
                    follow,
                    [(server.port, code, seen) for _ in range(k, people, PROCESSES)],
                )
                for k in range(PROCESSES)
            ]
            result = await led
            for job in jobs:
                await loop.run_in_executor(None, job.result)
        return result

    return asyncio.run(lesson())


async def bare_rate(server: Server) -> float:
    """Reruns a second of the bare page."""
    load = Load()
    async with AsyncExitStack() as stack:
        viewers = await stack.enter_async_context(eight(server))
        for _ in range(4):
            await burst(server, viewers, load, "", {}, itertools.repeat({}), 0.5)
    return load.rate


def main(people: int) -> None:
    with serving(APP) as app, serving(BARE) as bare, serving(LOOKING) as looking:
        rate = asyncio.run(bare_rate(bare))
        alone = still(app, people, sit)
        print(
            f"bare page {rate:.0f} reruns a second; {people} people; milliseconds of processor time"
            " a second and person:"
        )
        print(f"  {alone:.2f} with a page on screen and no class")
        cost, seconds = a_class(app, people)
        print(f"  {cost:.2f} following, while the lecturer does nothing (at most 2)")
        print(f"  {still(looking, people, look):.2f} looking twice a second by a fragment")
        rate = max(rate, asyncio.run(bare_rate(bare)))
    tail = sorted(seconds)[int(0.95 * len(seconds))]
    print(
        f"an act is on a screen after {statistics.median(seconds):.2f} s, 95th percentile"
        f" {tail:.2f} (at most {USUAL / rate:.2f} here)"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 100)
