"""Where classes and their answers are kept, and how all servers of an address hear of them."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol

from pages.shared.room.room import Asked, Room

LASTS = 12 * 3600  # seconds after the last act in a class
MAX_ANSWERS = 1000  # to one question
MAX_ROOMS = 200  # of one server; the one that nothing was done in for longest gives way

Hear = Callable[[str, dict[str, Any]], None]  # a room's letters, and what is told to all in it


class UnreachableError(Exception):
    """What servers share cannot be reached now."""


class Answer(NamedTuple):
    """What one browser answers to a question."""

    to: Asked
    who: str
    text: str


class Store(Protocol):
    """What keeps classes. All that is written or told is heard on every server, by `hear`; `lost`
    is called where that may have failed."""

    is_shared: bool
    hear: Hear
    lost: Callable[[], None]

    async def read(self, code: str) -> Room | None:
        """Return the room with these letters."""

    async def write(self, was: Room | None, room: Room, answer: Answer | None = None) -> bool:
        """Keep a room, and an answer in place of one's former one. False, and nothing is done,
        where the room is not any more as it `was`, or has as many answers as it can hold."""

    async def answers(self, room: Room, asked: Asked) -> dict[str, str]:
        """Return who answered what to a question."""

    async def answer_of(self, room: Room, asked: Asked, who: str) -> str | None:
        """Return what one browser answered."""

    async def drop(self, room: Room) -> None:
        """Forget a room and its answers."""

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        """Tell all servers something of a room."""

    async def listen(self) -> None:
        """Hear of all rooms from now on. Returns once that is so."""


@dataclass
class _Kept:
    room: Room
    ends: float
    answers: dict[int, dict[str, str]]  # by question, then by who


class Memory:
    """Rooms in the memory of one server."""

    is_shared = False

    def __init__(self) -> None:
        self.hear: Hear = lambda code, message: None
        self.lost: Callable[[], None] = lambda: None
        self.rooms: dict[str, _Kept] = {}  # the one with the latest act last

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
