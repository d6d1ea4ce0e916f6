"""The board of the next word: the sentence, every word that may come, and the number that draws one
of them."""

from collections.abc import Sequence
from dataclasses import dataclass

from pages.shared.board.mount import View, door


@dataclass(frozen=True)
class Row:
    """A word that may come: its share, and the language's own where that is known. `rest`: it
    stands for several."""

    word: str
    share: float
    said: str
    language: float | None
    drawn: bool = False
    rest: bool = False
    language_said: str = ""


@dataclass(frozen=True)
class Part:
    """A piece of the strip from 0 to 1: a word's, or that of the rest of them between two words."""

    word: str
    share: float
    drawn: bool = False
    rest: bool = False


@dataclass(frozen=True)
class Act:
    """A link below: what it says, and what it sets in the link; without a `href` it is not there.
    The `first` stands out."""

    label: str
    sets: str = ""
    href: str = ""
    kind: str = ""


@dataclass(kw_only=True)
class Next(View):
    """The sentence, then the word that is drawn; below it the words that may come, and their shares
    end to end."""

    tokens: Sequence[str]
    joint: str  # what stands between them
    drawn: str
    after: Sequence[str]  # what stands after the drawn word
    rows: Sequence[Row]
    parts: Sequence[Part]
    acts: Sequence[Act]
    number: float | None  # by which it is drawn; None: the largest is taken
    number_said: str
    said: str
    heads: tuple[str, str]  # the names of the model's and the language's shares
    opens: str  # what a click on a row does
    chosen: tuple[int, int]  # a row, from 0, and 0
    compared: bool  # the language's shares are known
    max_zoom: float = 1.7
    of_screen: float | None = None


draw = door(Next)
