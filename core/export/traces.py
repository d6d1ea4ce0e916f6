"""Every tensor that is taken home of a setup, page by page: `scores` of the seven steps,
`batch.scores` of all sentences at once, `layer2.scores` of a layer of the stack,
`next_word.logits`, `classifier.logits`."""

from collections.abc import Iterator
from dataclasses import dataclass

from .. import batch, encoder, next_word, trace
from ..classifier import classify
from ..record import Entry, Trace
from ..setup import Setup


@dataclass(frozen=True, eq=False)
class NamedTrace:
    """A trace, the page that shows it, and what stands before its entries' names: nothing,
    `batch.`, `layer2.` …"""

    path: str  # "" for the seven steps, a page each
    prefix: str
    trace: Trace

    @property
    def is_told(self) -> bool:
        """Return whether its steps are told one by one; those of the classifier's layers, and of a
        stack in which none looks ahead, are those of the encoder once more."""
        return not self.prefix.startswith(("classifier.layer", "causal"))

    def kept(self) -> dict[str, Entry]:
        """Return its entries for a file, by their full names; of a layer that is not told its
        weights and its result."""
        return {
            self.prefix + name: entry
            for name, entry in self.trace.items()
            if self.is_told or name == "out" or (entry.origin is None and name != "x")
        }


def list_traces(setup: Setup) -> Iterator[NamedTrace]:
    """Yield all of them in the order of the pages. Of a model that was read, and where another
    sentence is asked, they are the seven steps alone."""
    yield NamedTrace("", "", trace.run(setup))
    if setup.real or setup.memory:
        return
    yield NamedTrace("masks", "batch.", batch.run(setup).trace)
    for n, layer in enumerate(encoder.encode(setup), start=1):
        yield NamedTrace("block" if n == 1 else "encoder", f"layer{n}.", layer)
    if not next_word.explain_refusal(setup):
        yield from _list_next_word_traces(setup)
    yield from _classifier(setup)


def _list_next_word_traces(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the way to the next word, before it the stack where the one above looks ahead."""
    causal = next_word.resolve_setup(setup)
    if not setup.is_causal:
        for n, layer in enumerate(encoder.encode(causal), start=1):
            yield NamedTrace("next", f"causal{n}.", layer)
    yield NamedTrace("next", "next_word.", next_word.predict(causal))


def _classifier(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the sentences as the classifier takes them in, its layers, and what stands on top."""
    answer = classify(setup)
    yield NamedTrace("classifier", "classifier.", answer.batch.trace)
    x = answer.batch.trace.value("x")
    for n, weights in enumerate(answer.weights, start=1):
        (layer,) = encoder.stack(setup, (weights,), x, answer.batch.may_attend)
        x = layer.value("out")
        yield NamedTrace("classifier", f"classifier.layer{n}.", layer)
    yield NamedTrace("classifier", "classifier.", answer.trace)
