"""What a check found: a verdict for each cell, a slip where one explains what is wrong, and all of
it in a paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..fields.nested import flat
from ..importing.names import symbol
from ..importing.solution import Pasted, Place

RIGHT, ROUNDED, FOLLOWS, WRONG = "right", "rounded", "follows", "wrong"
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
    sentences: list[str] = []
    groups: list[tuple[str, list[str]]] = []
    for name, of_cells in verdicts.items():
        kind = min(flat(of_cells), key=VERDICTS.index)
        if kind == FOLLOWS:
            kind += " " + " and ".join(
                dict.fromkeys(f"your {symbol(earlier)}" for earlier in astray[name])
            )
        if kind == WRONG or name in slips:
            sentences += [_describe_group(*group) for group in groups]
            sentences.append(
                _describe_slip(slips[name], kind, wrong.get(name, ""))
                if name in slips
                else wrong[name]
            )
            groups = []
        elif groups and groups[-1][0] == kind:
            groups[-1][1].append(symbol(name))
        else:
            groups.append((kind, [symbol(name)]))
    return sentences + [_describe_group(*group) for group in groups]


def _describe_slip(slip: Diagnosis, kind: str, wrong: str) -> str:
    if kind != WRONG:
        return f"{symbol(slip.step)} is right but for rounding on the way: {slip.says}."
    also = [other.says for other in slip.also]
    if not slip.sure:
        return f"{wrong} It may be that {', or that '.join([slip.says, *also])}."
    same = f" (or {', or '.join(also)}, which gives the same)" if also else ""
    return f"{symbol(slip.step)}: {slip.says}{same}."


def _describe_group(kind: str, names: Sequence[str]) -> str:
    listed = names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"
    are = "is" if len(names) == 1 else "are"
    if kind == RIGHT:
        return f"{listed} {are} right."
    if kind == ROUNDED:
        return f"{listed} {are} right but for rounding on the way."
    return f"{listed} {'follows' if len(names) == 1 else 'follow'} from {kind.partition(' ')[2]}."


def describe_place(place: Place) -> str:
    """Return where a cell stands, counted from 1, in words."""
    *_, row, column = place
    return f"row {row + 1}, column {column + 1}"


def ordinal(n: int) -> str:
    """Return a place's number in words."""
    return {1: "first", 2: "second", 3: "third"}.get(n, f"{n}th")
