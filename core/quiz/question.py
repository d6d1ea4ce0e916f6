"""Questions for one user or a class, and the judgement of an answer: whether it is right, and
otherwise which usual mistakes give it."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from string import ascii_uppercase as LETTERS

from ..text import written
from .answers import Answer, Kind, Span, UnreadableError, parse, print_answer

ON_THE_WAY = (
    "numbers on the way are rounded: count on with all their digits, and round the result alone"
)
TURNED = "the sign is turned round: minus times minus is plus, minus times plus is minus"
_COUNTED = {2: "Two", 3: "Three", 4: "Four"}
NEAR = 1e-3  # the relative error that intermediate rounding may cause


@dataclass(frozen=True)
class Opens:
    """Where a number is shown: the page, and its link's fields by name. Indices count from 1."""

    path: str
    fields: Mapping[str, str | int]


@dataclass(frozen=True)
class WrongResult:
    """A common wrong answer and its explanation.

    For numbers, `says` continues “This is what comes out if”; for options it is a whole sentence.
    """

    says: str
    gives: Answer


@dataclass(frozen=True)
class Question:
    """A question: an exercise, or a prediction of what the page shows next.

    Attributes:
        name: its unique name, an exercise's (scores.1) or a prediction's. kind: the type of answer:
        a decimal number, a whole number, one of the options, or the share of each option. asks:
        plain text in lines, the last of which is the question. It and the options may quote the
        user's words. answers: the right ones. slips: for numbers, common wrong results, none of
        which is right; two may be equal. For options, an explanation of each, if any. solution:
        shown after answering. options: the options. opens: where the answer is shown; None if the
        question is asked there, or it is shown nowhere. bars: the computed numbers with labels, for
        a chart beside the guesses; the sentences contain them too. asks_one: for shares, the
        question for the largest one only.
    """

    name: str
    kind: Kind
    asks: str
    answers: tuple[Answer, ...]
    slips: tuple[WrongResult, ...]
    solution: str
    options: tuple[str, ...] = ()
    opens: Opens | None = None
    bars: tuple[tuple[str, float], ...] = ()
    asks_one: str = ""

    @property
    def answer(self) -> Answer:
        """The right answer, the first if there are several."""
        return self.answers[0]

    def printed(self, answer: Answer) -> str:
        """Return an answer as the pages print it; for options, the letter."""
        return LETTERS[answer] if self.options and isinstance(answer, int) else print_answer(answer)

    def simplify_for_class(self) -> "Question":
        """Return the question for a class: instead of guessing all shares, select the largest."""
        return replace(self, kind="choice", asks=self.asks_one) if self.kind == "shares" else self


@dataclass(frozen=True)
class Unavailable:
    """There is no such question for this setup; `why` is the reason."""

    name: str
    why: str


def told_apart(answer: Answer, slips: tuple[WrongResult, ...]) -> tuple[WrongResult, ...]:
    """Return the mistakes whose result is a number that differs from the answer."""
    return tuple(
        slip for slip in slips if _is_number(slip.gives) and not _is_same(answer, slip.gives)
    )


def _is_number(gives: Answer) -> bool:
    return not isinstance(gives, Span) or math.isfinite(gives.low + gives.high)


def _is_same(one: Answer, other: Answer) -> bool:
    return one.is_near(other) if isinstance(one, Span) and isinstance(other, Span) else one == other


# ---------- judging an answer ----------


@dataclass(frozen=True)
class Verdict:
    """Whether the answer is right (None if it cannot be parsed), a sentence, and the mistakes that
    give it."""

    right: bool | None
    says: str
    slips: tuple[WrongResult, ...] = ()


def judge(question: Question, text: str) -> Verdict:
    """Judge an answer as typed; for options, the index from 0."""
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
            slips = (WrongResult(TURNED, question.answer),)
    return Verdict(False, _describe(question, slips), slips)


def _means(answer: Answer, given: float | int) -> bool:
    if isinstance(answer, Span):
        return isinstance(given, float) and answer.holds(given)
    return answer == given


def _roundings(question: Question, given: float, text: str) -> tuple[WrongResult, ...]:
    """Return rounding as a mistake if the typed number is close to the answer."""
    answer = question.answer
    if not isinstance(answer, Span):
        return ()
    typed = written.count_decimals(text)
    if typed < 4 and any(_is_cut(value, given, typed) for value in (answer.low, answer.high)):
        places = (
            "a whole number" if typed == 0 else "1 decimal" if typed == 1 else f"{typed} decimals"
        )
        return (
            WrongResult(
                f"the result is rounded or cut to {places}; four decimals are asked for", answer
            ),
        )
    off = max(answer.low - given, given - answer.high)
    return (
        (WrongResult(ON_THE_WAY, answer),)
        if off <= NEAR * max(abs(answer.low), abs(answer.high))
        else ()
    )


def _is_cut(value: float, given: float, decimals: int) -> bool:
    """Return whether a number is rounded or truncated to this many decimals. A share is never
    rounded to 0 or 1."""
    if decimals == 0 and abs(value) < 1:
        return False
    unit, off = 10.0**-decimals, abs(given - value)
    return off <= 0.5 * unit + 1e-9 or (off < unit and abs(given) <= abs(value))


def _describe(question: Question, slips: tuple[WrongResult, ...]) -> str:
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


def name_slips(slips: tuple[WrongResult, ...]) -> str:
    """Return the mistakes that give one number, as text.

    >>> name_slips((WrongResult("it is not scaled", 3),)), name_slips(
    ...     (WrongResult("it is not scaled", 3), WrongResult("it is halved", 3))
    ... )
    ('it is not scaled', '(1) it is not scaled; (2) it is halved')
    """
    if len(slips) == 1:
        return slips[0].says
    return "; ".join(f"({place}) {slip.says}" for place, slip in enumerate(slips, start=1))
