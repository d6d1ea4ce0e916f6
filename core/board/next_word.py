"""The board of the next word: the sentence, the candidate words and the random number that samples
one."""

from collections.abc import Sequence
from dataclasses import dataclass

from .view import View


@dataclass(frozen=True)
class Row:
    """A candidate word with its probability and, if known, the language's own. `rest`: several
    words together."""

    word: str
    share: float
    said: str
    language: float | None
    drawn: bool = False
    rest: bool = False
    language_said: str = ""


@dataclass(frozen=True)
class Part:
    """A segment of the strip from 0 to 1: one word, or all the rest between two words."""

    word: str
    share: float
    drawn: bool = False
    rest: bool = False


@dataclass(frozen=True)
class Act:
    """A link below the board: its label and the link fields it sets; hidden without `href`. The
    `first` stands out."""

    label: str
    sets: str = ""
    href: str = ""
    kind: str = ""


@dataclass(kw_only=True)
class NextWord(View):
    """The sentence and its sampled word; below, the candidate words and their probabilities end to
    end."""

    tokens: Sequence[str]
    joint: str  # the separator between words
    drawn: str
    after: Sequence[str]  # the tokens after the sampled word
    rows: Sequence[Row]
    parts: Sequence[Part]
    acts: Sequence[Act]
    number: float | None  # the random number; None: the most probable word
    number_said: str
    said: str
    heads: tuple[str, str]  # the names of the model's and the language's probabilities
    opens: str  # the action of a click on a row
    chosen: tuple[int, int]  # a row (from 0), and 0
    compared: bool  # the language's probabilities are known
    max_zoom: float = 1.7
    of_screen: float | None = None
