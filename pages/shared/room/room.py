"""What a class has in common: where its lecturer is, and what was asked. Nothing of who follows."""

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
MAX_QUESTIONS = 60  # of a class; the first ones give way
# what a lecturer's link has for his own window alone
OF_A_WINDOW = ("room", "notes", "share", "embed", "embed_options")
PATHS = {page.path for page in PAGES}


@dataclass(frozen=True)
class Place:
    """A page and its link, as an address has them."""

    page: str
    link: str


def place(page: Any, link: Any) -> Place:
    """Return the place that a browser names, without what belongs to one window alone. Raises
    ValueError for what is none."""
    if not isinstance(page, str) or page not in PATHS:
        raise ValueError("expected a page of the explorer")
    if not isinstance(link, str) or len(link) > MAX_LETTERS:
        raise ValueError("expected the link of a page")
    parameters = parse_link(link)
    if parameters.get("notes") == "on":  # the speaker's window goes with the projected one
        parameters["lecture"] = "on"
    return Place(
        page,
        write_link({name: value for name, value in parameters.items() if name not in OF_A_WINDOW}),
    )


@dataclass(frozen=True)
class Asked:
    """What a class is asked: `what` of the page and link where it was asked. `given` names the
    matrices that may be seen until the answer is `shown`: it is computed of them."""

    number: int
    what: str
    at: Place
    asks: str
    kind: str
    options: tuple[str, ...]
    given: tuple[str, ...]
    shown: bool = False


@dataclass(frozen=True)
class Room:
    """A class. `lock` fits the key that its lecturer's browser has. The last of its questions is
    the present one, until it is put `away`. `acts` counts what was done, and `born` is drawn anew
    where the same lecturer makes it again under the same letters."""

    code: str
    lock: str
    at: Place
    questions: tuple[Asked, ...] = ()
    away: bool = True
    acts: int = 0
    born: str = field(default_factory=lambda: secrets.token_hex(4))

    @property
    def asked(self) -> Asked | None:
        """What the class is asked now."""
        return None if self.away else self.questions[-1]

    @property
    def finished(self) -> tuple[Asked, ...]:
        """The questions whose votes are over."""
        return self.questions[:-1] if self.asked and not self.asked.shown else self.questions

    @property
    def id(self) -> str:
        """What tells it from another class that has had these letters."""
        return self.lock[:12]

    def as_text(self) -> str:
        """Write the room for a store."""
        return json.dumps(asdict(self))

    @staticmethod
    def of_text(text: str) -> "Room":
        """Read the room that `as_text` wrote."""
        data = json.loads(text)
        at, questions = Place(**data.pop("at")), data.pop("questions")
        return Room(at=at, questions=tuple(_make_question(**each) for each in questions), **data)


def _make_question(at: dict[str, str], options: list[str], given: list[str], **more: Any) -> Asked:
    return Asked(at=Place(**at), options=tuple(options), given=tuple(given), **more)


def lock_of(key: str) -> str:
    """Return what a server keeps of a key."""
    return hashlib.sha256(key.encode()).hexdigest()


def a_code() -> str:
    """Draw the letters of a new room."""
    return "".join(secrets.choice(LETTERS) for _ in range(LONG))


def is_code(text: Any) -> bool:
    """Return whether this can be a room's letters."""
    return isinstance(text, str) and len(text) == LONG and set(text) <= set(LETTERS)


# ---------- a lecturer's acts ----------


def count_act(room: Room, act: Callable[[Room], Room]) -> Room:
    """Return the room after an act, which counts where it changes something."""
    after = act(room)
    return after if after == room else replace(after, acts=room.acts + 1)


def move(room: Room, at: Place) -> Room:
    """Go where the lecturer went."""
    return replace(room, at=at)


def ask(room: Room, asked: Asked) -> Room:
    """Ask this, in place of what was asked before."""
    number = room.questions[-1].number + 1 if room.questions else 1
    questions = (*room.questions, replace(asked, number=number))[-MAX_QUESTIONS:]
    return replace(room, questions=questions, away=False)


def show(room: Room) -> Room:
    """Close the vote, and show the answer."""
    if room.asked is None:
        return room
    *before, asked = room.questions
    return replace(room, questions=(*before, replace(asked, shown=True)))


def put_away(room: Room) -> Room:
    """Put the question away."""
    return replace(room, away=True)
