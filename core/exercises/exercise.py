"""What an exercise is: a question with its answer, the numbers that usual slips give, hints, and where the answer stands."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from ..written import LARGE, SMALL, number, read

LETTERS = ("A", "B", "C")
Kind = Literal["number", "whole", "shape", "choice"]


@dataclass(frozen=True)
class Span:
    """A number with decimals. It need not come out to the last digit: a reader counts with the numbers that are printed.

    From `low` to `high` it goes from what the tensors give to what the printed numbers give. `value` is the one between them
    that the pages print.
    """

    low: float
    high: float
    value: float = field(compare=False)

    def holds(self, given: float) -> bool:
        """Whether this number is meant: it is at most one in the last printed decimal away."""
        room = _unit(given)
        return self.low - room <= given <= self.high + room

    def is_near(self, other: "Span") -> bool:
        """Whether one given number could mean both."""
        room = 2 * max(_unit(self.high), _unit(other.high))
        return self.low - room <= other.high and other.low - room <= self.high


Answer = Span | int | tuple[int, ...] | str


@dataclass(frozen=True)
class Opens:
    """Where a number stands: the page, and the fields of its link by name. Places count from 1, as a reader does.

    Where the answer `stands` nowhere, these are the places that are asked about, and no page shows it.
    """

    path: str
    fields: Mapping[str, str | int]
    stands: bool = field(default=True, repr=False)


@dataclass(frozen=True)
class Slip:
    """Something that often goes wrong, what comes out then, and where that number stands.

    `says` goes on after “This is what comes out if”; of a choice it is a sentence of its own.
    """

    says: str
    gives: Answer
    opens: Opens | None = None


@dataclass(frozen=True)
class Exercise:
    """A question that has one answer.

    Attributes:
        name: the page's path and the exercise's number on it, from 1: scores.2.
        question: plain text in lines; it may quote a reader's words.
        kind: what is asked for: a number with decimals, a whole number, a shape, or one of the options.
        answer: a Span, a whole number, a shape, or an option's letter.
        slips: none of them gives the answer; two may give the same.
        hints: from the first to the last.
        solution: one sentence, once it is solved.
        opens: where the answer can be read.
        options: of a choice, in the order of `LETTERS`.
    """

    name: str
    question: str
    kind: Kind
    answer: Answer
    slips: tuple[Slip, ...]
    hints: tuple[str, ...]
    solution: str
    opens: Opens
    options: tuple[str, ...] = ()


@dataclass(frozen=True)
class Unposed:
    """There is no such exercise for this setup, and why."""

    name: str
    why: str


def worked(rule: Callable[..., float], *given: float, exact: float | None = None) -> Span:
    """What a rule makes of these numbers and of the same as they are printed; `exact` is what stands in the tensor.

    Not finite where the rule has no result.
    """
    results = [_result(rule, given), _result(rule, [as_printed(value) for value in given])]
    results += [] if exact is None else [exact]
    if not all(map(math.isfinite, results)):
        return fixed(math.nan)
    return Span(min(results), max(results), results[0] if exact is None else exact)


def fixed(value: float) -> Span:
    """A number that is read, not computed."""
    return Span(value, value, value)


def written(answer: Answer) -> str:
    """An answer as the pages write it; of a choice its letter.

    >>> written(fixed(-0.5)), written(1296), written((6, 24)), written("B")
    ('−0.5000', '1,296', '6 × 24', 'B')
    """
    match answer:
        case Span():
            return number(answer.value)
        case tuple():
            return " × ".join(map(str, answer))
        case int():
            return f"{answer:,}"
    return answer


def as_printed(value: float) -> float:
    """What a reader counts with."""
    return float(read(number(value)))


def told_apart(answer: Answer, slips: tuple[Slip, ...]) -> tuple[Slip, ...]:
    """The slips whose number cannot be taken for the answer, and is one."""
    return tuple(slip for slip in slips if _is_number(slip.gives) and not _same(answer, slip.gives))


def _unit(value: float) -> float:
    """One in the last place that is printed: the fourth decimal, or the second digit of what is too large for decimals."""
    return 0.1 * abs(value) if abs(value) >= LARGE else SMALL + 1e-9 * max(1.0, abs(value))


def _is_number(gives: Answer) -> bool:
    return not isinstance(gives, Span) or math.isfinite(gives.low + gives.high)


def _same(one: Answer, other: Answer) -> bool:
    return one.is_near(other) if isinstance(one, Span) and isinstance(other, Span) else one == other


def _result(rule: Callable[..., float], given: "tuple[float, ...] | list[float]") -> float:
    try:
        return rule(*given)
    except (ArithmeticError, ValueError):
        return math.nan
