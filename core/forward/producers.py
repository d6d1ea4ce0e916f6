"""Which function computed an entry, so that a page can name it. Weights and ids have one too,
though they have no inputs."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from ..ops import embedding
from ..ops.weight_names import PROJECTED
from ..text import text
from ..trace.origin import Copy
from ..trace.step import Call
from ..training import init
from ..weights import weights
from . import batch, encoder
from .trace import Trace


@dataclass(frozen=True)
class Maker:
    """A function and its arguments, as in the code."""

    function: Callable[..., Any]
    arguments: tuple[str, ...]


# For each weight, the function that samples it and the one that returns it if trained or read.
WEIGHTS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    **dict.fromkeys(PROJECTED, (weights.projections, weights.projections)),
    **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (init.matrices, weights.projections)),
    **dict.fromkeys(("b_q", "b_k", "b_v", "b_o"), (init.biases, weights.projections)),
    **dict.fromkeys(
        ("w_1", "b_1", "w_2", "b_2", "w_gate", "b_gate"), (init.feed_forward, weights.layer)
    ),
    **dict.fromkeys(("w_c", "b_c"), (init.classifier, weights.classifier)),
    "embedding_table": (init.draw_embedding_table, weights.get_embedding_table),
    **dict.fromkeys(("positions", "memory_positions"), (init.positions, weights.positions)),
    **dict.fromkeys(
        ("part", "gain_0", "shift_0", "w_in", "b_in"),
        (weights.get_input_weights, weights.get_input_weights),
    ),
    **dict.fromkeys(
        ("gain_top", "shift_top"), (weights.get_input_weights, weights.get_input_weights)
    ),
    **dict.fromkeys(
        ("w_fill", "b_fill", "gain_fill", "shift_fill", "b_word"),
        (weights.get_masked_lm_weights, weights.get_masked_lm_weights),
    ),
    "unembedding": (init.draw_unembedding, weights.get_unembedding),
    **dict.fromkeys(
        ("gain_1", "shift_1", "gain_q", "gain_k", "distances"),
        (weights.projections, weights.projections),
    ),
}
OF_A_LAYER = (init.layer, weights.layer)  # for all weights of a layer
# Other entries without inputs: of one sentence, and of a batch.
OF_A_SENTENCE = {
    "ids": Maker(text.token_ids, ("tokens", "vocabulary")),
    "memory_ids": Maker(text.token_ids, ("memory", "vocabulary")),
    "number": Maker(init.next_number, ("setup",)),
    "encoded": Maker(encoder.result, ("setup", "weights", "x", "may_attend")),
    "angles": Maker(embedding.subtract_first_angle, ("angles", "is_word")),  # only in a batch
}
OF_A_BATCH = OF_A_SENTENCE | {
    "ids": Maker(batch.pad_ids, ("sentences", "words", "is_word")),
    "positions": Maker(embedding.place, ("positions", "is_word")),
}


def maker(trace: Trace, name: str, layer: int | None = None) -> Maker | None:
    """Return the function that computed an entry; for a copy, that of the original; None for a
    block's input.

    A sampled weight comes from a function of `draws`, a trained or read one from a function of
    `weights`. `layer` (from 1) is the stack layer of the weight.

    >>> from ..setup.setup import Setup
    >>> from .trace import run
    >>> maker(run(Setup()), "masked").arguments, maker(run(Setup()), "w_q").function.__name__
    (('scores', 'd_k=24', 'temperature=1'), 'matrices')
    """
    entry = trace[name]
    if entry.call is not None:
        return Maker(entry.call.function, _arguments(entry.call))
    if isinstance(entry.origin, Copy):
        return maker(trace, entry.origin.source, layer)
    if name == "x" and trace.setup.layer > 1:
        return Maker(encoder.result, ("setup", "weights", "x", "may_attend"))
    found = (OF_A_BATCH if entry.dims[0] == "sentence" else OF_A_SENTENCE).get(name)
    if found or name == "x":
        return found
    drawn, given = OF_A_LAYER if layer is not None else WEIGHTS[name]
    return Maker(drawn if weights.is_drawn(trace.setup) else given, ("setup",))


def _arguments(call: Call) -> tuple[str, ...]:
    """Return the names of a call's inputs and settings, with the values of numbers."""
    settings = call.settings.items()
    return (
        *call.inputs,
        *(f"{key}={value:g}" if isinstance(value, int | float) else key for key, value in settings),
    )
