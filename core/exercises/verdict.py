"""Whether an answer is right, and if not, which usual slips give exactly that number."""

from dataclasses import dataclass

from .answers import UnreadableError, decimals, parse
from .exercise import Answer, Exercise, Slip, Span

ON_THE_WAY = "numbers on the way are rounded: count on with all their digits, and round the result alone"
TURNED = "the sign is turned round: minus times minus is plus, minus times plus is minus"
_COUNTED = {2: "Two", 3: "Three", 4: "Four"}
NEAR = 1e-3  # how far rounding on the way may lead, as a share of the number


@dataclass(frozen=True)
class Verdict:
    """Whether the answer is right, None where it cannot be read, with a sentence; and the slips that give it."""

    right: bool | None
    says: str
    slips: tuple[Slip, ...] = ()


def judge(exercise: Exercise, text: str) -> Verdict:
    """What is to be said of an answer as it was typed."""
    try:
        given = parse(exercise.kind, text)
    except UnreadableError as error:
        return Verdict(None, str(error))
    if _means(exercise.answer, given):
        return Verdict(True, exercise.solution)
    slips = tuple(slip for slip in exercise.slips if _means(slip.gives, given)) + _roundings(exercise, given, text)
    if not slips and isinstance(given, float) and _means(exercise.answer, -given):
        slips = (Slip(TURNED, exercise.answer),)
    return Verdict(False, _in_words(exercise, slips), slips)


def _means(answer: Answer, given: float | int | tuple[int, ...] | str) -> bool:
    if isinstance(answer, Span):
        return isinstance(given, float) and answer.holds(given)
    return answer == given


def _roundings(exercise: Exercise, given: object, text: str) -> tuple[Slip, ...]:
    """Rounding, which is no number of its own: what was typed is near the answer."""
    answer = exercise.answer
    if not isinstance(answer, Span) or not isinstance(given, float):
        return ()
    typed = decimals(text)
    if typed < 4 and any(_is_cut(value, given, typed) for value in (answer.low, answer.high)):
        places = "a whole number" if typed == 0 else "1 decimal" if typed == 1 else f"{typed} decimals"
        return (Slip(f"the result is rounded or cut to {places}; four decimals are asked for", answer),)
    off = max(answer.low - given, given - answer.high)
    return (Slip(ON_THE_WAY, answer),) if off <= NEAR * max(abs(answer.low), abs(answer.high)) else ()


def _is_cut(value: float, given: float, decimals: int) -> bool:
    """Whether a number was rounded to so few decimals, or cut off after them. A share is not 0 or 1 by rounding."""
    if decimals == 0 and abs(value) < 1:
        return False
    unit, off = 10.0**-decimals, abs(given - value)
    return off <= 0.5 * unit + 1e-9 or (off < unit and abs(given) <= abs(value))


def _in_words(exercise: Exercise, slips: tuple[Slip, ...]) -> str:
    if exercise.kind == "choice":
        return " ".join(slip.says for slip in slips)
    if not slips:
        return "No usual slip gives this number: take a hint, or look at the terms one by one."
    if len(slips) == 1:
        return f"This is what comes out if {slips[0].says}."
    each = "; ".join(f"({place}) {slip.says}" for place, slip in enumerate(slips, start=1))
    return f"{_COUNTED.get(len(slips), 'Several')} slips give this number: {each}. Which of them was it?"
