"""The stations of the overview diagram: each with its matrix and the labels of the arrow to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .packed import Matrix, sent, unusual


@dataclass(frozen=True)
class Words:
    """A station with the words of a sentence and their ids in place of a matrix."""

    words: Sequence[str]
    ids: Sequence[str]
    shape: str

    def packed(self) -> dict[str, Any]:
        """Return the list as the browser's scripts read it."""
        return {
            "name": "words",
            "words": self.words,
            "ids": self.ids,
            "title": "words",
            "shape": self.shape,
            "role": "x",
        }


@dataclass(frozen=True)
class OtherHead:
    """A small picture of another head (from 1), with a description of the click on it."""

    head: int
    matrix: Matrix
    says: str

    def packed(self) -> dict[str, Any]:
        """Return the picture as the browser's scripts read it."""
        return sent(self) | {"matrix": _thumbnail(self.matrix)}


@dataclass(frozen=True)
class Station:
    """One station of the diagram: its matrix, the page it opens, and the labels of the arrow to
    it."""

    shown: Matrix | Words
    path: str | None = None  # its page, if any
    says: str = ""  # the link's name
    over: str = ""  # the operation on the arrow
    under: str = ""  # the shape of the operand
    sign: str = ""  # the operator ("×", "+")
    title: str = ""
    shape: str = ""
    square: bool = False  # as many columns as rows
    beside: str = ""  # the station whose branch it is
    into: str = ""  # the station on whose arrow the branch joins again
    other: bool = False  # made of a second sentence: no row and no arrow from the words
    others: Sequence[OtherHead] = ()
    more: str = ""  # a line above their pictures

    def packed(self) -> dict[str, Any]:
        """Return the station as the browser's scripts read it, without defaults."""
        if isinstance(self.shown, Words):
            shown = self.shown.packed()
        else:
            matrix = _thumbnail(self.shown)
            shown = {name: matrix[name] for name in ("name", "title", "shape", "role")} | {
                "matrix": matrix
            }
        return shown | unusual(self)


def _thumbnail(matrix: Matrix) -> dict[str, Any]:
    """Return a matrix as a thumbnail: numbers and shape, no labels."""
    packed = matrix.packed()
    packed.pop("made", None)  # shown on its page
    return packed | {"rows": [], "columns": [], "shape": f"{packed['n']} × {packed['m']}"}
