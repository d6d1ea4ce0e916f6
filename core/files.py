"""Texts that are too long for a link, kept for a while by what they hold: the link names them.

Everybody's together in one process, and no more than a few megabytes: who comes later may find that
a text has gone.
"""

import hashlib
import re
import threading
from collections import OrderedDict

MAX_BYTES = 20_000_000
REFERENCE = re.compile("file [0-9a-f]{16}")

_texts: OrderedDict[str, str] = OrderedDict()
_lock = threading.Lock()


def keep(text: str) -> str:
    """Keep a text, and hand back the name by which a link refers to it. What nobody asked for
    longest goes first.

    >>> find(keep("good: the soup was good"))
    'good: the soup was good'
    """
    content = text.encode(errors="replace")
    name = f"file {hashlib.sha256(content).hexdigest()[:16]}"
    with _lock:
        _texts[name] = text
        _texts.move_to_end(name)
        while (
            len(_texts) > 1
            and sum(len(kept.encode(errors="replace")) for kept in _texts.values()) > MAX_BYTES
        ):
            _texts.popitem(last=False)
    return name


def find(name: str) -> str | None:
    """Return the text of this name; None where it is not there."""
    with _lock:
        if name in _texts:
            _texts.move_to_end(name)
        return _texts.get(name)
