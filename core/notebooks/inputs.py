"""Inputs of notebook systems that do not take words."""

from torch import Tensor

from ..layers.model import attend
from ..ops import masks
from ..setup.setup import Setup
from ..trace.record import Entry, TraceBuilder
from ..weights import weights


def letters(count: int) -> str:
    """Return a text of this many tokens, for systems whose input is not words."""
    return " ".join("abcdefghijklmnopqrstuvwxyz"[:count])


def attend_to(setup: Setup, x: Tensor) -> dict[str, Entry]:
    """Return multi-head attention on an input that is not words: x (batch, token, d_model)."""
    record = TraceBuilder()
    record.keep("x", "X", x, "token d_model")
    attend(
        setup, weights.projections(setup), record, masks.everyone(x.shape[1]).expand(len(x), -1, -1)
    )
    return record.entries
