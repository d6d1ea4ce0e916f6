"""What a reader typed as an answer, read leniently; what cannot be read is told in words."""

import math
import re

from ..fields import quote
from .exercise import Kind

LONGEST = 60
MINUS = str.maketrans({"−": "-", "–": "-", "—": "-"})
NUMBER = re.compile(r"[+-]?\s?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)
# Between the sizes of a shape: 6 × 16, 6x16, (6, 16), 6 by 16, torch.Size([6, 16]).
BETWEEN_SIZES = re.compile(r"\s*(?:by|[×x*,;·\s])\s*", re.IGNORECASE)


class UnreadableError(ValueError):
    """The answer cannot be read. The message is for the reader, and quotes what they typed; `says` goes on after that."""

    def __init__(self, says: str, typed: str | None = None) -> None:
        super().__init__(f"{'That' if typed is None else quote(typed)} {says}")
        self.says = says


def parse(kind: Kind, text: str) -> float | int | tuple[int, ...] | str:
    """The answer that this text means. Raises UnreadableError with a sentence for the reader."""
    if len(text) > LONGEST:
        raise UnreadableError(f"is longer than {LONGEST} characters, and no answer is.")
    text = text.strip()
    match kind:
        case "number":
            return number(text)
        case "whole":
            return whole(text)
        case "shape":
            return shape(text)
        case "choice":
            return text


def number(text: str) -> float:
    """A number with decimals; a comma may stand for the point.

    >>> number("−0.5"), number("1,5"), number("12,345.5"), number("1.2e−5")
    (-0.5, 1.5, 12345.5, 1.2e-05)
    """
    value = float(spelled(text))
    if math.isinf(value):
        raise UnreadableError("is larger than any number here.", text)
    return value


def spelled(text: str) -> str:
    """A number with decimals as code spells it, with the digits that were typed.

    >>> spelled("−0.50"), spelled("1,5"), spelled("12,345.5")
    ('-0.50', '1.5', '12345.5')
    """
    plain = text.strip().translate(MINUS)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+", plain):
        raise UnreadableError("can mean two numbers: write the decimal point as a point, and thousands without a comma.", text)
    if re.fullmatch(r"[+-]?\d+/\d+", plain):
        raise UnreadableError("is a fraction: write it with decimals, such as 0.5.", text)
    if plain.endswith("%"):
        raise UnreadableError("is in percent: write the share itself, such as 0.34 for 34%.", text)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+\.\d*", plain):
        plain = plain.replace(",", "")  # as the pages write it
    plain = plain.replace(",", ".")
    if not NUMBER.fullmatch(plain):
        raise UnreadableError("is not a number: expected one such as −0.1234.", text)
    return re.sub(r"\s", "", plain)


def whole(text: str) -> int:
    """A whole number; thousands may have commas, as on the pages.

    >>> whole("6"), whole("1,296"), whole("5.0")
    (6, 1296, 5)
    """
    plain = text.translate(MINUS)
    value = number(plain.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", plain) else text)
    if not value.is_integer():
        raise UnreadableError("has decimals: expected a whole number.", text)
    return int(value)


def shape(text: str) -> tuple[int, ...]:
    """The sizes of a tensor's axes.

    >>> shape("6 × 16"), shape("(6, 16)"), shape("torch.Size([3, 6, 6])")
    ((6, 16), (6, 16), (3, 6, 6))
    """
    sizes = BETWEEN_SIZES.split(text.removeprefix("torch.Size").strip("()[] "))
    if not all(re.fullmatch(r"\d{1,9}", size) for size in sizes):
        raise UnreadableError("is not a shape: expected sizes such as 6 × 16.", text)
    return tuple(map(int, sizes))


def decimals(text: str) -> int:
    """How many decimals were typed; an exponent moves the point.

    >>> decimals("−0.12"), decimals("3"), decimals("12,345.5"), decimals("5e-1"), decimals("1.25e1")
    (2, 0, 1, 1, 1)
    """
    mantissa, _, exponent = text.strip().translate(MINUS).lower().partition("e")
    _, point, behind = mantissa.replace(",", ".").rpartition(".")
    return max(0, (len(behind) if point else 0) - int(exponent or 0))
