"""What a machine is made of: its stations, each with what stands there and what is written at the
arrow that leads there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pages.shared.board.packed import Matrix, sent, unusual


@dataclass(frozen=True)
class Words:
    """The words of a sentence, where other stations of a machine have a matrix, each with its
    id."""

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
    """What another head, from 1, has where the machine shows one: a small picture, and what a click
    on it does, in words."""

    head: int
    matrix: Matrix
    says: str

    def packed(self) -> dict[str, Any]:
        """Return the picture as the browser's scripts read it."""
        return sent(self) | {"matrix": _thumbnail(self.matrix)}


@dataclass(frozen=True)
class Station:
    """A place of a machine: what stands there, which page it opens, and what is written at the
    arrow that leads there."""

    shown: Matrix | Words
    path: str | None = None  # the page's, None for none
    says: str = ""  # the name of the link to it
    over: str = ""  # what happens on the arrow
    under: str = ""  # the shape of what it happens with
    sign: str = ""  # ("×", "+") what stands on it
    title: str = ""
    shape: str = ""
    square: bool = False  # a row has as many numbers as there are rows
    beside: str = ""  # the station that it stands beside, as a branch
    into: str = ""  # a third, on whose arrow the branch is led back
    other: bool = (
        False  # it is made of another sentence: it has no row of the words, and no arrow from them
    )
    others: Sequence[OtherHead] = ()
    more: str = ""  # a line over their pictures

    def packed(self) -> dict[str, Any]:
        """Return the station as the browser's scripts read it; what is as usual is left out."""
        if isinstance(self.shown, Words):
            shown = self.shown.packed()
        else:
            matrix = _thumbnail(self.shown)
            shown = {name: matrix[name] for name in ("name", "title", "shape", "role")} | {
                "matrix": matrix
            }
        return shown | unusual(self)


def _thumbnail(matrix: Matrix) -> dict[str, Any]:
    """Return a matrix too small for labels: of its shape, the numbers alone."""
    packed = matrix.packed()
    packed.pop("made", None)  # the page that it opens says so
    return packed | {"rows": [], "columns": [], "shape": f"{packed['n']} × {packed['m']}"}
