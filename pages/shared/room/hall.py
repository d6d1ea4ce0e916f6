"""The classes of this server: who is in which, and what a lecturer's act or a follower's answer does. No Streamlit here.

All of it runs in the server's one loop, so nothing is locked. What happens in a room is told through the store, which tells all
servers of an address, this one too: each hands it on to those whom it serves.
"""

import asyncio
import json
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any

from pages.shared.room import asked as questions
from pages.shared.room.bucket import Bucket
from pages.shared.room.rooms import MOST_ROOMS, Asked, Place, Room, Store, UnreachableError, a_code, lock_of

MOST_MEMBERS, MOST_IN_A_ROOM = 2000, 600
HEARTBEAT = 10.0  # seconds
GONE = 3 * HEARTBEAT  # a server that says nothing for so long serves nobody
NOT_HERE = (
    "There is no class with these letters. Ask for them again: a class ends when its lecturer ends it, or after twelve hours."
)
ONE_SERVER = (
    " Here a class lives in the memory of one server: where one address has several, and no Redis that they share, others do "
    "not know of it."
)
MANY_TRIED = "Many wrong letters were tried just now: wait a few seconds."
FULL = "This class is full."
MANY_ROOMS = "There are too many classes here now: try again in a minute."


class RefusedError(Exception):
    """What was asked for is not to be had; the message is for the reader. `again` says whether it may be later."""

    def __init__(self, why: str, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


@dataclass(eq=False)
class Member:
    """One browser window that is in a room, for as long as its line holds. `who` tells its answers from those of others: it is
    drawn at random by the browser."""

    send: Callable[[str], None]
    close: Callable[[], None]
    room: str = ""
    leads: bool = False
    who: str = ""


class Hall:
    """All classes of one server, and their members."""

    def __init__(self, store: Store) -> None:
        self.store = store
        store.hear, store.lost = self.hear, self.lost
        self.name = secrets.token_hex(4)
        self.rooms: dict[str, Room] = {}  # that somebody here is in
        self.members: dict[str, set[Member]] = {}
        self.here: dict[str, dict[str, tuple[int, float]]] = {}  # by room and server: followers, and when that was said
        self.begun: dict[str, float] = {}  # rooms that were begun here, and when they were last empty or led
        self.wrong, self.begins = Bucket(30, 1), Bucket(20, 1)
        self.clock: asyncio.Task | None = None

    # ---------- coming and going ----------

    async def begin(self, member: Member, key: str, at: Place, code: str | None = None) -> Room:
        """A new class, led by this member; with these letters, where they are said and free."""
        if not self.begins.take():
            raise RefusedError(MANY_ROOMS, again=True)
        await self._make_room()
        for _ in range(20):
            room = Room(code or a_code(), lock_of(key), at)
            if await self.store.add(room):
                self.begun[room.code] = time.monotonic()
                await self._enter(member, room, leads=True)
                return room
            code = None
        raise RefusedError(MANY_ROOMS, again=True)

    async def join(self, member: Member, code: str, known: str = "", key: str = "") -> Room:
        """A member comes in: as the lecturer, who has its `key`, or to follow.

        Whoever was here before has `known` the room's id, and is let in by it alone. Others may be guessing: of wrong letters there
        are few in a second, and right ones wait as long.
        """
        if not known and not self.wrong.has():
            raise RefusedError(MANY_TRIED, again=True)
        room = self.rooms.get(code) or await self.store.find(code)
        if room is None or (known and room.id != known):
            if not known:
                self.wrong.take()
            raise RefusedError(NOT_HERE + ("" if self.store.is_shared else ONE_SERVER))
        await self._enter(member, room, leads=bool(key) and lock_of(key) == room.lock)
        return self.rooms[code]

    async def _enter(self, member: Member, room: Room, leads: bool) -> None:
        if len(self.members.get(room.code, ())) >= MOST_IN_A_ROOM or sum(map(len, self.members.values())) >= MOST_MEMBERS:
            raise RefusedError(FULL, again=True)
        if room.code not in self.members:
            await self.store.listen(room.code)  # first: what is told from now on is heard
            room = await self.store.find(room.code) or room
            self.members.setdefault(room.code, set())
            self.rooms[room.code] = room
        member.room, member.leads = room.code, leads
        self.members[room.code].add(member)
        if self.clock is None or self.clock.done():
            self.clock = asyncio.create_task(self._keep_up())

    async def leave(self, member: Member) -> None:
        """A member's line is gone."""
        code, member.room = member.room, ""
        if member not in self.members.get(code, ()):
            return
        self.members[code].discard(member)
        with suppress(UnreachableError):
            await self.tell_followers(code)
            if not self.members.get(code):
                await self.store.stop_listening(code)
        if not self.members.get(code):
            self._forget(code)

    async def _make_room(self) -> None:
        """Where there are too many rooms, that one goes which was empty for longest."""
        if len(self.begun) < MOST_ROOMS:
            return
        empty = [code for code in self.begun if code not in self.members]
        if not empty:
            raise RefusedError(MANY_ROOMS, again=True)
        oldest = min(empty, key=self.begun.__getitem__)
        del self.begun[oldest]
        await self.store.drop(oldest)

    def _forget(self, code: str) -> None:
        for kept in (self.rooms, self.members, self.here):
            kept.pop(code, None)
        if code in self.begun:
            self.begun[code] = time.monotonic()

    # ---------- a lecturer's acts ----------

    async def _change(self, code: str, message: dict[str, Any], **changes: Any) -> None:
        """The room is another from here on, and all hear of it."""
        room = self.rooms[code] = replace(self.rooms[code], **changes, acts=self.rooms[code].acts + 1)
        await self.store.keep(room)
        await self.store.tell(code, message | {"room": room.as_text()})

    async def move(self, code: str, at: Place) -> None:
        """The lecturer went on."""
        if at != self.rooms[code].at:
            await self._change(code, {"is": "at"}, at=at)

    async def ask(self, code: str, what: str, at: Place) -> None:
        """Ask the class something of this page."""
        try:
            question = await questions.composed(what, at)
        except ValueError as error:
            raise RefusedError(str(error)) from error
        number = self.rooms[code].questions + 1
        asked = Asked(number, what, at, question.asks, question.kind, question.options)
        await self._change(code, {"is": "asked"}, asked=asked, questions=number)

    async def ask_on(self, code: str, **changes: Any) -> None:
        """The question is another from here on: put to the vote again, or shown; or there is none any more."""
        asked = self.rooms[code].asked
        if asked is not None and not (asked.shown and "votes" in changes):
            await self._change(code, {"is": "asked"}, asked=replace(asked, **changes) if changes else None)

    async def end(self, code: str) -> None:
        """The class is over."""
        self.begun.pop(code, None)
        await self.store.drop(code)
        await self.store.tell(code, {"is": "end"})

    async def result(self, code: str) -> dict[str, Any] | None:
        """How the votes on the present question went; None where there is none."""
        asked = self.rooms[code].asked
        if asked is None:
            return None
        votes = [await self.store.answers(code, asked.vote(which)) for which in range(1, asked.votes + 1)]
        return {"is": "result", "number": asked.number} | await questions.result(asked, votes)

    # ---------- a follower's answer ----------

    async def answer(self, member: Member, vote: str, text: Any) -> dict[str, Any]:
        """Count an answer, in place of one's former one; what is to be said of it."""
        asked = self.rooms[member.room].asked
        if asked is None or asked.shown or vote != asked.vote():
            return {"is": "answered", "vote": vote, "counted": False, "says": "This question is closed."}
        try:
            read = questions.read(asked, text)
        except ValueError as error:
            return {"is": "answered", "vote": vote, "counted": False, "says": str(error)}
        count = await self.store.vote(member.room, vote, member.who, read)
        if count is None:
            return {"is": "answered", "vote": vote, "counted": False, "says": "There are as many answers as this class can hold."}
        await self.store.tell(member.room, {"is": "count", "vote": vote, "answers": count})
        return {"is": "answered", "vote": vote, "counted": True, "answer": read}

    async def verdict(self, member: Member) -> dict[str, Any] | None:
        """What is to be said of one's own answer, once the answer is shown."""
        asked = self.rooms[member.room].asked
        if asked is None:
            return None
        mine = await self.store.answer_of(member.room, asked.vote(), member.who)
        if mine is None:
            return None
        if not asked.shown:
            return {"is": "answered", "vote": asked.vote(), "counted": True, "answer": mine}
        return {"is": "verdict", "vote": asked.vote(), "answer": mine} | await questions.verdict(asked, mine)

    # ---------- what all hear ----------

    def hear(self, code: str, message: dict[str, Any]) -> None:
        """Something happened in a room: hand it on to its members here."""
        match message["is"]:
            case "here":
                self.here.setdefault(code, {})[message["server"]] = message["followers"], time.monotonic()
                self._send(code, {"is": "followers", "followers": self.followers(code)}, to_leaders=True)
            case "count":
                self._send(code, message, to_leaders=True)
            case "end":
                self._send(code, message)
                for member in self.members.get(code, set()).copy():
                    member.close()
            case kind:
                if code in self.members:
                    room = Room.of_text(message["room"])
                    if room.acts >= self.rooms[code].acts:  # else its lecturer is ahead of what is heard
                        self.rooms[code] = room
                    self._send(code, {"is": kind} | said_of(room, kind))

    def lost(self) -> None:
        """What was told lately may not have arrived: let all come in anew."""
        for member in [each for members in self.members.values() for each in members]:
            member.close()

    def followers(self, code: str) -> int:
        """How many follow, on all servers."""
        now = time.monotonic()
        return sum(count for count, at in self.here.get(code, {}).values() if now - at < GONE)

    async def tell_followers(self, code: str) -> None:
        """Say on all servers how many follow here."""
        count = sum(not member.leads for member in self.members.get(code, ()))
        await self.store.tell(code, {"is": "here", "server": self.name, "followers": count})

    def _send(self, code: str, message: dict[str, Any], to_leaders: bool = False) -> None:
        text = json.dumps(message)
        for member in self.members.get(code, set()).copy():
            if member.leads or not to_leaders:
                member.send(text)

    async def _keep_up(self) -> None:
        """Now and then each server says how many follow there, and each browser hears that the line holds."""
        while self.members:
            await asyncio.sleep(HEARTBEAT)
            try:
                for code in list(self.members):
                    self._send(code, {"is": "beat"})
                    await self.tell_followers(code)
            except UnreachableError:
                self.lost()


def said_of(room: Room, kind: str = "") -> dict[str, Any]:
    """What a browser is told of a room: all of it, or what changed."""
    asked = room.asked
    told: dict[str, Any] = {}
    if kind in ("", "at"):
        told |= {"page": room.at.page, "link": room.at.link, "place": questions.place(room.at)}
    if kind in ("", "asked"):
        told["asked"] = asked and {
            "number": asked.number, "vote": asked.vote(), "votes": asked.votes, "asks": asked.asks, "kind": asked.kind,
            "options": asked.options, "shown": asked.shown,
        }  # fmt: skip
    return told
