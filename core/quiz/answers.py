"""Parse and print answers to exercises; errors are messages for the user."""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from typing import Literal

from ..fields.fields import quote
from ..text import written

Kind = Literal["number", "whole", "choice", "shares"]

LONGEST = 60
NUMBER = re.compile(r"[+-]?\s?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.IGNORECASE)


@dataclass(frozen=True)
class Span:
    """A decimal answer with the range that rounding allows, since users compute with the printed
    numbers.

    The range from `low` to `high` covers the results from the tensors and from the printed numbers.
    `value` is the number in between that the pages print.
    """

    low: float
    high: float
    value: float = field(compare=False)

    def holds(self, given: float) -> bool:
        """Return whether a typed number counts as this answer: at most one unit in the last printed
        decimal outside the range."""
        room = _unit(given)
        return self.low - room <= given <= self.high + room

    def is_near(self, other: "Span") -> bool:
        """Return whether one typed number could match both."""
        room = 2 * max(_unit(self.high), _unit(other.high))
        return self.low - room <= other.high and other.low - room <= self.high


Answer = Span | int  # an option's index, from 0


def work_out(rule: Callable[..., float], *given: float, exact: float | None = None) -> Span:
    """Apply a rule to these numbers and to their printed values; `exact` is the value in the
    tensor.

    The result is NaN if the rule has no finite result.
    """
    results = [
        _result(rule, given),
        _result(rule, [written.round_as_printed(value) for value in given]),
    ]
    results += [] if exact is None else [exact]
    if not all(map(math.isfinite, results)):
        return make_exact(math.nan)
    return Span(min(results), max(results), results[0] if exact is None else exact)


def make_exact(value: float) -> Span:
    """Return the range of a single number, for answers that are read off and not computed."""
    return Span(value, value, value)


def print_answer(answer: Answer) -> str:
    """Return an answer as the pages print it.

    >>> print_answer(make_exact(-0.5)), print_answer(1296)
    ('−0.5000', '1,296')
    """
    return written.number(answer.value) if isinstance(answer, Span) else f"{answer:,}"


def _unit(value: float) -> float:
    """Return one unit in the last printed place: the fourth decimal, or the second digit of a
    number too large for decimals."""
    return (
        0.1 * abs(value)
        if abs(value) >= written.LARGE
        else written.SMALL + 1e-9 * max(1.0, abs(value))
    )


def _result(rule: Callable[..., float], given: Sequence[float]) -> float:
    try:
        return rule(*given)
    except (ArithmeticError, ValueError):
        return math.nan


# ---------- parsing ----------


class UnreadableError(ValueError):
    """The answer cannot be parsed. The message quotes what the user typed, followed by `says`."""

    def __init__(self, says: str, typed: str | None = None) -> None:
        super().__init__(f"{'That' if typed is None else quote(typed)} {says}")
        self.says = says


def read(kind: Kind, options: int, text: object) -> str:
    """Return the answer in normalised spelling, at most `LONGEST` characters. Raises
    UnreadableError with a message for the user, which does not quote the input.

    A number keeps its typed decimals. For a choice with this many `options`, the answer is the
    option's index, from 0.

    >>> read("number", 0, " −.4300"), read("whole", 0, "1,296"), read("choice", 3, "2")
    ('-0.4300', '1296', '2')
    """
    if not isinstance(text, str):
        raise UnreadableError("is no text.")
    if any(character.isdecimal() and not character.isascii() for character in text):
        raise UnreadableError("has digits other than 0 to 9.")
    try:
        kept = _kept(kind, options, text)
    except UnreadableError as error:
        raise UnreadableError(error.says) from None
    if len(kept) > LONGEST:
        raise UnreadableError("has more digits than any answer here.")
    return kept


def _kept(kind: Kind, options: int, text: str) -> str:
    meant = parse(kind, options, text)
    if not isinstance(meant, float):
        return str(meant)
    try:
        digits = Decimal(_spell_as_code(text))
    except InvalidOperation:
        raise UnreadableError("has a larger exponent than any number here.") from None
    return str(digits.copy_abs() if digits.is_zero() else digits).lower().replace("e+", "e")


def parse(kind: Kind, options: int, text: str) -> float | int:
    """Return the value of a typed answer; for a choice with this many `options`, the index of one.
    Raises UnreadableError with a message for the user.

    >>> parse("number", 0, "1,5"), parse("whole", 0, "1296.0"), parse("choice", 3, "2")
    (1.5, 1296, 2)
    """
    if len(text) > LONGEST:
        raise UnreadableError(f"is longer than {LONGEST} characters, and no answer is.")
    text = text.strip()
    if kind in ("number", "whole"):
        return _number(text) if kind == "number" else _whole(text)
    if text not in map(str, range(options)):
        raise UnreadableError("is none of the options.", text)
    return int(text)


def _number(text: str) -> float:
    value = float(_spell_as_code(text))
    if math.isinf(value):
        raise UnreadableError("is larger than any number here.", text)
    return value


def _spell_as_code(text: str) -> str:
    """Return a decimal number in Python's spelling with the digits as typed; a comma may be the
    decimal point.

    >>> _spell_as_code("−0.50"), _spell_as_code("1,5"), _spell_as_code("12,345.5")
    ('-0.50', '1.5', '12345.5')
    """
    plain = text.strip().removeprefix("≈").strip().translate(written.MINUS)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+", plain):
        raise UnreadableError(
            "can mean two numbers: write the decimal point as a point, and thousands without a"
            " comma.",
            text,
        )
    if re.fullmatch(r"[+-]?\d+/\d+", plain):
        raise UnreadableError("is a fraction: write it with decimals, such as 0.5.", text)
    if plain.endswith("%"):
        raise UnreadableError("is in percent: write the share itself, such as 0.34 for 34%.", text)
    if re.fullmatch(r"[+-]?\d{1,3}(,\d{3})+\.\d*", plain):
        plain = plain.replace(",", "")  # the pages' spelling
    plain = plain.replace(",", ".")
    if not NUMBER.fullmatch(plain):
        raise UnreadableError("is not a number: expected one such as −0.1234.", text)
    return re.sub(r"\s", "", plain)


def _whole(text: str) -> int:
    """Parse a whole number; thousands may have commas, as on the pages."""
    plain = text.translate(written.MINUS)
    value = _number(plain.replace(",", "") if re.fullmatch(r"\d{1,3}(,\d{3})+", plain) else text)
    if not value.is_integer():
        raise UnreadableError("has decimals: expected a whole number.", text)
    return int(value)
