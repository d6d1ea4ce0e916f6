"""The user's own matrices: pasted text in the link, or the name of a stored one. No Streamlit
here."""

from dataclasses import dataclass
from typing import Any, ClassVar

from core.fields.fields import Field, last
from core.text.text import clean_lines

MAX_LETTERS = 2500  # in a link; a longer text is a file


@dataclass(frozen=True)
class PastedText(Field):
    """A text of several lines, accepted whole or rejected; empty by default."""

    most: ClassVar[int] = MAX_LETTERS
    expected: ClassVar[str] = f"up to {MAX_LETTERS:,} letters. A file may hold more."

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the text with normal line ends and without control characters, and messages about
        changes."""
        value = last(value)
        if not isinstance(value, str):
            return "", ()
        text = clean_lines(value[: 4 * MAX_LETTERS])
        if len(text) > MAX_LETTERS:
            return "", (f"it is too long for a link, which takes {self.expected}",)
        return text if text.strip() else "", ()
