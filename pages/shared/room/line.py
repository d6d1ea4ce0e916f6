"""The line of one browser window to its class: a websocket beside Streamlit's own. What comes in is checked here."""

import asyncio
import json
import os
import re
from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import cache
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from pages.shared.frame.share import code as as_code
from pages.shared.frame.share import only_near
from pages.shared.link import MOST_LETTERS
from pages.shared.room import questions
from pages.shared.room.bucket import Bucket
from pages.shared.room.hall import Hall, Member, RefusedError
from pages.shared.room.origins import number_of
from pages.shared.room.rooms import Memory, Room, UnreachableError, is_code, place
from pages.shared.server import inside

REDIS = os.environ.get("ATTENTION_REDIS")  # redis://… where several servers share their classes
if REDIS:  # what it brings takes a while to import
    from pages.shared.room.redis_store import Shared

UNREACHABLE = "The class cannot be reached now: the explorer tries again by itself."
TOO_QUICK = "One answer a second, please."
MANY_CAME = "Many came in at once: your answer is counted in a moment."
LONGEST = 2 * MOST_LETTERS  # bytes of a message
A_LONG_ONE = 2000  # characters, that cost as much as a message more
MOST_WAITING = 100  # messages that a window does not take
WAITS = 20.0  # seconds, for a browser to say what it wants
SLOW = 10.0  # seconds, for a browser to take what it is told
MOST_OF_AN_ADDRESS = 300  # characters
A_WORD = re.compile(r"[A-Za-z0-9_-]{8,64}")  # a key, or what a browser calls itself
AGAIN, WRONG = 1013, 1008  # why a line is closed


@cache
def hall() -> Hall:
    """Return the classes of this server. They are shared with other servers where a Redis is named."""
    return Hall(Shared(REDIS) if REDIS else Memory())


async def meet(socket: WebSocket) -> None:
    """Serve one browser window, from the first message to the last; of a page that Streamlit would serve too."""
    if not await inside.is_served(socket):
        await socket.close(WRONG)  # before it is accepted: 403
        return
    inside.take_no_more_than(socket, LONGEST)
    await socket.accept()
    line = Line(socket)
    try:
        await line.read()
    finally:
        await line.end()


class Line:
    """What one window sends is done one by one; what it is told waits in `out`, so that a slow one keeps nobody waiting. Of a room's
    messages only the latest of a kind waits: all say how things are now."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket, self.hall = socket, hall()
        self.out: dict[str, str] = {}  # by kind, in order
        self.replies = 0
        self.why: int | None = None  # the line ends, once all is said
        self.news = asyncio.Event()
        self.member = Member(self.send, lambda: self.close(AGAIN), number_of(socket.client.host if socket.client else ""))
        self.hall.arrive(self.member)
        self.messages, self.answers, self.questions = Bucket(80, 20), Bucket(1, 1), Bucket(20, 2)
        self.writer = asyncio.create_task(self._write())
        self.naming: asyncio.Task | None = None

    def send(self, text: str, kind: str) -> None:
        """Tell the window."""
        self.out.pop(kind, None)
        self.out[kind] = text
        if len(self.out) > MOST_WAITING:  # it takes nothing: it may come again
            self.out.clear()
            self.close(AGAIN)
        self.news.set()

    def say(self, **message: Any) -> None:
        """Answer the window."""
        self.replies += 1
        self.send(json.dumps(message), str(self.replies))

    def close(self, why: int) -> None:
        """End the line, once all is said."""
        self.why = why if self.why is None else self.why
        self.news.set()

    async def _write(self) -> None:
        try:
            while self.out or self.why is None:
                if self.out:
                    async with asyncio.timeout(SLOW):
                        await self.socket.send_text(self.out.pop(next(iter(self.out))))
                else:
                    self.news.clear()
                    await self.news.wait()
        except (WebSocketDisconnect, TimeoutError):  # it is gone, or takes nothing
            pass
        if self.socket.application_state is WebSocketState.CONNECTED:
            with suppress(WebSocketDisconnect, TimeoutError):
                async with asyncio.timeout(SLOW):
                    await self.socket.close(AGAIN if self.why is None else self.why)

    async def end(self) -> None:
        """Leave the class: the window is gone, or is to go."""
        if self.naming:
            self.naming.cancel()
        await self.hall.leave(self.member)
        self.close(AGAIN)
        await asyncio.wait([self.writer], timeout=2 * SLOW)

    async def read(self) -> None:
        """Do all that the window asks for, until it is gone or the line ends."""
        goes_on = True
        while goes_on:
            wait = None if self.member.room else WAITS
            received = asyncio.ensure_future(self.socket.receive())
            try:
                await asyncio.wait([received, self.writer], timeout=wait, return_when=asyncio.FIRST_COMPLETED)
                goes_on = received.done() and received.result()["type"] == "websocket.receive"
            finally:
                received.cancel()
            if goes_on:
                goes_on = await self._do(received.result().get("text"))

    async def _do(self, text: str | None) -> bool:
        """Do what one message asks for; False where this is the last. A lecturer who sends much, or much at once, waits; whoever
        follows has nothing to say that often, and is let go."""
        try:
            message = json.loads(text) if text and len(text) <= LONGEST else None
        except (ValueError, RecursionError):
            message = None
        act = ACTS.get(message.get("do")) if isinstance(message, dict) and isinstance(message.get("do"), str) else None
        if act is None:
            self.close(WRONG)
            return False
        if self.member.room and not self.member.leads and not self.messages.has(1 + len(text) / A_LONG_ONE):
            self.close(WRONG)
            return False
        await self.messages.wait(1 + len(text) / A_LONG_ONE)
        try:
            await act(self, message)
        except RefusedError as error:
            self.say(**{"is": "no", "why": str(error), "again": error.again})
            return bool(self.member.room)
        except UnreachableError:
            self.say(**{"is": "no", "why": UNREACHABLE, "again": True})
            return False
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):  # nothing that the explorer's own script sends
            self.close(WRONG)
            return False
        return True


# ---------- what a window can ask for ----------


def _word(message: dict[str, Any], name: str) -> str:
    word = message.get(name, "")
    if word != "" and not (isinstance(word, str) and A_WORD.fullmatch(word)):
        raise ValueError(name)
    return word


async def come(line: Line, message: dict[str, Any]) -> None:
    """Come in: with a key as the lecturer, else to follow. A lecturer whose class is gone begins it again, with its letters."""
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


async def _tell_name(line: Line, room: Room, had: str) -> None:
    """Tell the window the name that its answers count by, once it has one."""
    if not line.member.who:
        await line.hall.name_later(line.member, room)
    if line.member.who != had:
        line.say(**{"is": "name", "who": line.member.who})


def _welcome(line: Line, room: Room, message: dict[str, Any]) -> None:
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
        told |= {"picture": as_code(f"{address}?room={room.code}-{room.id}"), "note": only_near(address)}
    line.say(**told, **questions.said_of(room))


async def move(line: Line, message: dict[str, Any]) -> None:
    """Go with the lecturer to another place."""
    await line.hall.move(line.member.room, place(message["page"], message["link"]))


async def offer(line: Line, message: dict[str, Any]) -> None:
    """Tell what can be asked at a place."""
    line.say(**{"is": "offers", "offers": await questions.offers(place(message["page"], message["link"]))})


async def ask(line: Line, message: dict[str, Any]) -> None:
    """Ask the class."""
    what = message["what"]
    if not isinstance(what, str) or len(what) > 40:
        raise ValueError("what")
    await line.hall.ask(line.member.room, what, place(message["page"], message["link"]))


async def vote_again(line: Line, message: dict[str, Any]) -> None:
    """Ask for a second vote, after the class has talked it over."""
    await line.hall.ask_on(line.member.room, votes=2)


async def show(line: Line, message: dict[str, Any]) -> None:
    """Show the answer: nobody answers any more."""
    await line.hall.ask_on(line.member.room, shown=True)


async def put_away(line: Line, message: dict[str, Any]) -> None:
    """Put the question away."""
    await line.hall.ask_on(line.member.room)


async def undo(line: Line, message: dict[str, Any]) -> None:
    """Take back what was done last of these three, where it is still as the lecturer saw it."""
    await line.hall.undo(line.member.room, message["vote"], message["shown"])


async def tell_result(line: Line, message: dict[str, Any]) -> None:
    """Tell how the votes went."""
    if result := await line.hall.result(line.member.room):
        line.say(**result)


async def end(line: Line, message: dict[str, Any]) -> None:
    """End the class."""
    await line.hall.end(line.member.room)


async def answer(line: Line, message: dict[str, Any]) -> None:
    """Count a follower's answer."""
    why = TOO_QUICK if not line.answers.take() else MANY_CAME if not line.member.who else None
    if why:
        line.say(**{"is": "answered", "vote": message["vote"], "counted": False, "says": why, "later": True})
    else:
        line.say(**await line.hall.answer(line.member, message["vote"], message["answer"]))


async def hear_verdict(line: Line, message: dict[str, Any]) -> None:
    """Tell what is to be said of one's own answer."""
    if verdict := await line.hall.verdict(line.member):
        line.say(**verdict)


Act = Callable[[Line, dict[str, Any]], Awaitable[None]]


def _of_a(leads: bool, act: Act) -> Act:
    """Allow an act to a lecturer or to a follower alone. What is computed for it waits for its turn."""

    async def of_those(line: Line, message: dict[str, Any]) -> None:
        if not line.member.room or line.member.leads is not leads:
            raise ValueError("not yours")
        if act in COMPUTED:
            await line.questions.wait()
        await act(line, message)

    return of_those


OF_A_LECTURER = {
    "at": move, "offers": offer, "ask": ask, "again": vote_again, "show": show, "away": put_away, "undo": undo,
    "result": tell_result, "end": end,
}  # fmt: skip
OF_A_FOLLOWER = {"answer": answer, "verdict": hear_verdict}
COMPUTED = (offer, ask, tell_result, hear_verdict)
ACTS: dict[str, Act] = {
    "come": come,
    **{name: _of_a(True, act) for name, act in OF_A_LECTURER.items()},
    **{name: _of_a(False, act) for name, act in OF_A_FOLLOWER.items()},
}
