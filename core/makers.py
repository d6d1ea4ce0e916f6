"""Which function made an entry, for whoever wants to read it, also where none was applied to other entries."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from . import batch, draws, embedding, encoder, text, weights
from .origin import Copy
from .record import Call
from .trace import Trace


@dataclass(frozen=True)
class Maker:
    """A function, and what it was given, in words of the code."""

    function: Callable[..., Any]
    arguments: tuple[str, ...]


# What a weight is drawn by, and where one that was trained is taken from; a layer's own, what makes all of that layer.
WEIGHTS: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    **dict.fromkeys(("w_q", "w_k", "w_v", "w_o"), (draws.matrices, weights.projections)),
    **dict.fromkeys(("b_q", "b_k", "b_v", "b_o"), (draws.biases, weights.projections)),
    **dict.fromkeys(("w_1", "b_1", "w_2", "b_2"), (draws.feed_forward, weights.layer)),
    **dict.fromkeys(("w_c", "b_c"), (draws.classifier, weights.classifier)),
    "embedding_table": (draws.embedding_table, weights.embedding_table),
    "positions": (draws.positions, weights.positions),
}
OF_A_LAYER = (draws.layer, weights.layer)
# What is counted or taken over: of one sentence, and of a batch.
OF_A_SENTENCE = {
    "ids": Maker(text.token_ids, ("tokens", "vocabulary")),
    "encoded": Maker(encoder.result, ("setup", "weights", "x", "may_attend")),
}
OF_A_BATCH = OF_A_SENTENCE | {
    "ids": Maker(batch.padded_ids, ("sentences", "words", "is_word")),
    "positions": Maker(embedding.place, ("positions", "is_word")),
}


def maker(trace: Trace, name: str, layer: int | None = None) -> Maker | None:
    """What made an entry; of a copy, what made the original; None for what a block is given.

    A weight was made by a function of `draws`, a trained one comes from `weights`; a `layer`'s own (from 1) from that layer's.

    >>> from .setup import Setup
    >>> from .trace import run
    >>> maker(run(Setup()), "masked").arguments, maker(run(Setup()), "w_q").function.__name__
    (('scores', 'd_k=24', 'temperature=1'), 'matrices')
    """
    entry = trace[name]
    if entry.call is not None:
        return Maker(entry.call.function, _arguments(entry.call))
    if isinstance(entry.origin, Copy):
        return maker(trace, entry.origin.source, layer)
    found = (OF_A_BATCH if entry.dims[0] == "sentence" else OF_A_SENTENCE).get(name)
    if found or name == "x":
        return found
    drawn, trained = OF_A_LAYER if layer is not None else WEIGHTS[name]
    return Maker(trained if trace.setup.init == "trained" else drawn, ("setup",))


def _arguments(call: Call) -> tuple[str, ...]:
    """The entries that it was given, and what else: numbers as they are, of everything else the name."""
    settings = call.settings.items()
    return (*call.inputs, *(f"{key}={value:g}" if isinstance(value, int | float) else key for key, value in settings))
