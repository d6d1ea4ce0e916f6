"""The whole computation once, with every intermediate tensor kept by name: what `model` does, what
`record` keeps."""

from torch import Tensor

from . import block, weights
from .model import attend, embed, enter, project, weigh
from .names import Weights
from .record import Entry, Numbers, Record, Trace
from .setup import Setup
from .sources import Edited
from .text import token_ids

__all__ = ["Entry", "Trace", "climb", "compute_embedding", "compute_weights", "run"]


def run(setup: Setup) -> Trace:
    """Compute everything from the words to the output.

    The same setup gives the same numbers in every process on the same kind of machine, with the
    same number of threads.
    """
    own = weights.get_source(setup)
    record = _begin(own)
    of_steps = own.attention()
    source = enter(setup, of_steps, record)
    attend(setup, of_steps, record, own.may_attend_in_steps(), source=source)
    return _whole(setup, record)


def compute_weights(setup: Setup, projections: Weights) -> Trace:
    """Compute from the words to the weights (head, query, key), without values; `projections` are
    the setup's. The sentence asks itself, also where it asks another one in the seven steps."""
    own = weights.get_source(setup)
    entries = _begin(own).entries.items()
    record = Record({name: entry for name, entry in entries if not name.startswith("memory_")})
    project(setup, projections, record, enter(setup, projections, record), names="qk")
    weigh(setup, record, own.may_attend(len(setup.tokens)))
    return Trace(setup, record.entries)


def compute_embedding(setup: Setup) -> Trace:
    """Compute the first steps alone, from the words to x (token, d_model): what a stack takes in.
    With them memory_x (memory, d_model), where another sentence is asked."""
    return _whole(setup, _embed(weights.get_source(setup)))


def climb(own: Edited, record: Record, may_attend: Tensor) -> None:
    """Put x through the layers below the setup's. Nothing else of them is kept."""
    x = record.value("x")
    for n in range(1, own.setup.layer):
        x = block.run(own.setup, own.layer(n), x, may_attend, Numbers())
    record.keep("x", "X", x, "token d_model")


def _begin(own: Edited) -> Record:
    """Compute the x that the setup's layer is given: of the first what was embedded, of a further
    one what the layers below it hand on."""
    record = _embed(own)
    if own.setup.layer > 1:
        climb(own, record, own.may_attend(len(own.setup.tokens)))
    return record


def _embed(own: Edited) -> Record:
    setup, record = own.setup, Record()
    ids = token_ids(setup.tokens, setup.vocabulary)
    memory_ids = token_ids(setup.memory_tokens, setup.vocabulary) if setup.memory else None
    embed(setup, own.embedding(setup.tokens), record, ids, memory_ids=memory_ids)
    return record


def _whole(setup: Setup, record: Record) -> Trace:
    return Trace(setup, record.entries, memory_tokens=setup.memory_tokens)
