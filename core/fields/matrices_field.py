"""The field of a setup that holds numbers of a reader's own: as text in a link, or by the name of a
text that is kept."""

from dataclasses import dataclass
from typing import Any, ClassVar

from . import files
from .fields import Field, last
from .user_matrices import MAX_LETTERS, UserMatrices

# Texts that were read, whose numbers are at hand: a dozen bytes a letter.
_at_hand: files.BoundedCache[UserMatrices] = files.BoundedCache(4_000_000)


@dataclass(frozen=True)
class GivenNumbers(Field):
    """What `UserMatrices.to_text` wrote, or its name in `files`; empty by default."""

    most: ClassVar[int] = MAX_LETTERS
    expected: ClassVar[str] = "matrices by name, like x 1,0_0,1 w_q 1,0_0,1 w_k 1,0_0,1 w_v 1,0_0,1"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the text where it can be read, or nothing; and what had to be changed, in
        words."""
        value = last(value)
        if not isinstance(value, str) or not value:
            return "", ()
        if files.REFERENCE.fullmatch(value):
            return (
                (value, ())
                if files.find(value)
                else ("", ("these numbers are kept here no longer: open their file again.",))
            )
        if len(value) > MAX_LETTERS:
            return "", (f"up to {MAX_LETTERS} letters fit into a link. A file may hold more.",)
        try:
            read(value)
        except ValueError as error:
            return "", (str(error),)
        return value, ()


def to_field_value(given: UserMatrices) -> str:
    """Return what a setup's field holds for these numbers: their text, or where that is too long
    for a link its name in `files`."""
    text = given.to_text()
    value = text if len(text) <= MAX_LETTERS else files.keep(text)
    _at_hand.put(value, given, len(text))
    return value


def read(value: str) -> UserMatrices:
    """Return the numbers of a field's value. Raises ValueError with a sentence."""
    if given := _at_hand.get(value):
        return given
    text = files.find(value) if files.REFERENCE.fullmatch(value) else value
    if text is None:
        raise ValueError("these numbers are kept here no longer: open their file again.")
    given = UserMatrices.from_text(text)
    _at_hand.put(value, given, len(text))
    return given
