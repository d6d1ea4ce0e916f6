"""Numbers of float32 as decimals that come back to the bit."""

import struct
from typing import Any

from .values import spelled


def exact(number: float) -> str:
    """Return a short decimal that is this number in float32; a zero has no sign. Raises ValueError for one that has no place.

    >>> exact(0.10000000149011612), exact(-3.0), exact(16777216.0)
    ('0.1', '-3', '16777216')
    """
    bits = struct.pack("f", number)
    for digits in (7, 8, 9):
        text = f"{number:.{digits}g}"
        if struct.pack("f", float(text)) == bits:
            return spelled(text) if "e" in text or not number else text
    return spelled(repr(number))


def as_texts(numbers: Any) -> Any:
    """Return nested lists of numbers as tuples of such decimals."""
    return tuple(map(as_texts, numbers)) if isinstance(numbers, list) else exact(numbers)
