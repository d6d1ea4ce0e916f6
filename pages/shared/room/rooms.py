"""What a class has in common: where its lecturer is, and what is asked. Nothing of who follows."""

import hashlib
import json
import secrets
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, field
from typing import Any, Protocol

from pages.shared.link import MOST_LETTERS, parse_link, write_link
from pages.shared.link.pages import PAGES

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words
LONG = 4  # letters of a room: 160,000 rooms
LASTS = 12 * 3600  # seconds after the lecturer's last act
MOST_ROOMS = 200  # of one server
MOST_ANSWERS = 1000  # to one question
MOST_KEPT = 60  # results of one class
OF_A_WINDOW = (
    "room",
    "notes",
    "share",
    "embed",
    "embed_options",
)  # what a lecturer's link has for his own window alone
PATHS = {page.path for page in PAGES}


@dataclass(frozen=True)
class Place:
    """A page and its link, as an address has them."""

    page: str
    link: str


def place(page: Any, link: Any) -> Place:
    """Return the place that a browser names, without what belongs to one window alone. Raises
    ValueError for what is none."""
    if (
        not isinstance(page, str)
        or page not in PATHS
        or not isinstance(link, str)
        or len(link) > MOST_LETTERS
    ):
        raise ValueError("expected a page of the explorer and its link")
    parameters = parse_link(link)
    if parameters.get("notes") == "on":  # the speaker's window goes with the projected one
        parameters["lecture"] = "on"
    return Place(
        page,
        write_link({name: value for name, value in parameters.items() if name not in OF_A_WINDOW}),
    )


@dataclass(frozen=True)
class Asked:
    """What a class is asked now: `what` of the page and link where it was asked. `votes` counts how
    often it was put to the vote; `shown` says whether the answer was. `given` names the matrices
    that may be seen until then: the answer is computed of them. Nobody answers once it is
    `closed`."""

    number: int
    what: str
    at: Place
    asks: str
    kind: str
    options: tuple[str, ...]
    votes: int = 1
    shown: bool = False
    given: tuple[str, ...] = ()
    closed: bool = False

    @property
    def is_open(self) -> bool:
        """Whether answers count."""
        return not (self.shown or self.closed)

    def vote(self, which: int | None = None) -> str:
        """Return the name of a vote (from 1), the last where none is said."""
        return f"{self.number}.{which or self.votes}"

    @staticmethod
    def of_data(data: dict[str, Any]) -> "Asked":
        """Read what was asked, as a room's text has it."""
        return Asked(
            **data
            | {
                "at": Place(**data["at"]),
                "options": tuple(data["options"]),
                "given": tuple(data["given"]),
            }
        )


@dataclass(frozen=True)
class Room:
    """A class. `lock` fits the key that its lecturer's browser has; `questions` counts what was
    asked so far, `acts` what was done. `before` was put away last, and may be asked back: its votes
    are kept until something else is asked. `born` is drawn anew where the same lecturer makes it
    again under the same letters."""

    code: str
    lock: str
    at: Place
    asked: Asked | None = None
    before: Asked | None = None
    questions: int = 0
    acts: int = 0
    born: str = field(default_factory=lambda: secrets.token_hex(4))

    @property
    def votes(self) -> tuple[str, ...]:
        """The votes that there are answers to."""
        asked = self.asked or self.before
        return tuple(asked.vote(which + 1) for which in range(asked.votes)) if asked else ()

    @property
    def id(self) -> str:
        """What tells it from another class that has had these letters."""
        return self.lock[:12]

    def as_text(self) -> str:
        """Write the room for another server."""
        return json.dumps(asdict(self))

    @staticmethod
    def of_text(text: str | bytes) -> "Room":
        """Read the room that `as_text` wrote."""
        data = json.loads(text)
        at, asked, before = Place(**data.pop("at")), data.pop("asked"), data.pop("before")
        return Room(
            at=at,
            asked=asked and Asked.of_data(asked),
            before=before and Asked.of_data(before),
            **data,
        )


def lock_of(key: str) -> str:
    """Return what a server keeps of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def a_code() -> str:
    """Draw the letters of a new room."""
    return "".join(secrets.choice(LETTERS) for _ in range(LONG))


def is_code(text: Any) -> bool:
    """Return whether this can be a room's letters."""
    return isinstance(text, str) and len(text) == LONG and set(text) <= set(LETTERS)


def name_of(room: Room, vote: str) -> str:
    """Return the name under which a vote is kept: of another class that had these letters there may
    be some left."""
    return f"{room.code}:{room.born}:{vote}"


KEPT = "results"  # the name under which they are kept, as a vote is
Hear = Callable[[str, dict[str, Any]], None]  # a room's letters, and what is told to all in it
Change = Callable[[Room], Room]  # what becomes of a room; the same where nothing does


class UnreachableError(Exception):
    """What servers share cannot be reached now, or has lost the room: whoever comes in anew finds
    it, or makes it again."""


class Store(Protocol):
    """Where rooms and votes are kept, and how all servers of an address hear of what happens in a
    room."""

    is_shared: bool
    hear: Hear
    lost: Callable[[], None]  # called where what is told may not have arrived

    async def find(self, code: str) -> Room | None: ...
    async def add(self, room: Room) -> bool: ...
    async def change(self, code: str, change: Change, kind: str) -> Room: ...
    async def drop(self, code: str) -> None: ...
    async def vote(self, room: Room, vote: str, who: str, answer: str) -> bool: ...
    async def answer_of(self, room: Room, vote: str, who: str) -> str | None: ...
    async def answers(self, room: Room, vote: str) -> list[str]: ...
    async def keep(self, room: Room, number: int, result: str) -> None: ...
    async def kept(self, room: Room) -> list[str]: ...
    async def tell(self, code: str, message: dict[str, Any]) -> None: ...
    async def listen(self) -> None: ...


class Memory:
    """Rooms in the memory of one server."""

    is_shared = False

    def __init__(self) -> None:
        self.hear: Hear = lambda code, message: None
        self.lost: Callable[[], None] = lambda: None
        self.rooms: dict[str, tuple[Room, float]] = {}  # with the time at which each ends
        self.votes: dict[
            str, dict[str, str]
        ] = {}  # by the name of a room's vote: who answered what
        self.results: dict[str, dict[int, str]] = {}  # by the name of a room's results

    async def find(self, code: str) -> Room | None:
        """Return the room with these letters."""
        room, ends = self.rooms.get(code, (None, 0.0))
        if room and ends < time.monotonic():
            await self.drop(code)
            return None
        return room

    async def add(self, room: Room) -> bool:
        """Keep a new room; False where its letters are taken."""
        if await self.find(room.code):
            return False
        self._keep(room)
        return True

    async def change(self, code: str, change: Change, kind: str) -> Room:
        """Change a room, and tell all in it. It lasts anew from here. Raises UnreachableError where
        there is none."""
        room = await self.find(code)
        if room is None:
            raise UnreachableError
        changed = change(room)
        if changed != room:
            self._keep(changed)
            self._forget(room, but=changed.votes)
            await self.tell(code, {"is": kind, "room": changed.as_text()})
        return changed

    def _keep(self, room: Room) -> None:
        self.rooms[room.code] = room, time.monotonic() + LASTS

    def _forget(self, room: Room, but: tuple[str, ...] = ()) -> None:
        for vote in set(room.votes) - set(but):
            self.votes.pop(name_of(room, vote), None)

    async def drop(self, code: str) -> None:
        """Forget a room and its votes."""
        room, _ = self.rooms.pop(code, (None, 0.0))
        if room:
            self._forget(room)
            self.results.pop(name_of(room, KEPT), None)

    async def vote(self, room: Room, vote: str, who: str, answer: str) -> bool:
        """Keep an answer in place of one's former one, and tell all how many there are; False where
        there are too many."""
        now = await self.find(room.code)
        if now is None or now.born != room.born or vote not in now.votes:
            return False
        answers = self.votes.setdefault(name_of(room, vote), {})
        if who not in answers and len(answers) >= MOST_ANSWERS:
            return False
        answers[who] = answer
        await self.tell(room.code, {"is": "count", "vote": vote, "answers": len(answers)})
        return True

    async def answer_of(self, room: Room, vote: str, who: str) -> str | None:
        """Return what one browser answered."""
        return self.votes.get(name_of(room, vote), {}).get(who)

    async def answers(self, room: Room, vote: str) -> list[str]:
        """Return all answers of a vote."""
        return list(self.votes.get(name_of(room, vote), {}).values())

    async def keep(self, room: Room, number: int, result: str) -> None:
        """Keep the result of a question until the class ends; the last ones, where there are too
        many."""
        if room.code in self.rooms:
            self.results.setdefault(name_of(room, KEPT), {})[number % MOST_KEPT] = result

    async def kept(self, room: Room) -> list[str]:
        """Return the results that are kept, in no order."""
        return list(self.results.get(name_of(room, KEPT), {}).values())

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        """Tell all in a room."""
        self.hear(code, message)

    async def listen(self) -> None:
        """Hear of all rooms from now on."""
