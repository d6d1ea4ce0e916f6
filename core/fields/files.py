"""A cache of texts too long for a link, which refers to them by a hash of their content.

The cache is shared by all users of a process and limited to a few megabytes, so old texts may be
gone.
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
    """Store a text and return its name for links. The least recently used texts are evicted.

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
    """Return the text of this name; None if it is not in the cache."""
    with _lock:
        if name in _texts:
            _texts.move_to_end(name)
        return _texts.get(name)
