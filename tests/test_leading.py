"""What a lecturer has besides, on the server's side: all results, and where others reach it."""

import csv
import io
import socket
from types import SimpleNamespace

from pages.shared.room.rooms import MOST_KEPT
from pages.shared.server import reachable
from tests.test_rooms import Inside, a_class, clock, in_its_own_loop, redis, servers  # noqa: F401

LINK = "query=2&key=5"


@in_its_own_loop
async def test_all_results_are_one_table(servers, clock):  # noqa: F811
    """Of a vote that goes on nothing is told; afterwards one table has all questions that were
    shown or put away with answers, each with its place."""
    async with servers() as (here, there), a_class(here, there, there) as (lecturer, one, two):
        asks = (("0", "1"), "predict.weights"), (("0.2300", "0.4917"), "cell"), ((), "weights.1")
        for number, (given, what) in enumerate(asks, 1):
            clock.now += 5  # so that nobody answers too quick
            await lecturer.ask(what, "weights", "text=the+cat+sat&query=2" if number == 1 else LINK)
            for each in (one, two):
                asked = (await each.hear("asked", questions=number))["asked"]
            for each, text in zip((one, two), given, strict=False):
                assert (await each.answer(asked["vote"], text))["counted"]
            before = [each["number"] for each in (await lecturer.result("results"))["results"]]
            assert before == list(range(1, number))
            await lecturer.say("show" if number == 2 else "away")
            await one.hear("asked")
        got = await lecturer.result("results")
        assert [(each["number"], each["of"]) for each in got["results"]] == [(1, 2), (2, 2)]
        table = list(csv.DictReader(io.StringIO(got["csv"], newline="")))
        assert [(row["number"], row["answer"], row["right"], row["vote 1"]) for row in table] == [
            ("1", "the", "no", "1"),
            ("1", "cat", "yes", "1"),
            ("1", "sat", "no", "0"),
            ("2", "0.4917", "yes", "1"),
            ("2", "0.2300", "no", "1"),
        ]
        assert [row["place"] for row in table[2:4]] == [
            "Weights · α[cat, sat]",
            "Weights · α[is, dessert]",
        ]


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
