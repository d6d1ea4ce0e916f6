"""Several sentences at once, padded to the longest.

The first sentence's numbers are the same as without a batch; words that occur only in the other
sentences have their own embedding rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

import torch
from torch import Tensor

from ..layers import model
from ..layers.model import enter, mix_values, project, weigh
from ..ops import masks
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..text.text import token_ids, vocabulary
from ..trace.origin import Dropout, Mask
from ..trace.record import Entry, Trace, TraceBuilder
from ..trace.step import Call
from ..training.init import dropout_mask
from ..weights import weights
from ..weights.sources import Edited
from .trace import run_lower_layers

PAD = "[pad]"


@dataclass(frozen=True, eq=False)
class Batch:
    """The padded sentences, their masks, and every tensor by name.

    `is_word` is (sentence, token), `may_attend` (sentence, query, key).
    """

    setup: Setup
    words: tuple[str, ...]
    is_word: Tensor
    may_attend: Tensor
    trace: Trace
    _taken: dict[int, Trace] = field(default_factory=dict, init=False, repr=False)  # cache

    @cached_property
    def tokens(self) -> tuple[tuple[str, ...], ...]:
        """Each sentence with its padding, all of the same length."""
        return tuple(
            tuple(next(words) if word else PAD for word in row)
            for row, words in zip(
                self.is_word.tolist(), map(iter, self.setup.sentences), strict=True
            )
        )

    def sentence(self, sentence: int) -> Trace:
        """Return one sentence of the batch (from 0) as its own trace, whose cells can be opened."""
        if sentence not in self._taken:
            self._taken[sentence] = Trace(
                self.setup,
                take_sentence(self.trace, sentence, self.may_attend),
                self.tokens[sentence],
            )
        return self._taken[sentence]


def take_sentence(trace: Trace, sentence: int, may_attend: Tensor) -> dict[str, Entry]:
    """Return one sentence's entries, without the batch axis."""
    taken = {}
    for name, entry in trace.items():
        if entry.dims[0] != "sentence":
            taken[name] = entry
            continue
        origin = entry.origin
        if isinstance(origin, Mask):
            origin = Mask(origin.source, may_attend[sentence])
        elif isinstance(origin, Dropout):
            origin = Dropout(origin.source, origin.dropout_mask[sentence], origin.rate)
        taken[name] = Entry(
            name,
            entry.symbol,
            entry.value[sentence],
            entry.dims[1:],
            origin,
            _select_call_of_sentence(entry, sentence),
        )
    return taken


def _select_call_of_sentence(entry: Entry, sentence: int) -> Call | None:
    """Return an entry's call with the tensor settings of one sentence only."""
    if entry.call is None:
        return None
    settings = {
        name: value[sentence] if isinstance(value, Tensor) else value
        for name, value in entry.call.settings.items()
    }
    return replace(entry.call, settings=settings)


def word_places(setup: Setup) -> Tensor:
    """Return which positions hold words rather than padding: (sentence, token), True = a word."""
    lengths = torch.tensor([len(tokens) for tokens in setup.sentences])[:, None]
    place = torch.arange(int(lengths.max()))
    return place >= lengths.max() - lengths if setup.padding == "left" else place < lengths


def pad_ids(
    sentences: Sequence[tuple[str, ...]], words: tuple[str, ...], is_word: Tensor
) -> Tensor:
    """Return each token's id, and the last id for padding: (sentence, token).

    >>> pad_ids(
    ...     [("cat",), ("the", "cat")],
    ...     ("cat", "the", PAD),
    ...     torch.tensor([[True, False], [True, True]]),
    ... ).tolist()
    [[0, 2], [1, 0]]
    """
    ids = torch.full(is_word.shape, len(words) - 1)
    ids[is_word] = torch.cat([token_ids(tokens, words) for tokens in sentences])
    return ids


def combine_masks(setup: Setup, is_word: Tensor) -> Tensor:
    """Return the padding mask combined with the setup's mask: (sentence, query, key)."""
    of_words = weights.may_attend(setup, is_word.shape[1])
    of_padding = torch.ones_like(is_word) if setup.padding == "unmasked" else is_word
    return masks.make_padding_mask(of_padding) & of_words


def apart_from_alone(batch: Batch, alone: Trace) -> float:
    """Return the largest difference between the first sentence's weights in the batch, without
    padding, and computed alone.

    `alone` is that sentence's own trace: weights (head, query, key).
    """
    is_word = batch.is_word[0]
    weights = batch.trace.value("weights")[0][:, is_word][..., is_word]
    return (weights - alone.value("weights")).abs().max().item()


def run(setup: Setup) -> Batch:
    """Embed and pad every sentence, and compute attention for all of them at once."""
    projections = weights.projections(setup, alone=True)
    return compute_output(compute_weights(setup, projections), projections)


def compute_weights(setup: Setup, projections: Weights) -> Batch:
    """Compute from the words to the weights (sentence, head, query, key), with dropout but without
    values."""
    own = weights.get_source(setup)
    batch = embed(setup, own)
    record = TraceBuilder(batch.trace)
    if setup.layer > 1:
        run_lower_layers(own, record, batch.may_attend)
    sentences, longest = batch.is_word.shape
    mask = (
        dropout_mask(setup, sentences, setup.heads, longest, longest) if setup.dropout > 0 else None
    )
    project(setup, projections, record, enter(setup, projections, record), names="qk")
    weigh(setup, record, batch.may_attend, mask)
    return replace(batch, trace=Trace(setup, record.entries))


def compute_output(batch: Batch, projections: Weights) -> Batch:
    """Compute values, contexts and output of a batch that has its weights."""
    record = TraceBuilder(batch.trace)
    project(batch.setup, projections, record, enter(batch.setup, projections, record), names="v")
    mix_values(
        projections, record, "dropped" if "dropped" in batch.trace else "weights", batch.setup.group
    )
    return replace(batch, trace=Trace(batch.setup, record.entries))


def embed(setup: Setup, own: Edited | None = None) -> Batch:
    """Embed and pad every sentence. `own` supplies the weights, by default the setup's."""
    own = weights.get_source(setup) if own is None else own
    is_word = word_places(setup)
    further = vocabulary(
        tuple(t for tokens in setup.sentences for t in tokens if t not in own.words)
    )
    words = (*own.words, *further, PAD)
    ids = pad_ids(setup.sentences, words, is_word)
    batch_weights = {"embedding_table": own.table_of_batch((*further, PAD))} | own.around((PAD,))
    if "part" in batch_weights:  # padding is in segment 0
        of_padding = batch_weights["part"].expand(*is_word.shape, -1).clone()
        of_padding[is_word] = torch.cat([own.around(tokens)["part"] for tokens in setup.sentences])
        batch_weights["part"] = of_padding
    if own.x(setup.tokens):
        batch_weights["x"] = torch.zeros(*is_word.shape, setup.d_model)  # padding is 0 there
        batch_weights["x"][is_word] = torch.cat([own.x(tokens)["x"] for tokens in setup.sentences])
    elif setup.positions == "learned":
        batch_weights["positions"] = own.positions(is_word.shape[1])
    record = TraceBuilder()
    model.embed(setup, batch_weights, record, ids, is_word)
    return Batch(setup, words, is_word, combine_masks(setup, is_word), Trace(setup, record.entries))
