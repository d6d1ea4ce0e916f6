"""Numbers as somebody wrote them: what they are, to how many decimals, and what that allows."""

from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from ..importing.solution import Pasted
from ..text.written import count_decimals

FEWEST_DECIMALS = 2  # that may be rounded to on the way; with fewer, that is a slip
HIDDEN = -1000.0  # a masked score is at most this, for what is not −∞ itself


@dataclass(frozen=True)
class Typed:
    """A step that was written: its numbers at their places, no number elsewhere; the most decimals
    of any; and one unit of the last place of each."""

    pasted: Pasted
    numbers: Tensor
    decimals: int
    unit: Tensor

    def is_coarse(self, right: Tensor) -> Tensor:
        """Return where a number has fewer decimals than others of its matrix, and is right at
        those: rounded once more."""
        holds = torch.zeros_like(right, dtype=torch.bool)
        for place, text in self.pasted.cells.items():
            places, size = count_decimals(text), abs(float(right[place]))
            room = (0.5 if size >= 10 else 0.05) if not self.decimals else 0.5 * 10.0**-places
            is_fewer = not self.decimals or places > 0
            holds[place] = is_fewer and abs(float(text) - float(right[place])) <= room
        return holds


def read_typed(pasted: Pasted, like: Tensor) -> Typed:
    """Return a step with numbers. The unit is that of the most decimals in the matrix, since zeros
    at the end are often left away; whole numbers among whole numbers are meant to two decimals."""
    finite = {place: text for place, text in pasted.cells.items() if not text.endswith("inf")}
    most = max(map(count_decimals, finite.values()), default=0)
    numbers, unit = torch.full_like(like, torch.nan), torch.full_like(like, 10.0 ** -(most or 2))
    for place, text in pasted.cells.items():
        numbers[place] = _value(text)
        if "e" in text and place in finite:
            unit[place] = 10.0 ** -count_decimals(text)
    return Typed(pasted, numbers, most, unit)


def rename_masked(pasted: Mapping[str, Pasted]) -> dict[str, Pasted]:
    """Take scaled scores that hold −∞ for masked ones."""
    scaled = pasted.get("scaled")
    is_masked = scaled and any(_value(text) <= HIDDEN for text in scaled.cells.values())
    if not scaled or not is_masked or "masked" in pasted:
        return dict(pasted)
    return {name: one for name, one in pasted.items() if name != "scaled"} | {"masked": scaled}


def _value(text: str) -> float:
    value = float(text)
    return -torch.inf if value < -1e8 else value


def near(values: Tensor, others: Tensor, room: Tensor) -> Tensor:
    """Return where numbers are no further apart than there is room; −∞ is near −∞."""
    return (values == others) | ((values - others).abs() <= room)
