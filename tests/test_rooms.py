"""Rooms for a class, on the server's side: who goes where, what is asked and counted, and what a
hostile window can do. Most windows here are lines without a socket, to a hall of the test's own;
some are websockets to a real server."""

import asyncio
import csv
import gc
import io
import json
import re
import signal
import socket
import struct
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import wraps
from types import SimpleNamespace
from unittest import mock

import pytest
from helpers import ROOT
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketState
from strategies import FUZZ, focuses, setups
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from core import exercises, predictions, trace
from core.question import Question
from core.setup import Setup
from core.text import labels
from pages.shared.frame import training_queue
from pages.shared.link import View, read_link, write_link
from pages.shared.link.pages import PAGES
from pages.shared.room import (
    acts,
    bucket,
    hall,
    line,
    origins,
    present,
    questions,
    redis_store,
    rooms,
)
from pages.shared.room.bucket import Bucket
from pages.shared.room.hall import FULL, MANY_ROOMS, MANY_TRIED, NOT_HERE, Hall
from pages.shared.room.redis_store import Shared
from pages.shared.room.rooms import LASTS, Memory, Place
from tests.benchmarks.classroom import CLOSED, Redis, Window, find_redis, redis_server
from tests.benchmarks.server import launch, serving, stop
from tests.test_question import typed

APP = ROOT / "streamlit_app.py"
needs_redis = pytest.mark.skipif(
    find_redis() is None, reason="no Redis on this machine: install the package redis-server"
)


def in_its_own_loop(test: Callable) -> Callable:
    """In a thread of its own: Playwright keeps an event loop in the main thread of a worker that
    has had a browser. No task of it may have failed with nobody told."""

    async def watched(*args: object, **more: object) -> None:
        failed = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
        await asyncio.wait_for(test(*args, **more), 100)
        gc.collect()
        assert failed == []

    @wraps(test)
    def run(*args: object, **more: object) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(watched(*args, **more))).result()

    return run


class Socket:
    """What a line has of a websocket; a browser that takes nothing has `takes` cleared, and may yet
    take that the line ends."""

    def __init__(self, address: str) -> None:
        self.said, self.told = asyncio.Queue(), asyncio.Queue()
        self.takes = asyncio.Event()
        self.takes.set()
        self.takes_the_end = False
        self.application_state = WebSocketState.CONNECTED
        self.headers, self.client, self.conn = (
            {},
            SimpleNamespace(host=address),
            SimpleNamespace(max_message_size=None),
        )

    async def accept(self) -> None:
        pass

    async def receive(self) -> dict:
        return await self.said.get()

    _receive = receive

    async def send_text(self, text: str) -> None:
        await self.takes.wait()
        self.told.put_nowait(json.loads(text))

    async def close(self, code: int) -> None:
        if not self.takes_the_end:
            await self.takes.wait()
        self.application_state = WebSocketState.DISCONNECTED
        self.told.put_nowait({"is": CLOSED, "code": code})


class Inside(Window):
    """A window's line to a hall in this process."""

    def __init__(self, to: Hall, address: str = "127.0.0.1") -> None:
        super().__init__(0)
        self.to, self.socket = to, Socket(address)

    async def __aenter__(self) -> "Inside":
        with mock.patch.object(line, "hall", lambda: self.to):
            self.task = asyncio.create_task(line.meet(self.socket))
            await asyncio.sleep(0)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.socket.said.put_nowait({"type": "websocket.disconnect"})
        self.socket.takes.set()
        await asyncio.wait_for(self.task, 30)

    async def send(self, data: str | bytes) -> None:
        self.socket.said.put_nowait(
            {"type": "websocket.receive", "text": data if isinstance(data, str) else None}
        )

    async def _next(self) -> dict:
        return await self.socket.told.get()


@asynccontextmanager
async def windows(
    to: Hall | int, many: int, address: str = "127.0.0.1"
) -> AsyncIterator[list[Window]]:
    """So many windows of one address, to a hall or to the server of a port, which trusts what a
    proxy of its own machine says."""
    async with AsyncExitStack() as stack:
        made = (
            (
                Window(to, **{"X-Forwarded-For": address})
                if isinstance(to, int)
                else Inside(to, address)
            )
            for _ in range(many)
        )
        yield [await stack.enter_async_context(each) for each in made]


@asynccontextmanager
async def shared(redis: Redis, many: int = 2) -> AsyncIterator[list[Hall]]:
    """As many servers that share this Redis."""
    halls = [Hall(Shared(redis.url)) for _ in range(many)]
    yield halls
    for each in halls:
        for task in (each.clock, getattr(each.store, "listener", None)):
            if task:
                task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
        await each.store.redis.aclose()
        await each.store.redis.connection_pool.disconnect()


@pytest.fixture(autouse=True)
def a_loop_of_its_own(monkeypatch) -> None:
    monkeypatch.setattr(questions, "_one_at_a_time", asyncio.Semaphore(1))


@pytest.fixture
def clock(monkeypatch) -> SimpleNamespace:
    """The time, as rooms have it: it goes on when the test says so."""
    ours = SimpleNamespace(now=1000.0)
    for module in (acts, bucket, hall, origins, present, rooms):
        monkeypatch.setattr(
            module, "time", SimpleNamespace(monotonic=lambda: ours.now, time=lambda: ours.now)
        )
    return ours


@pytest.fixture(scope="module")
def school(tmp_path_factory):
    """A real server, and what it wrote to its errors."""
    path = tmp_path_factory.mktemp("school") / "errors"
    with path.open("wb") as errors, serving(APP, errors=errors) as running:
        yield SimpleNamespace(port=running.port, errors=path)


@pytest.fixture(scope="module")
def redis():
    """A Redis of this file."""
    with redis_server() as running:
        yield running


# ---------- where the class is ----------


@in_its_own_loop
async def test_followers_go_where_the_lecturer_goes(server):
    """What belongs to the lecturer's own window is told to nobody; a window of notes is a
    lecture's; who comes later hears all."""
    async with windows(server.port, 3) as (lecturer, early, late):
        begun = await lecturer.lead(
            link="notes=on&share=on&room=KQZT&embed=true&embed_options=x&query=2&key=5"
        )
        assert (begun["leads"], begun["link"], begun["asked"], begun["followers"]) == (
            True,
            "query=2&key=5&lecture=on",
            None,
            0,
        )
        there = await early.follow(begun["room"])
        assert (there["leads"], there["page"], there["link"]) == (
            False,
            "scores",
            "query=2&key=5&lecture=on",
        )
        assert "followers" not in there
        assert there["id"] == begun["id"]
        await lecturer.say("at", page="scores", link="query=2&key=5&notes=off")
        heard = await early.hear("at")
        assert (heard["page"], heard["place"]) == ("scores", "Scores · ω[is, dessert]")
        await lecturer.say("at", page="block", link="lecture=on&beat=2")
        heard = await early.hear("at")
        assert (heard["link"], heard["place"]) == (
            "lecture=on&beat=2",
            "Block · One word on its way through",
        )
        await lecturer.say("ask", what="cell", page="weights", link="query=2&key=5")
        asked = (await early.hear("asked"))["asked"]
        there = await late.follow(begun["room"])
        assert (there["page"], there["place"], there["asked"]) == ("block", heard["place"], asked)


@settings(max_examples=25 * FUZZ)
@given(st.data())
def test_a_place_has_a_name(data):
    """In every setup a class's place is told in one line: its page's title, and the words of the
    chosen cell."""
    setup = data.draw(setups())
    focus = data.draw(focuses(setup))
    link = write_link(setup.as_link() | focus.as_link(setup))
    view = read_link(link)
    for step in PAGES:
        told = questions.place(Place(step.path, link))
        assert told.startswith(step.title)
        assert "\n" not in told
        if step.path in ("scores", "weights", "context") and not view.focus.lecturing:
            assert labels(view.setup.tokens)[view.focus.query - 1] in told
        if step.path in ("scores", "weights") and not view.focus.lecturing:
            assert labels(view.setup.memory_tokens or view.setup.tokens)[view.focus.key - 1] in told


# ---------- who leads ----------


@in_its_own_loop
async def test_nobody_leads_without_the_key():
    """A follower's acts end the follower's line and do nothing, a wrong key only follows, and so
    does another class's; whoever leads does not answer."""
    to = Hall(Memory())
    async with windows(to, 4) as (lecturer, other, stranger, follower):
        room = (await lecturer.lead(link="query=2"))["room"]
        await other.lead()
        assert not (await stranger.come(room, key="w" * 16))["leads"]
        assert not (await follower.come(room, key=other.key))["leads"]
        at = {"page": "block", "link": ""}
        acts = [("at", at), ("ask", at | {"what": "cell"}), ("offers", at)]
        for do, more in [*acts, *((do, {}) for do in ("again", "show", "away", "result", "end"))]:
            async with windows(to, 1) as (bold,):
                await bold.follow(room)
                await bold.say(do, **more)
                assert await bold.closed() == line.WRONG, do
        async with windows(to, 1) as (second,):
            there = await second.come(room, key=lecturer.key)
            assert (there["leads"], there["page"], there["link"], there["asked"]) == (
                True,
                "scores",
                "query=2",
                None,
            )
            await second.say("answer", vote="1.1", answer="1")
            assert await second.closed() == line.WRONG
        assert (await follower.answer("1.1", "1"))["says"] == "This question is closed."
        assert [message["is"] for message in follower.heard] == []


@in_its_own_loop
async def test_a_second_window_with_the_key_leads_too():
    """Both take the class on, both hear how many answered, and neither undoes what the other
    did."""
    to = Hall(Memory())
    async with windows(to, 3) as (first, second, follower):
        room = (await first.lead())["room"]
        assert (await second.come(room, key=first.key))["leads"]
        await follower.follow(room)
        await second.say("ask", what="cell", page="scores", link="")
        await first.say("at", page="context", link="")
        await follower.hear("asked")
        assert (await follower.hear("at"))["page"] == "context"
        await follower.answer("1.1", "7")
        for each in (first, second):
            assert (await each.hear("count"))["answers"] == 1
        async with windows(to, 1) as (late,):
            there = await late.follow(room)
        assert (there["page"], there["asked"]["vote"]) == ("context", "1.1")


def everything(of: object, seen: set[int] | None = None) -> str:
    """All that can be reached from an object of the rooms, written out."""
    seen = set() if seen is None else seen
    if id(of) in seen or isinstance(of, asyncio.Task):
        return ""
    seen.add(id(of))
    if isinstance(of, dict):
        return " ".join(f"{key!r}: {everything(value, seen)}" for key, value in of.items())
    if isinstance(of, list | set | tuple):
        return " ".join(everything(value, seen) for value in of)
    return everything(vars(of), seen) if hasattr(of, "__dict__") and not callable(of) else repr(of)


@in_its_own_loop
async def test_the_server_keeps_no_key_and_nobody():
    """While a class goes on, the random name of a browser tells its answer from others', and is
    nowhere else; the key is nowhere."""
    to = Hall(Memory())
    async with windows(to, 1) as (lecturer,):
        room = (await lecturer.lead())["room"]
        async with windows(to, 2) as (follower, silent):
            for each in (follower, silent):
                await each.follow(room)
            await lecturer.say("ask", what="cell", page="scores", link="")
            await follower.hear("asked")
            await follower.answer("1.1", "7")
        await lecturer.hear("followers", followers=0)
        kept = everything(to)
        assert lecturer.key not in kept
        assert silent.who not in kept
        assert kept.count(follower.who) == 1
        assert f"{follower.who!r}: '7'" in kept
        await lecturer.say("away")
        await lecturer.hear("asked", asked=None, before=True)
        assert everything(to).count(follower.who) == 1  # it may be asked back
        await lecturer.say("ask", what="cell", page="scores", link="")
        await lecturer.hear("asked", before=False)
        assert follower.who not in everything(to)
    assert (to.rooms, to.members) == ({}, {})


@needs_redis
@in_its_own_loop
async def test_redis_has_no_key_and_nobody(redis):
    """In Redis too: one field for an answer, and nothing of those who only follow; all of it
    expires, and goes when the class ends."""
    redis.client.flushall()

    def kept() -> str:
        read = {"string": redis.client.get, "hash": redis.client.hgetall}
        return repr(
            {name: read[redis.client.type(name)](name) for name in redis.client.scan_iter()}
        )

    async with shared(redis, 1) as (to,), windows(to, 3) as (lecturer, follower, silent):
        room = (await lecturer.lead())["room"]
        for each in (follower, silent):
            await each.follow(room)
        await lecturer.say("ask", what="cell", page="scores", link="")
        await follower.hear("asked")
        await follower.answer("1.1", "7")
        assert lecturer.key not in kept()
        assert silent.who not in kept()
        assert kept().count(follower.who) == 1
        assert f"{{'{follower.who}': '7'}}" in kept()
        lasts = [redis.client.ttl(name) for name in redis.client.scan_iter()]
        assert len(lasts) == 2
        assert all(LASTS - 60 < seconds <= LASTS for seconds in lasts)
        await lecturer.say("away")
        for each in (follower, silent):
            await each.hear("asked", asked=None)
        assert kept().count(follower.who) == 1  # it may be asked back
        await lecturer.say("ask", what="cell", page="scores", link="")
        await silent.hear("asked", before=False)
        assert follower.who not in kept()
        assert (await silent.answer("2.1", "7"))["counted"]
        await lecturer.say("end")
        await follower.hear("end")
        assert redis.client.keys() == []


# ---------- how many follow ----------


@in_its_own_loop
async def test_followers_are_counted(server):
    """Those who lead are not; a line that breaks without a word counts no more."""
    async with windows(server.port, 4) as (lecturer, second, one, two):
        room = (await lecturer.lead())["room"]
        await second.come(room, key=lecturer.key)
        for each in (one, two):
            await each.follow(room)
        for each in (lecturer, second):
            await each.hear("followers", followers=2)
        one.socket.transport.abort()
        for each in (lecturer, second):
            await each.hear("followers", followers=1)
        async with windows(server.port, 1) as (third,):
            assert (await third.come(room, key=lecturer.key))["followers"] == 1


@needs_redis
@in_its_own_loop
async def test_followers_are_counted_over_two_servers(redis, clock):
    """A server that says nothing any more serves nobody. Who came over from it counts once, at
    once: it is the same browser."""
    async with (
        shared(redis) as (here, there),
        windows(here, 2) as (lecturer, near),
        windows(there, 2) as (one, two),
    ):
        room = (await lecturer.lead())["room"]
        for each in (near, one, two):
            await each.follow(room)
        await lecturer.hear("followers", followers=3)
        clock.now += present.GONE - 1
        await here.tell_followers(room)
        await lecturer.hear("followers", followers=3)
        clock.now += 2
        await here.tell_followers(room)
        await lecturer.hear("followers", followers=1)
        await there.tell_followers(room)
        await lecturer.hear("followers", followers=3)
        async with windows(here, 2) as (over, new):
            over.who = one.who
            await over.follow(room)
            await lecturer.hear("followers", followers=3)
            await new.follow(room)
            await lecturer.hear("followers", followers=4)
        await two.__aexit__()
        await lecturer.hear("followers", followers=2)


# ---------- what is asked ----------


@in_its_own_loop
async def test_answers_are_counted(server):
    """Right answers, slips and others; what is none is told so and not counted; of each browser the
    latest counts; before it is shown nobody who follows is told what is right, but what they
    answered."""
    async with windows(server.port, 4) as (lecturer, right, slip, other):
        room = (await lecturer.lead())["room"]
        for each in (right, slip, other):
            await each.follow(room)
        await lecturer.say("ask", what="cell", page="weights", link="query=2&key=5")
        for each in (right, slip, other):
            told = (await each.hear("asked"))["asked"]
        assert (told["vote"], told["votes"], told["kind"], told["shown"]) == (
            "1.1",
            1,
            "number",
            False,
        )
        assert told["asks"].endswith("What is α[is, dessert]?")
        assert "0.4917" not in json.dumps(told)
        async with windows(server.port, 2) as ours:  # of the same browser
            for each, text in zip(ours, ("banana", "0.23"), strict=True):
                each.who = right.who
                await each.follow(room)
                told = await each.answer("1.1", text)
                assert told["counted"] == (text == "0.23")
                assert told.get("says", ".").endswith(".")
        assert await slip.answer("1.1", "0,2300") == {
            "is": "answered",
            "vote": "1.1",
            "counted": True,
            "answer": "0.2300",
        }
        await other.answer("1.1", "77")
        await lecturer.hear("count", answers=3)
        await right.answer("1.1", "0.4917")
        await lecturer.hear("count", answers=3)
        await lecturer.say("result")
        (tally,) = (await lecturer.hear("result"))["tallies"]
        assert [(group["answer"], group["count"], group["right"]) for group in tally["groups"]] == [
            ("0.4917", 1, True),
            ("0.2300", 1, False),
            ("other answers", 1, False),
        ]
        assert "√d_k" in tally["groups"][1]["says"]
        await slip.say("verdict")
        assert await slip.hear("answered", "verdict") == {
            "is": "answered",
            "vote": "1.1",
            "counted": True,
            "answer": "0.2300",
        }


@pytest.mark.parametrize("store", ["memory", pytest.param("redis", marks=needs_redis)])
@in_its_own_loop
async def test_what_ends_a_question_can_be_undone(store, request):
    """A question that was put away, an answer that was shown and a second vote are taken back, and
    each with its votes; a press that comes twice does so once. What is asked next puts the last
    away for good."""
    async with AsyncExitStack() as stack:
        of_redis = store == "redis"
        to = (
            (await stack.enter_async_context(shared(request.getfixturevalue("redis"), 1)))[0]
            if of_redis
            else Hall(Memory())
        )
        lecturer, follower = await stack.enter_async_context(windows(to, 2))
        await follower.follow((await lecturer.lead())["room"])

        async def does(act: str, **more: object) -> dict | None:
            await lecturer.say(act, **more)
            heard = await follower.hear("asked")
            assert heard["before"] == (heard["asked"] is None)
            return heard["asked"]

        asked = await does("ask", what="cell", page="weights", link="query=2&key=5")
        await follower.answer("1.1", "0.4917")
        assert await does("away") is None
        assert await does("undo", vote="", shown=False) == asked
        assert (await does("show"))["shown"]
        assert await does("undo", vote="1.1", shown=True) == asked
        assert (await does("again"))["vote"] == "1.2"
        for _ in range(2):  # the second finds another question than it means
            await lecturer.say("undo", vote="1.2", shown=False)
        assert (await follower.hear("asked"))["asked"] == asked
        await lecturer.say("result")
        assert [tally["of"] for tally in (await lecturer.hear("result"))["tallies"]] == [1]
        assert await does("away") is None
        assert (await does("ask", what="cell", page="scores", link=""))["vote"] == "2.1"
        assert await does("away") is None
        assert (await does("undo", vote="", shown=False))["vote"] == "2.1"


@in_its_own_loop
async def test_a_second_vote_stands_beside_the_first():
    """After the class has talked: the first is closed, the second closes when the answer is shown;
    everyone hears what is to be said of their own, also after a reload; the table has both."""
    to = Hall(Memory())

    async def answer(who: Window, vote: str, text: str) -> dict:
        async with windows(to, 1) as (
            same,
        ):  # a window more of the same browser: it may answer at once
            same.who = who.who
            await same.follow(room)
            return await same.answer(vote, text)

    closed = "This question is closed."
    async with windows(to, 3) as (lecturer, one, two):
        room = (await lecturer.lead())["room"]
        for each in (one, two):
            await each.follow(room)
        await lecturer.say("ask", what="cell", page="weights", link="query=2&key=5")
        await one.hear("asked")
        await answer(one, "1.1", "0.2300")
        await answer(two, "1.1", "0.4917")
        await lecturer.say("again")
        for each in (one, two):
            await each.hear("asked")
        assert (await answer(two, "1.1", "0"))["says"] == closed
        assert (await answer(one, "1.2", "0.4917"))["counted"]
        await lecturer.say("again")  # there is no third
        await lecturer.say("show")
        await lecturer.say("result")
        result = await lecturer.hear("result")
        assert [tally["of"] for tally in result["tallies"]] == [2, 1]
        assert (await answer(two, "1.2", "0"))["says"] == closed
        table = list(csv.DictReader(io.StringIO(result["csv"], newline="")))
        rows = [(row["answer"], row["right"], row["vote 1"], row["vote 2"]) for row in table]
        assert rows == [("0.4917", "yes", "1", "1"), ("0.2300", "no", "1", "0")]
        await one.say("verdict")
        verdict = await one.hear("verdict")
        assert (verdict["vote"], verdict["right"], verdict["answer"], verdict["solution"]) == (
            "1.2",
            True,
            "0.4917",
            "",
        )
        async with windows(to, 1) as (reloaded,):
            reloaded.who = one.who
            assert (await reloaded.follow(room))["asked"]["shown"]
            assert (await reloaded.hear("verdict"))["answer"] == "0.4917"


@in_its_own_loop
async def test_what_is_wrong_is_told_with_the_solution():
    """A slip is named to whom it happened, once the answer is shown; those who did not answer hear
    nothing."""
    async with windows(Hall(Memory()), 3) as (lecturer, slip, silent):
        room = (await lecturer.lead())["room"]
        for each in (slip, silent):
            await each.follow(room)
        await lecturer.say("ask", what="cell", page="weights", link="query=2&key=5")
        await slip.hear("asked")
        await slip.answer("1.1", "0.2300")
        await lecturer.say("show")
        await slip.hear("asked")
        for each in (slip, silent):
            await each.say("verdict")
        verdict = await slip.hear("verdict")
        assert not verdict["right"]
        assert "√d_k" in verdict["says"]
        assert "0.4917" in verdict["solution"]
        assert (await silent.answer("1.1", "1"))["says"] == "This question is closed."
        assert "verdict" not in [message["is"] for message in silent.heard]
        await lecturer.say("again")  # of what is shown there is no second vote
        await lecturer.say("result")
        assert len((await lecturer.hear("result"))["tallies"]) == 1


@in_its_own_loop
async def test_a_prediction_has_a_group_for_each_word():
    """The class chooses one of the words, and each has its bar, also where nobody chose it."""
    async with windows(Hall(Memory()), 3) as (lecturer, one, two):
        room = (await lecturer.lead())["room"]
        for each in (one, two):
            await each.follow(room)
        await lecturer.say("ask", what="predict.scores", page="scores", link="head=2&query=3")
        told = (await one.hear("asked"))["asked"]
        assert (told["kind"], tuple(told["options"])) == ("choice", Setup().tokens)
        assert told["asks"] == "In head 2, which word's key will fit the query of “short” best?"
        source = predictions.ask("scores", trace.run(Setup()), 1, 2)
        await one.answer("1.1", str(source.answers[0]))
        assert (await two.answer("1.1", "6"))["says"] == "That is none of the options."
        await lecturer.say("result")
        (tally,) = (await lecturer.hear("result"))["tallies"]
        assert [group["answer"] for group in tally["groups"]] == list(Setup().tokens)
        assert [group["count"] for group in tally["groups"]] == [
            int(k == source.answers[0]) for k in range(6)
        ]
        assert [group["right"] for group in tally["groups"]] == [
            k in source.answers for k in range(6)
        ]
        assert len(tally["bars"]) == 6


@in_its_own_loop
async def test_what_cannot_be_asked_is_told():
    """The lecturer hears why, and the class goes on; what nobody has trained yet is not trained for
    a question."""
    trained = "init=trained&seed=90001&steps=7"
    async with windows(Hall(Memory()), 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        await follower.follow(room)
        of_scores = [
            (what, "scores") for what in ("scores.9", "predict.root", "predict.", "\ud800", "")
        ]
        for what, page in [
            ("cell", "masks"),
            ("cell", "notebooks"),
            ("scores.1", "weights"),
            *of_scores,
        ]:
            await lecturer.say("ask", what=what, page=page, link="")
            assert (await lecturer.hear("no", "asked"))["why"] == "This cannot be asked here.", (
                what,
                page,
            )
        await lecturer.say("ask", what="cell", page="scores", link=trained)
        assert (await lecturer.hear("no", "asked"))["why"].startswith("The weights still learn")
        await lecturer.say("offers", page="scores", link=trained)
        assert (await lecturer.hear("offers"))["offers"] == []
        assert (await follower.answer("1.1", "1"))["says"] == "This question is closed."
        assert follower.heard == []


def test_what_a_page_has_readers_predict_a_class_can_be_asked():
    """Each page offers the predictions that stand on it."""
    for page in PAGES:
        names = re.findall(
            r'predict\.show\("(\w+)"', (ROOT / page.file).read_text(encoding="utf-8")
        )
        assert names == [each.name for each in page.predictions], page.path


@settings(max_examples=5 * FUZZ)
@given(st.data())
def test_all_that_is_offered_can_be_asked(data):
    """In every setup, whatever a page offers is asked, the answer as it is printed counts as right,
    and alone."""
    setup = data.draw(setups())
    focus = data.draw(focuses(setup))
    link = write_link(setup.as_link() | focus.as_link(setup))
    paths = [step.path for step in PAGES if exercises.of_page(step.path)]
    with ThreadPoolExecutor(1) as thread:
        thread.submit(asyncio.run, _ask_all(data.draw(st.permutations(paths))[:4], link)).result()


async def _ask_all(paths: list[str], link: str) -> None:
    questions._one_at_a_time = asyncio.Semaphore(1)
    to, view = Hall(Memory()), read_link(link)
    async with windows(to, 2) as (lecturer, follower):
        room = (await lecturer.lead(link=link))["room"]
        await follower.follow(room)
        (member,) = (member for member in to.members[room] if not member.leads)
        for path in paths:
            still_learns = training_queue.jobs(
                path, view.setup, view.focus
            )  # the page itself is not there yet
            offered = await questions.offers(Place(path, link))
            if still_learns:
                assert offered == []
                continue
            posable = [  # what is made here may train, and the page is there from then on
                name
                for name in exercises.of_page(path)
                if isinstance(exercises.make(name, view.setup), Question)
            ]
            assert {each["what"] for each in offered} >= set(posable) - {view.focus.exercise}, path
            for what in (each["what"] for each in offered):
                await to.ask(room, what, Place(path, link))
                told = (await follower.hear("asked"))["asked"]
                answer = _right(what, path, view)
                said = await to.answer(member, told["vote"], answer)  # more than one a second
                assert said["counted"], (what, answer, said)
                (tally,) = (await to.result(room))["tallies"]
                given = [
                    (group["count"], group["right"]) for group in tally["groups"] if group["count"]
                ]
                assert given == [(1, True)], (what, answer)


def _right(what: str, path: str, view: View) -> str:
    """The right answer, as it is printed; of a choice its place."""
    kind, _, name = what.partition(".")
    if kind == "predict":
        return str(
            predictions.ask(
                name, trace.run(view.setup), view.focus.head - 1, view.focus.query - 1
            ).answer
        )
    if what == "cell":
        exercise = exercises.of_cell(path, view.setup, vars(view.focus))
    else:
        exercise = exercises.make(
            what, view.setup, view.focus.variation if view.focus.exercise == what else 1
        )
    return typed(exercise.answer)


@in_its_own_loop
async def test_the_chosen_cell_of_a_page_is_asked():
    """On each page that has a cell to open, that one and no other: its name stands in the
    question."""
    asks = {
        "scores": ("head=2&query=3&key=1", "ω[short, Life]"),
        "weights": ("head=1&query=2&key=5", "α[is, dessert]"),
        "context": ("head=2&query=4&column=7", "z[eat, 7]"),
        "projection": ("head=1&query=2&column=3", "q[is, 3]"),
        "heads": ("query=2&column=3&part=mixed+by+W_o", "y[is, 3]"),
    }
    async with windows(Hall(Memory()), 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        await follower.follow(room)
        for page, (link, name) in asks.items():
            await lecturer.say("ask", what="cell", page=page, link=link)
            assert name in (await follower.hear("asked"))["asked"]["asks"], page


# ---------- hostile windows ----------

TOO_LONG = 1009  # why a websocket is closed, says the protocol's standard
NO_MESSAGES = [
    "",
    "x",
    "null",
    "1",
    "[]",
    '"come"',
    "{}",
    '{"do": 1}',
    '{"do": ["come"]}',
    '{"do": "__class__"}',
    '{"do": "COME"}',
    b"\x00\xff",
    b'{"do": "come"}',
    "x" * 200_000,
    "[" * 100_000,
    '{"do": ' * 20_000,
    '{"do": NaN}',
    '{"do": "\\ud800"}',
    "\x00",
    "\u202e{}",
    '{"do": "come"}',
    '{"do": "at", "page": "scores", "link": ""}',
    '{"do": "end"}',
]
ODD = [
    None,
    1,
    1.5,
    True,
    [],
    {},
    "",
    "\ud800",
    "\x00",
    "x" * 5_000,
    [[[[]]]],
    {"a": 1},
    "٣٤٥٦",
    -1,
    10**30,
    "a b c d e f g h",
]
A_SCRIPT = "<script>alert(1)</script>"


@in_its_own_loop
async def test_what_is_no_message_ends_the_line_alone(school):
    """Whatever comes: the line is closed, others go on, and the server has nothing to say of it."""
    async with windows(school.port, 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        await follower.follow(room)
        for data in NO_MESSAGES:
            async with windows(school.port, 1) as (odd,):
                await odd.send(data)
                assert await odd.closed() in (line.WRONG, TOO_LONG), data[:40]
        for data in NO_MESSAGES:
            async with windows(school.port, 1) as (odd,):
                await odd.follow(room)
                await odd.send(data)
                assert await odd.closed() in (line.WRONG, TOO_LONG), data[:40]
        await lecturer.say("at", page="context", link="")
        assert (await follower.hear("at"))["page"] == "context"
    assert school.errors.read_bytes() == b""


@in_its_own_loop
async def test_fields_of_any_kind_harm_nobody(school):
    """Each field of each message with values of every kind: the line is closed or told why, or goes
    on; nothing is raised."""
    to = school.port
    async with windows(to, 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        await follower.follow(room)
        come = {
            "room": room,
            "who": "w" * 16,
            "known": "",
            "key": "k" * 16,
            "page": "scores",
            "link": "",
            "address": "http://x/",
        }
        leads = {
            "at": {"page": "scores", "link": ""},
            "ask": {"what": "cell", "page": "scores", "link": ""},
        }
        for value in ODD:
            for name in come:
                async with windows(to, 1) as (odd,):
                    await odd.say("come", **come | {name: value})
                    await odd.hear("room", "no", CLOSED)
            for do, fields in leads.items():
                for name in fields:
                    async with windows(to, 1) as (odd,):
                        assert (await odd.come(room, key=lecturer.key))["leads"]
                        await odd.say(do, **fields | {name: value})
                        await odd.say("result")
                        await odd.hear("no", "at", "asked", "result", CLOSED)
            async with windows(to, 1) as (odd,):
                await odd.follow(room)
                await odd.say("answer", vote=value, answer=value)
                assert (await odd.hear("answered", CLOSED)).get("vote", value) == value
        await lecturer.say("away")
        await lecturer.hear("asked", asked=None)  # the odd ones may have asked too
        await lecturer.say("ask", what="cell", page="scores", link="")
        await lecturer.hear("asked")
        for value in ODD:
            async with windows(to, 1) as (odd,):
                now = (await odd.follow(room))["asked"]
                told = await odd.answer(now["vote"], value)
                assert not told["counted"]
        await lecturer.say("at", page="context", link="query=3")
        await follower.hear("at", page="context", link="query=3")
    assert school.errors.read_bytes() == b""


@in_its_own_loop
async def test_hostile_links_harm_nobody(school):
    """A lecturer's link of any kind goes to all as it is, cut of what is a window's own, or ends
    that lecturer's line."""
    links = [
        "text=" + "a%20" * 15_000,
        "&".join(f"a{k}=1" for k in range(9_000)),
        "seed=" + "9" * 60_000,
        "hide=a&" * 9_000,
        "x" * 100_000,
        "text=%ud800&text=%ff%fe",
        "text=" + A_SCRIPT,
        "query=99999999999999999999&key=-1&head=nan",
        "edits=" + "q1.1.1:9e999," * 3_000,
        "d_model=1e9&d_k=-5&layers=999",
        "=&&==&",
        "lecture=on&beat=99999",
        "query=1;DROP",
        "room=" + "B" * 60_000,
        "\ud800",
        "notes=on" * 5_000,
        "memory=" + "b+" * 20_000,
        "held=" + "%26" * 20_000,
        "labelled=" + "good%7Cx%0A" * 5_000,
    ]
    async with windows(school.port, 1) as (follower,):
        async with windows(school.port, 1) as (lecturer,):
            room = (await lecturer.lead())["room"]
            key = lecturer.key
            await follower.follow(room)
        for n, link in enumerate(links):
            async with windows(school.port, 1) as (hostile,):
                assert (await hostile.come(room, key=key))["leads"]
                await hostile.say("at", page="scores", link=link)
                answer = await hostile.hear("at", CLOSED)
                assert (answer["is"] == CLOSED) == (len(link) > 64_000 or link == "\ud800"), link[
                    :30
                ]
            async with windows(school.port, 1) as (next_one,):
                await next_one.come(room, key=key)
                await next_one.say("at", page="scores", link=f"seed={n}")
                heard = await follower.hear("at", link=f"seed={n}")
                assert "<" not in heard["place"]
    assert school.errors.read_bytes() == b""


# ---------- floods ----------


@in_its_own_loop
async def test_one_answer_a_second(clock):
    """Who answers more often is told so, and the answer that was there counts."""
    async with windows(Hall(Memory()), 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        await follower.follow(room)
        await lecturer.say("ask", what="cell", page="scores", link="")
        await follower.hear("asked")
        assert (await follower.answer("1.1", "1"))["counted"]
        assert (await follower.answer("1.1", "2"))["says"] == acts.TOO_QUICK
        clock.now += 1.01
        assert (await follower.answer("1.1", "3"))["answer"] == "3"
        await follower.say("verdict")
        assert (await follower.hear("answered"))["answer"] == "3"


@pytest.mark.parametrize("store", ["memory", pytest.param("redis", marks=needs_redis)])
@in_its_own_loop
async def test_a_whole_class_answers_at_once(monkeypatch, store, request):
    """All come at once and answer at once: nobody is thrown out, the lecturer least of all, and the
    count is theirs, told in order. One more than a vote holds is told so; who is among them may
    still change theirs."""
    redis = request.getfixturevalue("redis") if store == "redis" else None
    async with AsyncExitStack() as stack:
        (to,) = await stack.enter_async_context(shared(redis, 1)) if redis else (Hall(Memory()),)
        monkeypatch.setattr(rooms, "MOST_ANSWERS", 500)
        monkeypatch.setattr(redis_store, "MOST_ANSWERS", 500)
        (lecturer,) = await stack.enter_async_context(windows(to, 1))
        class_ = [
            each
            for k in range(6)
            for each in await stack.enter_async_context(windows(to, 100, f"10.0.0.{k}"))
        ][:501]
        room = (await lecturer.lead())["room"]
        for each in await asyncio.gather(*(each.follow(room) for each in class_)):
            assert each["is"] == "room"
        await lecturer.hear("followers", followers=501)
        await lecturer.say("ask", what="cell", page="scores", link="")
        await asyncio.gather(*(each.hear("asked") for each in class_))
        counts, hear = [], to.store.hear
        to.store.hear = lambda code, told: (counts.append(told.get("answers", 0)), hear(code, told))
        answered = await asyncio.gather(*(each.answer("1.1", "1") for each in class_[:500]))
        assert all(each["counted"] for each in answered)
        await lecturer.hear("count", answers=500)
        assert [each for each in counts if each] == list(range(1, 501))
        assert (await class_[500].answer("1.1", "1"))[
            "says"
        ] == "There are as many answers as this class can hold."
        async with windows(to, 1) as (again,):
            again.who = class_[0].who
            await again.follow(room)
            assert (await again.answer("1.1", "2"))["counted"]
        await lecturer.say("result")
        (tally,) = (await lecturer.hear("result"))["tallies"]
        assert tally["of"] == 500
        assert sum(group["count"] for group in tally["groups"]) == 500


@in_its_own_loop
async def test_a_class_and_a_server_hold_so_many(monkeypatch):
    """One more is told that it is full, and may come when another went."""
    monkeypatch.setattr(hall, "MOST_IN_A_ROOM", 3)
    monkeypatch.setattr(hall, "MOST_MEMBERS", 5)
    to = Hall(Memory())
    async with windows(to, 6) as (lecturer, one, two, three, other, last):
        room = (await lecturer.lead())["room"]
        await one.follow(room)
        async with windows(to, 1) as (soon_gone,):
            await soon_gone.follow(room)
            told = await three.follow(room)
            assert (told["why"], told["again"]) == (FULL, True)
        await lecturer.hear("followers", followers=1)
        await two.follow(room)
        elsewhere = (await other.lead())["room"]
        async with windows(to, 2) as (fifth, sixth):
            await fifth.follow(elsewhere)
            assert (await sixth.follow(elsewhere))["why"] == FULL
            assert (await last.lead())["why"] == FULL
    assert len(to.begun) == 2


@pytest.mark.parametrize("store", ["memory", pytest.param("redis", marks=needs_redis)])
@in_its_own_loop
async def test_an_empty_room_gives_way(monkeypatch, clock, store, request):
    """Where a server has as many rooms as it holds, that goes which was empty for longest; one with
    people in it never, though they be on another server."""
    monkeypatch.setattr(hall, "MOST_ROOMS", 3)
    async with AsyncExitStack() as stack:
        if store == "redis":
            to, elsewhere = await stack.enter_async_context(
                shared(request.getfixturevalue("redis"))
            )
        else:
            to = elsewhere = Hall(Memory())
        begun = []
        for _ in range(3):
            async with windows(to, 1) as (lecturer,):
                begun.append((await lecturer.lead())["room"])
            clock.now += 1
        async with windows(elsewhere, 1) as (stays,), windows(to, 3) as (lecturer, second, third):
            await stays.follow(begun[0])
            while not to.present.anybody(begun[0]):
                await asyncio.sleep(0.01)
            await lecturer.lead()
            assert [bool(await to.store.find(room)) for room in begun] == [True, False, True]
            await second.lead()
            assert [bool(await to.store.find(room)) for room in begun] == [True, False, False]
            told = await third.lead()
            assert (told["why"], told["again"]) == (MANY_ROOMS, True)
            assert await to.store.find(begun[0])
            assert len(to.begun) == 3
            if store == "memory":  # though its count was told long ago
                clock.now += 2 * present.GONE
                async with windows(to, 1) as (fourth,):
                    assert (await fourth.lead())["why"] == MANY_ROOMS


def others_letters(room: str) -> str:
    """Letters of no class."""
    return "BBBB" if room != "BBBB" else "CCCC"


async def guess(to: Hall, room: str, address: str = "127.0.0.1", **more: str) -> str:
    """What a line is told that comes in by letters."""
    async with windows(to, 1, address) as (guesser,):
        guesser.who = more.get("who", "")
        told = await guesser.come(room, **more)
        return told.get("why", "is in")


@in_its_own_loop
async def test_who_guesses_keeps_nobody_out(clock):
    """While one guesses twenty times a second, whoever has the letters is in at once, from the same
    address too."""
    to = Hall(Memory())
    async with windows(to, 2) as (lecturer, first):
        room = (await lecturer.lead())["room"]
        await first.follow(room)
        for _ in range(140):
            assert await guess(to, others_letters(room)) == NOT_HERE
            assert await guess(to, room, who=first.who) == "is in"
            clock.now += 1 / 20


@in_its_own_loop
async def test_letters_are_not_guessed(monkeypatch, clock):
    """Of wrong letters an address may try some, and then few a second: who has letters alone waits
    there, and elsewhere nobody does; who comes by the class's link, or comes back, waits
    nowhere."""
    monkeypatch.setattr(hall, "MOST_GUESSING", 2)
    to = Hall(Memory())
    async with windows(to, 3) as (lecturer, guesser, newcomer):
        begun = await lecturer.lead()
        room = begun["room"]
        for _ in range(60):
            await guess(to, others_letters(room))
        waits = [
            asyncio.create_task(each)
            for each in (guesser.come(others_letters(room)), newcomer.come(room))
        ]
        (leader,) = to.members[room]
        while to.origins.of(leader.origin).guessing < 2:
            await asyncio.sleep(0)
        assert await guess(to, room) == MANY_TRIED
        assert await guess(to, room, "10.0.0.2") == "is in"
        assert await guess(to, room, known=begun["id"]) == "is in"
        assert await guess(to, room, known=begun["id"], key=lecturer.key) == "is in"
        assert await guess(to, room, known="0" * 12) == NOT_HERE
        assert not any(each.done() for each in waits)
        clock.now += 1
        assert [told["is"] for told in await asyncio.gather(*waits)] == ["no", "room"]


@in_its_own_loop
async def test_a_full_class_has_room_for_those_of_elsewhere(monkeypatch):
    """Where one address has taken all places, each who comes from another gets one of them, and its
    lecturer in any case; those of an address that has no more than others stay."""
    monkeypatch.setattr(hall, "MOST_IN_A_ROOM", 5)
    to = Hall(Memory())
    async with (
        windows(to, 1) as (lecturer,),
        windows(to, 6, "10.0.0.2") as many,
        windows(to, 3, "10.0.0.3") as few,
    ):
        begun = await lecturer.lead()
        for each in many[:4]:
            await each.follow(begun["room"])
        assert (await many[4].follow(begun["room"]))["why"] == FULL
        for each in few[:2]:
            assert (await each.follow(begun["room"]))["is"] == "room"
        assert (await few[2].follow(begun["room"]))["why"] == FULL
        assert [await each.closed() for each in many[2:4]] == [line.AGAIN] * 2  # the latest
        assert (await many[5].come(begun["room"], key=lecturer.key))["leads"]
        assert len(to.members[begun["room"]]) == 5


@in_its_own_loop
async def test_one_address_takes_few_rooms(monkeypatch):
    """Who begins one class after the other loses the first that is empty, and is refused where none
    is; others begin theirs."""
    monkeypatch.setattr(hall, "MOST_BEGUN", 2)
    to = Hall(Memory())
    async with windows(to, 4) as (one, two, three, four), windows(to, 1, "10.0.0.2") as (other,):
        begun = [(await each.lead())["room"] for each in (one, two)]
        assert (await three.lead())["why"] == MANY_ROOMS
        assert (await other.lead())["is"] == "room"
        await two.__aexit__()
        room = (await four.lead())["room"]
        assert [bool(await to.store.find(code)) for code in (*begun, room)] == [True, False, True]


@in_its_own_loop
async def test_who_says_nothing_keeps_nobody_out(monkeypatch):
    """Of lines that have not come in an address has so many: the first of them are let go."""
    monkeypatch.setattr(hall, "MOST_OUTSIDE", 3)
    to = Hall(Memory())
    async with windows(to, 1, "10.0.0.2") as (elsewhere,), windows(to, 5) as silent:
        assert [await each.closed() for each in silent[:2]] == [line.AGAIN] * 2
        begun = await silent[4].lead()
        assert (await elsewhere.follow(begun["room"]))["is"] == "room"
    assert to.outside == {}


@pytest.mark.parametrize("store", ["memory", pytest.param("redis", marks=needs_redis)])
@in_its_own_loop
async def test_answers_count_by_names_that_the_class_gave(clock, store, request):
    """A name of one's own making is none. A window that goes and comes has a new one as often as
    its address gets one; until then its answer waits. What was given holds on each server, and when
    the class is made again."""
    async with AsyncExitStack() as stack:
        if store == "redis":
            to, elsewhere = await stack.enter_async_context(
                shared(request.getfixturevalue("redis"))
            )
        else:
            to = elsewhere = Hall(Memory())
        (lecturer,) = await stack.enter_async_context(windows(to, 1))
        begun = await lecturer.lead()
        room, names = begun["room"], set()
        for n in range(100):
            async with windows(to, 1, "10.0.0.2") as (comes,):
                await comes.follow(room, who=f"{n:032x}")
                names.add(comes.who)
        assert len(names) == 100
        (late,) = await stack.enter_async_context(windows(to, 1, "10.0.0.2"))
        await late.say("come", room=room, who="f" * 32)
        await late.hear("room")
        await lecturer.say("ask", what="cell", page="scores", link="")
        await late.hear("asked")
        told = await late.answer("1.1", "1")
        assert (told["says"], told["counted"], told["later"]) == (acts.MANY_CAME, False, True)
        clock.now += 2
        await late.hear("name")
        assert (await late.answer("1.1", "1"))["counted"]
        (same,) = await stack.enter_async_context(windows(elsewhere, 1, "10.0.0.3"))
        same.who = min(names)
        await same.follow(room)
        assert (await same.answer("1.1", "1"))["counted"]
        assert await to.store.answer_of(to.rooms[room], "1.1", min(names)) == "1"
        await to.store.drop(room)
        again, back = await stack.enter_async_context(windows(to, 2))
        assert (await again.come(room, key=lecturer.key, known=begun["id"]))["leads"]
        back.who = min(names)
        await back.follow(room)
        assert back.who in [member.who for member in to.members[room]]


@in_its_own_loop
async def test_who_follows_and_floods_is_let_go():
    """Nobody who follows has much to say: the line ends, and what is said in the class goes on."""
    async with windows(Hall(Memory()), 3) as (lecturer, follower, flood):
        room = (await lecturer.lead())["room"]
        for each in (follower, flood):
            await each.follow(room)
        for _ in range(100):
            await flood.say("answer", vote="1.1", answer="1")
        assert await flood.closed() == line.WRONG
        await lecturer.say("at", page="block", link="")
        await follower.hear("at")


@pytest.mark.parametrize(("path", "most"), [("room", line.LONGEST), ("_stcore/stream", 4_000_000)])
def test_a_long_frame_is_refused_by_its_head(school, path, most):
    """What says that it is longer than anything the explorer sends is refused before any of it is
    there; so is the part of a message with which it becomes too long, and none before."""
    key = "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\nSec-WebSocket-Version: 13\r\n"
    upgrade = "Upgrade: websocket\r\nConnection: Upgrade"
    handshake = f"GET /{path} HTTP/1.1\r\nHost: x\r\n{upgrade}\r\n{key}\r\n".encode()

    def head(kind: int, length: int) -> bytes:
        return bytes([kind, 0xFF]) + struct.pack("!Q", length) + bytes(4)

    in_parts = head(0x01, most - 10) + bytes(most - 10) + head(0x00, 10) + bytes(10) + head(0x00, 1)
    for sent in (head(0x81, most + 1), in_parts):
        with socket.create_connection(("127.0.0.1", school.port), 20) as to:
            to.sendall(handshake)
            told = to.makefile("rb")
            while told.readline().strip():
                pass
            to.sendall(sent)
            answer = told.read(4)
            assert (answer[0], struct.unpack("!H", answer[2:])[0]) == (0x88, TOO_LONG)


@pytest.mark.parametrize("path", ["room", "_stcore/stream"])
def test_other_sites_pages_have_no_line(school, path):
    """A page of another address is refused as Streamlit refuses it; ours, in a frame of another
    site too, and what is no browser are served."""
    for origin, served in (
        (f"http://127.0.0.1:{school.port}", True),
        (None, True),
        ("http://evil.example", False),
        ("null", False),
        ("http://[", False),
    ):

        async def said(origin: str | None = origin) -> bool:
            with suppress(InvalidStatus):
                async with connect(f"ws://127.0.0.1:{school.port}/{path}", origin=origin):
                    return True
            return False

        with ThreadPoolExecutor(1) as thread:
            assert thread.submit(lambda: asyncio.run(said())).result() == served, origin


def test_an_address_has_a_number():
    """One for each of IPv4, one for a whole household of IPv6, the same however an address is
    written, and none that says it."""
    of = origins.number_of
    assert of("192.0.2.1") == of("::ffff:192.0.2.1") != of("192.0.2.2")
    assert of("2001:db8:0:1::1") == of("2001:db8:0:1:ffff::2%eth0") != of("2001:db8:0:2::1")
    assert of("") == of("")


def test_what_an_address_did_is_forgotten(clock):
    """A minute later nothing is left of it, once another comes; of many at once the first give
    way."""
    kept = origins.Origins()
    first = kept.of("a")
    clock.now += origins.KEPT - 1
    kept.of("b")
    assert kept.of("a") is first
    clock.now += origins.KEPT + 1
    kept.of("c")
    assert list(kept) == ["c"]
    for n in range(origins.MOST_KEPT + 3):
        kept.of(str(n))
    assert len(kept) == origins.MOST_KEPT


@in_its_own_loop
async def test_a_window_that_reads_nothing_keeps_nobody_waiting():
    """The others hear all at once, and when it reads again it is told how things are now, not all
    that was."""
    async with windows(Hall(Memory()), 3) as (lecturer, follower, sleepy):
        room = (await lecturer.lead())["room"]
        for each in (follower, sleepy):
            await each.follow(room)
        sleepy.socket.takes.clear()
        for n in range(60):
            await lecturer.say("at", page="scores", link=f"seed={n}")
            assert (await follower.hear("at"))["link"] == f"seed={n}"
        sleepy.socket.takes.set()
        assert [(await sleepy.hear("at"))["link"] for _ in range(2)] == ["seed=0", "seed=59"]


@pytest.mark.parametrize("takes_the_end", [True, False])
@in_its_own_loop
async def test_a_window_that_reads_nothing_is_let_go(monkeypatch, takes_the_end):
    """After a while its line ends, with the reason where it takes one, and it counts no more."""
    monkeypatch.setattr(line, "SLOW", 0.3)
    async with windows(Hall(Memory()), 2) as (lecturer, sleepy):
        room = (await lecturer.lead())["room"]
        await sleepy.follow(room)
        await lecturer.hear("followers", followers=1)
        sleepy.socket.takes.clear()
        sleepy.socket.takes_the_end = takes_the_end
        await lecturer.say("at", page="block", link="")
        await lecturer.hear("followers", followers=0)
        await asyncio.wait_for(asyncio.shield(sleepy.task), 20)
        told = [sleepy.socket.told.get_nowait() for _ in range(sleepy.socket.told.qsize())]
        assert told == [{"is": CLOSED, "code": line.AGAIN}] * takes_the_end


@in_its_own_loop
async def test_what_is_not_read_is_not_kept_without_end(monkeypatch):
    """Who asks and asks and reads nothing finds little, and the line ends."""
    monkeypatch.setattr(line, "MOST_WAITING", 5)
    async with windows(Hall(Memory()), 2) as (lecturer, greedy):
        await greedy.follow((await lecturer.lead())["room"])
        greedy.socket.takes.clear()
        for _ in range(20):
            await greedy.say("answer", vote="1.1", answer="1")
        while not greedy.socket.said.empty():
            await lecturer.say("at", page="block", link="")
            await lecturer.say("at", page="scores", link="")
            await lecturer.hear("at")
        greedy.socket.takes.set()
        assert await greedy.closed() == line.AGAIN


@in_its_own_loop
async def test_a_flood_waits(monkeypatch):
    """Whoever sends more than can be done in a second is heard to the end, later; a long message
    costs as much as several."""
    monkeypatch.setattr(line, "Bucket", lambda most, a_second: Bucket(most / 10, 10 * a_second))
    async with windows(Hall(Memory()), 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        await follower.follow(room)
        began = asyncio.get_running_loop().time()
        for n in range(60):
            await lecturer.say("at", page="scores", link=f"seed={n}")
        await follower.hear("at", link="seed=59")
        assert (
            asyncio.get_running_loop().time() - began > 50 / 200
        )  # eight at once, two hundred a second
    tight = Bucket(10, 1)
    assert tight.take(9.5)
    assert not tight.take()


@in_its_own_loop
async def test_what_costs_the_server_much_is_asked_for_seldom(monkeypatch):
    """Who asks for the result in a loop has it worked out once, and waits, as who asks what can be
    asked, or what is to be said of an answer; the class goes on meanwhile."""
    monkeypatch.setattr(line, "Bucket", lambda most, a_second: Bucket(most / 10, 10 * a_second))
    worked_out = mock.Mock(wraps=questions.tally.tally)
    monkeypatch.setattr(questions.tally, "tally", worked_out)
    async with windows(Hall(Memory()), 3) as (lecturer, second, follower):
        room = (await lecturer.lead())["room"]
        await second.come(room, key=lecturer.key)
        await follower.follow(room)
        await lecturer.say("ask", what="cell", page="scores", link="seed=4242")
        await follower.hear("asked")
        began = asyncio.get_running_loop().time()
        for _ in range(12):
            await lecturer.say("result")
            await follower.say("verdict")
        await second.say("at", page="context", link="")
        await follower.hear("at")
        for _ in range(12):
            await lecturer.hear("result")
        assert asyncio.get_running_loop().time() - began > 10 / 20  # two at once, twenty a second
    assert worked_out.call_count == 1


# ---------- how long a class lasts ----------


@in_its_own_loop
async def test_a_class_lasts_twelve_hours(clock):
    """After the lecturer's last act, whoever follows; then its letters open nothing, and its
    lecturer may begin it again."""
    to = Hall(Memory())
    async with windows(to, 1) as (lecturer,):
        begun = await lecturer.lead()
        clock.now += LASTS - 10
        await lecturer.say("at", page="context", link="")
        await lecturer.hear("at")
    room, key = begun["room"], lecturer.key
    clock.now += LASTS - 10
    async with windows(to, 1) as (in_time,):
        assert (await in_time.follow(room))["page"] == "context"
        clock.now += 20
        async with windows(to, 1) as (too_late,):
            told = await too_late.follow(room)
            assert (told["why"], told["again"]) == (NOT_HERE, False)
    async with windows(to, 1) as (again,):
        there = await again.come(room, key=key, known=begun["id"])
        assert (there["room"], there["id"], there["leads"], there["page"]) == (
            room,
            begun["id"],
            True,
            "scores",
        )


@pytest.mark.parametrize("store", ["memory", pytest.param("redis", marks=needs_redis)])
@in_its_own_loop
async def test_the_lecturers_end_ends_it_for_all(store, request):
    """All hear it and their lines are closed; nothing that comes after makes the class again, and
    its letters open nothing, also while a window is left that does not go."""
    async with AsyncExitStack() as stack:
        if store == "redis":
            to, elsewhere = await stack.enter_async_context(
                shared(request.getfixturevalue("redis"))
            )
        else:
            to = elsewhere = Hall(Memory())
        lecturer, near, sleepy = await stack.enter_async_context(windows(to, 3))
        (far,) = await stack.enter_async_context(windows(elsewhere, 1))
        room = (await lecturer.lead())["room"]
        for each in (near, far, sleepy):
            await each.follow(room)
        sleepy.socket.takes.clear()
        await lecturer.say("end")
        await lecturer.say("at", page="block", link="")
        for each in (lecturer, near, far):
            await each.hear("end")
            assert await each.closed() == line.AGAIN
        for each in (to, elsewhere):
            assert await each.store.find(room) is None
            async with windows(each, 1) as (late,):
                told = await late.follow(room)
                assert told["why"] == NOT_HERE
                assert not told["again"]
        sleepy.socket.takes.set()
        await sleepy.hear("end")
        assert (to.rooms, to.members, to.begun, to.present.said) == ({}, {}, {}, {})


@in_its_own_loop
async def test_a_room_that_is_gone_is_made_again_by_its_lecturer(clock):
    """An act in a room that is kept no more ends the lecturer's line, who comes back at once and
    has it again: letters and id."""
    to = Hall(Memory())
    async with windows(to, 3) as (lecturer, follower, again):
        begun = await lecturer.lead()
        room = begun["room"]
        await follower.follow(room)
        for path in ("context", "heads"):
            await lecturer.say("at", page=path, link="")
            await follower.hear("at", page=path)
        clock.now += LASTS + 1
        await lecturer.say("at", page="block", link="")
        assert (await lecturer.hear("no"))["again"]
        assert await lecturer.closed() == line.AGAIN
        there = await again.come(room, key=lecturer.key, known=begun["id"], page="block")
        assert (there["room"], there["id"], there["leads"]) == (room, begun["id"], True)
        assert there["born"] != begun["born"]  # so a browser knows that what was asked is gone
        await again.say("ask", what="cell", page="block", link="stage=resid_mid")
        vote = (await follower.hear("asked"))["asked"]["vote"]
        assert (await follower.answer(vote, "1"))["counted"]


# ---------- several servers ----------


@needs_redis
@in_its_own_loop
async def test_two_servers_are_one_class(redis):
    """The lecturer on one, followers on both: places, questions, answers, results and the end."""
    async with (
        shared(redis) as (here, there),
        windows(here, 2) as (lecturer, near),
        windows(there, 2) as (far, late),
    ):
        begun = await lecturer.lead()
        assert not begun["alone"]
        room = begun["room"]
        for each in (near, far):
            assert (await each.follow(room))["id"] == begun["id"]
        await lecturer.say("at", page="context", link="query=3")
        for each in (near, far):
            assert (await each.hear("at"))["link"] == "query=3"
        await lecturer.say("ask", what="cell", page="weights", link="query=2&key=5")
        for each in (near, far):
            assert (await each.hear("asked"))["asked"]["asks"].endswith("What is α[is, dessert]?")
        await near.answer("1.1", "0.2300")
        await far.answer("1.1", "0.4917")
        await lecturer.hear("count", answers=2)
        assert (await late.follow(room))["asked"]["vote"] == "1.1"
        await lecturer.say("show")
        assert (await far.hear("asked"))["asked"]["shown"]
        await far.say("verdict")
        assert (await far.hear("verdict"))["right"]
        await lecturer.say("result")
        (tally,) = (await lecturer.hear("result"))["tallies"]
        assert [(group["answer"], group["count"]) for group in tally["groups"]] == [
            ("0.4917", 1),
            ("0.2300", 1),
        ]
        await lecturer.say("end")
        for each in (near, far, late):
            await each.hear("end")


@needs_redis
@in_its_own_loop
async def test_two_lecturers_on_two_servers_undo_nothing(redis):
    """They move and ask at the same time: no question is lost, none has another's number, and both
    servers end at the same place."""
    async with (
        shared(redis) as (here, there),
        windows(here, 2) as (one, near),
        windows(there, 2) as (two, far),
    ):
        begun = await one.lead()
        room = begun["room"]
        await two.come(room, key=one.key)
        await near.follow(room)
        await far.follow(room)
        for n in range(12):
            await one.say("at", page="scores", link=f"seed={n}")
            await two.say("ask", what=("cell", "scores.1")[n % 2], page="scores", link="")
            (
                await one.say("away")
                if n % 3 == 0
                else await two.say("at", page="weights", link=f"seed={n}")
            )
        for each in (one, two):
            await each.say("ask", what="scores.2", page="scores", link="")
        for each in (near, far):
            asked = None
            while asked is None or asked["number"] < 14:
                asked = (await each.hear("asked"))["asked"]
        kept = await here.store.find(room)
        assert kept.questions == 14
        assert here.rooms[room] == there.rooms[room] == kept


@needs_redis
@in_its_own_loop
async def test_answers_of_another_class_are_not_counted(redis):
    """Where the same letters are used again, also by the same lecturer, votes begin at nothing."""
    async with shared(redis, 1) as (to,), windows(to, 4) as (lecturer, follower, again, new):
        begun = await lecturer.lead()
        room = begun["room"]
        await follower.follow(room)
        await lecturer.say("ask", what="cell", page="scores", link="")
        await follower.hear("asked")
        await follower.answer("1.1", "1")
        redis.client.delete(
            f"{redis_store.PREFIX}{room}"
        )  # it was evicted, or its time was up before its votes'
        assert (await again.come(room, key=lecturer.key, known=begun["id"]))["id"] == begun["id"]
        await again.say("ask", what="cell", page="scores", link="")
        await again.hear("asked")
        await new.follow(room)
        await new.answer("1.1", "2")
        assert (await again.hear("count"))["answers"] == 1


@pytest.mark.parametrize("store", ["memory", pytest.param("redis", marks=needs_redis)])
@in_its_own_loop
async def test_who_comes_as_the_last_one_leaves_hears_all(store, request):
    """A room that is left and entered at the same time is listened to; a line that ends while it
    comes in leaves nothing behind."""
    async with AsyncExitStack() as stack:
        if store == "redis":
            to, elsewhere = await stack.enter_async_context(
                shared(request.getfixturevalue("redis"))
            )
        else:
            to = elsewhere = Hall(Memory())
        (lecturer,) = await stack.enter_async_context(windows(elsewhere, 1))
        begun = await lecturer.lead()
        for n in range(20):
            async with windows(to, 1) as (stays,):
                async with windows(to, 2) as (goes, hasty):
                    await goes.follow(begun["room"], known=begun["id"])
                    await hasty.say("come", room=begun["room"], who=hasty.who, known=begun["id"])
                    hasty.socket.said.put_nowait({"type": "websocket.disconnect"})
                    goes.socket.said.put_nowait({"type": "websocket.disconnect"})
                    for _ in range(n):
                        await asyncio.sleep(0)
                    await stays.follow(begun["room"], known=begun["id"])
                await lecturer.say("at", page="scores", link=f"seed={n}")
                await stays.hear("at", link=f"seed={n}")
                await lecturer.hear("followers", followers=1)
            await lecturer.hear("followers", followers=0)
        if store == "redis":
            assert (to.rooms, to.members, to.present.said) == ({}, {}, {})


@in_its_own_loop
async def test_who_comes_while_all_is_lost_comes_again():
    """Where what is told may not have arrived since a room was read, nobody is let into it as it
    was."""

    class Breaks(Memory):
        async def find(self, code: str) -> rooms.Room | None:
            found = await super().find(code)
            if found:
                self.lost()
            return found

    async with windows(Hall(Breaks()), 2) as (lecturer, follower):
        room = (await lecturer.lead())["room"]
        told = await follower.follow(room)
        assert (told["why"], told["again"]) == (line.UNREACHABLE, True)
        assert await lecturer.closed() == line.AGAIN


@needs_redis
@in_its_own_loop
async def test_a_redis_that_hangs_is_noticed(monkeypatch):
    """It holds its lines and says nothing: those in a class are let go of, and find it again when
    it goes on."""
    monkeypatch.setattr(redis_store, "QUIET", 0.1)
    monkeypatch.setattr(redis_store, "PATIENT", 0.5)
    with redis_server() as hangs:
        async with (
            shared(hangs, 1) as (to,),
            windows(to, 4) as (lecturer, follower, refused, again),
        ):
            begun = await lecturer.lead()
            await follower.follow(begun["room"])
            hangs.process.send_signal(signal.SIGSTOP)
            try:
                for each in (lecturer, follower):
                    assert await each.closed() == line.AGAIN
                told = await refused.follow(begun["room"], known=begun["id"])
                assert (told["why"], told["again"]) == (line.UNREACHABLE, True)
            finally:
                hangs.process.send_signal(signal.SIGCONT)
            assert (await again.follow(begun["room"], known=begun["id"]))["id"] == begun["id"]


async def come_back(port: int, room: str, **more: str) -> Window:
    """As the explorer's script does: again and again, until the class is there."""
    async with asyncio.timeout(60):
        while True:
            with suppress(OSError, AssertionError):
                window = await Window(port).__aenter__()
                if (await window.come(room, **more))["is"] == "room":
                    return window
                await window.__aexit__()
            await asyncio.sleep(0.1)


@pytest.fixture
def two_servers(redis, tmp_path_factory):
    """Two real servers that share this file's Redis, and what they wrote to their errors."""
    path = tmp_path_factory.mktemp("two") / "errors"
    with path.open("wb") as errors, ThreadPoolExecutor(2) as threads:
        servers = list(
            threads.map(
                lambda _: launch(APP, environment={"ATTENTION_REDIS": redis.url}, errors=errors),
                range(2),
            )
        )
        yield SimpleNamespace(servers=servers, errors=path)
        for each in servers:
            stop(each)


@needs_redis
@in_its_own_loop
async def test_a_class_outlives_its_redis_and_one_of_two_servers(redis, two_servers):
    """Redis is killed and begins with nothing: lines are closed, all come back, the lecturer makes
    the class again under its letters and id, and it goes on over both servers. Then the lecturer's
    server is killed: the room is on the other, with its question and its answers."""
    dies, stays = two_servers.servers
    async with windows(dies.port, 1) as (lecturer,), windows(stays.port, 1) as (far,):
        begun = await lecturer.lead()
        room, known = begun["room"], begun["id"]
        await far.follow(room)
        redis.die()
        for each in (lecturer, far):
            assert await each.closed() == line.AGAIN
        async with windows(dies.port, 1) as (meanwhile,):
            told = await meanwhile.follow(room, known=known)
            assert (told["why"], told["again"]) == (line.UNREACHABLE, True)
        redis.start_again()
        again = await come_back(dies.port, room, key=lecturer.key, known=known)
        follower = await come_back(stays.port, room, known=known)
        await again.say("at", page="context", link="query=4")
        assert (await follower.hear("at"))["link"] == "query=4"
        await again.hear("followers", followers=1)
        await again.say("ask", what="cell", page="weights", link="query=2&key=5")
        await follower.hear("asked")
        await follower.answer("1.1", "0.4917")
        dies.process.kill()
        dies.process.wait()
        await again.closed()
        once_more = await come_back(stays.port, room, key=lecturer.key, known=known)
        await once_more.say("show")
        assert (await follower.hear("asked"))["asked"]["shown"]
        await once_more.say("result")
        assert (await once_more.hear("result"))["tallies"][0]["groups"][0]["count"] == 1
        for each in (again, once_more, follower):
            await each.__aexit__()
    assert two_servers.errors.read_bytes() == b""


@in_its_own_loop
async def test_a_class_outlives_its_only_server():
    """Without Redis: the server is killed and started anew, the lecturer's return makes the class
    again, and followers find it."""
    server = launch(APP)
    try:
        async with windows(server.port, 2) as (lecturer, follower):
            begun = await lecturer.lead(page="context")
            assert begun["alone"]
            room, known = begun["room"], begun["id"]
            await follower.follow(room)
            server.process.kill()
            server.process.wait()
            for each in (lecturer, follower):
                await each.closed()
        server = await asyncio.to_thread(launch, APP, port=server.port)
        async with windows(server.port, 3) as (early, again, late):
            assert (await early.follow(room, known=known))["why"] == NOT_HERE
            there = await again.come(room, key=lecturer.key, known=known, page="context")
            assert (there["room"], there["id"], there["leads"], there["page"]) == (
                room,
                known,
                True,
                "context",
            )
            assert (await late.follow(room, known=known))["page"] == "context"
    finally:
        stop(server)
