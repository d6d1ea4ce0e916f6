"""A question of a lecturer's own: a sentence with choices, or with a number and how far off an
answer may be. It is read from what was typed, and refused in words; nothing in it is more than
text."""

import unicodedata
from collections.abc import Mapping
from typing import Any

from .answers import UnreadableError, Within, parse
from .question import Question

NAME = "own"
LONGEST, LONGEST_CHOICE = 300, 120  # characters
FEWEST, MOST = 2, 6  # choices


def read(typed: Mapping[str, Any]) -> Question:
    """Return the question that was typed: what it `asks`, with `options` and the place of the
    `right` one, from 0 (without it an opinion is asked for); or with an `answer` and how far `off`
    one may be. Raises ValueError with a sentence for the lecturer.

    >>> read({"asks": "How sure are you?", "options": ["very", "not very"]}).options
    ('very', 'not very')
    >>> read({"asks": "What is 1 / 8?", "answer": "0,1250", "off": "0.01"}).solution
    'The answer is 0.1250, give or take 0.01.'
    """
    asks = _text(typed.get("asks"), "The question", LONGEST)
    return _of_choices(asks, typed) if "options" in typed else _of_a_number(asks, typed)


def as_typed(typed: Mapping[str, Any]) -> dict[str, Any]:
    """Return of what was typed all that makes the question, and nothing else."""
    question = read(typed)
    if question.options:
        return {
            "asks": question.asks,
            "options": list(question.options),
            "right": next(iter(question.answers), None),
        }
    return {"asks": question.asks, "answer": typed["answer"], "off": typed.get("off", "")}


def _of_choices(asks: str, typed: Mapping[str, Any]) -> Question:
    given, right = typed["options"], typed.get("right")
    if not isinstance(given, list) or not FEWEST <= len(given) <= MOST:
        raise ValueError(f"Expected {FEWEST} to {MOST} choices.")
    options = tuple(_text(each, "A choice", LONGEST_CHOICE) for each in given)
    if len(set(options)) < len(options):
        raise ValueError("Two choices are the same.")
    if right is None:
        return Question(NAME, "choice", asks, (), (), "", options, own=True)
    if type(right) is not int or not 0 <= right < len(options):
        raise ValueError("The right one is none of the choices.")
    return Question(
        NAME, "choice", asks, (right,), (), f"The answer is “{options[right]}”.", options, own=True
    )


def _of_a_number(asks: str, typed: Mapping[str, Any]) -> Question:
    (value, written), (off, written_off) = (
        _number(typed.get("answer"), "The answer"),
        _number(typed.get("off") or "0", "Give or take"),
    )
    if off < 0:
        raise ValueError("How far off an answer may be is a number from 0 up.")
    told = f", give or take {written_off}" if off else ""
    return Question(
        NAME,
        "number",
        asks,
        (Within(value - off, value + off, value, written),),
        (),
        f"The answer is {written}{told}.",
        own=True,
    )


def _number(text: Any, what: str) -> tuple[float, str]:
    """Return a number and how it is shown: as it was typed, with a point and a minus."""
    if not isinstance(text, str) or not text.strip():
        raise ValueError(f"{what} is missing.")
    if any(character.isdecimal() and not character.isascii() for character in text):
        raise ValueError(f"{what} has digits other than 0 to 9.")
    try:
        value = parse("number", 0, text)
    except UnreadableError as error:
        raise ValueError(f"{what}: {error}") from error
    assert isinstance(value, float)
    shown = text.strip().replace("-", "−").replace("–", "−").replace("—", "−")
    return value, shown if "." in shown else shown.replace(",", ".")


def _text(given: Any, what: str, longest: int) -> str:
    """Return text on one line, without what no screen shows."""
    if not isinstance(given, str):
        raise ValueError(f"{what} is no text.")
    kinds = ((character, unicodedata.category(character)) for character in given[: 10 * longest])
    text = " ".join(
        "".join(
            " " if kind in ("Cc", "Zl", "Zp") else character
            for character, kind in kinds
            if kind != "Cs"
        ).split()
    )
    if not text:
        raise ValueError(f"{what} is empty.")
    if len(text) > longest or len(given) > 10 * longest:
        raise ValueError(f"{what} has more than {longest} characters: shorten it.")
    return text
