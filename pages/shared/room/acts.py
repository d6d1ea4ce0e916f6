"""What a browser window can ask of its class, each act checked before it is done."""

import asyncio
import re
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from pages.shared.frame.share import code as as_code
from pages.shared.frame.share import only_near
from pages.shared.room import questions
from pages.shared.room.bucket import Bucket
from pages.shared.room.hall import Hall
from pages.shared.room.members import Member, RefusedError
from pages.shared.room.rooms import Room, is_code, place
from pages.shared.server.reachable import reachable

TOO_QUICK = "One answer a second, please."
MANY_CAME = "Many came in at once: your answer is counted in a moment."
MOST_OF_AN_ADDRESS = 300  # characters
A_WORD = re.compile(r"[A-Za-z0-9_-]{8,64}")  # a key, or what a browser calls itself


class Window(Protocol):
    """What an act needs of a window's line."""

    hall: Hall
    member: Member
    machine: str  # the number of the machine that it comes from
    answers: Bucket
    questions: Bucket
    naming: asyncio.Task | None

    def say(self, **message: Any) -> None: ...


def _word(message: dict[str, Any], name: str) -> str:
    word = message.get(name, "")
    if word != "" and not (isinstance(word, str) and A_WORD.fullmatch(word)):
        raise ValueError(name)
    return word


async def come(line: Window, message: dict[str, Any]) -> None:
    """Come in: with a key as the lecturer, else to follow. A lecturer whose class is gone begins it
    again, with its letters."""
    key, code, member = _word(message, "key"), message.get("room"), line.member
    if member.room:
        raise ValueError("once")
    who = _word(message, "who")
    at = place(message["page"], message["link"]) if key else None
    if code is not None and not is_code(code):
        raise RefusedError("A class has four letters, none of them a vowel.")
    try:
        if code is None and not key:
            raise ValueError("room")
        if code is None:
            room = await line.hall.begin(member, key, at)
        else:
            room = await line.hall.join(member, code, _word(message, "known"), key)
    except RefusedError as error:
        if not key or code is None or error.again:
            raise
        room = await line.hall.begin(member, key, at, code)
    _welcome(line, room, message)
    if not member.leads:
        line.hall.name(member, room, who)
        line.naming = asyncio.create_task(_tell_name(line, room, who))
    await line.hall.tell_followers(room.code)
    if not member.leads and (verdict := await line.hall.verdict(member)):
        line.say(**verdict)


async def _tell_name(line: Window, room: Room, had: str) -> None:
    """Tell the window the name that its answers count by, once it has one."""
    if not line.member.who:
        await line.hall.name_later(line.member, room)
    if line.member.who != had:
        line.say(**{"is": "name", "who": line.member.who})


def _welcome(line: Window, room: Room, message: dict[str, Any]) -> None:
    leads, address = line.member.leads, message.get("address")
    told = {
        "is": "room",
        "room": room.code,
        "id": room.id,
        "born": room.born,
        "leads": leads,
        "alone": not line.hall.store.is_shared,
    }
    if leads:
        told["followers"] = line.hall.present.followers(room.code)
    if leads and isinstance(address, str) and len(address) < MOST_OF_AN_ADDRESS:
        address, found = reachable(address, line.machine)
        picture = as_code(f"{address}?room={room.code}-{room.id}")
        told |= {"address": address, "found": found, "picture": picture, "note": only_near(address)}
    line.say(**told, **questions.said_of(room))


async def move(line: Window, message: dict[str, Any]) -> None:
    """Go with the lecturer to another place."""
    await line.hall.move(line.member.room, place(message["page"], message["link"]))


async def offer(line: Window, message: dict[str, Any]) -> None:
    """Tell what can be asked at a place."""
    line.say(
        **{
            "is": "offers",
            "offers": await questions.offers(place(message["page"], message["link"])),
        }
    )


async def ask(line: Window, message: dict[str, Any]) -> None:
    """Ask the class."""
    what = message["what"]
    if not isinstance(what, str) or len(what) > 40:
        raise ValueError("what")
    await line.hall.ask(line.member.room, what, place(message["page"], message["link"]))


async def vote_again(line: Window, message: dict[str, Any]) -> None:
    """Ask for a second vote, after the class has talked it over."""
    await line.hall.ask_on(line.member.room, votes=2, closed=False)


async def close_vote(line: Window, message: dict[str, Any]) -> None:
    """Close the vote, or open it again. The answer is not shown by it."""
    await line.hall.ask_on(line.member.room, closed=message["closed"] is True)


async def show(line: Window, message: dict[str, Any]) -> None:
    """Show the answer: nobody answers any more."""
    await line.hall.ask_on(line.member.room, shown=True)


async def put_away(line: Window, message: dict[str, Any]) -> None:
    """Put the question away."""
    await line.hall.ask_on(line.member.room)


async def undo(line: Window, message: dict[str, Any]) -> None:
    """Take back what was done last of these three, where it is still as the lecturer saw it."""
    await line.hall.undo(line.member.room, message["vote"], message["shown"])


async def tell_result(line: Window, message: dict[str, Any]) -> None:
    """Tell how the votes went."""
    if result := await line.hall.result(line.member.room):
        line.say(**result)


async def tell_results(line: Window, message: dict[str, Any]) -> None:
    """Tell how the votes on all questions went."""
    line.say(**await line.hall.results(line.member.room))


async def end(line: Window, message: dict[str, Any]) -> None:
    """End the class."""
    await line.hall.end(line.member.room)


async def answer(line: Window, message: dict[str, Any]) -> None:
    """Count a follower's answer."""
    why = TOO_QUICK if not line.answers.take() else MANY_CAME if not line.member.who else None
    if why:
        line.say(
            **{
                "is": "answered",
                "vote": message["vote"],
                "counted": False,
                "says": why,
                "later": True,
            }
        )
    else:
        line.say(**await line.hall.answer(line.member, message["vote"], message["answer"]))


async def hear_verdict(line: Window, message: dict[str, Any]) -> None:
    """Tell what is to be said of one's own answer."""
    if verdict := await line.hall.verdict(line.member):
        line.say(**verdict)


Act = Callable[[Window, dict[str, Any]], Awaitable[None]]


def _of_a(leads: bool, act: Act) -> Act:
    """Allow an act to a lecturer or to a follower alone. What is computed for it waits for its
    turn."""

    async def of_those(line: Window, message: dict[str, Any]) -> None:
        if not line.member.room or line.member.leads is not leads:
            raise ValueError("not yours")
        if act in COMPUTED:
            await line.questions.wait()
        await act(line, message)

    return of_those


OF_A_LECTURER = {
    "at": move,
    "offers": offer,
    "ask": ask,
    "again": vote_again,
    "show": show,
    "away": put_away,
    "undo": undo,
    "result": tell_result,
    "end": end,
    "close": close_vote,
    "results": tell_results,
}
OF_A_FOLLOWER = {"answer": answer, "verdict": hear_verdict}
COMPUTED = (offer, ask, put_away, tell_result, tell_results, hear_verdict)
ACTS: dict[str, Act] = {
    "come": come,
    **{name: _of_a(True, act) for name, act in OF_A_LECTURER.items()},
    **{name: _of_a(False, act) for name, act in OF_A_FOLLOWER.items()},
}
