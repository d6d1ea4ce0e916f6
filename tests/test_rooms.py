"""Rooms for a class, on the server's side: who goes where, what is asked and counted, and what a
hostile window can do. Windows are lines without a socket to a hall of the test's own, whose classes
are in memory or in a Redis."""

import asyncio
import csv
import gc
import io
import json
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from functools import wraps
from types import SimpleNamespace
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FUZZ, focuses, setups
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from core.quiz import exercises
from core.quiz.answers import read
from core.quiz.question import Question
from core.quiz.results import group_answers
from core.text.text import labels
from pages.shared.classroom import class_registry, questions, socket, store
from pages.shared.classroom.class_registry import ClassRegistry
from pages.shared.classroom.redis_store import Shared
from pages.shared.classroom.room import Place
from pages.shared.classroom.store import LASTS, Memory
from pages.shared.layout import training_queue
from pages.shared.link import read_link, write_link
from pages.shared.link.pages import PAGES, find
from pages.shared.server import reachable
from tests.benchmarks.classroom import CLOSED, Redis, Window, find_redis, redis_server
from tests.test_question import typed

needs_redis = pytest.mark.skipif(
    find_redis() is None, reason="no Redis on this machine: install the package redis-server"
)


@pytest.fixture(scope="module", autouse=True)
def what_was_there_stays() -> None:
    """Each test looks for lost tasks among what it made itself, and not through all that other
    files' tests left."""
    gc.collect()
    gc.freeze()


def in_its_own_loop(test: Callable) -> Callable:
    """In a thread of its own: Playwright keeps an event loop in the main thread of a worker that
    has had a browser. No task of it may have failed with nobody told."""

    async def watched(*args: object, **more: object) -> None:
        failed = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
        with (
            mock.patch.object(questions, "_one_at_a_time", asyncio.Semaphore(1)),
            mock.patch.object(socket, "PAUSE", 0),
        ):
            await asyncio.wait_for(test(*args, **more), 100)
        gc.collect()
        assert failed == []

    @wraps(test)
    def run(*args: object, **more: object) -> None:
        with ThreadPoolExecutor(1) as thread:
            thread.submit(lambda: asyncio.run(watched(*args, **more))).result()

    return run


class Inside(Window):
    """A window's line to a hall in this process, and what the server has of its websocket; a
    browser that takes nothing has `takes` cleared."""

    def __init__(self, to: ClassRegistry) -> None:
        super().__init__()
        self.to, self.headers, self.client = to, {}, SimpleNamespace(host="127.0.0.1")
        self.said, self.told, self.takes = asyncio.Queue(), asyncio.Queue(), asyncio.Event()
        self.takes.set()
        self.receive, self._next = self.said.get, self.told.get

    async def __aenter__(self) -> "Inside":
        with mock.patch.object(socket, "find_registry", lambda: self.to):
            self.task = asyncio.create_task(socket.meet(self))
            await asyncio.sleep(0)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.said.put_nowait({"type": "websocket.disconnect"})
        self.takes.set()
        await asyncio.wait_for(self.task, 30)

    async def send(self, data: str | bytes) -> None:
        text = data if isinstance(data, str) else None
        self.said.put_nowait({"type": "websocket.receive", "text": text})

    async def accept(self) -> None:
        pass

    async def send_text(self, text: str) -> None:
        await self.takes.wait()
        self.told.put_nowait(json.loads(text))

    async def close(self, code: int) -> None:
        self.told.put_nowait({"is": CLOSED, "code": code})


@asynccontextmanager
async def a_class(*halls: ClassRegistry, **begin: str) -> AsyncIterator[list[Inside]]:
    """A lecturer on the first of these servers, and who follows on each of the others."""
    async with AsyncExitStack() as stack:
        all_of_them = [await stack.enter_async_context(Inside(each)) for each in halls]
        begun = await all_of_them[0].lead(**begin)
        for each in all_of_them[1:]:
            await each.come(begun["code"])
        yield all_of_them


@asynccontextmanager
async def shared(redis: Redis, many: int = 2) -> AsyncIterator[list[ClassRegistry]]:
    """As many servers that share this Redis."""
    halls = [ClassRegistry(Shared(redis.url)) for _ in range(many)]
    yield halls
    for each in halls:
        for task in filter(None, (each.clock, each.store.listener)):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await each.store.redis.aclose()
        await each.store.redis.connection_pool.disconnect()


@pytest.fixture(scope="module")
def redis():
    """A Redis of this file."""
    with redis_server() as running:
        yield running


@pytest.fixture(params=["memory", pytest.param("redis", marks=needs_redis)])
def servers(request):
    """Two servers of one address: one in memory, twice, or two that share a Redis."""

    @asynccontextmanager
    async def halls() -> AsyncIterator[list[ClassRegistry]]:
        if request.param == "memory":
            yield [ClassRegistry(Memory())] * 2
        else:
            async with shared(request.getfixturevalue("redis")) as made:
                yield made

    return halls


# ---------- a class ----------


@in_its_own_loop
async def test_followers_go_where_a_lecturer_goes(servers):
    """Where any of a lecturer's windows goes, who follows on another server too. What belongs to
    one window alone is told to nobody; a window of notes is a lecture's; who comes later is where
    the class is; the lecturer sees how many follow."""
    begins = "notes=on&share=on&room=KQZT&embed=true&embed_options=x&query=2&key=5"
    async with servers() as (here, there), a_class(here, there, link=begins) as (lecturer, early):
        await lecturer.hear("followers", followers=1)
        async with Inside(there) as second:
            told = await second.come(lecturer.room, lecturer.key)
            assert (told["leads"], told["page"]) == (True, "scores")
            assert told["link"] == "query=2&key=5&lecture=on"
            await second.say("at", page="scores", link="query=2&key=5&notes=off")
            for each in (lecturer, early):
                assert (await each.hear("room"))["place"] == "Scores · ω[is, dessert]"
            await lecturer.say("at", page="block", link="lecture=on&beat=2")
            assert (await early.hear("room"))["place"] == "Block · One word on its way through"
        async with Inside(here) as late:
            told = await late.come(lecturer.room)
            assert (told["id"], told["page"]) == (lecturer.id, "block")
            assert told["link"] == "lecture=on&beat=2"
            await lecturer.hear("followers", followers=2)
        await lecturer.hear("followers", followers=1)


@in_its_own_loop
async def test_answers_are_counted_and_judged(servers):
    """Each counts once, the latest, until the answer is shown. What is no number is told so; until
    it is shown nobody is told what is right; then each hears what is said of the own answer, also
    after a reload, and one table has all questions whose votes are over."""
    async with servers() as (here, there), a_class(here, here, there, there, there) as people:
        lecturer, *class_ = people
        await lecturer.ask("cell", "weights", "query=2&key=5")
        for each, text in zip(class_, ("banana", "0,2300", "77", "0.5"), strict=True):
            told = (await each.hear("room"))["asked"]
            assert told["asks"].endswith("What is α[is, dessert]?")
            assert told["given"][:2] == ["masked", "scaled"]
            assert "0.4917" not in json.dumps(told)
            said = await each.answer(1, text)
            assert ("answer" in said) == (text != "banana") and said.get("says", ".").endswith(".")
        silent, slip, _, right = class_
        assert (await right.answer(1, "0.4917"))["answer"] == "0.4917"
        await lecturer.hear("answers", answers=3)
        async with Inside(here) as back:
            back.who = right.who
            await back.come(lecturer.room)
            assert (await back.hear("mine"))["answer"] == "0.4917"
        await lecturer.say("show")
        for each in class_:
            assert (await each.hear("room"))["asked"]["shown"]
            await each.say("mine")
        said = await right.hear("mine")
        assert (said["right"], said["answer"], said["solution"]) == (True, "0.4917", "")
        said = await slip.hear("mine")
        assert "divide by d_k" in said["says"] and "0.4917" in said["solution"]
        assert (await slip.answer(1, "0.4917"))["says"] == class_registry.CLOSED
        groups = (await lecturer.result())["groups"]
        found = [(each["answer"], each["count"], each["right"]) for each in groups]
        assert found == [("0.4917", 1, True), ("0.2300", 1, False), ("other answers", 1, False)]
        await lecturer.say("away")
        await silent.hear("room", asked=None)
        await lecturer.ask("predict.weights", "weights", "text=the+cat+sat&query=2")
        await silent.hear("room", finished=1)
        await silent.answer(2, "1")
        got = (await lecturer.result("results"))["csv"]
        table = list(csv.DictReader(io.StringIO(got, newline="")))
        assert [row["number"] for row in table] == ["1"] * 3  # the second vote goes on
        assert table[1]["place"] == "Weights · α[is, dessert]"
        assert (table[1]["answer"], table[1]["count"]) == ("0.2300", "1")


@in_its_own_loop
async def test_no_act_is_lost(servers):
    """A class answers, and two of a lecturer's windows on two servers move and ask, all at the same
    time: no question and no answer is lost, and all windows end with the same room."""
    async with servers() as (here, there), a_class(here, *[here, there] * 30) as (first, *students):
        second = Inside(there)
        async with second:
            await second.come(first.room, first.key)
            await first.ask("cell", "scores")
            for each in students:
                await each.hear("room", finished=0)
            for n in range(7):
                for window in (first, second):
                    await window.say("at", page="block", link=f"seed={n}")
            answered = await asyncio.gather(*(each.answer(1, "1") for each in students))
            assert all(each["answer"] == "1" for each in answered)
            for window in (first, second):
                await window.hear("answers", answers=60)
                for _ in range(5):
                    await window.ask("cell", "scores")
            told = [await each.hear("room", finished=10) for each in (first, second, *students)]
            kept = await here.store.read(first.room)
            assert [each.number for each in kept.questions] == list(range(1, 12))
            assert len(await there.store.answers(kept, kept.questions[0])) == 60
            assert {each["asked"]["number"] for each in told} == {11}


@in_its_own_loop
async def test_the_lecturers_end_ends_it_for_all(servers):
    """All hear it and their lines are closed; its letters open nothing, and nothing of it is
    left."""
    async with servers() as (to, there), a_class(to, to, there) as people:
        lecturer = people[0]
        await lecturer.ask()
        await people[1].hear("room")
        await people[1].answer(1, "1")
        await lecturer.say("end")
        for each in people:
            await each.hear("end")
            assert await each.closed() == socket.AGAIN
        assert await told_to(there, lecturer.room) == class_registry.NOT_HERE
        assert (to.members, there.members) == ({}, {})
        if to.store.is_shared:
            assert await to.store.redis.keys(f"*{lecturer.room}*") == []
        else:
            assert to.store.rooms == {}


async def told_to(to: ClassRegistry, room: str, **more: str) -> str:
    """What a line is told that comes in by letters."""
    async with Inside(to) as window:
        return (await window.come(room, **more)).get("why", "is in")


@in_its_own_loop
async def test_a_class_lasts_twelve_hours(monkeypatch):
    """After the last act; then its letters open nothing, and its lecturer has it again at the next
    act, by letters and id."""
    ours = SimpleNamespace(now=1000.0)
    monkeypatch.setattr(store, "time", SimpleNamespace(monotonic=lambda: ours.now))
    to = ClassRegistry(Memory())
    async with a_class(to) as (lecturer,), Inside(to) as again:
        room, known = lecturer.room, lecturer.id
        for seconds, told in ((LASTS - 10, "is in"), (20, class_registry.NOT_HERE)):
            ours.now += seconds
            assert await told_to(to, room) == told
        await lecturer.say("at", page="block", link="")
        assert (await lecturer.hear("no"))["again"]
        there = await again.come(room, lecturer.key, known=known, page="block")
        assert (there["code"], there["id"], there["leads"]) == (room, known, True)
        assert await told_to(to, room, known="another-class") == class_registry.NOT_HERE


@needs_redis
@in_its_own_loop
async def test_a_class_outlives_a_redis_that_dies():
    """All are let go of and told to come again; the lecturer makes the class again under its
    letters and id, and it goes on over both servers."""

    async def come(to: ClassRegistry, **more: str) -> Inside:
        """As a browser, which tries again."""
        while True:
            window = await stack.enter_async_context(Inside(to))
            told = await window.come(lecturer.room, known=lecturer.id, **more)
            if told["is"] == "room":
                return window
            assert (told["why"], told["again"]) == (socket.UNREACHABLE, True)

    with redis_server() as breaks:
        async with shared(breaks) as (here, there), a_class(here, there) as (lecturer, follower):
            breaks.die()
            for each in (lecturer, follower):
                assert await each.closed() == socket.AGAIN
            assert await told_to(here, lecturer.room) == socket.UNREACHABLE
            breaks.start()
            async with AsyncExitStack() as stack:
                again, back = await come(here, key=lecturer.key), await come(there)
                assert (again.room, again.id) == (lecturer.room, lecturer.id)
                assert again.born != lecturer.born
                await again.say("at", page="context", link="query=4")
                assert (await back.hear("room", page="context"))["link"] == "query=4"


@in_its_own_loop
async def test_a_class_that_was_lost_has_its_finished_votes_again(servers):
    """Its lecturer's window puts them back as it kept them, once, and the table of results is as it
    was; what is no vote is refused, and a vote of which nothing can be computed has no row."""
    gone = ClassRegistry(Memory())
    async with a_class(gone, gone, gone) as (lecturer, one, other):
        await lecturer.ask("cell", "weights", "query=2&key=5")
        for each, text in ((one, "0.4917"), (other, "0.2300")):
            await each.hear("room")
            await each.answer(1, text)
        await lecturer.say("away")
        await one.hear("room", finished=1)
        table = (await lecturer.result("results"))["csv"]
        vote = (await lecturer.result("votes"))["votes"]["1"] | {"number": 1}
    assert table.count("0.4917") == 2  # the answer, and what was given
    async with servers() as (here, there), Inside(here) as again, Inside(there) as follower:
        await again.come(lecturer.room, lecturer.key, known=lecturer.id)
        await follower.come(lecturer.room)
        odd = [{"counts": {"1": many}} for many in (-1, 1.5, True, "1", store.MAX_ANSWERS + 1)]
        odd += [{"counts": {"1" * 61: 1}}, {"counts": [1]}, {"what": "x"}, {"page": "x"}]
        for each in (*odd, {"number": None}):
            await again.say("restore", **vote | each)
            assert (await again.hear("no"))["why"] == class_registry.NOT_RESTORED
        nothing = {"number": 2, "page": "", "counts": {"1": 1}}
        for each in (vote, vote | {"counts": {"1": 9}}, vote | nothing):
            await again.say("restore", **each)
        await follower.hear("room", finished=2, asked=None)
        assert (await again.result("results"))["csv"] == table
        await again.ask("cell", "scores")
        await again.say("restore", **vote | {"number": 7})
        await again.say("show")
        assert (await follower.hear("room", finished=3))["asked"]["number"] == 3


# ---------- what can be asked ----------


@in_its_own_loop
async def test_what_cannot_be_asked_is_told():
    """The lecturer hears why, and the class goes on; what nobody has trained yet is not trained for
    a question."""
    trained, to = "init=trained&seed=90001&steps=7", ClassRegistry(Memory())
    asks = [*((what, "scores") for what in ("scores.9", "predict.root", "\ud800", ""))]
    async with a_class(to, to) as (lecturer, follower):
        for what, page in [*asks, ("cell", "masks"), ("cell", "notebooks")]:
            await lecturer.ask(what, page)
            assert (await lecturer.hear("no", "room"))["why"] == "This cannot be asked here."
        await lecturer.ask("cell", "scores", trained)
        assert (await lecturer.hear("no", "room"))["why"].startswith("The matrices still learn")
        assert await questions.offers(Place("scores", trained)) == []
        await lecturer.ask()
        assert (await follower.hear("room"))["asked"]["number"] == 1


@settings(max_examples=8 * FUZZ)
@given(st.data(), st.permutations([step.path for step in PAGES if exercises.list_names(step.path)]))
def test_all_that_is_offered_can_be_asked(data, paths):
    """In every setup a class's place is told in one line, by its page's title and the words of the
    chosen cell; whatever the page offers is asked, the chosen cell of that place too, and the
    answer as it is printed counts as right, and alone."""
    setup = data.draw(setups())
    link = write_link(setup.as_link() | data.draw(focuses(setup)).as_link(setup))
    for path in paths[:4]:
        in_its_own_loop(_can_be_asked)(Place(path, link))


async def _can_be_asked(at: Place) -> None:
    setup, focus = read_link(at.link).setup, read_link(at.link).focus
    told = questions.place(at)
    assert told.startswith(find(at.page).title) and "\n" not in told
    if at.page in ("scores", "weights") and not focus.lecturing:
        assert labels(setup.tokens)[focus.query - 1] in told
        assert labels(setup.memory_tokens or setup.tokens)[focus.key - 1] in told
    offered = {each["what"] for each in await questions.offers(at)}
    if training_queue.list_jobs(at.page, setup, focus):  # the page itself is not there yet
        assert not offered
        return
    made = {name: exercises.make(name, setup) for name in exercises.list_names(at.page)}
    posable = {name for name, each in made.items() if isinstance(each, Question)}
    assert offered >= posable - {focus.exercise}, at
    for what in offered:
        asked, question = await questions.composed(what, at), questions._made(what, at)
        if what == "cell":
            cell = exercises.make_for_cell(at.page, setup, vars(focus))
            assert question.answer == cell.answer
        answer = read(asked.kind, len(asked.options), typed(question.answer))
        groups = [each for each in group_answers(question, [answer]) if each.count]
        assert [(each.count, each.right) for each in groups] == [(1, True)], (what, answer)


# ---------- hostile windows ----------


@in_its_own_loop
async def test_nobody_leads_without_the_key():
    """Whatever a lecturer can do ends the line of a follower who tries it, with a sentence, and
    changes nothing; a wrong key only follows; whoever leads does not answer."""
    to = ClassRegistry(Memory())
    async with a_class(to, to) as (lecturer, follower):
        more = {"page": "block", "link": "", "what": "cell", "number": 1, "answer": "1", "act": 1}
        before = await to.store.read(lecturer.room)
        acts = ["at", "offers", "ask", "show", "away", "result", "results", "votes", "restore"]
        acts += ["end", "come"]
        for do, key in [*((do, "w" * 16) for do in acts), ("answer", lecturer.key)]:
            async with Inside(to) as bold:
                assert (await bold.come(lecturer.room, key))["leads"] == (do == "answer")
                await bold.say(do, **more)
                assert (await bold.hear("no"))["why"] == socket.UNREADABLE
                assert await bold.closed() == socket.WRONG, do
        assert await to.store.read(lecturer.room) == before
        await lecturer.say("at", page="context", link="")
        assert (await follower.hear("room"))["page"] == "context"


NO_MESSAGES = ["", "x", "null", "1", "[]", '"come"', "{}", '{"do": 1}', '{"do": ["come"]}', "\x00"]
NO_MESSAGES += ['{"do": "__class__"}', '{"do": "COME"}', b"\x00\xff", '{"do": "come"}', "\u202e{}"]
NO_MESSAGES += ["x" * 200_000, "[" * 100_000, '{"do": ' * 20_000, '{"do": NaN}', '{"do": "end"}']
FIELDS = {"who": "", "known": "", "key": "", "page": "scores", "link": "", "address": "http://x/"}
FIELDS |= {"what": "cell", "number": 1, "answer": "1", "act": 1, "counts": {"1": 1}}
ODD = ["\ud800", "\x00", "٣٤٥٦", -1, 10**30, [[[[]]]], "x" * 100_000, "text=" + "a%20" * 15_000]
ODD += ["&".join(f"a{k}=1" for k in range(9_000)), "query=99999999999999999999&head=nan"]
ODD += ["edits=" + "q1.1.1:9e999," * 3_000, "others=" + "good%7Cx%0A" * 5_000, "text=%ud800&=&&"]
ANY = st.sampled_from(ODD) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda of: st.lists(of, max_size=7) | st.dictionaries(st.text(max_size=3), of, max_size=3),
    max_leaves=9,
)
ROLES = ("outside", "follows", "leads")
DO = ("answer", "ask", "at", "away", "come", "mine", "offers", "restore", "result", "results")
DO += ("show", "votes")


@in_its_own_loop
async def test_what_is_no_message_ends_the_line_alone():
    """Whatever comes, from who has come in or not: the line is told so and closed, others go on."""
    to = ClassRegistry(Memory())
    async with a_class(to, to) as (lecturer, follower):
        for data in NO_MESSAGES:
            for room in (None, lecturer.room):
                async with Inside(to) as odd:
                    if room:
                        await odd.come(room)
                    await odd.send(data)
                    assert (await odd.hear("no"))["why"].endswith("."), data[:40]
                    assert await odd.closed() in (socket.WRONG, socket.AGAIN), data[:40]
        await lecturer.say("at", page="context", link="")
        assert (await follower.hear("room"))["page"] == "context"


@settings(max_examples=25 * FUZZ)
@given(drawn=st.lists(st.tuples(*map(st.sampled_from, (ROLES, DO, ["code", *FIELDS])), ANY)))
@in_its_own_loop
async def test_fields_of_any_kind_harm_nobody(drawn):
    """A field of a message with a value of any kind, a hostile link too: the line is closed or told
    why, or goes on; nothing is raised, and the class goes on."""
    to = ClassRegistry(Memory())
    async with a_class(to, to) as (lecturer, follower):
        await lecturer.ask()
        for role, do, name, value in drawn:
            async with Inside(to) as odd:
                if role != "outside":
                    await odd.come(lecturer.room, lecturer.key if role == "leads" else "")
                await odd.say(do, **{"code": lecturer.room} | FIELDS | {name: value})
        await lecturer.say("at", page="masks", link="query=3")
        assert "<" not in (await follower.hear("room", page="masks", link="query=3"))["place"]


@in_its_own_loop
async def test_all_is_bounded(monkeypatch, servers):
    """One member or one answer more is told that there are too many; a lecturer comes in anyway.
    Bad letters are told."""
    monkeypatch.setattr(class_registry, "MAX_IN_A_ROOM", 3)
    for module in ("store", "redis_store"):
        monkeypatch.setattr(f"pages.shared.classroom.{module}.MAX_ANSWERS", 1)
    async with servers() as (to, _), a_class(to, to, to) as (lecturer, one, two):
        assert await told_to(to, lecturer.room) == class_registry.FULL
        assert await told_to(to, lecturer.room, key=lecturer.key) == "is in"
        assert await told_to(to, "AEIO") == class_registry.NO_LETTERS
        await lecturer.ask()
        for each in (one, two):
            await each.hear("room")
        for text in ("1", "2"):
            assert (await one.answer(1, text))["answer"] == text
        assert (await two.answer(1, "1"))["says"] == class_registry.MANY_ANSWERS


@in_its_own_loop
async def test_the_oldest_room_gives_way(monkeypatch):
    """In the memory of one server, where there are too many: the one that nothing was done in for
    longest."""
    monkeypatch.setattr(store, "MAX_ROOMS", 2)
    to = ClassRegistry(Memory())
    async with a_class(to, to) as (one, student), a_class(to) as (two,):
        await one.say("at", page="block", link="")
        await student.hear("room")
        async with a_class(to) as (three,):
            found = [await to.store.read(each.room) for each in (one, two, three)]
            assert [each is not None for each in found] == [True, False, True]


@in_its_own_loop
async def test_a_window_that_reads_nothing_keeps_nobody_waiting(monkeypatch):
    """The others hear all at once, and when it reads again it is told how things are now, not all
    that was; after a while its line ends, and it counts no more."""
    to = ClassRegistry(Memory())
    async with a_class(to, to, to) as (lecturer, follower, sleepy):
        sleepy.takes.clear()
        for n in range(20):
            await lecturer.say("at", page="scores", link=f"seed={n}")
            assert (await follower.hear("room"))["link"] == f"seed={n}"
        sleepy.takes.set()
        assert [(await sleepy.hear("room"))["link"] for _ in range(2)] == ["seed=0", "seed=19"]
        await lecturer.hear("followers", followers=2)
        monkeypatch.setattr(socket, "SLOW", 0.1)
        sleepy.takes.clear()
        await lecturer.say("at", page="block", link="")
        await lecturer.hear("followers", followers=1)


@in_its_own_loop
async def test_a_store_that_does_not_answer_holds_up_no_beat(monkeypatch):
    """A report of the followers takes seconds for each class, and longer than until the next."""
    monkeypatch.setattr(class_registry, "HEARTBEAT", 0.07)
    to = ClassRegistry(Memory())
    async with a_class(to, to) as (_, follower):
        answers = asyncio.Event()
        with mock.patch.object(to.store, "tell", lambda *_: answers.wait()):
            for _ in range(3 * class_registry.BEATS):
                await follower.hear("beat")
        answers.set()


def test_other_sites_pages_are_refused(server):
    """By a real server: a page of another address has no line, as Streamlit has it; ours has one,
    and what is no browser."""
    url = f"ws://127.0.0.1:{server.port}/room"
    for origin in ("http://evil.example", "null", "http://["):
        with pytest.raises(InvalidStatus), connect(url, origin=origin):
            pass
    for origin in (server.url, None):
        with connect(url, origin=origin) as to:
            to.send("?")
            assert json.loads(to.recv(20))["why"] == socket.UNREADABLE


# ---------- where others reach it ----------


def test_an_address_that_others_reach(monkeypatch):
    """An address of this machine alone becomes the one that it has in its network, if the browser
    is on this machine, the server listens there, and it has one; any other stays as it was opened,
    and a sentence says which it is."""
    ours = SimpleNamespace(number="192.168.7.20", listens=None)
    monkeypatch.setattr(reachable, "_own_number", lambda: ours.number)
    monkeypatch.setattr(reachable.st, "get_option", lambda name: ours.listens)
    for host in ("localhost", "127.0.0.1", "[::1]"):
        opened = f"http://{host}:8501/here/"
        found = "http://192.168.7.20:8501/here/", reachable.FOUND
        assert reachable.reachable(opened, "127.0.0.1") == found
        # through a container's door
        assert reachable.reachable(opened, "172.17.0.1") == (opened, reachable.OPENED)
    for opened in ("https://attention.example/", "http://192.168.7.9:8501/"):
        assert reachable.reachable(opened, "127.0.0.1") == (opened, reachable.OPENED)
    for ours.listens, ours.number in (("localhost", "192.168.7.20"), ("0.0.0.0", None)):
        assert reachable.reachable("http://localhost/", "127.0.0.1")[0] == "http://localhost/"
