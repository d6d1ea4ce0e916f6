"""What a lecturer has besides, on the server's side: questions of his own, the end of a vote, all
results, and who leads with whom. All of a class with both stores, in memory and in Redis."""

import csv
import io
import json
import socket
from contextlib import asynccontextmanager
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import own
from core.question import judge
from core.tally import as_data, in_rows, tally
from pages.shared.room import rooms
from pages.shared.room.hall import Hall
from pages.shared.room.rooms import Memory, is_second, lock_of, second_of
from pages.shared.server import reachable
from tests.test_rooms import (  # noqa: F401
    a_loop_of_its_own,
    clock,
    in_its_own_loop,
    needs_redis,
    redis,
    shared,
    windows,
)

CHOICES = {"asks": "Which <b>one</b>?", "options": ["=1+1", "<i>b</i>", "c"], "right": 1}
NUMBER = {"asks": "How many?", "answer": "64", "off": "0.5"}
OPINION = {"asks": "How sure are you?", "options": ["very", "not very"], "right": None}


@pytest.fixture(params=["memory", pytest.param("redis", marks=needs_redis)])
def store(request):
    """Halls of as many servers: one in memory, or two that share a Redis; a function that makes
    them, in a test's own loop."""

    @asynccontextmanager
    async def halls(many: int = 1):
        if request.param == "memory":
            hall = Hall(Memory())
            yield [hall] * many
        else:
            async with shared(request.getfixturevalue("redis"), many) as made:
                yield made

    return halls


# ---------- a question of one's own ----------


@given(
    value=st.integers(-(10**6), 10**6),
    off=st.integers(0, 10**6),
    away=st.integers(-(2 * 10**6), 2 * 10**6),
)
def test_a_number_is_right_as_far_as_its_lecturer_says(value, off, away):
    """In thousandths: an answer counts as right where it is no further off than was said, to the
    last digit typed, whatever the sign; no rounding of the explorer's is forgiven or told."""
    asked = own.read({"asks": "?", "answer": f"{value / 1000:.3f}", "off": f"{off / 1000:.3f}"})
    verdict = judge(asked, f"{(value + away) / 1000:.3f}")
    assert verdict.right == (abs(away) <= off)
    assert verdict.says == (asked.solution if verdict.right else "")


def test_own_questions_by_hand():
    """How they are told and counted: a number as it was typed, others without a word on slips, an
    opinion with nothing right."""
    number = own.read(NUMBER | {"answer": "−0,50", "off": ""})
    assert number.solution == "The answer is −0.50."
    for answer, typed in (
        ("100000000", "105000000"),
        ("0.00001", "0.00002"),
    ):  # beyond the pages' digits
        assert judge(own.read(NUMBER | {"answer": answer, "off": ""}), typed).right is False
    groups = tally(number, ["-0.5", "0.5", "0.5", "7"])
    assert [(group.answer, group.count, group.right, group.says) for group in groups] == [
        ("−0.50", 1, True, ""),
        ("other answers", 3, False, ""),
    ]
    opinion = own.read(OPINION)
    assert judge(opinion, "0").right is None
    assert [
        (group.answer, group.count, group.right) for group in tally(opinion, ["1", "1", "0", "2"])
    ] == [
        ("very", 1, None),
        ("not very", 2, None),
    ]
    assert judge(own.read(CHOICES), "0").right is False
    assert own.read(CHOICES | {"asks": " two\nlines\0\ud800 \t"}).asks == "two lines"


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ({}, "The question is no text."),
        (CHOICES | {"asks": " \n"}, "The question is empty."),
        (CHOICES | {"asks": "x" * 301}, "The question has more than 300 characters: shorten it."),
        (CHOICES | {"options": ["a"]}, "Expected 2 to 6 choices."),
        (CHOICES | {"options": list("abcdefg")}, "Expected 2 to 6 choices."),
        (CHOICES | {"options": ["a", " a "]}, "Two choices are the same."),
        (CHOICES | {"options": ["a", 5]}, "A choice is no text."),
        (
            CHOICES | {"options": ["a", "y" * 121]},
            "A choice has more than 120 characters: shorten it.",
        ),
        (CHOICES | {"right": 3}, "The right one is none of the choices."),
        (CHOICES | {"right": True}, "The right one is none of the choices."),
        (NUMBER | {"answer": ""}, "The answer is missing."),
        (
            NUMBER | {"answer": "many"},
            "The answer: 'many' is not a number: expected one such as −0.1234.",
        ),
        (NUMBER | {"answer": "٣"}, "The answer has digits other than 0 to 9."),
        (NUMBER | {"off": "-1"}, "How far off an answer may be is a number from 0 up."),
        (
            NUMBER | {"off": "5%"},
            "Give or take: '5%' is in percent: write the share itself, such as 0.34 for 34%.",
        ),
    ],
)
def test_what_is_no_question_is_refused_in_words(typed, says):
    """A sentence for the lecturer says what is amiss, and no number of a limit is another than the
    one in force."""
    with pytest.raises(ValueError) as refused:
        own.read(typed)
    assert str(refused.value) == says


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda of: st.lists(of, max_size=7),
    max_leaves=9,
)


@given(typed=st.dictionaries(st.sampled_from(["asks", "options", "right", "answer", "off"]), JSON))
def test_anything_may_be_typed_as_a_question(typed):
    """It is refused with a ValueError or asked; what is asked can be told, counted and read again
    from what is kept of it."""
    try:
        asked = own.read(typed)
    except ValueError:
        return
    assert own.read(json.loads(json.dumps(own.as_typed(typed)))) == asked
    assert as_data(asked, tally(asked, ["0", "1"]))["of"] == 2
    asked.solution.encode()


@in_its_own_loop
async def test_a_class_is_asked_what_its_lecturer_wrote(store, clock):  # noqa: F811
    """On two servers: markup comes as the text it is, who follows does not hear what is right
    before it is shown, each hears what is said of the own answer, and a question that is none is
    refused in words."""
    async with (
        store(2) as (here, there),
        windows(here, 1) as (lecturer,),
        windows(there, 1) as (student,),
    ):
        room = (await lecturer.lead())["room"]
        await student.follow(room)
        await lecturer.say("ask", what="own", own=CHOICES | {"options": ["a"]}, page="", link="")
        assert (await lecturer.hear("no"))["why"] == "Expected 2 to 6 choices."
        await lecturer.say("ask", what="own", own=CHOICES | {"more": "x" * 1000}, page="", link="")
        message = await student.hear("asked")
        asked = message["asked"]
        assert (asked["asks"], asked["kind"], list(asked["options"]), asked["own"]) == (
            CHOICES["asks"],
            "choice",
            CHOICES["options"],
            True,
        )
        assert not {"right", "answer", "off", "solution"} & asked.keys()
        assert '"right"' not in json.dumps(message)
        assert (await student.answer(asked["vote"], "0"))["counted"]
        await lecturer.say("show")
        await student.hear("asked")
        await student.say("verdict")
        verdict = await student.hear("verdict")
        assert (verdict["right"], verdict["solution"]) == (False, "The answer is “<i>b</i>”.")
        await lecturer.say("ask", what="own", own=OPINION, page="", link="")
        vote = (await student.hear("asked"))["asked"]["vote"]
        clock.now += 5  # so that nobody answers too quick
        assert (await student.answer(vote, "1"))["counted"]
        await lecturer.say("show")
        await student.hear("asked")
        await student.say("verdict")
        assert (await student.hear("verdict"))["right"] is None


# ---------- the end of a vote ----------


@in_its_own_loop
async def test_a_vote_is_closed_and_shows_nothing(store, clock):  # noqa: F811
    """By hand or by a countdown, at whose end the servers' clock counts and no browser's; it opens
    again, and a second vote is open. A countdown that nobody may set ends the line."""
    async with (
        store(2) as (here, there),
        windows(here, 1) as (lecturer,),
        windows(there, 1) as (student,),
    ):
        room = (await lecturer.lead())["room"]
        await student.follow(room)
        await lecturer.say("ask", what="own", own=NUMBER, page="", link="")

        async def after(do: str, **more: object) -> dict:
            clock.now += 5  # so that nobody answers too quick
            await lecturer.say(do, **more)
            return await student.hear("asked")

        assert (await student.hear("asked"))["left"] is None
        closed = await after("close", after=0)
        assert (closed["asked"]["closed"], closed["asked"]["shown"]) == (True, False)
        assert await student.answer("1.1", "64") == {
            "is": "answered",
            "vote": "1.1",
            "counted": False,
            "says": "Voting is closed.",
        }
        assert not (await after("close", after=None))["asked"]["closed"]
        assert (await student.answer("1.1", "64"))["counted"]
        assert (await after("close", after=30))["left"] == 30
        clock.now += 29
        assert (await student.answer("1.1", "63.7"))["counted"]
        async with windows(there, 1) as (late,):
            assert (await late.follow(room))["left"] == 1
        clock.now += 1
        assert (await student.answer("1.1", "1"))["says"] == "Voting is closed."
        again = await after("again")
        assert (again["left"], again["asked"]["vote"]) == (None, "1.2")
        clock.now += 5
        assert (await student.answer("1.2", "64"))["counted"]
        await after("show")
        await lecturer.say("close", after=None)  # what is shown is not asked again
        clock.now += 5
        assert (await student.answer("1.2", "64"))["says"] == "This question is closed."
        for wrong in (-1, 3601, True, "30"):
            async with windows(here, 1) as (second,):
                await second.come(room, lecturer.key)
                await second.say("close", after=wrong)
                assert await second.closed() == 1008


# ---------- all results ----------


@in_its_own_loop
async def test_all_results_until_the_class_ends(store, clock):  # noqa: F811
    """One table over all questions, of those that were shown or put away with answers: the
    lecturer's own and the page's, asked on either server. In it nothing is a formula, and with the
    class all goes."""
    async with (
        store(2) as (here, there),
        windows(here, 1) as (lecturer,),
        windows(there, 2) as (one, two),
    ):
        room = (await lecturer.lead())["room"]
        for each in (one, two):
            await each.follow(room)

        asked = 0

        async def ask(**what: object) -> str:
            nonlocal asked
            asked += 1
            await lecturer.say("ask", page="weights", link="query=2&key=5", **what)
            while (heard := (await one.hear("asked"))["asked"]) is None or heard["number"] < asked:
                pass
            return heard["vote"]

        async def answer(vote: str, *texts: str) -> None:
            clock.now += 5  # so that nobody answers too quick
            for each, text in zip((one, two), texts, strict=False):
                assert (await each.answer(vote, text))["counted"]

        async def results() -> dict:
            await lecturer.say("results")
            return await lecturer.hear("results")

        assert (await results())["results"] == []
        await answer(await ask(what="own", own=CHOICES), "0", "1")
        assert (await results())["results"] == []  # nothing is told of a vote that goes on
        await answer(
            await ask(what="cell"), "0.2300", "0.4917"
        )  # by asking, the one before is put away
        await lecturer.say("show")
        got = await results()
        assert [(each["number"], each["tallies"][0]["of"]) for each in got["results"]] == [
            (1, 2),
            (2, 2),
        ]
        await ask(what="own", own=OPINION)  # nobody answers
        await lecturer.say("away")
        got = await results()
        table = list(csv.DictReader(io.StringIO(got["csv"], newline="")))
        assert [(row["number"], row["answer"], row["right"], row["vote 1"]) for row in table] == [
            ("1", "'=1+1", "no", "1"),
            ("1", "<i>b</i>", "yes", "1"),
            ("1", "c", "no", "0"),
            ("2", "0.4917", "yes", "1"),
            ("2", "0.2300", "no", "1"),
        ]
        assert {row["place"] for row in table} == {"Weights · α[is, dessert]"}
        for _ in range(2):
            await answer(await ask(what="own", own=OPINION), "0")
        await lecturer.say("away")
        await lecturer.say("end")
        await one.hear("end")
        assert not getattr(here.store, "results", {})
        if here.store.is_shared:
            assert await here.store.redis.keys(f"*{room}*") == []


@pytest.mark.parametrize("many", [2, 5])
@in_its_own_loop
async def test_the_last_results_are_kept(store, many):
    """Where there are more results of a class than are kept, the oldest goes."""
    async with store() as (hall, *_), windows(hall, 1) as (lecturer,):
        room = hall.rooms[(await lecturer.lead())["room"]]
        for number in range(1, rooms.MOST_KEPT + many):
            await hall.store.keep(room, number, str(number))
        assert sorted(map(int, await hall.store.kept(room))) == list(
            range(many, rooms.MOST_KEPT + many)
        )


# ---------- who leads ----------


@in_its_own_loop
async def test_a_colleague_leads_by_a_second_key(store):
    """The first browser hands on; the second key leads on either server, hands nothing on, says
    nothing of the first, and leads no more when it is taken back; before that it opens nothing."""
    async with (
        store(2) as (here, there),
        windows(here, 1) as (lecturer,),
        windows(there, 3) as (early, colleague, student),
    ):
        begun = await lecturer.lead()
        room, second = begun["room"], second_of(lecturer.key)
        assert begun["first"]
        assert not (await early.come(room, second))["leads"]
        await student.follow(room)
        await lecturer.say("hand", key=lecturer.key, on=True, address="http://127.0.0.1/")
        link = (await lecturer.hear("handed"))["link"]
        assert link.partition("#lead=")[2] == second
        assert lecturer.key not in link
        for key in ("x" * 32, second):
            async with windows(here, 1) as (other,):
                await other.come(room, lecturer.key)
                await other.say("hand", key=key, on=True) if key != second else await other.say(
                    "hand", key=lecturer.key[::-1], on=True
                )
                assert "hands it on" in (await other.hear("no"))["why"]
        came = await colleague.come(room, second)
        assert (came["leads"], came["first"]) == (True, False)
        await colleague.say("at", page="context", link="", by="colleague")
        for each in (lecturer, student):
            assert (await each.hear("at", page="context"))["by"] == "colleague"
        await colleague.say("hand", key=second, on=True)
        assert "hands it on" in (await colleague.hear("no"))["why"]
        await lecturer.say("hand", key=lecturer.key, on=False)
        assert (await lecturer.hear("handed"))["link"] == ""
        await colleague.closed()
        async with windows(there, 1) as (again,):
            assert not (await again.come(room, second))["leads"]
            await again.say("at", page="masks", link="")
            assert await again.closed() == 1008
        await lecturer.say("at", page="masks", link="")
        assert (await student.hear("at"))["page"] == "masks"


@in_its_own_loop
async def test_either_of_two_brings_a_lost_class_back():
    """After a server that lost all, the colleague who comes first begins the class again under its
    letters, and the first lecturer leads it too; and the other way round, where it was handed
    on."""
    for first_comes in (True, False):
        async with windows(Hall(Memory()), 1) as (lecturer,):
            begun = await lecturer.lead()
        key = lecturer.key
        second = second_of(key)
        assert (lock_of(second), is_second(second), second_of(second)) == (
            lock_of(key),
            True,
            second,
        )
        async with windows(Hall(Memory()), 2) as both:
            keys = (key, second) if first_comes else (second, key)
            for window, each in zip(both, keys, strict=True):
                came = await window.come(begun["room"], each, known=begun["id"], handed=True)
                assert (came["room"], came["id"], came["leads"]) == (
                    begun["room"],
                    begun["id"],
                    True,
                )


@in_its_own_loop
async def test_a_follower_can_do_none_of_it(store):
    """Whatever a lecturer can do ends the line of a follower who tries it, and the class goes on as
    it was."""
    async with store() as (hall, *_), windows(hall, 1) as (lecturer,):
        room = (await lecturer.lead())["room"]
        await lecturer.say("ask", what="own", own=CHOICES, page="", link="")
        await lecturer.hear("asked")
        messages = [
            ("close", {"after": 0}),
            ("results", {}),
            ("hand", {"key": "x" * 32, "on": True}),
        ]
        messages += [
            ("ask", {"what": "own", "own": CHOICES, "page": "", "link": ""}),
            ("away", {}),
            ("show", {}),
            ("end", {}),
        ]
        for do, more in messages:
            async with windows(hall, 1) as (follower,):
                await follower.follow(room)
                await follower.say(do, **more)
                assert await follower.closed() == 1008, do
        assert hall.rooms[room].asked.is_open


# ---------- where others reach it ----------


def test_an_address_that_others_reach(monkeypatch):
    """An address of this machine alone becomes the one that it has in its network, if the browser
    is on this machine, the server listens there, and it has one; any other stays as it was opened,
    and a sentence says which it is."""
    ours = SimpleNamespace(number="192.168.7.20", listens=None)
    monkeypatch.setattr(reachable, "_own_number", lambda: ours.number)
    monkeypatch.setattr(reachable.st, "get_option", lambda name: ours.listens)
    for opened in (
        "http://localhost:8501/here/",
        "http://127.0.0.1:8501/here/",
        "http://[::1]:8501/here/",
    ):
        assert reachable.reachable(opened, "127.0.0.1") == (
            "http://192.168.7.20:8501/here/",
            reachable.FOUND,
        )
        assert reachable.reachable(opened, "172.17.0.1") == (
            opened,
            reachable.OPENED,
        )  # through a container's door
    for opened in ("https://attention.example/", "http://192.168.7.9:8501/"):
        assert reachable.reachable(opened, "127.0.0.1") == (opened, reachable.OPENED)
    ours.listens = "localhost"
    assert reachable.reachable("http://localhost/", "127.0.0.1")[0] == "http://localhost/"
    ours.listens, ours.number = "0.0.0.0", None
    assert reachable.reachable("http://localhost/", "127.0.0.1")[0] == "http://localhost/"


def test_the_number_of_this_machine_is_one_of_its_own():
    """What the server finds is a number to which this machine can bind, and not one of itself
    alone."""
    number = reachable._own_number()
    if number is not None:
        with socket.create_server((number, 0)):
            assert not number.startswith("127.")


def test_a_row_of_each_choice_has_no_right_in_an_opinion():
    """As JSON has it, and in the table: nothing is wrong of what nobody asked to be right."""
    asked = own.read(OPINION)
    assert [row["right"] for row in in_rows(asked, [tally(asked, ["0"])])] == [None, None]
