"""How numbers are printed everywhere; board/web/numbers.js implements the same rule (`exact`).

- Four decimals, with halves rounded away from zero, based on the binary value: 1/32 is 0.0313,
  0.00025 (not exact in binary) is rounded to the nearest.
- From 10,000 on, a comma before every third digit: 1,116,219.0000.
- What four decimals would make 0 without being 0 is ≈ 0, and from 10¹⁵ on there are two digits and
  a power of ten: 3.0e38. So nobody meets 7.9e−22.
- A real minus sign, before the number. Zero and ≈ 0 have none.
- Infinities are ∞ and −∞; NaN is –.
"""

import math
from collections.abc import Sequence
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

MINUS = str.maketrans({"−": "-", "–": "-", "—": "-"})  # how a minus sign is typed
FOUR_DECIMALS = Decimal("0.0001")
SMALL, LARGE = 0.0001, 1e15
NEARLY_ZERO = "≈ 0"
BEGINS_A_FORMULA = tuple("=+-@\t\r\n＝＋－＠")  # in a spreadsheet
_exact, _two_digits = (
    Context(prec=60, rounding=ROUND_HALF_UP),
    Context(prec=2, rounding=ROUND_HALF_UP),
)


def number(value: float) -> str:
    """Return a number as text.

    >>> number(-1.23456), number(1 / 32), number(0.0000123), number(-0.0), number(-math.inf)
    ('−1.2346', '0.0313', '≈ 0', '0.0000', '−∞')
    """
    if not math.isfinite(value):
        return "–" if math.isnan(value) else "−∞" if value < 0 else "∞"
    if is_nearly_zero(value):
        return NEARLY_ZERO
    if abs(value) >= LARGE:
        rounded = _two_digits.plus(Decimal(abs(value)))
        exponent = rounded.adjusted()
        text = f"{rounded.scaleb(-exponent):.1f}e{exponent}"
    elif 32 * abs(value) % 1:  # only multiples of 1/32 can be exact halves of the last decimal
        text = f"{abs(value):,.4f}"
    else:
        text = f"{Decimal(abs(value)).quantize(FOUR_DECIMALS, context=_exact):,}"
    if len(text) < len("10,000.0000"):
        text = text.replace(",", "")
    return f"−{text}" if value < 0 else text


def is_nearly_zero(value: float) -> bool:
    """Return whether a number is not 0, but 0 in four decimals.

    >>> is_nearly_zero(0.00004), is_nearly_zero(0.00006), is_nearly_zero(0)
    (True, False, False)
    """
    return 0 < abs(value) < SMALL / 2


def equals(value: float) -> str:
    """Return a number behind its sign, to follow a name.

    >>> equals(0.5), equals(7.9e-22)
    ('= 0.5000', '≈ 0')
    """
    return NEARLY_ZERO if is_nearly_zero(value) else f"= {number(value)}"


def round_as_printed(value: float) -> float:
    """Return a printed number's value; what is printed as ≈ 0 is counted with as it is, since it
    may divide.

    >>> round_as_printed(1 / 32), round_as_printed(7.9e-22)
    (0.0313, 7.9e-22)
    """
    return value if is_nearly_zero(value) else float(read(number(value)))


def short(value: float, digits: int = 3) -> str:
    """Return a number for a sentence, with this many significant digits and without trailing zeros;
    signs and what is nearly 0 by the same rule.

    >>> short(-191.356), short(0.0000123), short(0.0000668), short(1 / 8, 2), short(2.0)
    ('−191', '≈ 0', '0.0000668', '0.13', '2')
    """
    if is_nearly_zero(value) or not math.isfinite(value):
        return number(value)
    rounded = Context(prec=digits, rounding=ROUND_HALF_UP).plus(Decimal(abs(value)))
    mantissa, _, exponent = f"{float(rounded):.{digits}g}".partition("e")
    if 1 <= rounded < LARGE and exponent:
        mantissa, exponent = f"{rounded:.0f}", ""
    elif exponent.startswith("-"):
        mantissa, exponent = f"{rounded:f}".rstrip("0"), ""
    if abs(value) >= 10_000 and not exponent:
        mantissa = f"{float(mantissa):,.0f}"
    text = mantissa + (f"e{int(exponent)}" if exponent else "")
    return f"−{text}" if value < 0 else text


def brief(value: float) -> str:
    """Return a number for a matrix cell, as the boards print it: three digits, with as many
    decimals as fit.

    >>> brief(0.125), brief(-12.25), brief(-0.004)
    ('0.13', '−12.3', '0.00')
    """
    size = abs(value)
    if not size < LARGE:
        return number(value)
    decimals = 2 if size < 9.995 else 1 if size < 99.95 else 0
    text = str(Decimal(size).quantize(Decimal(1).scaleb(-decimals), context=_exact))
    return f"−{text}" if value < 0 and text.strip("0.") else text


def percent(share: float, decimals: int = 0) -> str:
    """Return a share as a percentage; small ones are not rounded to 0%, large ones not to 100%, and
    halves up, as in the browser.

    >>> percent(0.125), percent(0.9996), percent(1e-9), percent(0.9996, decimals=1), percent(1.0)
    ('13%', 'more than 99%', 'less than 1%', 'more than 99.9%', '100%')
    """
    digits = Decimal(share).scaleb(2).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    unit, rounded = 0.01 / 10**decimals, f"{digits}%"
    if share > 0 and rounded == f"{0:.{decimals}%}":
        return f"less than {unit:.{decimals}%}"
    if share < 1 and rounded == f"{1:.{decimals}%}":
        return f"more than {1 - unit:.{decimals}%}"
    return rounded


def write_after_sign(value: float) -> str:
    """Return a number that follows a plus, a minus or a dot: a negative one in brackets.

    >>> write_after_sign(2.0), write_after_sign(-2.0)
    ('2.0000', '(−2.0000)')
    """
    return number(value) if value >= 0 or is_nearly_zero(value) else f"({number(value)})"


def count(many: int, thing: str) -> str:
    """Return a number and what it counts.

    >>> count(1, "token"), count(6, "token")
    ('1 token', '6 tokens')
    """
    return f"{many:,} {thing}" if many == 1 else f"{many:,} {thing}s"


def join_words(items: Sequence[str]) -> str:
    """Join items with commas and "and".

    >>> join_words(["1", "2", "3"]), join_words(["1"])
    ('1, 2 and 3', '1')
    """
    *first, last = items
    return f"{', '.join(first)} and {last}" if first else last


def read(text: str) -> Decimal:
    """Return the value of a printed number.

    >>> read("−1.2346"), read("1.2e−5"), read("12,345.5000"), read("≈ 0")
    (Decimal('-1.2346'), Decimal('0.000012'), Decimal('12345.5000'), Decimal('0.0000'))
    """
    if text == NEARLY_ZERO:
        return Decimal("0.0000")
    return Decimal(
        text.replace(",", "").replace("−", "-").replace("∞", "Infinity").replace("–", "NaN")
    )


def count_decimals(text: str) -> int:
    """Return the number of typed decimals; an exponent shifts the decimal point.

    >>> [count_decimals(text) for text in ("−0.12", "3", "12,345.5", "5e-1", "1.25e1")]
    [2, 0, 1, 1, 1]
    """
    mantissa, _, exponent = text.strip().translate(MINUS).lower().partition("e")
    _, point, behind = mantissa.replace(",", ".").rpartition(".")
    return max(0, (len(behind) if point else 0) - int(exponent or 0))


def escape_formula(label: Any) -> Any:
    """Return a label as a cell that a spreadsheet shows as text and does not compute (OWASP, CSV
    Injection).

    >>> escape_formula("=1+1"), escape_formula("cat")
    ("'=1+1", 'cat')
    """
    begins = isinstance(label, str) and any(
        text.startswith(BEGINS_A_FORMULA) for text in (label, label.lstrip())
    )
    return f"'{label}" if begins else label
