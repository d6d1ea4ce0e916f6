"""What a reader brings: a text in the link as it was pasted, or the name of one that the server
keeps. No Streamlit here."""

from dataclasses import dataclass
from typing import Any, ClassVar

from core.fields import Field, last

MAX_LETTERS = 2500  # in a link; what is longer is given as a file


@dataclass(frozen=True)
class Brought(Field):
    """A text of several lines, whole or not at all; empty by default."""

    most: ClassVar[int] = MAX_LETTERS
    expected: ClassVar[str] = f"up to {MAX_LETTERS:,} letters. A file may hold more."

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the text with plain ends of lines and without control characters, and what had to
        be changed, in words."""
        value = last(value)
        if not isinstance(value, str):
            return "", ()
        lines = value[: 4 * MAX_LETTERS].replace("\r\n", "\n").replace("\r", "\n")
        text = "".join(
            letter
            for letter in lines
            if letter in "\n\t" or letter.isprintable() or letter == "\xa0"
        )
        if len(text) > MAX_LETTERS:
            return "", (f"it is too long for a link, which takes {self.expected}",)
        return text if text.strip() else "", ()
