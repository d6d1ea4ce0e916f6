"""How a field is declared: what it may hold, and how it stands on screen.

A kind of field fits any value that a link or a widget may hold to the nearest that is allowed, and
says in words what it had to change. A control is plain text: nothing here draws it.
"""

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from . import text as _text

MAX_LISTED = 20  # options in a message
# What is trained: attention alone, a stack on it, a classifier of labelled sentences, and a stack
# that learns what comes next.
LESSONS = ("attention", "stack", "labelled", "words")
OF_STACKS = LESSONS[1:]


@dataclass(frozen=True)
class Field:
    """All that is declared of a field. Without a label a reader cannot set it by hand.

    Args:
        default: what it holds unless it is set. label: what it is called on screen. help: what it
        means, in a sentence. panel: its group in the panel, and its place there; None where it
        stands on some pages alone, or nowhere. is_readers_own: whether it stays where a preset is
        chosen. draws: whether weights are drawn by it. of_model: whether a model that is read
        decides it. what_if: whether such a model may be asked with another value than its own.
        lessons: which trainings depend on it.
    """

    default: Any
    label: str = ""
    help: str = ""
    _: dataclasses.KW_ONLY
    panel: tuple[str, int] | None = None
    is_readers_own: bool = False
    draws: bool = False
    of_model: bool = False
    what_if: bool = False
    lessons: tuple[str, ...] = LESSONS

    @property
    def expected(self) -> str:
        """What is allowed, in words."""
        raise NotImplementedError

    def fit(self, value: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the nearest value that is allowed, and what had to be changed, in words."""
        raise NotImplementedError


class DefaultOption(str):
    """An option that nobody asked for: a default. Where another choice has a default of its own,
    that may take its place."""


@dataclass(frozen=True, kw_only=True)
class Choice(Field):
    """One of a few options. A link may ask for the unlisted ones too, which no control offers."""

    options: tuple[str, ...]
    unlisted: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What it may be, in words; of many options, the first ones and the last."""
        if len(self.options) > MAX_LISTED:
            return f"one of {', '.join(self.options[:3])} … {self.options[-1]}"
        return f"one of {', '.join(self.options)}"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the option that was asked for, or the default; and what had to be changed, in
        words."""
        value = last(value)
        if isinstance(value, str) and value in (*self.options, *self.unlisted):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}; it became {self.default}.",)


@dataclass(frozen=True, kw_only=True)
class Number(Field):
    """A number from `low` to `high`, both included: a whole one (int), or one with decimals
    (float). A slider reaches up to `slides_to`, where that is less."""

    low: float
    high: float
    type: type[int] | type[float]
    slides_to: float | None = None

    @property
    def expected(self) -> str:
        """What it may be, in words."""
        return (
            f"a {'whole number' if self.type is int else 'number'} from {self.low} to {self.high}"
        )

    def fit(self, value: Any) -> tuple[int | float, tuple[str, ...]]:
        """Return the nearest number that is allowed, and what had to be changed, in words."""
        if type(value) is self.type and self.low <= value <= self.high:
            return value, ()
        value = last(value)
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            number = math.nan
        if math.isnan(number) or isinstance(value, bool):
            return self.default, (f"{quote(value)} is not a number; it became {self.default}.",)
        fitted = min(max(number, self.low), self.high)
        result = round(fitted) if self.type is int else fitted
        if result == number:
            return result, ()
        kind = "whole numbers" if self.type is int else "numbers"
        return result, (
            f"{quote(value)} became {result}; it takes {kind} from {self.low} to {self.high}.",
        )


@dataclass(frozen=True)
class Name(Field):
    """What something is called, in a few letters; empty by default."""

    most: ClassVar[int] = 96
    expected: ClassVar[str] = (
        f"a name of up to {most} letters, digits, points, hyphens and underscores"
    )

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the name, or the default where it is none; and what had to be changed, in
        words."""
        value = last(value)
        if isinstance(value, str) and re.fullmatch(rf"[\w.-]{{0,{self.most}}}", value):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}.",)


def choice(
    options: tuple[str, ...], *text: str, default: str | None = None, **declared: Any
) -> Any:
    """Declare a choice, in a dataclass, with its label and help. The first option is the default,
    unless another is named."""
    usual = DefaultOption(default or options[0])
    return declare(Choice(usual, *text, options=options, **declared))


def whole(default: int, between: tuple[int, int], *text: str, **declared: Any) -> Any:
    """Declare a whole number, in a dataclass."""
    return declare(Number(default, *text, low=between[0], high=between[1], type=int, **declared))


def fraction(default: float, between: tuple[float, float], *text: str, **declared: Any) -> Any:
    """Declare a number with decimals, in a dataclass."""
    return declare(Number(default, *text, low=between[0], high=between[1], type=float, **declared))


def declare(field: Field) -> Any:
    """Return a dataclass's field that is declared so."""
    return dataclasses.field(default=field.default, metadata={"declared": field})


def list_fields(holder: type) -> dict[str, Field]:
    """Return what a dataclass declares, by name."""
    return {field.name: field.metadata["declared"] for field in dataclasses.fields(holder)}


def select_kind(kind: type[Field], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return those of the fields that are of this kind, by name."""
    return {name: field for name, field in fields.items() if isinstance(field, kind)}


def nearest(
    fields: Mapping[str, Field], wishes: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Return each field fitted by itself, and by name what had to be changed, in words."""
    values, changed = {name: field.default for name, field in fields.items()}, {}
    for name, wish in wishes.items():
        if name in values and wish is not values[name]:
            values[name], messages = fields[name].fit(wish)
            if messages:
                changed[name] = messages
    return values, changed


def describe_changes(changed: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return what had to be changed, a sentence each."""
    return [f"{name}: {sentence}" for name, messages in changed.items() for sentence in messages]


def last(value: Any) -> Any:
    """Return the last value of a parameter that stands in a link more than once."""
    return value[-1] if isinstance(value, (list, tuple)) and value else value


def quote(value: Any) -> str:
    """Return a value as a message can carry it: short, and without what cannot be shown."""
    shown = _text.clean(value if isinstance(value, str) else repr(value)[:200])
    return repr(_text.shorten(shown, 40)) if isinstance(value, str) else _text.shorten(shown, 40)
