"""The classes of this server: who is in which, and who hears what happens there. What is asked and
answered is in `asking.py`.

All of it runs in the server's one loop, so nothing is locked. What happens in a room is told
through the store, which tells all servers of an address, this one too: each hands it on to those
whom it serves.
"""

import asyncio
import hmac
import itertools
import json
import secrets
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

from pages.shared.room import questions
from pages.shared.room.asking import Asking
from pages.shared.room.members import DRAWN, Member, RefusedError, name_in
from pages.shared.room.origins import Origin, Origins, latest_of_the_most
from pages.shared.room.present import HEARTBEAT, Present
from pages.shared.room.rooms import (
    MOST_ROOMS,
    Place,
    Room,
    Store,
    UnreachableError,
    a_code,
    lock_of,
)

MOST_MEMBERS, MOST_IN_A_ROOM = 2000, 600
MOST_BEGUN = 20  # classes from one address at once
MOST_OUTSIDE = 700  # lines from one address that have not come in yet
MOST_GUESSING = 60  # lines from one address whose letters wait to be looked at
NOT_HERE = (
    "There is no class with these letters. Ask for them: a class ends when its lecturer ends it, or"
    " after twelve hours."
)
MANY_TRIED = "Many wrong letters were tried just now: wait a few seconds."
FULL = "This class is full."
MANY_ROOMS = "There are too many classes here now: try again in a minute."


class Hall(Asking):
    """All classes of one server, and their members."""

    def __init__(self, store: Store) -> None:
        self.store = store
        store.hear, store.lost = self.hear, self.lost
        self.server = secrets.token_hex(4)
        self.rooms: dict[str, Room] = {}  # that somebody here is in
        self.members: dict[str, set[Member]] = {}
        self.present = Present()  # in rooms that somebody here is in, or began
        self.losses = 0  # how often what was told may not have arrived
        self.begun: dict[
            str, tuple[float, str]
        ] = {}  # rooms begun here: when they were last empty or led, and from where
        self.outside: dict[
            str, dict[Member, None]
        ] = {}  # lines that have not come in yet, by where they are from
        self.origins = Origins()
        self.comers = itertools.count()
        self.clock: asyncio.Task | None = None

    # ---------- coming and going ----------

    def arrive(self, member: Member) -> None:
        """Note a line that says nothing yet. Of one address only so many wait so: the first of them
        are let go."""
        member.came = next(self.comers)
        outside = self.outside.setdefault(member.origin, {})
        outside[member] = None
        if len(outside) > MOST_OUTSIDE:
            first = next(iter(outside))
            self._is_not_outside(first)
            first.close()

    def _is_not_outside(self, member: Member) -> None:
        outside = self.outside.get(member.origin, {})
        outside.pop(member, None)
        if not outside:
            self.outside.pop(member.origin, None)

    async def begin(self, member: Member, key: str, at: Place, code: str | None = None) -> Room:
        """Begin a class, led by this member; with these letters, where they are said and free."""
        if not self._origin(member).begins.take():
            raise RefusedError(MANY_ROOMS, again=True)
        self._make_place(member)
        await self._evict_oldest(member.origin)
        async with self._listening():
            for _ in range(20):
                room = Room(code or a_code(), lock_of(key), at)
                if await self.store.add(room):
                    self.begun[room.code] = time.monotonic(), member.origin
                    break
                code = None
            else:
                raise RefusedError(MANY_ROOMS, again=True)
        return self._enter(member, room, leads=True)

    async def join(self, member: Member, code: str, known: str = "", key: str = "") -> Room:
        """Let a member in: as the lecturer, who has its `key`, or to follow.

        Who has `known` the room's id, by its link or since he was here before, is let in by it
        alone. Others may be guessing: wrong letters count, and where more come from an address than
        are looked at, whoever has none but letters waits there.
        """
        origin = self._origin(member)
        if not known:
            await self._wait_to_guess(origin)
        async with self._listening():
            room = await self.store.find(code)
        if room is not None and not known:
            origin.guesses.give_back()
        if room is None or (known and room.id != known):
            raise RefusedError(NOT_HERE)
        return self._enter(member, room, leads=key != "" and lock_of(key) == room.lock)

    async def _wait_to_guess(self, origin: Origin) -> None:
        if origin.guessing >= MOST_GUESSING:
            raise RefusedError(MANY_TRIED, again=True)
        origin.guessing += 1
        try:
            await origin.guesses.wait()
        finally:
            origin.guessing -= 1

    def _origin(self, member: Member) -> Origin:
        return self.origins.of(member.origin)

    @asynccontextmanager
    async def _listening(self) -> AsyncIterator[None]:
        """Hear what is told from here on, so that what is found within stays true. Raises
        UnreachableError where it may not be."""
        losses = self.losses
        await self.store.listen()
        yield
        if losses != self.losses:
            raise UnreachableError

    def _make_place(self, member: Member, code: str = "") -> None:
        """Where all places are taken, of a class or of all, a line of the address that has most of
        them gives way to others, and to the class's lecturer in any case. Raises RefusedError where
        there is no place."""
        if len(self.members.get(code, ())) >= MOST_IN_A_ROOM:
            self._let_one_go(self.members[code], "" if member.leads else member.origin)
        if sum(map(len, self.members.values())) >= MOST_MEMBERS:
            self._let_one_go(
                (each for members in self.members.values() for each in members), member.origin
            )

    def _let_one_go(self, crowd: Iterable[Member], origin: str) -> None:
        goes = latest_of_the_most((each for each in crowd if not each.leads), origin)
        if goes is None:
            raise RefusedError(FULL, again=True)
        self._put_out(goes)

    def _enter(self, member: Member, room: Room, leads: bool) -> Room:
        member.leads = leads
        self._make_place(member, room.code)
        self._is_not_outside(member)
        member.room = room.code
        self.members.setdefault(room.code, set()).add(member)
        if self.clock is None or self.clock.done():
            self.clock = asyncio.create_task(self._keep_up())
        return self._know(room)

    def _know(self, room: Room) -> Room:
        """Remember how a room is now, and return it, unless it is known how it was later."""
        known = self.rooms.get(room.code, room)
        if room.code in self.members and (room.born != known.born or room.acts >= known.acts):
            self.rooms[room.code] = room
        return self.rooms.get(room.code, room)

    async def leave(self, member: Member) -> None:
        """Let a member go, whose line is gone."""
        self._is_not_outside(member)
        code, member.room = member.room, ""
        if member not in self.members.get(code, ()):
            return
        self.members[code].discard(member)
        if not self.members[code]:
            self._forget(code)
        with suppress(UnreachableError):
            await self.tell_followers(code)

    def _put_out(self, member: Member) -> None:
        """End a member's line: it comes again if it wants to."""
        code, member.room = member.room, ""
        member.close()
        self.members[code].discard(member)
        if not self.members[code]:
            self._forget(code)

    def _put_all_out(self, code: str) -> None:
        for member in list(self.members.get(code, ())):
            self._put_out(member)

    async def _evict_oldest(self, origin: str) -> None:
        """Forget the room that was empty for longest, here and on all servers, where there are too
        many; where they are of one address, one of that address."""
        ours = [code for code, (_, begun_by) in self.begun.items() if begun_by == origin]
        among = (
            ours
            if len(ours) >= MOST_BEGUN
            else list(self.begun)
            if len(self.begun) >= MOST_ROOMS
            else None
        )
        if among is None:
            return
        empty = [
            code for code in among if code not in self.members and not self.present.anybody(code)
        ]
        if not empty:
            raise RefusedError(MANY_ROOMS, again=True)
        oldest = min(empty, key=lambda code: self.begun[code][0])
        del self.begun[oldest]
        self.present.forget(oldest)
        await self.store.drop(oldest)

    def _forget(self, code: str) -> None:
        self.rooms.pop(code, None)
        self.members.pop(code, None)
        if code in self.begun:
            self.begun[code] = time.monotonic(), self.begun[code][1]
        else:
            self.present.forget(code)

    def name(self, member: Member, room: Room, has: str = "") -> None:
        """Give a member the name that its answers count by: the one that it `has` where the class
        gave it, else a new one. Of new ones an address gets so many at once, and then one by one:
        until then it has none."""
        if hmac.compare_digest(has, name_in(room, has[:DRAWN])):
            member.who = has
        elif self._origin(member).names.take():
            member.who = name_in(room, secrets.token_hex(DRAWN // 2))

    async def name_later(self, member: Member, room: Room) -> None:
        """Give it one as soon as it is its turn."""
        await self._origin(member).names.wait()
        member.who = name_in(room, secrets.token_hex(DRAWN // 2))

    # ---------- what all hear ----------

    def hear(self, code: str, message: dict[str, Any]) -> None:
        """Hand on to its members here what happened in a room."""
        match message["is"]:
            case "here":
                if code in self.members or code in self.begun:
                    self.present.says(code, message["server"], message["followers"])
                self._send(
                    code,
                    {"is": "followers", "followers": self.present.followers(code)},
                    to_leaders=True,
                )
            case "count":
                self._send(code, message, to_leaders=True)
            case "end":
                self._send(code, message)
                self.begun.pop(code, None)
                self._put_all_out(code)
            case kind:
                if code in self.members:
                    room = Room.of_text(message["room"])
                    self._know(room)  # a lecturer here may be ahead of what is heard
                    self._send(code, {"is": kind} | questions.said_of(room, kind))

    def lost(self) -> None:
        """Let all come in anew: what was told lately may not have arrived."""
        self.losses += 1
        for code in list(self.members):
            self._put_all_out(code)

    async def tell_followers(self, code: str) -> None:
        """Say on all servers who follows here, by marks of their browsers; None where nobody is in
        the room."""
        marks = None
        if code in self.members:
            marks = sorted(
                {
                    lock_of(member.who or str(member.came))[:8]
                    for member in self.members[code]
                    if not member.leads
                }
            )
        await self.store.tell(code, {"is": "here", "server": self.server, "followers": marks})

    def _send(self, code: str, message: dict[str, Any], to_leaders: bool = False) -> None:
        text = json.dumps(message)
        for member in self.members.get(code, ()):
            if member.leads or not to_leaders:
                member.send(text, message["is"])

    async def _keep_up(self) -> None:
        """Say now and then how many follow here, and tell each browser that the line holds."""
        while self.members:
            await asyncio.sleep(HEARTBEAT)
            try:
                for code in list(self.members):
                    self._send(code, {"is": "beat"})
                    await self.tell_followers(code)
            except UnreachableError:
                self.lost()
