"""Run the whole computation and return every intermediate tensor by name."""

from torch import Tensor

from ..layers import block, steps
from ..layers.model import attend, embed, enter, project, weigh
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..text.text import token_ids
from ..trace.record import Entry, Trace, TraceBuilder
from ..weights import weights
from ..weights.sources import Edited

__all__ = [
    "Entry",
    "Trace",
    "attend_with",
    "compute_embedding",
    "compute_weights",
    "run",
    "run_lower_layers",
]


def run(setup: Setup) -> Trace:
    """Compute everything from the words to the output.

    The same setup gives the same numbers in every process on the same kind of machine with the same
    number of threads.
    """
    own = weights.get_source(setup)
    record = _begin(own)
    of_steps = own.attention()
    source = enter(setup, of_steps, record)
    attend(setup, of_steps, record, own.may_attend_in_steps(), source=source)
    return _whole(setup, record)


def compute_weights(setup: Setup, projections: Weights) -> Trace:
    """Compute from the words to the weights (head, query, key), without values; `projections` are
    the setup's. This is always self-attention, also if the seven steps have cross-attention."""
    own = weights.get_source(setup)
    entries = _begin(own).entries.items()
    record = TraceBuilder(
        {name: entry for name, entry in entries if not name.startswith("memory_")}
    )
    project(setup, projections, record, enter(setup, projections, record), names="qk")
    weigh(setup, record, own.may_attend(len(setup.tokens)))
    return Trace(setup, record.entries)


def compute_embedding(setup: Setup) -> Trace:
    """Compute x (token, d_model) from the words, the input of a stack, and in cross-attention
    memory_x (memory, d_model)."""
    return _whole(setup, _embed(weights.get_source(setup)))


def attend_with(weights: Weights, may_attend: Tensor, divisor: float = 1.0) -> Trace:
    """Compute attention alone, from x (token, d_model) among the weights, or from q, k and v there.
    Keys and values come from memory_x (memory, d_model) if there is one; scores are divided by
    `divisor` alone. Raises ValueError for what `Setup` does not allow."""
    heads = [
        next((len(weights[name]) for name in (f"w_{letter}", letter) if name in weights), 1)
        for letter in "qk"
    ]
    setup = Setup(heads=heads[0], kv_heads=heads[1], scale="none", temperature=divisor)
    record = TraceBuilder()
    x = weights["x"] if "x" in weights else weights["q"].new_zeros(len(may_attend), 1)
    record.keep("x", "X", x, steps.ROWS)
    if "memory_x" in weights:
        record.keep("memory_x", "M", weights["memory_x"], "memory d_model")
    attend(setup, weights, record, may_attend)
    return Trace(setup, record.entries)


def run_lower_layers(own: Edited, record: TraceBuilder, may_attend: Tensor) -> None:
    """Run x through the layers below the setup's, recording only the result."""
    x = record.value("x")
    for n in range(1, own.setup.layer):
        x = block.run(own.setup, own.layer(n), x, may_attend, TraceBuilder(values_only=True))
    record.keep("x", "X", x, "token d_model")


def _begin(own: Edited) -> TraceBuilder:
    """Compute x, the input of the setup's layer: the embedding, or the output of the layers
    below."""
    record = _embed(own)
    if own.setup.layer > 1:
        run_lower_layers(own, record, own.may_attend(len(own.setup.tokens)))
    return record


def _embed(own: Edited) -> TraceBuilder:
    setup, record = own.setup, TraceBuilder()
    ids = token_ids(setup.tokens, setup.vocabulary)
    memory_ids = token_ids(setup.memory_tokens, setup.vocabulary) if setup.memory else None
    embed(setup, own.embedding(setup.tokens), record, ids, memory_ids=memory_ids)
    return record


def _whole(setup: Setup, record: TraceBuilder) -> Trace:
    return Trace(setup, record.entries, memory_tokens=setup.memory_tokens)
