"""Where lines come from, as far as can be known, and how those of one address leave places to
others.

An address is the peer's. Where that is a proxy which the host trusts (`FORWARDED_ALLOW_IPS`,
uvicorn's own setting), it is the one that the proxy tells. What is kept is a number made of it,
which says nothing outside this process, and goes a minute after, when another line comes.
"""

import hashlib
import ipaddress
import secrets
import time
from collections import Counter, OrderedDict
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Protocol, TypeVar

from pages.shared.room.bucket import Bucket

MOST_KEPT, KEPT = 5000, 60.0  # addresses; seconds, in which every bucket is full again
_salt = secrets.token_bytes(16)


@dataclass
class Origin:
    """What lines of one address may do together. Each bound is far above what a full lecture hall
    behind one address does."""

    guesses: Bucket = field(default_factory=lambda: Bucket(60, 30))  # wrong letters
    guessing: int = 0  # lines that wait to have their letters looked at
    begins: Bucket = field(default_factory=lambda: Bucket(20, 1))  # classes
    names: Bucket = field(default_factory=lambda: Bucket(100, 4))  # that answers are counted by
    seen: float = 0.0


class Origins(OrderedDict[str, Origin]):
    """What each address did lately, by its number; the oldest give way."""

    def of(self, number: str) -> Origin:
        """Return what this address did lately."""
        found = self[number] = self.pop(number, None) or Origin()
        found.seen = time.monotonic()
        while len(self) > MOST_KEPT or next(iter(self.values())).seen < found.seen - KEPT:
            self.popitem(last=False)
        return found


def number_of(address: str) -> str:
    """Return the number of an address. Of IPv6 a household has as many as it likes: its first half
    counts."""
    try:
        ip = ipaddress.ip_address(address.partition("%")[0])
        known = (
            ip.packed[:8]
            if ip.version == 6 and ip.ipv4_mapped is None
            else (getattr(ip, "ipv4_mapped", None) or ip).packed
        )
    except ValueError:  # a socket of another kind
        known = address.encode()
    return hashlib.blake2b(known, key=_salt, digest_size=8).hexdigest()


class Came(Protocol):
    """A line that takes a place."""

    origin: str
    came: int  # how many came before it


Line = TypeVar("Line", bound=Came)


def latest_of_the_most(lines: Iterable[Line], origin: str) -> Line | None:
    """Return which of these lines gives way to one more from this origin: the latest of the address
    that has most; None where no other has more than this one would have then."""
    all_of_them = list(lines)
    counts = Counter(line.origin for line in all_of_them)
    for most, many in counts.most_common(1):
        if many > counts[origin] + 1:
            return max(
                (line for line in all_of_them if line.origin == most), key=lambda line: line.came
            )
    return None
