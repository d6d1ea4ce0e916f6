"""What a notebook's system is given where its input is not words."""

from torch import Tensor

from core import masks, parameters
from core.setup import Setup
from core.trace import Entry, attend, keeper


def letters(count: int) -> str:
    """A text of so many tokens, for systems whose input is not words."""
    return " ".join("abcdefghijklmnopqrstuvwxyz"[:count])


def attend_to(setup: Setup, x: Tensor) -> dict[str, Entry]:
    """Multi-head attention on an input that is not words: x (batch, token, d_model)."""
    made: dict[str, Entry] = {}
    allowed = masks.everyone(x.shape[1]).expand(len(x), -1, -1)
    attend(setup, parameters.draw(setup), x, keeper(made), allowed)
    return made
