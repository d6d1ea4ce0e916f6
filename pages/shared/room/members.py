"""One who is in a class, and by which name his answers count."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass

from pages.shared.room.rooms import Room


class RefusedError(Exception):
    """What was asked for is not to be had; the message is for the reader. `again` says whether it
    may be later."""

    def __init__(self, why: str, again: bool = False) -> None:
        super().__init__(why)
        self.again = again


DRAWN = 16  # letters of a name that are drawn; the rest says that the class gave it


def name_in(room: Room, drawn: str) -> str:
    """Return a name that this class gives. It is made of the lock, so it holds on all servers, and
    when the class is made again."""
    return (
        drawn
        + hmac.new(room.lock.encode(), f"{room.code} {drawn}".encode(), "sha256").hexdigest()[
            :DRAWN
        ]
    )


@dataclass(eq=False)
class Member:
    """One browser window, for as long as its line holds. `who` tells its answers from those of
    others: a name that the class gave, which says nothing else."""

    send: Callable[[str, str], None]  # a message, in place of one of the same kind that still waits
    close: Callable[[], None]
    origin: str = ""  # the number of its address
    came: int = 0
    room: str = ""
    leads: bool = False
    who: str = ""
