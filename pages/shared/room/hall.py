"""The classes of this server: who is in which, what each may do there, and who hears of it.

All of it runs in the server's one loop, so nothing is locked. What is done to a room is written to
the store, which tells all servers of an address, this one too: each hands it on to those whom it
serves.
"""

import asyncio
import json
import re
import secrets
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import Any

from pages.shared.frame.share import code as as_code
from pages.shared.frame.share import only_near
from pages.shared.room import questions, room
from pages.shared.room.room import Asked, Place, Room, a_code, is_code, lock_of, place
from pages.shared.room.store import Answer, Store, UnreachableError
from pages.shared.server.reachable import reachable

MAX_MEMBERS, MAX_IN_A_ROOM = 2000, 600
MAX_TRIES = 50  # of a write, where others write the same room
HEARTBEAT = 10.0  # seconds
MAX_OF_AN_ADDRESS = 300  # characters
A_WORD = re.compile(r"[A-Za-z0-9_-]{8,64}")  # a key, or what a browser calls itself
NO_LETTERS = "A class has four letters, none of them a vowel."
NOT_HERE = (
    "There is no class with these letters. Ask for them: a class ends when its lecturer ends it, or"
    " after twelve hours."
)
FULL = "This class is full."
CLOSED = "This question is closed."
MANY_ANSWERS = "There are as many answers as this class can hold."


class RefusedError(Exception):
    """What was asked for is not to be had; the message is for the reader. `again` says whether it
    may be later."""

    def __init__(self, why: str, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


class Member:
    """One browser window, for as long as its line holds. `who` tells its answers from those of
    others, and says nothing else."""

    def __init__(self, send: Callable[[str, str], None], close: Callable[[], None], host: str):
        self.send = send  # a kind and a message, in place of one of this kind that still waits
        self.close = close
        self.host = host
        self.code = self.who = ""
        self.leads = False
        self.told = ("", -1)  # which room it was told of last, and as of which act

    def say(self, kind: str, **message: Any) -> None:
        """Tell the window something."""
        self.send(kind, json.dumps({"is": kind} | message))


class Hall:
    """All classes of one server, and their members."""

    def __init__(self, store: Store) -> None:
        self.store = store
        store.hear, store.lost = self.hear, self.lost
        self.server = secrets.token_hex(4)
        self.members: dict[str, set[Member]] = {}
        # how many follow, by room and server, and when that was said
        self.followers: dict[str, dict[str, tuple[int, float]]] = {}
        self.clock: asyncio.Task | None = None

    # ---------- what a window may do ----------

    async def do(self, member: Member, message: dict[str, Any]) -> None:
        """Do what a window asks for. Raises RefusedError with a sentence for its reader,
        UnreachableError, and ValueError, TypeError or KeyError where the explorer's own script
        sends no such thing."""
        role = "outside" if not member.code else "leads" if member.leads else "follows"
        match role, message.get("do"):
            case "outside", "come":
                await self._come(member, message)
            case "leads", "at":
                await self._change(member, partial(room.move, at=_place(message)))
            case "leads", "offers":
                member.say("offers", offers=await questions.offers(_place(message)))
            case "leads", "ask":
                asked = await _composed(message["what"], _place(message))
                await self._change(member, partial(room.ask, asked=asked))
            case "leads", "show":
                await self._change(member, room.show)
            case "leads", "away":
                await self._change(member, room.put_away)
            case "leads", "result":
                await self._tell_result(member)
            case "leads", "results":
                await self._tell_results(member)
            case "leads", "end":
                await self.store.drop(await self._room_of(member))
                await self.store.tell(member.code, {"end": True})
            case "follows", "answer":
                await self._answer(member, message["number"], message["answer"], message["act"])
            case "follows", "mine":
                await self._tell_own(member, await self._room_of(member))
            case _:
                raise ValueError("no act of this window")

    async def _room_of(self, member: Member) -> Room:
        now = await self.store.read(member.code)
        if now is None:
            raise RefusedError(NOT_HERE, again=member.leads)
        return now

    async def _change(self, member: Member, act: Callable[[Room], Room]) -> None:
        """Change a room. Where another server was quicker it is done to what that one made."""
        for _ in range(MAX_TRIES):
            was = await self._room_of(member)
            now = room.count_act(was, act)
            if now == was or await self.store.write(was, now):
                return
        raise UnreachableError

    async def _tell_result(self, member: Member) -> None:
        now = await self._room_of(member)
        if now.asked and now.asked.shown:
            given = await self.store.answers(now, now.asked)
            member.say("result", **await questions.result(now.asked, sorted(given.values())))

    async def _tell_results(self, member: Member) -> None:
        """Tell how the votes went that are over."""
        now = await self._room_of(member)
        votes = [(each, await self.store.answers(now, each)) for each in now.finished]
        told = [(asked, sorted(given.values())) for asked, given in votes]
        member.say("results", csv=await questions.table(told))

    async def _answer(self, member: Member, number: Any, text: Any, act: Any) -> None:
        """Count an answer, in place of one's former one."""
        says = {"number": number, "act": act}
        was = None
        for _ in range(MAX_TRIES):
            now = await self._room_of(member)
            asked = now.asked
            if asked is None or asked.shown or asked.number != number:
                return member.say("mine", **says, says=CLOSED)
            if now == was:
                return member.say("mine", **says, says=MANY_ANSWERS)
            try:
                read = questions.read(asked, text)
            except ValueError as error:
                return member.say("mine", **says, says=str(error))
            if await self.store.write(now, now, Answer(asked, member.who, read)):
                return member.say("mine", **says, answer=read)
            was = now
        raise UnreachableError

    async def _tell_own(self, member: Member, now: Room) -> None:
        """Tell a window its own answer, and what is to be said of it once the answer is shown."""
        asked = now.asked
        given = asked and await self.store.answer_of(now, asked, member.who)
        if asked and given is not None:
            verdict = await questions.verdict(asked, given) if asked.shown else {}
            member.say("mine", number=asked.number, answer=given, **verdict)

    # ---------- coming and going ----------

    async def _come(self, member: Member, message: dict[str, Any]) -> None:
        """Let a window in: with the key as the lecturer, else to follow. A lecturer whose class is
        gone begins it again, with its letters where they are free."""
        code, key, known = message.get("code"), _word(message, "key"), _word(message, "known")
        if code is not None and not is_code(code):
            raise RefusedError(NO_LETTERS)
        at = _place(message) if key else None
        member.who = _word(message, "who") or secrets.token_hex(8)
        await self.store.listen()
        now = await self.store.read(code) if code else None
        if now and known and now.id != known:  # another class has these letters now
            now = None
        if now is None and at is not None:
            now = await self._begin(key, at, code)
        if now is None:
            raise RefusedError(NOT_HERE)
        member.leads = key != "" and lock_of(key) == now.lock
        self._enter(member, now.code)
        now = await self._room_of(member)  # what is done from here on is heard
        self._show(member, now, _said(now, member.leads))
        if member.leads:
            self._tell_door(member, now, message.get("address"))
            if now.asked:
                member.say("answers", answers=len(await self.store.answers(now, now.asked)))
        else:
            await self._tell_own(member, now)
        await self.tell_followers(now.code)

    async def _begin(self, key: str, at: Place, code: str | None) -> Room:
        for letters in ([code] if code else []) + [a_code() for _ in range(MAX_TRIES)]:
            begun = Room(letters, lock_of(key), at)
            if await self.store.write(None, begun):
                return begun
        raise UnreachableError

    def _enter(self, member: Member, code: str) -> None:
        crowd = self.members.get(code, set())
        if not member.leads and (
            len(crowd) >= MAX_IN_A_ROOM or sum(map(len, self.members.values())) >= MAX_MEMBERS
        ):
            raise RefusedError(FULL, again=True)
        member.code = code
        self.members[code] = crowd | {member}
        if self.clock is None or self.clock.done():
            self.clock = asyncio.create_task(self._keep_up())

    def _tell_door(self, member: Member, now: Room, opened: Any) -> None:
        """Tell a lecturer's window where others come in."""
        if isinstance(opened, str) and len(opened) < MAX_OF_AN_ADDRESS:
            address, found = reachable(opened, member.host)
            picture = as_code(f"{address}?room={now.code}-{now.id}")
            note = f"{found} {only_near(address)}"
            shared = self.store.is_shared
            member.say("door", address=address, picture=picture, note=note, shared=shared)

    async def leave(self, member: Member) -> None:
        """Let a member go, whose line is gone."""
        if code := self._put_out(member):
            with suppress(UnreachableError):
                await self.tell_followers(code)

    def _put_out(self, member: Member) -> str:
        code, member.code = member.code, ""
        if crowd := self.members.pop(code, set()) - {member}:
            self.members[code] = crowd
        member.close()
        return code

    def lost(self) -> None:
        """Let all come in anew: what was told lately may not have arrived."""
        for member in [each for crowd in self.members.values() for each in crowd]:
            self._put_out(member)

    # ---------- what all hear ----------

    def hear(self, code: str, message: dict[str, Any]) -> None:
        """Hand on to its members here what happened in a room."""
        crowd = self.members.get(code, set())
        match message:
            case {"room": text} if crowd:
                now = Room.of_text(text)
                said = {leads: _said(now, leads) for leads in (True, False)}
                for member in crowd:
                    self._show(member, now, said[member.leads])
            case {"answers": answers}:
                self._tell_leaders(code, "answers", answers=answers)
            case {"server": server, "followers": followers}:
                if crowd:
                    here = self.followers.setdefault(code, {})
                    here[server] = followers, time.monotonic()
                    self._tell_leaders(code, "followers", followers=self._count(code))
            case {"end": True}:
                for member in crowd:
                    member.say("end")
                    self._put_out(member)

    def _show(self, member: Member, now: Room, said: str) -> None:
        """Tell a window how the room is, unless it knows how it was later."""
        born, acts = member.told
        if born != now.born or now.acts > acts:
            member.told = now.born, now.acts
            member.send("room", said)

    def _tell_leaders(self, code: str, kind: str, **message: Any) -> None:
        for member in self.members.get(code, ()):
            if member.leads:
                member.say(kind, **message)

    def _count(self, code: str) -> int:
        """Return how many follow, on all servers that were heard lately."""
        now = time.monotonic()
        said = self.followers.get(code, {}).values()
        return sum(followers for followers, at in said if now - at < 3 * HEARTBEAT)

    async def tell_followers(self, code: str) -> None:
        """Say on all servers how many follow here."""
        here = {member.who for member in self.members.get(code, ()) if not member.leads}
        if code not in self.members:
            self.followers.pop(code, None)
        await self.store.tell(code, {"server": self.server, "followers": len(here)})

    async def _keep_up(self) -> None:
        """Say now and then how many follow here, and tell each browser that the line holds."""
        while self.members:
            await asyncio.sleep(HEARTBEAT)
            try:
                for code, crowd in list(self.members.items()):
                    for member in crowd:
                        member.say("beat")
                    await self.tell_followers(code)
            except UnreachableError:
                self.lost()


def _said(now: Room, leads: bool) -> str:
    """Return what all who lead, or all who follow, are told of a room."""
    return json.dumps(questions.said(now) | {"leads": leads})


def _word(message: dict[str, Any], name: str) -> str:
    word = message.get(name, "")
    if word != "" and not A_WORD.fullmatch(word):
        raise ValueError(name)
    return word


def _place(message: dict[str, Any]) -> Place:
    return place(message["page"], message["link"])


async def _composed(what: Any, at: Place) -> Asked:
    if not isinstance(what, str) or len(what) > 40:
        raise ValueError("what")
    try:
        return await questions.composed(what, at)
    except ValueError as error:
        raise RefusedError(str(error)) from error
