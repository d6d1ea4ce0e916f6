"""What a machine is made of: its stations, each with what stands there and what is written at the arrow that leads there."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pages.shared.board.packed import Matrix


@dataclass(frozen=True)
class Words:
    """The words of a sentence, where other stations of a machine have a matrix, each with its id."""

    words: Sequence[str]
    ids: Sequence[int]
    shape: str

    def packed(self) -> dict[str, Any]:
        """The list as the browser's scripts read it."""
        ids = [str(number) for number in self.ids]
        return {"words": list(self.words), "ids": ids, "title": "words", "shape": self.shape, "role": "x"}


@dataclass(frozen=True)
class OtherHead:
    """What another head, from 1, has where the machine shows one: a small picture, and what a click on it does, in words."""

    head: int
    matrix: Matrix
    says: str


@dataclass(frozen=True)
class Station:
    """A place of a machine: what stands there, which page it opens, and what is written at the arrow that leads there.

    `path` is the page's, None for none, and `says` the name of the link to it. `over` is what happens on the arrow, `under`
    the shape of what it happens with, `sign` ("×", "+") what stands on it. `square`: a row has as many numbers as there are
    rows. A station that stands `beside` another is a branch; it is led back on the arrow `into` a third. What is made
    of an `other` sentence has no row of the words, and no arrow from them. `more` is a line
    over the pictures of the `others`.
    """

    shown: Matrix | Words
    path: str | None = None
    says: str = ""
    over: str = ""
    under: str = ""
    sign: str = ""
    title: str = ""
    shape: str = ""
    square: bool = False
    beside: str = ""
    into: str = ""
    other: bool = False
    others: Sequence[OtherHead] = ()
    more: str = ""

    def packed(self) -> dict[str, Any]:
        """The station as the browser's scripts read it."""
        if isinstance(self.shown, Words):
            shown = {"name": "words"} | self.shown.packed()
        else:
            matrix = _thumbnail(self.shown)
            shown = {"name": self.shown.name, "title": matrix["title"], "shape": matrix["shape"], "role": self.shown.role}
            shown["matrix"] = matrix
        others = [{"head": other.head, "matrix": _thumbnail(other.matrix), "says": other.says} for other in self.others]
        unusual = {
            "path": self.path, "says": self.says, "over": self.over, "under": self.under, "sign": self.sign, "title": self.title,
            "shape": self.shape, "square": self.square, "beside": self.beside, "into": self.into, "other": self.other,
            "others": others, "more": self.more,
        }  # fmt: skip
        return shown | {name: value for name, value in unusual.items() if value}


def _thumbnail(matrix: Matrix) -> dict[str, Any]:
    """A matrix too small for labels: of its shape, the numbers alone."""
    packed = matrix.packed()
    packed.pop("made", None)  # the page that it opens says so
    return packed | {"rows": [], "columns": [], "shape": f"{packed['n']} × {packed['m']}"}
