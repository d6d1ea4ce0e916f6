"""A class's state: the lecturer's place and the questions. Nothing about followers."""

import hashlib
import json
import secrets
from collections.abc import Callable
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from pages.shared.link import MAX_LETTERS, parse_link, write_link
from pages.shared.link.pages import PAGES

LETTERS = "BCDFGHJKLMNPQRSTVWXZ"  # no vowels, so no words
LONG = 4  # letters of a room: 160,000 rooms
MAX_QUESTIONS = 60  # of a class; the oldest are dropped
# a lecturer's link fields that are not shared
OF_A_WINDOW = ("room", "notes", "share", "embed", "embed_options")
PATHS = {page.path for page in PAGES}


@dataclass(frozen=True)
class Place:
    """A page and its link, as in an address."""

    page: str
    link: str


def place(page: Any, link: Any) -> Place:
    """Return a browser's place without the fields of its window. Raises ValueError for an invalid
    one."""
    if not isinstance(page, str) or page not in PATHS:
        raise ValueError("expected a page of the explorer")
    if not isinstance(link, str) or len(link) > MAX_LETTERS:
        raise ValueError("expected the link of a page")
    parameters = parse_link(link)
    if parameters.get("notes") == "on":  # the speaker's window follows the projected one
        parameters["lecture"] = "on"
    return Place(
        page,
        write_link({name: value for name, value in parameters.items() if name not in OF_A_WINDOW}),
    )


@dataclass(frozen=True)
class Asked:
    """A question `what` about a page and link. `given` are the matrices that it is computed from,
    visible until the answer is `shown`. `counts` says how often each answer was given to a finished
    question that was put back, which has no text of its own."""

    number: int
    what: str
    at: Place
    asks: str
    kind: str
    options: tuple[str, ...]
    given: tuple[str, ...]
    shown: bool = False
    counts: tuple[tuple[str, int], ...] = ()


@dataclass(frozen=True)
class Room:
    """A class. `lock` is the hash of the lecturer's key. The last question is current unless
    `away`. `acts` counts changes; `born` is new if the lecturer restarts the class with the same
    letters."""

    code: str
    lock: str
    at: Place
    questions: tuple[Asked, ...] = ()
    away: bool = True
    acts: int = 0
    born: str = field(default_factory=lambda: secrets.token_hex(4))

    @property
    def asked(self) -> Asked | None:
        """Return the current question."""
        return None if self.away else self.questions[-1]

    @property
    def finished(self) -> tuple[Asked, ...]:
        """Return the questions with finished votes."""
        return self.questions[:-1] if self.asked and not self.asked.shown else self.questions

    @property
    def id(self) -> str:
        """Return an identifier that differs from other classes with these letters."""
        return self.lock[:12]

    def as_text(self) -> str:
        """Return the room as text for a store."""
        return json.dumps(asdict(self))

    @staticmethod
    def of_text(text: str) -> "Room":
        """Return the room of a text by `as_text`."""
        data = json.loads(text)
        at, questions = Place(**data.pop("at")), data.pop("questions")
        return Room(at=at, questions=tuple(_make_question(**each) for each in questions), **data)


def _make_question(at: dict[str, str], **more: Any) -> Asked:
    more |= {name: tuple(more[name]) for name in ("options", "given")}
    counts = tuple((text, many) for text, many in more.pop("counts", ()))
    return Asked(at=Place(**at), counts=counts, **more)


def lock_of(key: str) -> str:
    """Return the hash of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def a_code() -> str:
    """Return random letters for a new room."""
    return "".join(secrets.choice(LETTERS) for _ in range(LONG))


def is_code(text: Any) -> bool:
    """Return whether these can be a room's letters."""
    return isinstance(text, str) and len(text) == LONG and set(text) <= set(LETTERS)


# ---------- the lecturer's actions ----------


def count_act(room: Room, act: Callable[[Room], Room]) -> Room:
    """Return the room after an action, counted if it changes something."""
    after = act(room)
    return after if after == room else replace(after, acts=room.acts + 1)


def move(room: Room, at: Place) -> Room:
    """Return the room at the lecturer's new place."""
    return replace(room, at=at)


def ask(room: Room, asked: Asked) -> Room:
    """Return the room with this as its current question."""
    number = room.questions[-1].number + 1 if room.questions else 1
    questions = (*room.questions, replace(asked, number=number))[-MAX_QUESTIONS:]
    return replace(room, questions=questions, away=False)


def show(room: Room) -> Room:
    """Return the room with the vote closed and the answer shown."""
    if room.asked is None:
        return room
    *before, asked = room.questions
    return replace(room, questions=(*before, replace(asked, shown=True)))


def restore(room: Room, asked: Asked) -> Room:
    """Return the room with this finished question put back, unless it has it, or one is open."""
    if not room.away or (room.questions and room.questions[-1].number >= asked.number):
        return room
    return replace(room, questions=(*room.questions, asked)[-MAX_QUESTIONS:])


def put_away(room: Room) -> Room:
    """Return the room without a current question."""
    return replace(room, away=True)
