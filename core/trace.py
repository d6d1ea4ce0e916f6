"""The whole computation once, with every intermediate tensor kept by name: what `model` does, what `record` keeps."""

from . import masks, weights
from .model import attend, embed, enter, project, weigh
from .record import Entry, Record, Trace
from .setup import Setup
from .text import token_ids
from .weights import Weights

__all__ = ["Entry", "Trace", "embedded", "run", "weighed"]


def run(setup: Setup) -> Trace:
    """Compute everything from the words to the output.

    The same setup gives the same numbers in every process on the same kind of machine, with the same number of threads.
    """
    record = Record()
    of_steps = weights.attention(setup)
    embed(setup, of_steps, record, token_ids(setup.tokens, setup.vocabulary))
    source = enter(setup, of_steps, record)
    attend(setup, of_steps, record, masks.MASKS[setup.mask](len(setup.tokens)), source=source)
    return Trace(setup, record.entries)


def weighed(setup: Setup, projections: Weights) -> Trace:
    """Compute from the words to the weights (head, query, key), without values; `projections` are the setup's."""
    record = Record(embedded(setup))
    project(setup, projections, record, enter(setup, projections, record), names="qk")
    weigh(setup, record, masks.MASKS[setup.mask](len(setup.tokens)))
    return Trace(setup, record.entries)


def embedded(setup: Setup) -> Trace:
    """Compute the first steps alone, from the words to x (token, d_model): what a stack takes in."""
    record = Record()
    embed(setup, weights.embedding(setup), record, token_ids(setup.tokens, setup.vocabulary))
    return Trace(setup, record.entries)
