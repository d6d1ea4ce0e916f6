"""The text fields: the sentence, the memory, and further sentences, one a line, with their
limits."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from ..text import text as _text
from ..text.written import count
from .fields import Field, last, quote

MAX_CHARACTERS = 400
MAX_TOKENS = 32
MAX_PIECES = 128  # of a real model's text
MAX_SENTENCES = 8
MAX_OTHERS = 1000  # characters of all further sentences together


@dataclass(frozen=True)
class Sentence(Field):
    """One sentence."""

    most: ClassVar[int] = MAX_CHARACTERS
    expected: ClassVar[str] = (
        f"a sentence of 1 to {MAX_TOKENS} tokens and up to {MAX_CHARACTERS} characters, no"
        " control characters, and no white space but plain spaces"
    )

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the longest beginning that fits, or the default if it has no token, and messages
        about what was changed."""
        value = last(value)
        typed = value if isinstance(value, str) else ""
        # Input can be megabytes long; text beyond this is always cut below.
        start = typed[: 4 * MAX_CHARACTERS]
        cleaned = _text.clean(start)
        messages = ("control characters were taken out.",) if len(cleaned) != len(start) else ()
        fitted = _text.fit(cleaned, MAX_CHARACTERS, MAX_TOKENS)
        if not _text.remembered_words(fitted):
            lacks = f"there is no word in it, so the sentence is {self.default!r}."
            return self.default, (*messages, lacks)
        if len(fitted) < len(cleaned) or len(typed) > 4 * MAX_CHARACTERS:
            kept = count(len(_text.remembered_words(fitted)), "word")
            messages = (
                *messages,
                f"only its beginning is used, {kept}; up to {MAX_TOKENS} words fit, and up to"
                f" {MAX_CHARACTERS} characters.",
            )
        return fitted, messages


@dataclass(frozen=True)
class Passage(Sentence):
    """A real model's text. Line breaks and all other white space stay, since pieces depend on
    them."""

    most: ClassVar[int] = 1600
    expected: ClassVar[str] = (
        f"a text of up to {most:,} characters, no control characters but line breaks and tabs"
    )

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the longest beginning that fits, or the default if it is blank, and messages about
        what was changed."""
        value = last(value)
        typed = value if isinstance(value, str) else ""
        start = typed[: 4 * self.most].replace("\r\n", "\n")
        cleaned = _text.clean_lines(start)
        messages = ("control characters were taken out.",) if len(cleaned) != len(start) else ()
        if not cleaned.strip():
            return self.default, (*messages, f"it is blank, so the text is {self.default!r}.")
        fitted = _text.cut(cleaned, self.most)
        if len(fitted) < len(cleaned) or len(typed) > 4 * self.most:
            messages = (*messages, f"only its first {self.most:,} characters are used.")
        return fitted, messages


@dataclass(frozen=True)
class PieceIds(Field):
    """The ids of a text's pieces, joined by hyphens; empty if the text alone says them."""

    expected: ClassVar[str] = "ids of pieces with hyphens between, like 504-3139"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the ids, or the default if they are none, and messages about what was changed."""
        value = last(value)
        if isinstance(value, str) and re.fullmatch(r"([0-9]{1,7}(-[0-9]{1,7})*)?", value):
            return value, ()
        return self.default, (f"{quote(value)} is not {self.expected}.",)


def read_ids(value: str) -> tuple[int, ...]:
    """Return the ids of a value of `PieceIds`.

    >>> read_ids("504-3139"), write_ids((504, 3139))
    ((504, 3139), '504-3139')
    """
    return tuple(map(int, value.split("-"))) if value else ()


def write_ids(ids: Sequence[int]) -> str:
    """Return these ids as a value of `PieceIds`."""
    return "-".join(map(str, ids))


@dataclass(frozen=True)
class Asked(Sentence):
    """The memory: one sentence, or none."""

    expected: ClassVar[str] = f"nothing, or {Sentence.expected}"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the longest beginning that fits, or "" if it has no token, and messages about what
        was changed."""
        fitted, messages = super().fit(value)
        if fitted:
            return fitted, messages
        value = last(value)
        is_blank = isinstance(value, str) and not value.strip()
        return "", () if is_blank else ("there is no word in it, so the sentence asks itself.",)


@dataclass(frozen=True)
class Lines(Field):
    """Sentences, one a line; may be empty."""

    most: ClassVar[int] = MAX_OTHERS
    expected: ClassVar[str] = (
        f"up to {MAX_SENTENCES - 1} lines, each a sentence of 1 to {MAX_TOKENS} tokens and up to"
        f" {MAX_CHARACTERS} characters, no control characters, plain spaces between words alone,"
        f" and up to {MAX_OTHERS} characters in all"
    )

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the first lines that fit, and messages about what was changed."""
        value = last(value)
        typed = value[: 4 * MAX_OTHERS] if isinstance(value, str) else ""
        typed_lines = typed.replace("\r", "\n").split("\n")
        cleaned = [_text.clean(line) for line in typed_lines]
        taken_out = (
            ("control characters were taken out.",)
            if list(map(len, cleaned)) != list(map(len, typed_lines))
            else ()
        )
        lines = [line.strip() for line in cleaned if line.strip()]
        # A cut line may end in a space, which would be removed when it is parsed again.
        fitted = [_text.fit(line, MAX_CHARACTERS, MAX_TOKENS).strip() for line in lines]
        kept = [line for line in fitted if _text.remembered_words(line)]
        while len(kept) >= MAX_SENTENCES or len("\n".join(kept)) > MAX_OTHERS:
            kept.pop()
        if kept == lines and not (isinstance(value, str) and len(typed) < len(value)):
            return "\n".join(kept), taken_out
        message = (
            f"{_used(len(kept))}; up to {MAX_SENTENCES - 1} of up to {MAX_TOKENS} words fit, and"
            f" in all up to {MAX_OTHERS} characters; a line needs a word."
        )
        return "\n".join(kept), (*taken_out, message)


@dataclass(frozen=True)
class Word(Field):
    """One typed word, or a piece of one; empty by default."""

    most: ClassVar[int] = 64
    expected: ClassVar[str] = f"a word of up to {most} characters"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the longest beginning that fits, without control characters or surrounding white
        space."""
        value = last(value)
        return _text.clean(value[: self.most] if isinstance(value, str) else "").strip(), ()


def _used(many: int) -> str:
    if many == 0:
        return "no further sentence is used"
    return (
        f"{count(many, 'further sentence')}"
        f" {'is used as far as it fits' if many == 1 else 'are used as far as they fit'}"
    )
