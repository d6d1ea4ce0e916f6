"""What a check found: a verdict for each cell, a slip where one explains what is wrong, and all of
it in a paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from ..fields.nested import flat
from ..importing.names import symbol
from ..importing.solution import Pasted, Place

RIGHT, ROUNDED, FOLLOWS, WRONG = "right", "rounded", "follows", "wrong"
_SAYS = {RIGHT: "is right", ROUNDED: "is right but for rounding on the way"}
VERDICTS = (WRONG, FOLLOWS, ROUNDED, RIGHT, "")  # the worst first; "" where nothing was written


@dataclass(frozen=True)
class Diagnosis:
    """What went wrong in a step, in words to whom it happened; `key` is short: columns, unscaled,
    sign. `also` are others that give the same numbers; where it is not `sure`, chance may too."""

    step: str
    key: str
    says: str
    also: tuple["Diagnosis", ...] = ()
    sure: bool = True


@dataclass(frozen=True)
class Report:
    """How a solution was checked: for each step its cells' verdicts, as they lie ("" where none was
    written), right numbers and slips.

    A verdict is right, rounded (right but for rounding on the way), follows (from one's own earlier
    step), or wrong.
    """

    verdicts: dict[str, Any] = field(default_factory=dict)
    slips: dict[str, Diagnosis] = field(default_factory=dict)
    right: dict[str, Any] = field(default_factory=dict, repr=False)
    pasted: dict[str, Pasted] = field(default_factory=dict, repr=False)
    messages: tuple[str, ...] = ()
    paragraph: str = ""

    def __str__(self) -> str:
        return self.paragraph

    @property
    def all_right(self) -> bool:
        """Whether something was checked, and nothing of it is wrong or follows from what is."""
        return bool(self.verdicts) and all(
            self.count(name, WRONG, FOLLOWS) == 0 for name in self.verdicts
        )

    def count(self, name: str, *verdicts: str) -> int:
        """Return how many cells of a step have one of these verdicts."""
        return sum(verdict in verdicts for verdict in flat(self.verdicts[name]))


def paragraph(
    verdicts: Mapping[str, Any],
    slips: Mapping[str, Diagnosis],
    astray: Mapping[str, Sequence[str]],
    wrong: Mapping[str, str],
) -> list[str]:
    """Return sentences about the steps in their order; neighbours of which the same is said share
    one. `wrong` holds what is said of a step with wrong cells that no slip explains, `astray` the
    written steps before each that hold an error."""

    def say(name: str) -> tuple[str, bool]:
        """Return a step's sentence, or what is said behind several names."""
        kind = min(flat(verdicts[name]), key=VERDICTS.index)
        if name in slips:
            return _describe_slip(slips[name], kind, wrong.get(name, "")), True
        if kind == WRONG:
            return wrong[name], True
        earlier = " and ".join(dict.fromkeys(f"your {symbol(each)}" for each in astray[name]))
        return (f"follows from {earlier}" if kind == FOLLOWS else _SAYS[kind]), False

    sentences = []
    for (said, is_whole), group in groupby(verdicts, key=say):
        *names, last = map(symbol, group)
        if is_whole:
            sentences.append(said)
        elif names:
            several = said.replace("is ", "are ", 1).replace("follows", "follow")
            sentences.append(f"{', '.join(names)} and {last} {several}.")
        else:
            sentences.append(f"{last} {said}.")
    return sentences


def _describe_slip(slip: Diagnosis, kind: str, wrong: str) -> str:
    if kind != WRONG:
        return f"{symbol(slip.step)} {_SAYS[ROUNDED]}: {slip.says}."
    also = [other.says for other in slip.also]
    if not slip.sure:
        return f"{wrong} It may be that {', or that '.join([slip.says, *also])}."
    same = f" (or {', or '.join(also)}, which gives the same)" if also else ""
    return f"{symbol(slip.step)}: {slip.says}{same}."


def describe_place(place: Place) -> str:
    """Return where a cell stands, counted from 1, in words."""
    *_, row, column = place
    return f"row {row + 1}, column {column + 1}"


def ordinal(n: int) -> str:
    """Return a place's number in words."""
    return {1: "first", 2: "second", 3: "third"}.get(n, f"{n}th")
