"""The store of classes and answers, which also passes messages between servers."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from pages.shared.classroom.room import Asked, Room

LASTS = 12 * 3600  # seconds after the last change of a class
MAX_ANSWERS = 1000  # to one question
MAX_ROOMS = 200  # of one server; the least recently changed is dropped

Hear = Callable[[str, dict[str, Any]], None]  # a room's letters, and a message to its members


class UnreachableError(Exception):
    """The shared store is unreachable."""


class Answer(NamedTuple):
    """One browser's answer to a question."""

    to: Asked
    who: str
    text: str


class Store(Protocol):
    """A store of classes. `hear` receives everything written or sent on any server; `lost` is
    called if that may have failed."""

    is_shared: bool
    hear: Hear
    lost: Callable[[], None]

    async def read(self, code: str) -> Room | None:
        """Return the room with these letters."""

    async def write(self, was: Room | None, room: Room, answer: Answer | None = None) -> bool:
        """Store a room and an answer, which replaces the former one. Returns False and does nothing
        if the room is no longer as it `was`, or has the maximum of answers."""

    async def answers(self, room: Room, asked: Asked) -> dict[str, str]:
        """Return the answers to a question by browser."""

    async def answer_of(self, room: Room, asked: Asked, who: str) -> str | None:
        """Return one browser's answer."""

    async def drop(self, room: Room) -> None:
        """Delete a room and its answers."""

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        """Send a room's message to all servers."""

    async def listen(self) -> None:
        """Start receiving messages of all rooms; returns when ready."""


@dataclass
class _Kept:
    room: Room
    ends: float
    answers: dict[int, dict[str, str]]  # by question, then by browser


class Memory:
    """Rooms in the memory of one server."""

    is_shared = False

    def __init__(self) -> None:
        self.hear: Hear = lambda code, message: None
        self.lost: Callable[[], None] = lambda: None
        self.rooms: dict[str, _Kept] = {}  # latest change last

    async def read(self, code: str) -> Room | None:
        kept = self.rooms.get(code)
        return kept.room if kept and kept.ends > time.monotonic() else None

    async def write(self, was: Room | None, room: Room, answer: Answer | None = None) -> bool:
        if await self.read(room.code) != was:
            return False
        answers = self.rooms[room.code].answers if was else {}
        message: dict[str, Any] = {"room": room.as_text()}
        if answer:
            given = answers.setdefault(answer.to.number, {})
            if answer.who not in given and len(given) >= MAX_ANSWERS:
                return False
            given[answer.who] = answer.text
            message = {"answers": len(given)}
        self.rooms.pop(room.code, None)
        self.rooms[room.code] = _Kept(room, time.monotonic() + LASTS, answers)
        while len(self.rooms) > MAX_ROOMS:
            del self.rooms[next(iter(self.rooms))]
        await self.tell(room.code, message)
        return True

    async def answers(self, room: Room, asked: Asked) -> dict[str, str]:
        kept = self.rooms.get(room.code)
        return dict(kept.answers.get(asked.number, {})) if kept else {}

    async def answer_of(self, room: Room, asked: Asked, who: str) -> str | None:
        return (await self.answers(room, asked)).get(who)

    async def drop(self, room: Room) -> None:
        self.rooms.pop(room.code, None)

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        self.hear(code, message)

    async def listen(self) -> None:
        pass
