"""The board of the next word: the sentence, every word that may come, and the number that draws one of them."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from pages.shared.board.mount import show
from pages.shared.board.packed import choice


@dataclass(frozen=True)
class Row:
    """A word that may come: its share, and the language's own where that is known. `rest`: it stands for several."""

    word: str
    share: float
    said: str
    language: float | None = None
    language_said: str = ""
    drawn: bool = False
    rest: bool = False

    def packed(self) -> dict[str, Any]:
        """The row as the browser's scripts read it."""
        fields = asdict(self)
        return fields | {"languageSaid": fields.pop("language_said")}


@dataclass(frozen=True)
class Part:
    """A piece of the strip from 0 to 1: a word's, or that of the rest of them between two words."""

    word: str
    share: float
    drawn: bool = False
    rest: bool = False


@dataclass(frozen=True)
class Act:
    """A link below: what it says, and what it sets in the link; without a `href` it is not there. The `first` stands out."""

    label: str
    sets: str = ""
    href: str = ""
    kind: str = ""


def draw(
    tokens: Sequence[str],
    rows: Sequence[Row],
    parts: Sequence[Part],
    acts: Sequence[Act],
    *,
    joint: str,
    drawn: str,
    number: float | None,
    number_said: str,
    said: str,
    heads: tuple[str, str],
    opens: str,
    key: str,
    alt: str,
    chosen: int,
    chooses: Mapping[str, Any] | None = None,
    part: float | None = None,
) -> None:
    """The sentence's `tokens` with a `joint` between them, then the word that is `drawn` by the `number` (None: the largest is
    taken), which `number_said` writes. `heads` are the names of the model's and the language's shares; `opens` says what a click
    on a row does. `chosen` is a row, from 0."""
    data = {
        "view": "next", "alt": alt, "tokens": list(tokens), "joint": joint, "drawn": drawn, "rows": [row.packed() for row in rows],
        "parts": [asdict(part) for part in parts], "acts": [asdict(act) for act in acts], "number": number,
        "numberSaid": number_said, "said": said, "heads": heads, "opens": opens, "chosen": [chosen, 0],
        "compared": any(row.language is not None for row in rows), "maxZoom": 1.7,
    }  # fmt: skip
    show(data | ({"part": part} if part else {}), key, chooses or choice(column="column"))
