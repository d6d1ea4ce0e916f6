"""The fields that a reader types: the sentence, one that it asks, and further sentences, one a
line. How far each is used."""

from dataclasses import dataclass
from typing import Any, ClassVar

from . import text as _text
from .fields import Field, last
from .written import count

MAX_CHARACTERS = 400
MAX_TOKENS = 32
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
        """Return its longest beginning that fits, or the default where it has no token; and what
        had to be changed, in words."""
        value = last(value)
        typed = value if isinstance(value, str) else ""
        # A visitor can send megabytes; nothing beyond this can matter after the cut below.
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
class Asked(Sentence):
    """One sentence, or none at all."""

    expected: ClassVar[str] = f"nothing, or {Sentence.expected}"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return its longest beginning that fits, or nothing where it has no token; and what had to
        be changed, in words."""
        fitted, messages = super().fit(value)
        if fitted:
            return fitted, messages
        value = last(value)
        is_blank = isinstance(value, str) and not value.strip()
        return "", () if is_blank else ("there is no word in it, so the sentence asks itself.",)


@dataclass(frozen=True)
class Lines(Field):
    """Sentences, one a line; none at all is allowed."""

    most: ClassVar[int] = MAX_OTHERS
    expected: ClassVar[str] = (
        f"up to {MAX_SENTENCES - 1} lines, each a sentence of 1 to {MAX_TOKENS} tokens and up to"
        f" {MAX_CHARACTERS} characters, no control characters, plain spaces between words alone,"
        f" and up to {MAX_OTHERS} characters in all"
    )

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the first lines as far as they fit, and what had to be changed, in words."""
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
        # Cut after its last character that fits, a line may end in a space; the next reading would
        # take that away.
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
    """One word, or a piece of one, as it is typed; empty by default."""

    most: ClassVar[int] = 64
    expected: ClassVar[str] = f"a word of up to {most} characters"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return its longest beginning that fits, without control characters and white space around
        it."""
        value = last(value)
        return _text.clean(value[: self.most] if isinstance(value, str) else "").strip(), ()


def _used(many: int) -> str:
    if many == 0:
        return "no further sentence is used"
    return (
        f"{count(many, 'further sentence')}"
        f" {'is used as far as it fits' if many == 1 else 'are used as far as they fit'}"
    )
