"""Numbers as decimals: in the one spelling that is kept, and those of float32 so that they come
back to the bit."""

import re
import struct
from decimal import Decimal
from typing import Any

LONGEST_NUMBER, LARGEST = 32, Decimal(10**9)
_NUMBER = re.compile(r"([+-]?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,3}))?")


def normalize_number(number: object) -> str:
    """Return a number in the one spelling that is kept of it, with the decimals that were typed.
    Raises ValueError with a sentence.

    >>> [normalize_number(each) for each in ("-.50", "1.", "−0.80", "1e-05", 2)]
    ['-0.50', '1', '-0.80', '1e-5', '2']
    """
    typed = (
        (number if isinstance(number, str) else repr(number))
        .strip()
        .replace("−", "-")
        .replace("–", "-")
    )
    short = typed if len(typed) <= LONGEST_NUMBER else f"{typed[:12]}…"
    match = _NUMBER.fullmatch(typed) if len(typed) <= LONGEST_NUMBER and typed.isascii() else None
    if match is None or not (match[2] or match[3]):
        raise ValueError(f"“{short}” is no number such as −0.80.")
    sign, whole, decimals, exponent = match.groups()
    digits = (whole.lstrip("0") or "0") + (f".{decimals}" if decimals else "")
    text = digits if not exponent or int(exponent) == 0 else f"{digits}e{int(exponent)}"
    value = Decimal(text)
    if value > LARGEST:
        raise ValueError(f"“{short}” is larger than a billion, the largest number here.")
    text = f"-{text}" if sign == "-" and value else text
    return (
        number if number == text and isinstance(number, str) else text
    )  # one text for all who hold it


def exact(number: float) -> str:
    """Return a short decimal that is this number in float32; a zero has no sign. Raises ValueError
    for one that has no place.

    >>> exact(0.10000000149011612), exact(-3.0), exact(16777216.0)
    ('0.1', '-3', '16777216')
    """
    bits = struct.pack("f", number)
    for digits in (7, 8, 9):
        text = f"{number:.{digits}g}"
        if struct.pack("f", float(text)) == bits:
            return normalize_number(text) if "e" in text or not number else text
    return normalize_number(repr(number))


def to_texts(numbers: Any) -> Any:
    """Return nested lists of numbers as tuples of such decimals."""
    return tuple(map(to_texts, numbers)) if isinstance(numbers, list) else exact(numbers)
