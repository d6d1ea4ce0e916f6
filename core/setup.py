"""Every choice that decides the numbers, in one frozen object.

The fields are a public contract: each is also the key of its widget and of its URL
parameter. The constructor is strict; `Setup.nearest` is the one lenient way in.
"""

import math
import operator
from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from core import text as _text
from core.fields import last, nearest_choice, nearest_number, quote

MOST_CHARACTERS = 400
MOST_TOKENS = 32
MOST_SENTENCES = 8
MOST_OTHERS = 1000  # characters of all further sentences together

CHOICES: dict[str, tuple[str, ...]] = {
    "split": ("words", "characters"),
    "sizes": ("free", "narrow", "wide"),
    "projections": ("learned", "none"),
    "out": ("d_v", "d_model"),
    "init": ("uniform", "normal", "xavier"),
    "bias": ("off", "on"),
    "positions": ("none", "sinusoidal", "learned"),
    "scale": ("sqrt", "fourth-root", "none"),
    "mask": ("none", "causal"),
    "padding": ("right", "left", "unmasked"),
    "norm": ("post", "pre"),
    "activation": ("relu", "gelu"),
}
RANGES: dict[str, tuple[float, float]] = {
    "d_model": (1, 64),
    "d_k": (1, 64),
    "d_v": (1, 64),
    "heads": (1, 20),
    "temperature": (0.1, 10.0),
    "seed": (0, 2**31 - 1),
    "dropout": (0.0, 0.9),
    "dropout_seed": (0, 2**31 - 1),
    "layers": (1, 6),
    "d_ff": (1, 4 * 64),
    "classes": (2, 10),
    "shuffle": (0, 999),
}
FRACTIONS = ("temperature", "dropout")


@dataclass(frozen=True)
class Setup:
    """All that decides a number. What is looked at is no part of it.

    Two choices tie other fields, whatever those were given as: `sizes` narrow or wide sets d_k
    and d_v from d_model, and `projections="none"` leaves one head whose sizes are d_model.
    By default d_ff gives way to 4 · d_model, the most that it may be.

    `others` holds further sentences, one a line: with the first they are a batch.

    Raises:
        ValueError: a field has a wrong type or is out of range; names field, value and range.
    """

    text: str = "Life is short, eat dessert first"
    split: str = "words"
    d_model: int = 16
    d_k: int = 24
    d_v: int = 28
    heads: int = 3
    sizes: str = "free"
    projections: str = "learned"
    out: str = "d_v"
    init: str = "uniform"
    bias: str = "off"
    positions: str = "none"
    scale: str = "sqrt"
    temperature: float = 1.0
    mask: str = "none"
    seed: int = 123
    others: str = "Life is short\neat dessert"
    padding: str = "right"
    dropout: float = 0.0
    dropout_seed: int = 1
    layers: int = 2
    norm: str = "post"
    activation: str = "relu"
    d_ff: int = 64
    classes: int = 2
    shuffle: int = 1

    def __post_init__(self) -> None:
        for name in CHOICES:
            _require_choice(name, getattr(self, name))
        _require_text(self.text, self.split)
        _require_others(self.others, self.split)
        for name in RANGES:
            self._set(name, _require_number(name, getattr(self, name)))
        self._tie_sizes()
        if self.d_ff > self.most_d_ff and self.d_ff == DEFAULTS["d_ff"]:
            self._set("d_ff", self.most_d_ff)
        elif self.d_ff > self.most_d_ff:
            raise ValueError(f"d_ff={self.d_ff!r}: expected a whole number from 1 to {self.most_d_ff}")

    def _set(self, name: str, value: Any) -> None:
        object.__setattr__(self, name, value)

    def _tie_sizes(self) -> None:
        if self.projections == "none":
            tied = {"heads": 1, "d_k": self.d_model, "d_v": self.d_model}
        elif self.sizes == "wide":
            tied = {"d_k": self.d_model, "d_v": self.d_model}
        elif self.sizes == "narrow":
            if self.d_model % self.heads:
                raise ValueError(
                    f"sizes='narrow': expected heads that divide d_model, and {self.heads} "
                    f"does not divide {self.d_model}"
                )
            tied = dict.fromkeys(("d_k", "d_v"), self.d_model // self.heads)
        else:
            tied = {}
        for name, value in tied.items():
            self._set(name, value)

    @cached_property
    def tokens(self) -> tuple[str, ...]:
        """The sentence, cut up."""
        return _text.SPLITTERS[self.split](self.text)

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """Each different token once, sorted."""
        return _text.vocabulary(self.tokens)

    @cached_property
    def sentences(self) -> tuple[tuple[str, ...], ...]:
        """The batch: the sentence and the further ones, each cut up."""
        lines = self.others.split("\n") if self.others else []
        return (self.tokens, *(_text.SPLITTERS[self.split](line) for line in lines))

    @property
    def out_size(self) -> int:
        """How many numbers the output has for each token."""
        return self.d_v if self.out == "d_v" else self.d_model

    @property
    def most_d_ff(self) -> int:
        """The most numbers that the feed-forward part may have in between."""
        return 4 * self.d_model

    def as_query(self) -> dict[str, str]:
        """What differs from the default, as a link carries it; `Setup.nearest` reads it back."""
        tied = _tied_fields(self.sizes, self.projections)
        usual = DEFAULTS | {"d_ff": min(DEFAULTS["d_ff"], self.most_d_ff)}
        return {
            name: str(getattr(self, name))
            for name in DEFAULTS
            if getattr(self, name) != usual[name] and name not in tied
        }

    @classmethod
    def nearest(cls, wishes: Mapping[str, Any]) -> tuple["Setup", list[str]]:
        """The honest setup nearest to any mapping, and what had to be changed, in words.

        Never raises: a link or a widget may hold anything.
        """
        told: list[str] = []
        values: dict[str, Any] = {
            name: nearest_choice(name, wishes.get(name, DEFAULTS[name]), options, DEFAULTS[name], told)
            for name, options in CHOICES.items()
        }
        values["text"] = _nearest_text(wishes.get("text", DEFAULTS["text"]), values["split"], told)
        values["others"] = _nearest_others(wishes.get("others", DEFAULTS["others"]), values["split"], told)
        values |= {
            name: nearest_number(name, wishes.get(name, DEFAULTS[name]), limits, DEFAULTS[name], told, name in FRACTIONS)
            for name, limits in RANGES.items()
        }
        if _cannot_be_narrow(values):
            values["sizes"] = "free"
            told.append(
                f"sizes: narrow heads need a number of heads that divides d_model, and "
                f"{values['heads']} does not divide {values['d_model']}; the sizes are free instead."
            )
        most = 4 * values["d_model"]
        if values["d_ff"] > most and values["d_ff"] != DEFAULTS["d_ff"]:
            told.append(
                f"d_ff: {values['d_ff']} became {most}, since the feed-forward part has at most 4 · d_model = {most} numbers."
            )
        values["d_ff"] = min(values["d_ff"], most)
        told += [f"{quote(name)} is not a setting and was left out." for name in wishes if name not in DEFAULTS][:5]
        return cls(**values), told


DEFAULTS: dict[str, Any] = {field.name: field.default for field in fields(Setup)}


def _tied_fields(sizes: str, projections: str) -> tuple[str, ...]:
    if projections == "none":
        return ("heads", "d_k", "d_v")
    return ("d_k", "d_v") if sizes != "free" else ()


def _cannot_be_narrow(values: dict[str, Any]) -> bool:
    tied = values["sizes"] == "narrow" and values["projections"] == "learned"
    return tied and values["d_model"] % values["heads"] != 0


def _require_choice(name: str, value: Any) -> None:
    if not isinstance(value, str) or value not in CHOICES[name]:
        raise ValueError(f"{name}={quote(value)}: expected one of {', '.join(CHOICES[name])}")


def _require_text(text: Any, split: str) -> None:
    if not isinstance(text, str):
        raise ValueError(f"text={quote(text)}: expected a sentence of up to {MOST_CHARACTERS} characters")
    if len(text) > MOST_CHARACTERS:
        raise ValueError(f"text={quote(text)}: expected up to {MOST_CHARACTERS} characters, found {len(text)}")
    if _text.clean(text) != "".join(" " if c.isspace() else c for c in text):
        raise ValueError(f"text={quote(text)}: expected no control characters")
    count = len(_text.SPLITTERS[split](text))
    if not 1 <= count <= MOST_TOKENS:
        raise ValueError(f"text={quote(text)}: expected 1 to {MOST_TOKENS} {split}, found {count}")


def _require_others(others: Any, split: str) -> None:
    if not isinstance(others, str) or len(others) > MOST_OTHERS:
        raise ValueError(
            f"others={quote(others)}: expected sentences, one a line, up to {MOST_OTHERS} characters in all"
        )
    lines = others.split("\n") if others else []
    if len(lines) >= MOST_SENTENCES:
        raise ValueError(f"others={quote(others)}: expected up to {MOST_SENTENCES - 1} lines, found {len(lines)}")
    for line in lines:
        if _text.clean(line) != line or not 1 <= len(_text.SPLITTERS[split](line)) <= MOST_TOKENS:
            raise ValueError(
                f"others={quote(line)}: expected 1 to {MOST_TOKENS} {split} a line, no control characters"
            )


def _require_number(name: str, value: Any) -> int | float:
    low, high = RANGES[name]
    kind = "number" if name in FRACTIONS else "whole number"
    try:
        if isinstance(value, bool):
            raise TypeError
        number = float(value) if name in FRACTIONS and not isinstance(value, str) else operator.index(value)
    except (TypeError, ValueError):
        number = math.nan
    if not low <= number <= high:
        raise ValueError(f"{name}={quote(value)}: expected a {kind} from {low} to {high}")
    return number


def _nearest_text(value: Any, split: str, told: list[str]) -> str:
    value = last(value)
    given = value if isinstance(value, str) else ""
    # A visitor can send megabytes; nothing beyond this can matter after the cut below.
    cleaned = _text.clean(given[: 4 * MOST_CHARACTERS])
    if len(cleaned) != len(given[: 4 * MOST_CHARACTERS]):
        told.append("text: control characters were taken out.")
    fitted = _text.fit(cleaned, split, MOST_CHARACTERS, MOST_TOKENS)
    if not _text.SPLITTERS[split](fitted):
        lacks = "there is no word in it" if split == "words" else "it is blank"
        told.append(f"text: {lacks}, so the sentence is {DEFAULTS['text']!r}.")
        return _text.fit(DEFAULTS["text"], split, MOST_CHARACTERS, MOST_TOKENS)
    if len(fitted) < len(cleaned) or len(given) > 4 * MOST_CHARACTERS:
        told.append(
            f"text: only its beginning is used, {_count(len(_text.SPLITTERS[split](fitted)), split)}; "
            f"up to {MOST_TOKENS} {split} fit, and up to {MOST_CHARACTERS}{_letters(split)}."
        )
    return fitted


def _nearest_others(value: Any, split: str, told: list[str]) -> str:
    value = last(value)
    given = value[: 4 * MOST_OTHERS] if isinstance(value, str) else ""
    lines = [_text.clean(line).strip() for line in given.replace("\r", "\n").split("\n")]
    lines = [line for line in lines if line]
    fitted = [_text.fit(line, split, MOST_CHARACTERS, MOST_TOKENS) for line in lines]
    kept = [line for line in fitted if _text.SPLITTERS[split](line)]
    while len(kept) >= MOST_SENTENCES or len("\n".join(kept)) > MOST_OTHERS:
        kept.pop()
    if kept != lines or (isinstance(value, str) and len(given) < len(value)):
        told.append(
            f"others: {_used(len(kept))}; up to {MOST_SENTENCES - 1} of up to {MOST_TOKENS} {split} fit, and in all up to "
            f"{MOST_OTHERS}{_letters(split)}" + ("; a line needs a word." if split == "words" else ".")
        )
    return "\n".join(kept)


def _used(many: int) -> str:
    if many == 0:
        return "no further sentence is used"
    return f"{_count(many, 'further sentences')} {'is used as far as it fits' if many == 1 else 'are used as far as they fit'}"


def _count(many: int, things: str) -> str:
    return f"{many} {things.removesuffix('s') if many == 1 else things}"


def _letters(split: str) -> str:
    """What the limits of a text's length count: a character that is a token may have accents, and each counts."""
    return " characters" if split == "words" else ", with each accent counted"
