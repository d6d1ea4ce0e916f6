"""A cache of texts too long for a link, which refers to them by a hash of their content.

The cache is shared by all users of a process and limited to a few megabytes, so old texts may be
gone.
"""

import hashlib
import re
import threading
from collections import OrderedDict
from typing import Generic, TypeVar

MAX_BYTES = 20_000_000
Value = TypeVar("Value")
REFERENCE = re.compile("file [0-9a-f]{16}")


class BoundedCache(Generic[Value]):
    """Values by name with their sizes, for all threads: beyond `most` in all, the least recently
    used are evicted."""

    def __init__(self, most: int) -> None:
        self._most, self._lock = most, threading.Lock()
        self._kept: OrderedDict[str, tuple[Value, int]] = OrderedDict()

    def put(self, name: str, value: Value, size: int) -> None:
        """Store a value."""
        with self._lock:
            self._kept[name] = value, size
            self._kept.move_to_end(name)
            while len(self._kept) > 1 and sum(each for _, each in self._kept.values()) > self._most:
                self._kept.popitem(last=False)

    def get(self, name: str) -> Value | None:
        """Return the value of this name; None if it is not in the cache."""
        with self._lock:
            if name not in self._kept:
                return None
            self._kept.move_to_end(name)
            return self._kept[name][0]


_texts: BoundedCache[str] = BoundedCache(MAX_BYTES)
find = _texts.get


def keep(text: str) -> str:
    """Store a text and return its name for links.

    >>> find(keep("good: the soup was good"))
    'good: the soup was good'
    """
    content = text.encode(errors="replace")
    name = f"file {hashlib.sha256(content).hexdigest()[:16]}"
    _texts.put(name, text, len(content))
    return name
