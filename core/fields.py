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

MOST_LISTED = 20  # options in a message


@dataclass(frozen=True)
class Control:
    """What a field is called on screen, and what it means in a sentence. Where it stands is not
    core's affair."""

    label: str
    help: str | None = None


@dataclass(frozen=True)
class Field:
    """What is declared of a field. Without a control a reader cannot set it by hand."""

    default: Any
    control: Control | None

    @property
    def expected(self) -> str:
        """What is allowed, in words."""
        raise NotImplementedError


class DefaultOption(str):
    """An option that nobody asked for: a default. Where another choice has a default of its own,
    that may take its place."""


@dataclass(frozen=True)
class Choice(Field):
    """One of a few options. A link may ask for the unlisted ones too, which no control offers."""

    options: tuple[str, ...]
    unlisted: tuple[str, ...] = ()

    @property
    def expected(self) -> str:
        """What it may be, in words; of many options, the first ones and the last."""
        if len(self.options) > MOST_LISTED:
            return f"one of {', '.join(self.options[:3])} … {self.options[-1]}"
        return f"one of {', '.join(self.options)}"

    def fit(self, value: Any, _: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return the option that was asked for, or the default; and what had to be changed, in
        words."""
        value = last(value)
        if isinstance(value, str) and value in (*self.options, *self.unlisted):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}; it became {self.default}.",)


@dataclass(frozen=True)
class Number(Field):
    """A number from `low` to `high`, both included: a whole one (int), or one with decimals
    (float)."""

    low: float
    high: float
    type: type[int] | type[float]

    @property
    def expected(self) -> str:
        """What it may be, in words."""
        return (
            f"a {'whole number' if self.type is int else 'number'} from {self.low} to {self.high}"
        )

    def fit(self, value: Any, _: Mapping[str, Any]) -> tuple[int | float, tuple[str, ...]]:
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

    def fit(self, value: Any, _: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return the name, or the default where it is none; and what had to be changed, in
        words."""
        value = last(value)
        if isinstance(value, str) and re.fullmatch(rf"[\w.-]{{0,{self.most}}}", value):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}.",)


def choice(
    *options: str,
    default: str | None = None,
    control: Control | None = None,
    unlisted: tuple[str, ...] = (),
) -> Any:
    """Declare a choice, in a dataclass. The first option is the default, unless another is
    named."""
    return declare(Choice(DefaultOption(default or options[0]), control, options, unlisted))


def whole(default: int, low: int, high: int, control: Control | None = None) -> Any:
    """Declare a whole number, in a dataclass."""
    return declare(Number(default, control, low, high, int))


def fraction(default: float, low: float, high: float, control: Control | None = None) -> Any:
    """Declare a number with decimals, in a dataclass."""
    return declare(Number(default, control, low, high, float))


def named(control: Control | None = None) -> Any:
    """Declare a name, in a dataclass."""
    return declare(Name("", control))


def declare(field: Field) -> Any:
    """Return a dataclass's field that is declared so."""
    return dataclasses.field(default=field.default, metadata={"declared": field})


def declared(holder: type) -> dict[str, Field]:
    """Return what a dataclass declares, by name."""
    return {field.name: field.metadata["declared"] for field in dataclasses.fields(holder)}


def of_kind(kind: type[Field], fields: Mapping[str, Field]) -> dict[str, Any]:
    """Return those of the fields that are of this kind, by name."""
    return {name: field for name, field in fields.items() if isinstance(field, kind)}


def nearest(
    fields: Mapping[str, Any], wishes: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, tuple[str, ...]]]:
    """Return each field fitted by itself, and by name what had to be changed, in words. A field may
    ask for those before it."""
    values: dict[str, Any] = {}
    changed: dict[str, tuple[str, ...]] = {}
    for name, field in fields.items():
        values[name] = wish = wishes.get(name, field.default)
        if wish is not field.default:
            values[name], messages = field.fit(wish, values)
            if messages:
                changed[name] = messages
    return values, changed


def in_words(changed: Mapping[str, tuple[str, ...]]) -> list[str]:
    """Return what had to be changed, a sentence each."""
    return [f"{name}: {sentence}" for name, messages in changed.items() for sentence in messages]


def last(value: Any) -> Any:
    """Return the last value of a parameter that stands in a link more than once."""
    return value[-1] if isinstance(value, (list, tuple)) and value else value


def quote(value: Any) -> str:
    """Return a value as a message can carry it: short, and without what cannot be shown."""
    shown = _text.clean(value if isinstance(value, str) else repr(value)[:200])
    return repr(_text.shorten(shown, 40)) if isinstance(value, str) else _text.shorten(shown, 40)
