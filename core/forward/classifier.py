"""A classifier on top of the stack: mean over words, one linear layer, log-probabilities.

With random weights its answers mean nothing; with `init="trained"` it has learned from labelled
sentences.
"""

from dataclasses import dataclass, field, replace

from ..layers.model import to_tuples
from ..ops import attention, classes
from ..ops.weight_names import Weights
from ..setup.setup import Setup
from ..trace.origin import LogSoftmax, Mean, Product
from ..trace.record import Trace, TraceBuilder
from ..trace.step import Step
from ..weights import weights
from . import batch
from .encoder import result

# Cells are opened in `Classified.sentence`, which knows which words count, not in the batch.
POOLED = Step(
    classes.mean_over_words, lambda encoded, is_word: Mean(encoded, ()), "pooled", "mean", "d_model"
)
LOGITS = Step(attention.project, Product, "logits", "l", "class")
LOG_PROBABILITIES = Step(classes.log_softmax, LogSoftmax, "log_probabilities", "log p", "class")


@dataclass(frozen=True, eq=False)
class Classified:
    """The batch, every layer's weights, and the classifier's result.

    `trace` holds encoded (sentence, token, d_model), pooled, logits and log_probabilities
    (sentence, class), and each token's own logits (sentence, token, class).
    """

    batch: batch.Batch
    weights: tuple[Weights, ...]
    trace: Trace
    _taken: dict[int, Trace] = field(default_factory=dict, init=False, repr=False)  # cache

    def sentence(self, sentence: int) -> Trace:
        """Return one sentence's entries (from 0), whose cells can be opened."""
        if sentence not in self._taken:
            self._taken[sentence] = self._take(sentence)
        return self._taken[sentence]

    def _take(self, sentence: int) -> Trace:
        taken = batch.take_sentence(self.trace, sentence, self.batch.may_attend)
        for name in ("pooled", "logits", "log_probabilities"):
            entry = taken[name]
            taken[name] = replace(entry, stored=entry.stored[None], dims=("sentence", *entry.dims))
        is_word, pooled = self.batch.is_word[sentence], taken["pooled"]
        call = pooled.call and replace(pooled.call, settings={"is_word": is_word[None]})
        taken["pooled"] = replace(pooled, origin=Mean("encoded", to_tuples(is_word)), call=call)
        return Trace(self.trace.setup, taken, self.batch.tokens[sentence])


def shapes(answer: Classified) -> dict[str, tuple[int, ...]]:
    """Return the shape of each tensor from the ids to the log-probabilities, in order; for a layer,
    the shape of its output."""
    before, after = answer.batch.trace, answer.trace
    layers = {f"layer {k}": after["encoded"] for k, _ in enumerate(answer.weights, start=1)}
    on_top = {name: after[name] for name in ("pooled", "logits", "log_probabilities")}
    entries = {"ids": before["ids"], "x": before["x"]} | layers | on_top
    return {name: tuple(entry.value.shape) for name, entry in entries.items()}


def apart_by_order(answer: Classified, sentence: int) -> float:
    """Return the largest difference between one sentence's logits (from 0) and the mean of its
    words' logits, without padding.

    Both are linear, so taking the mean before or after W_c differs only by rounding.
    """
    each = answer.trace.value("token_logits")[sentence][answer.batch.is_word[sentence]]
    return (each.mean(dim=0) - answer.trace.value("logits")[sentence]).abs().max().item()


def classify(setup: Setup) -> Classified:
    """Compute the log-probabilities of the classes for every sentence."""
    below = weights.below_classifier(setup)
    embedded, layers, of_classifier = (
        batch.embed(setup, below),
        below.layers(),
        weights.classifier(setup),
    )
    record = TraceBuilder()
    out = result(setup, layers, embedded.trace.value("x"), embedded.may_attend)
    record.keep("encoded", "Out", out, "token d_model")
    record.apply(POOLED, "encoded", is_word=embedded.is_word)
    record.keep("w_c", "W_c", of_classifier["w_c"], "d_model class")
    bias = ("b_c",) if "b_c" in of_classifier else ()
    for name in bias:
        record.keep(name, name, of_classifier[name], "class")
    record.apply(LOGITS, "pooled", "w_c", *bias)
    record.apply(LOG_PROBABILITIES, "logits")
    record.apply(LOGITS.named("token_logits", "l_t", "token class"), "encoded", "w_c", *bias)
    return Classified(embedded, layers, Trace(setup, record.entries))
