"""Numbers as somebody wrote them: what they are, to how many decimals, and what that allows."""

from collections.abc import Mapping

import torch
from torch import Tensor

from ..importing.solution import Pasted
from ..text.written import count_decimals

FEWEST_DECIMALS = 2  # that may be rounded to on the way; with fewer, that is a slip
HIDDEN = -1000.0  # a masked score is at most this, for what is not −∞ itself


def rename_masked(pasted: Mapping[str, Pasted]) -> dict[str, Pasted]:
    """Take scaled scores that hold −∞ for masked ones."""
    scaled = pasted.get("scaled")
    if (
        scaled
        and "masked" not in pasted
        and any(_value(text) <= HIDDEN for text in scaled.cells.values())
    ):
        return {name: one for name, one in pasted.items() if name != "scaled"} | {"masked": scaled}
    return dict(pasted)


def _value(text: str) -> float:
    value = float(text)
    return -torch.inf if value <= HIDDEN and value < -1e8 else value


def to_tensor(pasted: Pasted, like: Tensor) -> Tensor:
    """Return what was written at its places, and no number elsewhere."""
    numbers = torch.full_like(like, torch.nan)
    for place, text in pasted.cells.items():
        numbers[place] = _value(text)
    return numbers


def most_decimals(pasted: Pasted) -> int:
    """Return how many decimals the number with the most of them was written with."""
    return max(
        (count_decimals(text) for text in pasted.cells.values() if not text.endswith("inf")),
        default=0,
    )


def units(pasted: Pasted, like: Tensor) -> Tensor:
    """Return one unit of the last place that was written, of each cell: that of the most decimals
    in the matrix, since zeros at the end are often left away. Whole numbers among whole numbers are
    meant to two decimals."""
    most = most_decimals(pasted)
    of_each = torch.full_like(like, 10.0 ** -(most or 2))
    for place, text in pasted.cells.items():
        if not text.endswith("inf") and "e" in text:
            of_each[place] = 10.0 ** -count_decimals(text)
    return of_each


def coarse(pasted: Pasted, right: Tensor) -> Tensor:
    """Return where a number has fewer decimals than others of its matrix, and is right at those:
    rounded once more."""
    holds = torch.zeros_like(right, dtype=torch.bool)
    whole = most_decimals(pasted) == 0
    for place, text in pasted.cells.items():
        if text.endswith("inf"):
            continue
        value, is_right, places = float(text), float(right[place]), count_decimals(text)
        if whole:
            holds[place] = abs(value - is_right) <= (0.5 if abs(is_right) >= 10 else 0.05)
        elif places:
            holds[place] = abs(value - is_right) <= 0.5 * 10.0**-places
    return holds


def near(values: Tensor, others: Tensor, room: Tensor) -> Tensor:
    """Return where numbers are no further apart than there is room; −∞ is near −∞."""
    return (values == others) | ((values - others).abs() <= room)
