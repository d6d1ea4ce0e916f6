"""The classes of this server: members, permissions and messages.

Everything runs in the server's event loop, without locks. Changes of a room are written to the
store, which notifies all servers including this one; each informs its own members.
"""

import asyncio
import json
import re
import secrets
import time
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict
from functools import partial
from typing import Any

from core.quiz.answers import LONGEST
from pages.shared.classroom import questions, room
from pages.shared.classroom.room import Asked, Place, Room, a_code, is_code, lock_of, place
from pages.shared.classroom.store import MAX_ANSWERS, Answer, Store, UnreachableError
from pages.shared.server.reachable import reachable
from pages.shared.share import code as as_code
from pages.shared.share import only_near

MAX_MEMBERS, MAX_IN_A_ROOM = 2000, 600
MAX_TRIES = 50  # tries of a write while others write to the same room
HEARTBEAT = 10.0  # seconds between two reports of the followers
BEATS = 7  # to each browser in that time: after 4 s of silence it says that the line is lost
MAX_OF_AN_ADDRESS = 300  # characters
A_WORD = re.compile(r"[A-Za-z0-9_-]{8,64}")  # a key, or a browser's identifier
NO_LETTERS = "A class has four letters, none of them a vowel."
NOT_HERE = (
    "There is no class with these letters. Ask for them: a class ends when its lecturer ends it, or"
    " after twelve hours."
)
FULL = "This class is full."
CLOSED = "This question is closed."
NOT_RESTORED = "The result of an earlier question could not be put back."
MANY_ANSWERS = "There are as many answers as this class can hold."


class RefusedError(Exception):
    """A refused request, with a message for the user. `again`: it may succeed later."""

    def __init__(self, why: str, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


class Member:
    """One browser window while it is connected. `who` only distinguishes its answers from
    others'."""

    def __init__(self, send: Callable[[str, str], None], close: Callable[[], None], host: str):
        self.send = send  # a kind and a message; replaces a waiting one of this kind
        self.close = close
        self.host = host
        self.code = self.who = ""
        self.leads = False
        self.told = ("", -1)  # the room and act of the last message

    def say(self, kind: str, **message: Any) -> None:
        """Send the window a message."""
        self.send(kind, json.dumps({"is": kind} | message))


class ClassRegistry:
    """All classes of one server, and their members."""

    def __init__(self, store: Store) -> None:
        self.store = store
        store.hear, store.lost = self.hear, self.lost
        self.server = secrets.token_hex(4)
        self.members: dict[str, set[Member]] = {}
        # number of followers and time of the report, by room and server
        self.followers: dict[str, dict[str, tuple[int, float]]] = {}
        self.clock: asyncio.Task | None = None

    # ---------- requests of a window ----------

    async def do(self, member: Member, message: dict[str, Any]) -> None:
        """Execute a window's request. Raises RefusedError with a message for the user,
        UnreachableError, and ValueError, TypeError or KeyError for messages that the explorer's
        script never sends."""
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
            case "leads", ("show" | "away") as closes:
                await self._change(member, room.show if closes == "show" else room.put_away)
            case "leads", "result":
                await self._tell_result(member)
            case "leads", ("results" | "votes") as what:
                await self._tell_votes(member, what)
            case "leads", "restore":
                await self._change(member, partial(room.restore, asked=_vote(message)))
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
        """Change a room, retrying after concurrent writes by other servers."""
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

    async def _tell_votes(self, member: Member, what: str) -> None:
        """Send the finished votes: their `results` as one table, or the `votes` themselves, which a
        lecturer's window keeps should the server lose them."""
        now = await self._room_of(member)
        votes = []
        for each in now.finished:
            given = await self.store.answers(now, each)
            votes.append((each, Counter(given.values()) + Counter(dict(each.counts))))
        if what == "results":
            told = [(asked, sorted(counts.elements())) for asked, counts in votes]
            return member.say("results", csv=await questions.table(told))
        kept = {
            asked.number: asdict(asked.at) | {"what": asked.what, "counts": counts}
            for asked, counts in votes
        }
        member.say("votes", votes=kept)

    async def _answer(self, member: Member, number: Any, text: Any, act: Any) -> None:
        """Count an answer; it replaces the window's former one."""
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
        """Send a window its own answer, with the verdict once the answer is shown."""
        asked = now.asked
        given = asked and await self.store.answer_of(now, asked, member.who)
        if asked and given is not None:
            verdict = await questions.verdict(asked, given) if asked.shown else {}
            member.say("mine", number=asked.number, answer=given, **verdict)

    # ---------- joining and leaving ----------

    async def _come(self, member: Member, message: dict[str, Any]) -> None:
        """Admit a window: as the lecturer with the key, or else as a follower. A lecturer whose
        class is lost restarts it, with the same letters if they are free."""
        code, key, known = message.get("code"), _word(message, "key"), _word(message, "known")
        if code is not None and not is_code(code):
            raise RefusedError(NO_LETTERS)
        at = _place(message) if key else None
        member.who = _word(message, "who") or secrets.token_hex(8)
        await self.store.listen()
        now = await self.store.read(code) if code else None
        if now and known and now.id != known:  # the letters now belong to another class
            now = None
        if now is None and at is not None:
            now = await self._begin(key, at, code)
        if now is None:
            raise RefusedError(NOT_HERE)
        member.leads = key != "" and lock_of(key) == now.lock
        self._enter(member, now.code)
        now = await self._room_of(member)  # from here on all changes are received
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
        """Send a lecturer's window the address for joining."""
        if isinstance(opened, str) and len(opened) < MAX_OF_AN_ADDRESS:
            address, found = reachable(opened, member.host)
            picture = as_code(f"{address}?room={now.code}-{now.id}")
            note = f"{found} {only_near(address)}"
            shared = self.store.is_shared
            member.say("door", address=address, picture=picture, note=note, shared=shared)

    async def leave(self, member: Member) -> None:
        """Remove a disconnected member."""
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
        """Make all members reconnect, since recent messages may be lost."""
        for member in [each for crowd in self.members.values() for each in crowd]:
            self._put_out(member)

    # ---------- messages to all ----------

    def hear(self, code: str, message: dict[str, Any]) -> None:
        """Pass a room's message on to its members on this server."""
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
        """Send a window the room's state, unless it has a newer one."""
        born, acts = member.told
        if born != now.born or now.acts > acts:
            member.told = now.born, now.acts
            member.send("room", said)

    def _tell_leaders(self, code: str, kind: str, **message: Any) -> None:
        for member in self.members.get(code, ()):
            if member.leads:
                member.say(kind, **message)

    def _count(self, code: str) -> int:
        """Return the number of followers on all recently reported servers."""
        now = time.monotonic()
        said = self.followers.get(code, {}).values()
        return sum(followers for followers, at in said if now - at < 3 * HEARTBEAT)

    async def tell_followers(self, code: str) -> None:
        """Report this server's number of followers to all servers."""
        here = {member.who for member in self.members.get(code, ()) if not member.leads}
        if code not in self.members:
            self.followers.pop(code, None)
        await self.store.tell(code, {"server": self.server, "followers": len(here)})

    async def _keep_up(self) -> None:
        """Regularly report the followers, and send each browser a heartbeat."""
        report: asyncio.Task | None = None
        while self.members:
            if report is None or report.done():  # a slow store holds up no beat
                report = asyncio.create_task(self._report())
            for _ in range(BEATS):
                for member in [each for crowd in self.members.values() for each in crowd]:
                    member.say("beat")
                await asyncio.sleep(HEARTBEAT / BEATS)

    async def _report(self) -> None:
        try:
            for code in list(self.members):
                await self.tell_followers(code)
        except UnreachableError:
            self.lost()


def _said(now: Room, leads: bool) -> str:
    """Return the room's message for lecturers or for followers."""
    return json.dumps(questions.said(now) | {"leads": leads})


def _word(message: dict[str, Any], name: str) -> str:
    word = message.get(name, "")
    if word != "" and not A_WORD.fullmatch(word):
        raise ValueError(name)
    return word


def _place(message: dict[str, Any]) -> Place:
    return place(message["page"], message["link"])


def _vote(message: dict[str, Any]) -> Asked:
    """Return a finished question that a lecturer's window kept. Of it only the counts are new: its
    text, its options and what is right are made again, and other answers are dropped then."""
    try:
        at, what, number = _place(message), message["what"], message["number"]
        counts = tuple(message["counts"].items())
        is_whole = all(type(each) is int and each >= 0 for each in (number, *dict(counts).values()))
        is_short = all(len(text) <= LONGEST for text, _ in counts)
        if not is_whole or not is_short or what not in questions.list_names(at.page):
            raise ValueError("no vote")
        if max(len(counts), sum(n for _, n in counts)) > MAX_ANSWERS:
            raise ValueError("too many answers")
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise RefusedError(NOT_RESTORED) from error
    return Asked(number, what, at, "", "", (), (), shown=True, counts=counts)


async def _composed(what: Any, at: Place) -> Asked:
    if not isinstance(what, str) or len(what) > 40:
        raise ValueError("what")
    try:
        return await questions.composed(what, at)
    except ValueError as error:
        raise RefusedError(str(error)) from error
