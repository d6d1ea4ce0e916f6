"""Rooms for a class, on the server's side: who goes where, what is asked and counted, and what a
hostile window can do. Windows are lines without a socket to a hall of the test's own, whose classes
are in memory or in a Redis."""

import asyncio
import gc
import json
import re
import signal
import struct
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AsyncExitStack, ExitStack, asynccontextmanager, contextmanager, suppress
from functools import wraps
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from starlette.websockets import WebSocketState
from strategies import FUZZ, focuses, setups
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import connect

from core import exercises
from core.answers import read
from core.question import Question
from core.tally import tally
from core.text import labels
from pages.shared.frame import training_queue
from pages.shared.link import read_link, write_link
from pages.shared.link.pages import PAGES, find
from pages.shared.room import acts, line, origins, present, questions
from pages.shared.room.hall import FULL, MANY_ROOMS, MANY_TRIED, NOT_HERE, Hall
from pages.shared.room.redis_store import Shared
from pages.shared.room.rooms import LASTS, Memory, Place, Room, name_of
from tests.benchmarks.classroom import CLOSED, Redis, Window, find_redis, redis_server
from tests.test_question import typed

ROOMS = "pages.shared.room"
needs_redis = pytest.mark.skipif(
    find_redis() is None, reason="no Redis on this machine: install the package redis-server"
)


def in_its_own_loop(test: Callable) -> Callable:
    """In a thread of its own: Playwright keeps an event loop in the main thread of a worker that
    has had a browser. No task of it may have failed with nobody told."""

    async def watched(*args: object, **more: object) -> None:
        failed = []
        asyncio.get_running_loop().set_exception_handler(lambda _, context: failed.append(context))
        with mock.patch.object(questions, "_one_at_a_time", asyncio.Semaphore(1)):
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
    browser that takes nothing has `takes` cleared, and may yet take that the line ends."""

    def __init__(self, to: Hall, address: str = "127.0.0.1") -> None:
        super().__init__()
        self.to, self.headers, self.client = to, {}, SimpleNamespace(host=address)
        self.said, self.told, self.takes = asyncio.Queue(), asyncio.Queue(), asyncio.Event()
        self.takes.set()
        self.takes_the_end = False
        self.application_state = WebSocketState.CONNECTED
        self.receive = self._receive = self.said.get
        self._next = self.told.get

    async def __aenter__(self) -> "Inside":
        with mock.patch.object(line, "hall", lambda: self.to):
            self.task = asyncio.create_task(line.meet(self))
            await asyncio.sleep(0)
        return self

    async def __aexit__(self, *error: object) -> None:
        self.hang_up()
        self.takes.set()
        await asyncio.wait_for(self.task, 30)

    def hang_up(self) -> None:
        """Go, without waiting until the server knows."""
        self.said.put_nowait({"type": "websocket.disconnect"})

    async def send(self, data: str | bytes) -> None:
        text = data if isinstance(data, str) else None
        self.said.put_nowait({"type": "websocket.receive", "text": text})

    async def accept(self) -> None:
        pass

    async def send_text(self, text: str) -> None:
        await self.takes.wait()
        self.told.put_nowait(json.loads(text))

    async def close(self, code: int) -> None:
        if not self.takes_the_end:
            await self.takes.wait()
        self.application_state = WebSocketState.DISCONNECTED
        self.told.put_nowait({"is": CLOSED, "code": code})


@asynccontextmanager
async def windows(to: Hall, many: int, address: str = "127.0.0.1") -> AsyncIterator[list[Inside]]:
    """So many windows of one address."""
    async with AsyncExitStack() as stack:
        yield [await stack.enter_async_context(Inside(to, address)) for _ in range(many)]


@asynccontextmanager
async def a_class(*halls: Hall, **begin: str) -> AsyncIterator[list[Inside]]:
    """A lecturer on the first of these servers, and who follows on each of the others."""
    async with AsyncExitStack() as stack:
        all_of_them = [await stack.enter_async_context(Inside(each)) for each in halls]
        begun = await all_of_them[0].lead(**begin)
        for each in all_of_them[1:]:
            await each.come(begun["room"])
        yield all_of_them


@asynccontextmanager
async def shared(redis: Redis, many: int = 2) -> AsyncIterator[list[Hall]]:
    """As many servers that share this Redis."""
    halls = [Hall(Shared(redis.url)) for _ in range(many)]
    yield halls
    for each in halls:
        for task in filter(None, (each.clock, getattr(each.store, "listener", None))):
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task
        await each.store.redis.aclose()
        await each.store.redis.connection_pool.disconnect()


def stopped() -> Iterator[SimpleNamespace]:
    """The time, as rooms have it: it goes on when the test says so."""
    ours = SimpleNamespace(now=1000.0)
    time = SimpleNamespace(monotonic=lambda: ours.now, time=lambda: ours.now)
    with ExitStack() as stack:
        for module in ("bucket", "hall", "origins", "present", "rooms"):
            stack.enter_context(mock.patch(f"{ROOMS}.{module}.time", time))
        yield ours


clock = pytest.fixture(stopped)


@pytest.fixture(scope="module")
def redis():
    """A Redis of this file."""
    with redis_server() as running:
        yield running


@pytest.fixture(scope="module", params=["memory", pytest.param("redis", marks=needs_redis)])
def servers(request):
    """Two servers of one address: one in memory, twice, or two that share a Redis."""

    @asynccontextmanager
    async def halls() -> AsyncIterator[list[Hall]]:
        if request.param == "memory":
            yield [Hall(Memory())] * 2
        else:
            async with shared(request.getfixturevalue("redis")) as made:
                yield made

    return halls


# ---------- a class, by its rules ----------

# the second of three words is right
ASKS = {"what": "predict.scores", "page": "scores", "link": "text=the+cat+sat&query=2"}
DOES = ["ask", "show", "away", "undo", "reload", *3 * ["again", "close", "late", "answer"]]
TOLD = ("number", "vote", "votes", "shown", "closed")
NOTHING = {"vote": "", "shown": False}


class Expected:
    """What is asked and counted in a class, by its rules: an oracle without lines and servers."""

    def __init__(self) -> None:
        self.asked = self.before = None  # as windows are told it
        self.number, self.given = 0, {}  # by vote: who answered what

    def act(self, do: str, closed: bool) -> bool:
        """Do it; return whether all are told."""
        was, asked = (self.asked, self.before), self.asked
        is_open, first = asked and not asked["shown"], {"vote": f"{self.number}.1", "votes": 1}
        more = {}
        if do == "ask":
            self.number, self.given, self.before = self.number + 1, {}, None
            asked = {"number": self.number, "shown": False, "closed": False}
            more = {"vote": f"{self.number}.1", "votes": 1}
        elif do == "again" and is_open:
            more = {"vote": f"{self.number}.2", "votes": 2, "closed": False}
        elif do == "close" and is_open:
            more = {"closed": closed}
        elif do == "show" and asked:
            more = {"shown": True}
        elif do == "away" and asked:
            asked, self.before = None, asked
        elif do == "undo" and not asked:
            asked, self.before = self.before, None
        elif do == "undo":
            self.given = (
                self.given if asked["shown"] else {first["vote"]: self.given.get(first["vote"], {})}
            )
            more = {"shown": False} if asked["shown"] else first
        self.asked = asked and asked | more
        return was != (self.asked, self.before)

    async def answers(self, student: Inside, vote: str, answer: int) -> bool:
        """Answer twice in a second: the first counts, if any. Return whether it does."""
        asked, why = self.asked or NOTHING, None
        if not self.asked or asked["shown"] or vote != asked["vote"]:
            why = "This question is closed."
        elif asked["closed"]:
            why = "Voting is closed."
        else:
            self.given.setdefault(vote, {})[student.who] = answer
        said = await student.answer(vote, str(answer))
        assert (said["counted"], said.get("says")) == (why is None, why)
        quick = await student.answer(vote, str(answer + 1))
        assert (quick["counted"], quick["says"]) == (False, acts.TOO_QUICK)
        return why is None

    async def comes(self, student: Inside, room: str) -> None:
        """Come in again, and hear of the own answer."""
        self.check(await student.come(room))
        asked = self.asked or NOTHING
        mine = self.given.get(asked["vote"], {}).get(student.who)
        if mine is not None and asked["shown"]:
            assert (await student.hear("verdict"))["right"] == (mine == 1)
        elif mine is not None:
            assert (await student.hear("answered"))["answer"] == str(mine)

    def check(self, told: dict[str, Any]) -> None:
        """What a window is told is how things are, and nothing of the answer."""
        asked = told["asked"]
        assert not re.search("right|solution", json.dumps(told))
        assert (asked and {name: asked[name] for name in TOLD}) == self.asked
        assert told["before"] == (self.before is not None)


@settings(max_examples=15 * FUZZ)
@given(st.lists(st.tuples(st.sampled_from(DOES), *[st.integers(0, 2)] * 2), min_size=20))
@in_its_own_loop
async def test_a_class_is_asked_by_its_rules(servers, drawn):
    """Two windows lead, three follow, on two servers: whatever they do in whatever order, a press
    that comes twice does so once, all hear how things are now and nobody what is right, an answer
    counts where the vote is open, once for a browser, the latest, and no other; the last count that
    is told is the latest."""
    expected = Expected()
    async with servers() as (here, there), AsyncExitStack() as stack:
        clock = stack.enter_context(contextmanager(stopped)())
        first, *students = await stack.enter_async_context(a_class(here, there, here, there))
        second = await stack.enter_async_context(Inside(there))
        await second.come(first.room, first.key)
        for do, which, number in [("ask", 0, 0), *drawn]:
            clock.now += 5  # so that nobody answers too quick
            closed, asked = number > 0, expected.asked or NOTHING
            if do in ("answer", "late"):
                vote = asked["vote"] if do == "answer" else f"{expected.number}.1"
                if await expected.answers(students[which], vote, number):
                    told = {"is": "count", "vote": vote, "answers": len(expected.given[vote])}
                    assert [await each.hear("count") for each in (first, second)] == [told] * 2
            elif do == "reload":
                back = await stack.enter_async_context(Inside((here, there)[number % 2]))
                back.who = students[which].who
                await students[which].__aexit__()
                students[which] = back
                await expected.comes(back, first.room)
            else:
                leads, more = (first, second)[which % 2], ASKS | {"closed": closed}
                more |= {"vote": asked["vote"], "shown": asked["shown"]}
                for _ in range(1 if do == "ask" else 2):
                    await leads.say(do, **more)
                await leads.result("results")  # it is done
                if expected.act(do, closed):
                    for each in (first, second, *students):
                        expected.check(await each.hear("asked"))
        if expected.asked:
            votes = [f"{expected.number}.{n + 1}" for n in range(expected.asked["votes"])]
            counts = [Counter(expected.given.get(vote, {}).values()) for vote in votes]
            tallies = [each["groups"] for each in (await first.result())["tallies"]]
            told = [[group["count"] for group in each] for each in tallies]
            assert told == [[count[k] for k in range(3)] for count in counts]
        heard = {message["is"] for each in (first, second, *students) for message in each.heard}
        assert heard <= {"followers"}


@in_its_own_loop
async def test_followers_go_where_a_lecturer_goes(servers):
    """Where any of a lecturer's windows goes. What belongs to one window alone is told to nobody; a
    window of notes is a lecture's; who comes later hears all."""
    begins = "notes=on&share=on&room=KQZT&embed=true&embed_options=x&query=2&key=5"
    async with servers() as (here, there), a_class(here, there, link=begins) as (lecturer, early):
        async with Inside(there) as second:
            told = await second.come(lecturer.room, lecturer.key)
            assert (told["leads"], told["page"]) == (True, "scores")
            assert told["link"] == "query=2&key=5&lecture=on"
            await second.say("at", page="scores", link="query=2&key=5&notes=off")
            for each in (lecturer, early):
                assert (await each.hear("at"))["place"] == "Scores · ω[is, dessert]"
            await lecturer.say("at", page="block", link="lecture=on&beat=2")
            assert (await early.hear("at"))["place"] == "Block · One word on its way through"
        async with Inside(here) as late:
            told = await late.come(lecturer.room)
            assert (told["id"], told["page"]) == (lecturer.id, "block") and "followers" not in told
            assert told["link"] == "lecture=on&beat=2"


@in_its_own_loop
async def test_nobody_leads_without_the_key():
    """Whatever a lecturer can do ends the line of a follower who tries it, and changes nothing; a
    wrong key only follows, and so does another class's; whoever leads does not answer."""
    to = Hall(Memory())
    async with a_class(to, to) as (lecturer, follower), a_class(to) as (other,):
        for key in ("w" * 16, other.key):
            async with Inside(to) as stranger:
                assert not (await stranger.come(lecturer.room, key))["leads"]
        more = {"page": "block", "link": "", "what": "cell", "closed": True}
        before = to.rooms[lecturer.room]
        for do, key in [*((do, "") for do in acts.OF_A_LECTURER), ("answer", lecturer.key)]:
            async with Inside(to) as bold:
                await bold.come(lecturer.room, key)
                await bold.say(do, **more, vote="", shown=False)
                assert await bold.closed() == line.WRONG, do
        assert to.rooms[lecturer.room] == before and follower.heard == []


@in_its_own_loop
async def test_no_key_is_kept_and_nobody(servers, request):
    """The random name of a browser stands beside its answer and nowhere else, until something else
    is asked; the key nowhere. In Redis all expires; nothing is left of a class that ended."""
    async with servers() as (to, _), a_class(to, to) as (lecturer, other):
        client = request.getfixturevalue("redis").client if to.store.is_shared else None

        def kept() -> str:
            if not client:
                return repr([vars(to), vars(to.store), vars(to.present)])
            read = {"string": client.get, "hash": client.hgetall}
            names = client.keys(f"*{lecturer.room}*")
            assert all(LASTS - 60 < client.ttl(name) <= LASTS for name in names)
            return repr({name: read[client.type(name)](name) for name in names})

        async with windows(to, 2) as (follower, silent):
            for each in (follower, silent):
                await each.come(lecturer.room)
            await lecturer.ask()
            for each in (other, follower):
                await each.hear("asked")
            await follower.answer("1.1", "7")
        assert kept().count(follower.who) == 1 and f"{follower.who!r}: '7'" in kept()
        assert lecturer.key not in kept() and silent.who not in kept()
        await lecturer.say("away")
        await other.hear("asked", asked=None)
        assert f"{follower.who!r}: '7'" in kept()  # it may be asked back
        await lecturer.ask()
        await other.hear("asked", before=False)
        assert follower.who not in kept()
        await lecturer.say("end")
        await other.closed()
        assert kept() == "{}" if client else to.store.rooms == to.store.votes == {}


@needs_redis
@in_its_own_loop
async def test_followers_are_counted_over_two_servers(redis, clock):
    """Those who lead are not. A server that says nothing any more serves nobody. Who came over from
    it counts once, at once: it is the same browser."""
    async with shared(redis) as (here, there), a_class(here, here, there, there) as people:
        lecturer, _, one, two = people
        await lecturer.hear("followers", followers=3)
        for seconds, hall, count in ((present.GONE - 1, here, 3), (2, here, 1), (0, there, 3)):
            clock.now += seconds
            await hall.tell_followers(lecturer.room)
            await lecturer.hear("followers", followers=count)
        async with windows(here, 3) as (over, new, second):
            assert (await second.come(lecturer.room, lecturer.key))["followers"] == 3
            over.who = one.who
            for each, count in ((over, 3), (new, 4)):
                await each.come(lecturer.room)
                await lecturer.hear("followers", followers=count)
        await two.__aexit__()
        await lecturer.hear("followers", followers=2)


# ---------- what is asked ----------


@in_its_own_loop
async def test_answers_are_judged(servers):
    """What is no number is told so; right answers, slips and others have a group each; each hears
    what is said of the own, once the answer is shown, and who slipped the solution."""
    async with servers() as (here, there), a_class(here, here, there, there, there) as people:
        lecturer, *class_ = people
        await lecturer.ask("cell", "weights", "query=2&key=5")
        for each, text in zip(class_, ("banana", "0,2300", "77", "0.4917"), strict=True):
            told = (await each.hear("asked"))["asked"]
            assert told["asks"].endswith("What is α[is, dessert]?")
            assert "0.4917" not in json.dumps(told)
            said = await each.answer("1.1", text)
            assert said["counted"] == (text != "banana") and said.get("says", ".").endswith(".")
        await lecturer.say("show")
        silent, slip, _, right = class_
        for each in class_:
            await each.hear("asked")
            await each.say("verdict")
        said = await right.hear("verdict")
        assert (said["right"], said["answer"], said["solution"]) == (True, "0.4917", "")
        said = await slip.hear("verdict")
        assert "√d_k" in said["says"] and "0.4917" in said["solution"]
        (counted,) = (await lecturer.result())["tallies"]
        found = [(each["answer"], each["count"], each["right"]) for each in counted["groups"]]
        assert found == [("0.4917", 1, True), ("0.2300", 1, False), ("other answers", 1, False)]
        assert silent.heard == []


@in_its_own_loop
async def test_what_cannot_be_asked_is_told():
    """The lecturer hears why, and the class goes on; what nobody has trained yet is not trained for
    a question."""
    trained, to = "init=trained&seed=90001&steps=7", Hall(Memory())
    whats = ("scores.9", "predict.root", "predict.", "\ud800", "", "weights.1")
    pages = [*((what, "scores") for what in whats), ("cell", "masks"), ("cell", "notebooks")]
    async with a_class(to, to) as (lecturer, follower):
        for what, page in pages:
            await lecturer.ask(what, page)
            assert (await lecturer.hear("no", "asked"))["why"] == "This cannot be asked here."
        await lecturer.ask("cell", "scores", trained)
        assert (await lecturer.hear("no", "asked"))["why"].startswith("The weights still learn")
        assert follower.heard == [] and await questions.offers(Place("scores", trained)) == []


@settings(max_examples=8 * FUZZ)
@given(st.data(), st.permutations([step.path for step in PAGES if exercises.of_page(step.path)]))
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
    if training_queue.jobs(at.page, setup, focus):  # the page itself is not there yet
        assert not offered
        return
    made = {name: exercises.make(name, setup) for name in exercises.of_page(at.page)}
    posable = {name for name, each in made.items() if isinstance(each, Question)}
    assert offered >= posable - {focus.exercise}, at
    for what in offered:
        question, _ = await questions.composed(what, at)
        if what == "cell":
            cell = exercises.of_cell(at.page, setup, vars(focus))
            assert question.answer == cell.answer
        answer = read(question.kind, len(question.options), typed(question.answer))
        groups = [each for each in tally(question, [answer]) if each.count]
        assert [(each.count, each.right) for each in groups] == [(1, True)], (what, answer)


# ---------- hostile windows ----------

NO_MESSAGES = ["", "x", "null", "1", "[]", '"come"', "{}", '{"do": 1}', '{"do": ["come"]}', "\x00"]
NO_MESSAGES += ['{"do": "__class__"}', '{"do": "COME"}', b"\x00\xff", '{"do": "come"}', "\u202e{}"]
NO_MESSAGES += ["x" * 200_000, "[" * 100_000, '{"do": ' * 20_000, '{"do": NaN}', '{"do": "end"}']
FIELDS = {"who": "", "known": "", "key": "", "page": "scores", "link": "", "address": "http://x/"}
FIELDS |= {"what": "cell", "closed": True, "vote": "1.1", "shown": False, "answer": "1"}
ODD = ["\ud800", "\x00", "٣٤٥٦", -1, 10**30, [[[[]]]], "x" * 100_000, "text=" + "a%20" * 15_000]
ODD += ["&".join(f"a{k}=1" for k in range(9_000)), "query=99999999999999999999&head=nan"]
ODD += ["edits=" + "q1.1.1:9e999," * 3_000, "others=" + "good%7Cx%0A" * 5_000, "text=%ud800&=&&"]
ANY = st.sampled_from(ODD) | st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda of: st.lists(of, max_size=7) | st.dictionaries(st.text(max_size=3), of, max_size=3),
    max_leaves=9,
)
ROLES, DO = ("outside", "follows", "leads"), sorted(acts.ACTS.keys() - {"end"})


@in_its_own_loop
async def test_what_is_no_message_ends_the_line_alone():
    """Whatever comes, from who has come in or not: the line is closed, others go on."""
    to = Hall(Memory())
    async with a_class(to, to) as (lecturer, follower):
        for data in NO_MESSAGES:
            async with windows(to, 2) as (outside, inside):
                await inside.come(lecturer.room)
                for odd in (outside, inside):
                    await odd.send(data)
                    assert await odd.closed() == line.WRONG, data[:40]
        await lecturer.say("at", page="context", link="")
        assert (await follower.hear("at"))["page"] == "context"


@settings(max_examples=25 * FUZZ)
@given(drawn=st.lists(st.tuples(*map(st.sampled_from, (ROLES, DO, ["room", *FIELDS])), ANY)))
@in_its_own_loop
async def test_fields_of_any_kind_harm_nobody(drawn):
    """A field of a message with a value of any kind, a hostile link too: the line is closed or told
    why, or goes on; nothing is raised, and the class goes on."""
    to = Hall(Memory())
    async with a_class(to, to) as (lecturer, follower):
        await lecturer.ask()
        for role, do, name, value in drawn:
            async with Inside(to) as odd:
                if role != "outside":
                    await odd.come(lecturer.room, lecturer.key if role == "leads" else "")
                await odd.say(do, **{"room": lecturer.room} | FIELDS | {name: value})
        await lecturer.say("at", page="masks", link="query=3")
        assert "<" not in (await follower.hear("at", page="masks", link="query=3"))["place"]


# ---------- floods ----------


@in_its_own_loop
async def test_a_whole_class_answers_at_once(monkeypatch, servers):
    """All come at once and answer at once: nobody is thrown out, the lecturer least of all, and the
    count is theirs, told in order. One more than a vote holds is told so."""
    for module in ("rooms", "redis_store"):
        monkeypatch.setattr(f"{ROOMS}.{module}.MOST_ANSWERS", 200)
    monkeypatch.setattr(f"{ROOMS}.redis_store.PATIENT", 60)  # however busy the machine
    async with AsyncExitStack() as stack:
        to, _ = await stack.enter_async_context(servers())
        lecturer, late = await stack.enter_async_context(a_class(to, to))
        homes = (f"10.0.0.{k // 100}" for k in range(200))
        class_ = [await stack.enter_async_context(Inside(to, home)) for home in homes]
        came = await asyncio.gather(*(each.come(lecturer.room) for each in class_))
        assert {each["is"] for each in came} == {"room"}
        await lecturer.hear("followers", followers=201)
        await lecturer.ask()
        await asyncio.gather(*(each.hear("asked") for each in class_))
        counts, hear = [], to.store.hear
        to.store.hear = lambda code, told: (counts.append(told.get("answers")), hear(code, told))
        answered = await asyncio.gather(*(each.answer("1.1", "1") for each in class_))
        assert all(each["counted"] for each in answered)
        await lecturer.hear("count", answers=200)
        assert [each for each in counts if each] == list(range(1, 201))
        full = "There are as many answers as this class can hold."
        assert (await late.answer("1.1", "1"))["says"] == full
        assert (await lecturer.result())["tallies"][0]["of"] == 200


@in_its_own_loop
async def test_places_are_bounded(monkeypatch):
    """One more is told that it is full. Where one address has taken all places, each who comes from
    another gets one of them, and its lecturer in any case; those of an address that has no more
    than others stay. Of lines that say nothing an address has so many: the first of them are let
    go."""
    for name, most in (("IN_A_ROOM", 5), ("MEMBERS", 7), ("OUTSIDE", 6)):
        monkeypatch.setattr(f"{ROOMS}.hall.MOST_{name}", most)
    to, many, few = Hall(Memory()), "10.0.0.2", "10.0.0.3"
    async with a_class(to) as (lecturer,), windows(to, 8, many) as many, windows(to, 3, few) as few:
        room, (gone, lost, silent, *first, late) = lecturer.room, many
        assert [await each.closed() for each in (gone, lost)] == [line.AGAIN] * 2
        assert [(await each.come(room)).get("why") for each in first] == [None] * 4
        told = await silent.come(room)
        assert (told["why"], told["again"]) == (FULL, True)
        assert [(await each.come(room)).get("why") for each in few] == [None, None, FULL]
        assert [await each.closed() for each in first[2:]] == [line.AGAIN] * 2  # the latest
        assert (await late.come(room, lecturer.key))["leads"] and len(to.members[room]) == 5
        async with Inside(to) as new, a_class(to, to), Inside(to, "10.0.0.4") as last:
            assert (await new.lead())["why"] == FULL
            assert (await last.lead())["is"] == "room"  # of the address that has most, one goes
    assert to.outside == {}


@in_its_own_loop
async def test_rooms_are_bounded(monkeypatch, clock, servers):
    """Where a server has as many rooms as it holds, or an address as many as it may begin, that
    goes which was empty for longest; one with people in it never, though they be on another
    server."""
    monkeypatch.setattr(f"{ROOMS}.hall.MOST_ROOMS", 3)
    async with servers() as (to, elsewhere):
        begun = []
        for _ in range(3):
            async with a_class(to) as (lecturer,):
                begun.append(lecturer.room)
            clock.now += 1
        async with Inside(elsewhere) as stays, windows(to, 3) as (one, two, three):
            await stays.come(begun[0])
            while not to.present.anybody(begun[0]):
                await asyncio.sleep(0)
            await one.lead()
            monkeypatch.setattr(f"{ROOMS}.hall.MOST_BEGUN", 2)
            for address, left in (("127.0.0.1", [1, 0, 1]), ("10.0.0.2", [1, 0, 0])):
                assert [bool(await to.store.find(room)) for room in begun] == left
                async with Inside(to, address) as other:
                    await other.lead()
            assert (await two.lead())["why"] == MANY_ROOMS
            await one.__aexit__()
            await three.lead()
            assert (await to.store.find(one.room), len(to.begun)) == (None, 3)


async def guess(to: Hall, room: str, address: str = "127.0.0.1", **more: str) -> str:
    """What a line is told that comes in by letters."""
    async with Inside(to, address) as guesser:
        guesser.who = more.get("who", "")
        return (await guesser.come(room, **more)).get("why", "is in")


@in_its_own_loop
async def test_letters_are_not_guessed(monkeypatch, clock):
    """Of wrong letters an address may try some, and then few a second: who has letters alone waits
    there, and elsewhere nobody does; who comes by the class's link, or comes back, waits nowhere.
    Who guesses twenty times a second keeps nobody out."""
    monkeypatch.setattr(f"{ROOMS}.hall.MOST_GUESSING", 2)
    to = Hall(Memory())
    async with a_class(to, to) as (lecturer, first), windows(to, 2) as (guesser, newcomer):
        room, wrong = lecturer.room, "BBBB" if lecturer.room != "BBBB" else "CCCC"
        for _ in range(140):
            assert await guess(to, wrong) == NOT_HERE
            assert await guess(to, room, who=first.who) == "is in"
            clock.now += 1 / 20
        clock.now += 60
        for _ in range(60):
            await guess(to, wrong)
        waits = [asyncio.create_task(each) for each in (guesser.come(wrong), newcomer.come(room))]
        (leader,) = (each for each in to.members[room] if each.leads)
        while to.origins.of(leader.origin).guessing < 2:
            await asyncio.sleep(0)
        assert await guess(to, room) == MANY_TRIED
        assert await guess(to, room, "10.0.0.2") == "is in"
        assert await guess(to, room, known=lecturer.id) == "is in"
        assert await guess(to, room, known=lecturer.id, key=lecturer.key) == "is in"
        assert await guess(to, room, known="0" * 12) == NOT_HERE
        assert not any(each.done() for each in waits)
        clock.now += 1
        assert [told["is"] for told in await asyncio.gather(*waits)] == ["no", "room"]


@in_its_own_loop
async def test_answers_count_by_names_that_the_class_gave(clock, servers):
    """A name of one's own making is none. A window that goes and comes has a new one as often as
    its address gets one; until then its answer waits. What was given holds on each server, and when
    the class is made again."""
    async with servers() as (to, elsewhere), a_class(to) as (lecturer,):
        room, names = lecturer.room, set()
        for n in range(100):
            async with Inside(to, "10.0.0.2") as new:
                await new.come(room, who=f"{n:032x}")
                names.add(new.who)
        assert len(names) == 100
        async with Inside(to, "10.0.0.2") as late, Inside(elsewhere) as same:
            await late.say("come", room=room, who="f" * 32)
            await late.hear("room")
            same.who = min(names)
            await same.come(room)
            await lecturer.ask()
            for each in (late, same):
                await each.hear("asked")
            told = await late.answer("1.1", "1")
            assert (told["says"], told["counted"], told["later"]) == (acts.MANY_CAME, False, True)
            clock.now += 2
            await late.hear("name")
            for each in (late, same):
                assert (await each.answer("1.1", "1"))["counted"]
            assert await to.store.answer_of(to.rooms[room], "1.1", same.who) == "1"
        await to.store.drop(room)
        async with windows(to, 2) as (again, back):
            assert (await again.come(room, lecturer.key, known=lecturer.id))["leads"]
            back.who = same.who
            await back.come(room)
            assert same.who in [member.who for member in to.members[room]]


@in_its_own_loop
async def test_a_flood_waits_or_is_let_go(monkeypatch, clock):
    """Nobody who follows has much to say: the line ends. A lecturer's flood is heard to the end,
    later, and a long message costs more; a result that is asked for in a loop is worked out
    once."""

    async def sleep(seconds: float) -> None:
        clock.now += max(seconds, 0.001)

    monkeypatch.setattr(f"{ROOMS}.bucket.asyncio", SimpleNamespace(sleep=sleep))
    worked_out = mock.Mock(wraps=questions.tally.tally)
    monkeypatch.setattr(questions.tally, "tally", worked_out)
    to = Hall(Memory())
    async with a_class(to, to, to) as (lecturer, follower, flood):
        for _ in range(100):
            await flood.say("answer", vote="1.1", answer="1")
        assert await flood.closed() == line.WRONG
        await lecturer.ask(link="seed=4242")
        # seconds: of what is said at once 80 messages are free and 20 a second; of results 20 and 2
        floods = ("at", 200, "", (200 - 80) / 20), ("at", 200, "&x=" + "x" * 4000, 3 * 200 / 20)
        for do, many, link, seconds in (*floods, ("result", 60, "", (60 - 20) / 2)):
            began = clock.now
            for n in range(many):
                await lecturer.say(do, page="scores", link=f"seed={n}{link}")
            await lecturer.say("at", page="context", link=f"{many}{link}")
            await follower.hear("at", page="context")
            assert clock.now - began == pytest.approx(seconds, rel=0.1), do
    assert worked_out.call_count == 1


@pytest.mark.parametrize("takes_the_end", [True, False])
@in_its_own_loop
async def test_a_window_that_reads_nothing_keeps_nobody_waiting(monkeypatch, takes_the_end):
    """The others hear all at once, and when it reads again it is told how things are now, not all
    that was. Who asks and asks and reads nothing finds little; after a while the line ends, with
    the reason where it takes one, and it counts no more."""
    monkeypatch.setattr(line, "MOST_WAITING", 5)
    to = Hall(Memory())
    async with a_class(to, to, to, to) as (lecturer, follower, sleepy, greedy):
        for each in (sleepy, greedy):
            each.takes.clear()
        for n in range(20):
            await lecturer.say("at", page="scores", link=f"seed={n}")
            assert (await follower.hear("at"))["link"] == f"seed={n}"
            await greedy.say("answer", vote="1.1", answer="1")
        for each in (sleepy, greedy):
            each.takes.set()
        assert [(await sleepy.hear("at"))["link"] for _ in range(2)] == ["seed=0", "seed=19"]
        assert await greedy.closed() == line.AGAIN
        await lecturer.hear("followers", followers=2)
        monkeypatch.setattr(line, "SLOW", 0.1)
        sleepy.takes.clear()
        sleepy.takes_the_end = takes_the_end
        await lecturer.say("at", page="block", link="")
        await lecturer.hear("followers", followers=1)
        await asyncio.wait_for(asyncio.shield(sleepy.task), 20)
        told = [sleepy.told.get_nowait() for _ in range(sleepy.told.qsize())]
        assert [each for each in told if each["is"] in ("at", CLOSED)] == [
            {"is": CLOSED, "code": line.AGAIN}
        ] * takes_the_end


@pytest.mark.parametrize(("path", "most"), [("room", line.LONGEST), ("_stcore/stream", 4_000_000)])
def test_long_frames_and_other_sites_pages_are_refused(server, path, most):
    """By a real server. What says that it is longer than anything the explorer sends is refused
    before any of it is there; so is the part of a message with which it becomes too long. A page of
    another address has no line, as Streamlit has it; ours has one, and what is no browser."""
    url, long = f"ws://127.0.0.1:{server.port}/{path}", b"\xff" + struct.pack("!Q", most + 1)
    parts = b"\x01\xff" + struct.pack("!Q", most) + bytes(4 + most) + b"\x00\x81" + bytes(4)
    for sent in (b"\x81" + long + bytes(4), parts):
        with connect(url, origin=server.url) as to:
            to.socket.sendall(sent)
            with pytest.raises(ConnectionClosed) as closed:
                to.recv(20)
            assert closed.value.rcvd.code == 1009  # too big, says the protocol's standard
    for origin in ("http://evil.example", "null", "http://["):
        with pytest.raises(InvalidStatus), connect(url, origin=origin):
            pass


def test_an_address_has_a_number_and_is_forgotten(clock):
    """One for each of IPv4, one for a whole household of IPv6, the same however an address is
    written. A minute later nothing is left of what it did, once another comes; of many at once the
    first give way."""
    of, kept = origins.number_of, origins.Origins()
    assert of("192.0.2.1") == of("::ffff:192.0.2.1") != of("192.0.2.2")
    assert of("2001:db8:0:1::1") == of("2001:db8:0:1:ffff::2%eth0") != of("2001:db8:0:2::1")
    first = kept.of("a")
    for seconds, number in ((origins.KEPT - 1, "b"), (0, "a"), (origins.KEPT + 1, "c")):
        clock.now += seconds
        assert (kept.of(number) is first) == (number == "a")
    assert list(kept) == ["c"]
    for n in range(origins.MOST_KEPT + 3):
        kept.of(str(n))
    assert len(kept) == origins.MOST_KEPT


# ---------- how long a class lasts ----------


@in_its_own_loop
async def test_a_class_lasts_twelve_hours(clock):
    """After the lecturer's last act, whoever follows; then its letters open nothing. The lecturer,
    let go at the next act, has it again, by letters and id, though its server began anew."""
    to = Hall(Memory())
    async with a_class(to, to) as (lecturer, follower):
        room, known = lecturer.room, lecturer.id
        clock.now += LASTS - 10
        await lecturer.say("at", page="context", link="")
        await follower.hear("at")
        for seconds, told in ((LASTS - 10, "is in"), (20, NOT_HERE)):
            clock.now += seconds
            assert await guess(to, room) == told
        await lecturer.say("at", page="block", link="")
        assert (await lecturer.hear("no"))["again"] and await lecturer.closed() == line.AGAIN
        async with Inside(Hall(Memory())) as elsewhere, Inside(to) as again:
            for each in (elsewhere, again):
                there = await each.come(room, lecturer.key, known=known, page="block")
                assert (there["room"], there["id"], there["page"]) == (room, known, "block")
                assert there["leads"] and await guess(each.to, room, known=known) == "is in"
            await again.ask("cell", "block", "stage=resid_mid")
            vote = (await follower.hear("asked"))["asked"]["vote"]
            assert (await follower.answer(vote, "1"))["counted"]


@in_its_own_loop
async def test_the_lecturers_end_ends_it_for_all(servers):
    """All hear it and their lines are closed; nothing that comes after makes the class again, and
    its letters open nothing, also while a window is left that does not go."""
    async with servers() as (to, elsewhere), a_class(to, to, elsewhere, to) as people:
        lecturer, near, far, sleepy = people
        sleepy.takes.clear()
        await lecturer.say("end")
        await lecturer.say("at", page="block", link="")
        for each in (lecturer, near, far):
            await each.hear("end")
            assert await each.closed() == line.AGAIN
        for each in (to, elsewhere):
            assert await guess(each, lecturer.room) == NOT_HERE
        sleepy.takes.set()
        await sleepy.hear("end")
        assert (to.rooms, to.members, to.begun, to.present.said) == ({}, {}, {}, {})


def test_votes_of_a_class_that_is_made_again_begin_at_nothing():
    """Where the same letters are used again, also by the same lecturer, no answer is left of
    before."""
    one, other = (Room("KQZT", "lock", Place("scores", "")) for _ in range(2))
    assert name_of(one, "1.1") != name_of(other, "1.1")


@needs_redis
@in_its_own_loop
async def test_two_lecturers_on_two_servers_undo_nothing(redis):
    """They move and ask at the same time: no question is lost, none has another's number, and both
    servers end at the same place."""
    async with shared(redis) as (here, there), a_class(here, here, there) as (lecturer, *students):
        room, at = lecturer.room, Place("scores", "")
        does = [each.ask(room, "cell", at) for _ in range(7) for each in (here, there)]
        does += [here.move(room, Place("block", f"seed={n}")) for n in range(7)]
        await asyncio.gather(*does)
        await there.move(room, at)
        for each in students:
            await each.hear("asked", questions=14)
            await each.hear("at", page="scores")
        kept = await here.store.find(room)
        assert (kept.questions, kept.acts) == (14, 22)
        assert here.rooms[room] == there.rooms[room] == kept


@needs_redis
@pytest.mark.parametrize("dies", [False, True])
@in_its_own_loop
async def test_a_class_outlives_a_redis_that_hangs_or_dies(monkeypatch, dies):
    """It holds its lines and says nothing, or is killed and begins with nothing: those in a class
    are let go of and told to come again. The lecturer makes the class again under its letters and
    id, and it goes on over both servers."""
    for name, seconds in (("QUIET", 0.2), ("PATIENT", 1)):
        monkeypatch.setattr(f"{ROOMS}.redis_store.{name}", seconds)

    async def come(to: Hall, **more: str) -> Inside:
        """As a browser, which tries again."""
        while True:
            window = await stack.enter_async_context(Inside(to))
            told = await window.come(lecturer.room, known=lecturer.id, **more)
            if told["is"] == "room":
                return window
            assert (told["why"], told["again"]) == (line.UNREACHABLE, True)

    with redis_server() as breaks:
        async with shared(breaks) as (here, there), a_class(here, there) as (lecturer, follower):
            breaks.die() if dies else breaks.process.send_signal(signal.SIGSTOP)
            for each in (lecturer, follower):
                assert await each.closed() == line.AGAIN
            assert await guess(here, lecturer.room, known=lecturer.id) == line.UNREACHABLE
            breaks.start() if dies else breaks.process.send_signal(signal.SIGCONT)
            async with AsyncExitStack() as stack:
                again, back = await come(here, key=lecturer.key), await come(there)
                assert (again.room, again.id) == (lecturer.room, lecturer.id)
                assert (again.born == lecturer.born) == (not dies)
                await again.say("at", page="context", link="query=4")
                assert (await back.hear("at"))["link"] == "query=4"
