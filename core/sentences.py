"""The fields that a reader types: the sentence, one that it asks, and further sentences, one a
line. How far each is used."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from . import text as _text
from .fields import Control, Field, declare, last

MOST_CHARACTERS = 400
MOST_TOKENS = 32
MOST_SENTENCES = 8
MOST_OTHERS = 1000  # characters of all further sentences together


@dataclass(frozen=True)
class Sentence(Field):
    """One sentence. It is cut up as the field `split` says."""

    most: ClassVar[int] = MOST_CHARACTERS
    expected: ClassVar[str] = (
        f"a sentence of 1 to {MOST_TOKENS} tokens and up to {MOST_CHARACTERS} characters, no"
        " control characters, and no white space but plain spaces"
    )

    def fit(self, value: Any, values: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return its longest beginning that fits, or the default where it has no token; and what
        had to be changed, in words."""
        value, split = last(value), values["split"]
        typed = value if isinstance(value, str) else ""
        # A visitor can send megabytes; nothing beyond this can matter after the cut below.
        start = typed[: 4 * MOST_CHARACTERS]
        cleaned = _text.clean(start)
        messages = ("control characters were taken out.",) if len(cleaned) != len(start) else ()
        fitted = _text.fit(cleaned, split, MOST_CHARACTERS, MOST_TOKENS)
        if not _text.SPLITTERS[split](fitted):
            lacks = "there is no word in it" if split == "words" else "it is blank"
            default = _text.fit(self.default, split, MOST_CHARACTERS, MOST_TOKENS)
            return default, (*messages, f"{lacks}, so the sentence is {self.default!r}.")
        if len(fitted) < len(cleaned) or len(typed) > 4 * MOST_CHARACTERS:
            messages = (
                *messages,
                (
                    "only its beginning is used,"
                    f" {_count(len(_text.SPLITTERS[split](fitted)), split)}; up to {MOST_TOKENS}"
                    f" {split} fit, and up to {MOST_CHARACTERS}{_letters(split)}."
                ),
            )
        return fitted, messages


@dataclass(frozen=True)
class Asked(Sentence):
    """One sentence, or none at all."""

    expected: ClassVar[str] = f"nothing, or {Sentence.expected}"

    def fit(self, value: Any, values: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return its longest beginning that fits, or nothing where it has no token; and what had to
        be changed, in words."""
        fitted, messages = super().fit(value, values)
        if fitted:
            return fitted, messages
        value = last(value)
        is_blank = isinstance(value, str) and not value.strip()
        return "", () if is_blank else ("there is no word in it, so the sentence asks itself.",)


@dataclass(frozen=True)
class Lines(Field):
    """Sentences, one a line; none at all is allowed. They are cut up as the field `split` says."""

    most: ClassVar[int] = MOST_OTHERS
    expected: ClassVar[str] = (
        f"up to {MOST_SENTENCES - 1} lines, each a sentence of 1 to {MOST_TOKENS} tokens and up to"
        f" {MOST_CHARACTERS} characters, no control characters, plain spaces between words alone,"
        f" and up to {MOST_OTHERS} characters in all"
    )

    def fit(self, value: Any, values: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return the first lines as far as they fit, and what had to be changed, in words."""
        value, split = last(value), values["split"]
        typed = value[: 4 * MOST_OTHERS] if isinstance(value, str) else ""
        typed_lines = typed.replace("\r", "\n").split("\n")
        cleaned = [_text.clean(line) for line in typed_lines]
        taken_out = (
            ("control characters were taken out.",)
            if list(map(len, cleaned)) != list(map(len, typed_lines))
            else ()
        )
        lines = [line.strip() for line in cleaned if line.strip()]
        # Cut after its last character that fits, a line of characters may end in a space; the next
        # reading would take that away.
        fitted = [_text.fit(line, split, MOST_CHARACTERS, MOST_TOKENS).strip() for line in lines]
        kept = [line for line in fitted if _text.SPLITTERS[split](line)]
        while len(kept) >= MOST_SENTENCES or len("\n".join(kept)) > MOST_OTHERS:
            kept.pop()
        if kept == lines and not (isinstance(value, str) and len(typed) < len(value)):
            return "\n".join(kept), taken_out
        message = (
            f"{_used(len(kept))}; up to {MOST_SENTENCES - 1} of up to {MOST_TOKENS} {split} fit,"
            f" and in all up to {MOST_OTHERS}{_letters(split)}"
            + ("; a line needs a word." if split == "words" else ".")
        )
        return "\n".join(kept), (*taken_out, message)


@dataclass(frozen=True)
class Word(Field):
    """One word, or a piece of one, as it is typed; empty by default."""

    most: ClassVar[int] = 64
    expected: ClassVar[str] = f"a word of up to {most} characters"

    def fit(self, value: Any, _: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return its longest beginning that fits, without control characters and white space around
        it."""
        value = last(value)
        return _text.clean(value[: self.most] if isinstance(value, str) else "").strip(), ()


def sentence(default: str, control: Control) -> Any:
    """Declare a sentence, in a dataclass."""
    return declare(Sentence(default, control))


def asked(control: Control) -> Any:
    """Declare a sentence that may be empty, in a dataclass."""
    return declare(Asked("", control))


def lines(default: str, control: Control) -> Any:
    """Declare sentences, one a line, in a dataclass."""
    return declare(Lines(default, control))


def _used(many: int) -> str:
    if many == 0:
        return "no further sentence is used"
    return (
        f"{_count(many, 'further sentences')}"
        f" {'is used as far as it fits' if many == 1 else 'are used as far as they fit'}"
    )


def _count(many: int, things: str) -> str:
    return f"{many} {things.removesuffix('s') if many == 1 else things}"


def _letters(split: str) -> str:
    """Return what the limits of a text's length count: a character that is a token may have
    accents, and each counts."""
    return " characters" if split == "words" else ", with each accent counted"
