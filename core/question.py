"""What is asked, of one reader or of a class, and what is said of an answer: whether it is right,
and if not, which usual slips give exactly that."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import ascii_uppercase as LETTERS

from .answers import Answer, Kind, Span, UnreadableError, decimals, parse, print_answer

ON_THE_WAY = (
    "numbers on the way are rounded: count on with all their digits, and round the result alone"
)
TURNED = "the sign is turned round: minus times minus is plus, minus times plus is minus"
_COUNTED = {2: "Two", 3: "Three", 4: "Four"}
NEAR = 1e-3  # how far rounding on the way may lead, as a share of the number


@dataclass(frozen=True)
class Opens:
    """Where a number stands: the page, and the fields of its link by name. Places count from 1, as
    a reader does."""

    path: str
    fields: Mapping[str, str | int]


@dataclass(frozen=True)
class Misconception:
    """An answer that is often given, and what is said of it.

    `says` goes on after “This is what comes out if”; of an option it is a sentence of its own.
    """

    says: str
    gives: Answer


@dataclass(frozen=True)
class Question:
    """Something to be answered, whoever asks it: an exercise, or a prediction of what the page
    shows next.

    Attributes:
        name: what tells it from others: an exercise's (scores.1) or a prediction's. kind: what is
        asked for: a number with decimals, a whole number, one of the options, or the share of each
        option. asks: plain text in lines, of which the last asks. It may quote a reader's words; so
        may the options. answers: those that are right. slips: of numbers those that often go wrong,
        none of which is right; two may give the same. Of options a sentence each, if there is any.
        solution: what is told once it may be seen. options: what is chosen from. opens: where the
        answer can be read; None where it is asked in that place, or stands in none. bars: the
        computed numbers, each with its label, as they are drawn beside what was guessed. The
        sentences tell them too. asks_one: of shares, what asks for the largest alone.
    """

    name: str
    kind: Kind
    asks: str
    answers: tuple[Answer, ...]
    slips: tuple[Misconception, ...]
    solution: str
    options: tuple[str, ...] = ()
    opens: Opens | None = None
    bars: tuple[tuple[str, float], ...] = ()
    asks_one: str = ""

    @property
    def answer(self) -> Answer:
        """The right answer, the first where there are several."""
        return self.answers[0]

    def printed(self, answer: Answer) -> str:
        """Return an answer as the pages print it, of options the letter."""
        return LETTERS[answer] if self.options and isinstance(answer, int) else print_answer(answer)

    def simplify_for_class(self) -> "Question":
        """Return what a class is asked: of shares the largest is chosen, and they are not guessed
        one by one."""
        return replace(self, kind="choice", asks=self.asks_one) if self.kind == "shares" else self


@dataclass(frozen=True)
class Unavailable:
    """There is no such question for this setup, and why."""

    name: str
    why: str


def told_apart(answer: Answer, slips: tuple[Misconception, ...]) -> tuple[Misconception, ...]:
    """Return the slips whose number cannot be taken for the answer, and is one."""
    return tuple(
        slip for slip in slips if _is_number(slip.gives) and not _is_same(answer, slip.gives)
    )


def _is_number(gives: Answer) -> bool:
    return not isinstance(gives, Span) or math.isfinite(gives.low + gives.high)


def _is_same(one: Answer, other: Answer) -> bool:
    return one.is_near(other) if isinstance(one, Span) and isinstance(other, Span) else one == other


# ---------- what is said of an answer ----------


@dataclass(frozen=True)
class Verdict:
    """Whether the answer is right, None where it cannot be read, with a sentence; and the slips
    that give it."""

    right: bool | None
    says: str
    slips: tuple[Misconception, ...] = ()


def judge(question: Question, text: str) -> Verdict:
    """Return what is to be said of an answer as it was typed; of options the place is, from 0."""
    try:
        given = parse(question.kind, len(question.options), text)
    except UnreadableError as error:
        return Verdict(None, str(error))
    if any(_means(answer, given) for answer in question.answers):
        return Verdict(True, question.solution)
    slips = tuple(slip for slip in question.slips if _means(slip.gives, given))
    if isinstance(given, float):
        slips += _roundings(question, given, text)
        if not slips and _means(question.answer, -given):
            slips = (Misconception(TURNED, question.answer),)
    return Verdict(False, _describe(question, slips), slips)


def _means(answer: Answer, given: float | int) -> bool:
    if isinstance(answer, Span):
        return isinstance(given, float) and answer.holds(given)
    return answer == given


def _roundings(question: Question, given: float, text: str) -> tuple[Misconception, ...]:
    """Return rounding, which is no number of its own: what was typed is near the answer."""
    answer = question.answer
    if not isinstance(answer, Span):
        return ()
    typed = decimals(text)
    if typed < 4 and any(_is_cut(value, given, typed) for value in (answer.low, answer.high)):
        places = (
            "a whole number" if typed == 0 else "1 decimal" if typed == 1 else f"{typed} decimals"
        )
        return (
            Misconception(
                f"the result is rounded or cut to {places}; four decimals are asked for", answer
            ),
        )
    off = max(answer.low - given, given - answer.high)
    return (
        (Misconception(ON_THE_WAY, answer),)
        if off <= NEAR * max(abs(answer.low), abs(answer.high))
        else ()
    )


def _is_cut(value: float, given: float, decimals: int) -> bool:
    """Return whether a number was rounded to so few decimals, or cut off after them. A share is not
    0 or 1 by rounding."""
    if decimals == 0 and abs(value) < 1:
        return False
    unit, off = 10.0**-decimals, abs(given - value)
    return off <= 0.5 * unit + 1e-9 or (off < unit and abs(given) <= abs(value))


def _describe(question: Question, slips: tuple[Misconception, ...]) -> str:
    if question.options:
        return " ".join(slip.says for slip in slips)
    if not slips:
        return "No usual slip gives this number: look at what it is made of, one by one."
    if len(slips) == 1:
        return f"This is what comes out if {slips[0].says}."
    return (
        f"{_COUNTED.get(len(slips), 'Several')} slips give this number: {name_slips(slips)}. Which"
        " of them was it?"
    )


def name_slips(slips: tuple[Misconception, ...]) -> str:
    """Return the slips that give one number.

    >>> name_slips((Misconception("it is not scaled", 3),)), name_slips(
    ...     (Misconception("it is not scaled", 3), Misconception("it is halved", 3))
    ... )
    ('it is not scaled', '(1) it is not scaled; (2) it is halved')
    """
    if len(slips) == 1:
        return slips[0].says
    return "; ".join(f"({place}) {slip.says}" for place, slip in enumerate(slips, start=1))
