"""A classifier on top of the stack: the mean of the words, one linear map, log-probabilities.

Drawn weights answer nothing that means anything; with `init="trained"` they have learned from
labelled sentences.
"""

from dataclasses import dataclass, field, replace

from . import attention, batch, classes, weights
from .encoder import result
from .model import to_tuples
from .names import Weights
from .origin import LogSoftmax, Mean, Product
from .record import Record, Trace
from .setup import Setup
from .step import Step

# Of all sentences at once no cell is opened: `Classified.sentence` says which words count.
POOLED = Step(
    classes.mean_over_words, lambda encoded, is_word: Mean(encoded, ()), "pooled", "z̄", "d_model"
)
LOGITS = Step(attention.project, Product, "logits", "l", "class")
LOG_PROBABILITIES = Step(classes.log_softmax, LogSoftmax, "log_probabilities", "log p", "class")


@dataclass(frozen=True, eq=False)
class Classified:
    """The batch, the weights of every layer, and what the classifier made of it.

    `trace` holds encoded (sentence, token, d_model), pooled, logits and log_probabilities
    (sentence, class), and each token's own logits (sentence, token, class).
    """

    batch: batch.Batch
    weights: tuple[Weights, ...]
    trace: Trace
    _taken: dict[int, Trace] = field(
        default_factory=dict, init=False, repr=False
    )  # the sentences that were asked for

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
    """Return every tensor from the ids to the log-probabilities with its shape, in their order; a
    layer's is what it hands on."""
    before, after = answer.batch.trace, answer.trace
    layers = {f"layer {k}": after["encoded"] for k, _ in enumerate(answer.weights, start=1)}
    on_top = {name: after[name] for name in ("pooled", "logits", "log_probabilities")}
    entries = {"ids": before["ids"], "x": before["x"]} | layers | on_top
    return {name: tuple(entry.value.shape) for name, entry in entries.items()}


def apart_by_order(answer: Classified, sentence: int) -> float:
    """Return the largest difference between one sentence's logits (from 0) and the mean of its
    words' own, padding left out.

    One is the mean first and W_c after it, the other W_c first: the same, but for rounding, since
    both are linear.
    """
    each = answer.trace.value("token_logits")[sentence][answer.batch.is_word[sentence]]
    return (each.mean(dim=0) - answer.trace.value("logits")[sentence]).abs().max().item()


def classify(setup: Setup) -> Classified:
    """Go from the words of every sentence to the logarithms of the classes' probabilities."""
    below = weights.below_classifier(setup)
    embedded, layers, of_classifier = (
        batch.embed(setup, below),
        below.layers(),
        weights.classifier(setup),
    )
    record = Record()
    out = result(setup, layers, embedded.trace.value("x"), embedded.may_attend)
    record.keep("encoded", "Z", out, "token d_model")
    record.apply(POOLED, "encoded", is_word=embedded.is_word)
    record.keep("w_c", "W_c", of_classifier["w_c"], "d_model class")
    bias = ("b_c",) if "b_c" in of_classifier else ()
    for name in bias:
        record.keep(name, name, of_classifier[name], "class")
    record.apply(LOGITS, "pooled", "w_c", *bias)
    record.apply(LOG_PROBABILITIES, "logits")
    record.apply(LOGITS.named("token_logits", "l_t", "token class"), "encoded", "w_c", *bias)
    return Classified(embedded, layers, Trace(setup, record.entries))
