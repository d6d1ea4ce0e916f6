"""Declare a setup's fields: allowed values and how they appear on screen.

Each kind of field maps any value from a link or widget to the nearest allowed one, with messages
about what it changed. A control is only declared here, not displayed.
"""

import dataclasses
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from ..text import text as _text

MAX_LISTED = 20  # options listed in a message
# The trainings: attention alone, a stack on it, a classifier of labelled sentences, and next-word
# prediction.
LESSONS = ("attention", "stack", "labelled", "words")
OF_STACKS = LESSONS[1:]


@dataclass(frozen=True)
class Field:
    """The declaration of a field. Without a label, users cannot set it in the interface.

    Args:
        default: its initial value. label: its name on screen. help: its meaning, in a sentence.
        panel: its group in the panel and its position there; None if it appears only on some pages,
        or nowhere. is_readers_own: whether it is kept when a preset is selected. draws: whether
        random weights depend on it. of_model: whether a real model determines it. what_if: whether
        users may change a real model's value. lessons: the trainings that depend on it.
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
        """The allowed values, in words."""
        raise NotImplementedError

    def fit(self, value: Any) -> tuple[Any, tuple[str, ...]]:
        """Return the nearest allowed value, and messages about what was changed."""
        raise NotImplementedError


class DefaultOption(str):
    """A default option, which another field's own default may replace."""


@dataclass(frozen=True, kw_only=True)
class Choice(Field):
    """One of a few options. The unlisted ones can be set by a link only, not by a control."""

    options: tuple[str, ...]
    unlisted: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """The options, in words; of many options, the first ones and the last."""
        if len(self.options) > MAX_LISTED:
            return f"one of {', '.join(self.options[:3])} … {self.options[-1]}"
        return f"one of {', '.join(self.options)}"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the requested option or the default, and messages about what was changed."""
        value = last(value)
        if isinstance(value, str) and value in (*self.options, *self.unlisted):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}; it became {self.default}.",)


@dataclass(frozen=True, kw_only=True)
class Number(Field):
    """A number from `low` to `high`, inclusive, int or float. A slider's maximum is `slides_to` if
    that is less."""

    low: float
    high: float
    type: type[int] | type[float]
    slides_to: float | None = None

    @property
    def expected(self) -> str:
        """The range, in words."""
        return (
            f"a {'whole number' if self.type is int else 'number'} from {self.low} to {self.high}"
        )

    def fit(self, value: Any) -> tuple[int | float, tuple[str, ...]]:
        """Return the nearest allowed number, and messages about what was changed."""
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
    """A short name; empty by default."""

    most: ClassVar[int] = 96
    expected: ClassVar[str] = (
        f"a name of up to {most} letters, digits, points, hyphens and underscores"
    )

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the name, or the default if it is invalid, and messages about what was changed."""
        value = last(value)
        if isinstance(value, str) and re.fullmatch(rf"[\w.-]{{0,{self.most}}}", value):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}.",)


@dataclass(frozen=True)
class ModelName(Field):
    """The name of a model's folder, or owner/name; empty by default."""

    most: ClassVar[int] = 255
    expected: ClassVar[str] = f"a model's name, of up to {most} letters in one line"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the name, or the default if it is invalid, and messages about what was changed."""
        value = last(value)
        if isinstance(value, str) and len(value) <= self.most and value.isprintable():
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}.",)


def choice(
    options: tuple[str, ...], *text: str, default: str | None = None, **declared: Any
) -> Any:
    """Declare a choice as a dataclass field, with its label and help. The default is the first
    option unless another is named."""
    usual = DefaultOption(default or options[0])
    return declare(Choice(usual, *text, options=options, **declared))


def whole(default: int, between: tuple[int, int], *text: str, **declared: Any) -> Any:
    """Declare a whole number as a dataclass field."""
    return declare(Number(default, *text, low=between[0], high=between[1], type=int, **declared))


def fraction(default: float, between: tuple[float, float], *text: str, **declared: Any) -> Any:
    """Declare a decimal number as a dataclass field."""
    return declare(Number(default, *text, low=between[0], high=between[1], type=float, **declared))


def declare(field: Field) -> Any:
    """Return a dataclass field with this declaration."""
    return dataclasses.field(default=field.default, metadata={"declared": field})


def list_fields(holder: type) -> dict[str, Field]:
    """Return a dataclass's declarations by name."""
    return {field.name: field.metadata["declared"] for field in dataclasses.fields(holder)}


def select_kind(kind: type[Field], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return the fields of this kind, by name."""
    return {name: field for name, field in fields.items() if isinstance(field, kind)}


def nearest(
    fields: Mapping[str, Field], wishes: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Fit each field independently; return the values, and by name the messages about changes."""
    values, changed = {name: field.default for name, field in fields.items()}, {}
    for name, wish in wishes.items():
        if name in values and wish is not values[name]:
            values[name], messages = fields[name].fit(wish)
            if messages:
                changed[name] = messages
    return values, changed


def describe_changes(changed: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return the messages about changes, one sentence each."""
    return [f"{name}: {sentence}" for name, messages in changed.items() for sentence in messages]


def last(value: Any) -> Any:
    """Return the last value of a parameter that occurs more than once in a link."""
    return value[-1] if isinstance(value, (list, tuple)) and value else value


def quote(value: Any) -> str:
    """Return a value for a message: shortened, without unprintable characters."""
    shown = _text.clean(value if isinstance(value, str) else repr(value)[:200])
    return repr(_text.shorten(shown, 40)) if isinstance(value, str) else _text.shorten(shown, 40)
