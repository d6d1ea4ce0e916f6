"""What a lecturer has besides, on the server's side: questions of his own, all results, and
where others reach it."""

import csv
import io
import json
import socket
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core import own
from core.question import judge
from core.tally import as_data, in_rows, tally
from pages.shared.room.rooms import MOST_KEPT
from pages.shared.server import reachable
from tests.test_rooms import Inside, a_class, clock, in_its_own_loop, redis, servers  # noqa: F401

CHOICES = {"asks": "Which <b>one</b>?", "options": ["=1+1", "<i>b</i>", "c"], "right": 1}
NUMBER = {"asks": "How many?", "answer": "64", "off": "0.5"}
OPINION = {"asks": "How sure are you?", "options": ["very", "not very"], "right": None}


@given(st.integers(-(10**6), 10**6), st.integers(0, 10**6), st.integers(-(2 * 10**6), 2 * 10**6))
def test_a_number_is_right_as_far_as_its_lecturer_says(value, off, away):
    """In thousandths: an answer counts as right where it is no further off than was said, to the
    last digit typed, whatever the sign; no rounding of the explorer's is forgiven or told."""
    asked = own.read({"asks": "?", "answer": f"{value / 1000:.3f}", "off": f"{off / 1000:.3f}"})
    verdict = judge(asked, f"{(value + away) / 1000:.3f}")
    assert verdict.right == (abs(away) <= off)
    assert verdict.says == (asked.solution if verdict.right else "")


def test_own_questions_by_hand():
    """How they are told and counted: a number as it was typed, others without a word on slips, an
    opinion with nothing right, in the table too."""
    number = own.read(NUMBER | {"answer": "−0,50", "off": ""})
    assert number.solution == "The answer is −0.50."
    for answer, typed in (("100000000", "105000000"), ("0.00001", "0.00002")):  # no page's digits
        assert judge(own.read(NUMBER | {"answer": answer, "off": ""}), typed).right is False
    groups = tally(number, ["-0.5", "0.5", "0.5", "7"])
    assert [(each.answer, each.count, each.right, each.says) for each in groups] == [
        ("−0.50", 1, True, ""),
        ("other answers", 3, False, ""),
    ]
    opinion = own.read(OPINION)
    groups = tally(opinion, ["1", "1", "0", "2"])
    assert [(each.answer, each.count) for each in groups] == [("very", 1), ("not very", 2)]
    assert {each.right for each in groups} | {judge(opinion, "0").right} == {None}
    assert [row["right"] for row in in_rows(opinion, [groups])] == [None, None]
    assert judge(own.read(CHOICES), "0").right is False
    assert own.read(CHOICES | {"asks": " two\nlines\0\ud800 \t"}).asks == "two lines"


REFUSED = {
    "The question is no text.": {},
    "The question is empty.": CHOICES | {"asks": " \n"},
    "The question has more than 300 characters: shorten it.": CHOICES | {"asks": "x" * 301},
    "Expected 2 to 6 choices.": CHOICES | {"options": list("abcdefg")},
    "Two choices are the same.": CHOICES | {"options": ["a", " a "]},
    "A choice is no text.": CHOICES | {"options": ["a", 5]},
    "A choice has more than 120 characters: shorten it.": CHOICES | {"options": ["a", "y" * 121]},
    "The right one is none of the choices.": CHOICES | {"right": 3},
    "The answer is missing.": NUMBER | {"answer": ""},
    "The answer: 'many' is not a number: expected one such as −0.1234.": NUMBER
    | {"answer": "many"},
    "The answer has digits other than 0 to 9.": NUMBER | {"answer": "٣"},
    "How far off an answer may be is a number from 0 up.": NUMBER | {"off": "-1"},
    "Give or take: '5%' is in percent: write the share itself, such as 0.34 for 34%.": NUMBER
    | {"off": "5%"},
}


def test_what_is_no_question_is_refused_in_words():
    """A sentence for the lecturer says what is amiss, and no number of a limit is another than the
    one in force."""
    for says, typed in REFUSED.items():
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
async def test_a_class_is_asked_what_its_lecturer_wrote(servers, clock):  # noqa: F811
    """A question that is none is refused in words; markup comes as the text it is; each hears what
    is said of the own answer. Nothing is told of a vote that goes on; afterwards one table has all
    that were shown or put away with answers. In it nothing is a formula."""
    async with servers() as (here, there), a_class(here, there, there) as (lecturer, one, two):
        await lecturer.ask("own", own=CHOICES | {"options": ["a"]})
        assert (await lecturer.hear("no"))["why"] == "Expected 2 to 6 choices."
        assert (await lecturer.result("results"))["results"] == []
        asks = (
            ("own", CHOICES, ("0", "1")),
            ("cell", None, ("0.2300", "0.4917")),
            ("own", OPINION, ()),
        )
        for number, (what, typed, given) in enumerate(asks, 1):
            clock.now += 5  # so that nobody answers too quick
            await lecturer.ask(what, "weights", "query=2&key=5", own=typed)
            for each in (one, two):
                asked = (await each.hear("asked", questions=number))["asked"]
            if number == 1:
                told = asked["asks"], asked["kind"], asked["options"], asked["own"]
                assert told == (CHOICES["asks"], "choice", CHOICES["options"], True)
            for each, text in zip((one, two), given, strict=False):
                assert (await each.answer(asked["vote"], text))["counted"]
            before = [each["number"] for each in (await lecturer.result("results"))["results"]]
            assert before == list(range(1, number))
            await lecturer.say("show" if number == 2 else "away")
            await one.hear("asked")
        got = await lecturer.result("results")
        assert [(each["number"], each["of"]) for each in got["results"]] == [
            (1, 2),
            (2, 2),
        ]
        table = list(csv.DictReader(io.StringIO(got["csv"], newline="")))
        assert [(row["number"], row["answer"], row["right"], row["vote 1"]) for row in table] == [
            ("1", "'=1+1", "no", "1"),
            ("1", "<i>b</i>", "yes", "1"),
            ("1", "c", "no", "0"),
            ("2", "0.4917", "yes", "1"),
            ("2", "0.2300", "no", "1"),
        ]
        assert {row["place"] for row in table} == {"Weights · α[is, dessert]"}


@in_its_own_loop
async def test_the_last_results_are_kept(servers):  # noqa: F811
    """Of more results of a class than are kept the oldest goes; with the class all."""
    async with servers() as (hall, _), a_class(hall) as (lecturer,):
        room = hall.rooms[lecturer.room]
        for number in range(1, MOST_KEPT + 5):
            await hall.store.keep(room, number, str(number))
        assert sorted(map(int, await hall.store.kept(room))) == list(range(5, MOST_KEPT + 5))
        await lecturer.say("end")
        await lecturer.closed()
        assert await hall.store.kept(room) == []


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


def test_the_number_of_this_machine_is_one_of_its_own():
    """What the server finds is a number to which this machine can bind, and not one of itself
    alone."""
    if number := reachable._own_number():
        with socket.create_server((number, 0)):
            assert not number.startswith("127.")
