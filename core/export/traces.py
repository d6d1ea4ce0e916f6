"""All exported tensors of a setup, by page: `scores` of the seven steps, `batch.scores` of the
batch, `layer2.scores` of a layer of the stack, `next_word.logits`, `classifier.logits`."""

from collections.abc import Iterator
from dataclasses import dataclass

from ..forward import batch, encoder, next_word, trace
from ..forward.classifier import classify
from ..setup.setup import Setup
from ..trace.record import Entry, Trace


@dataclass(frozen=True, eq=False)
class NamedTrace:
    """A trace, its page, and the prefix of its entries' names: none, `batch.`, `layer2.` …"""

    path: str  # "" for the seven steps, one page each
    prefix: str
    trace: Trace

    @property
    def is_told(self) -> bool:
        """Return whether its steps are exported one by one; the layers of the classifier and of the
        causal stack repeat those of the encoder."""
        return not self.prefix.startswith(("classifier.layer", "causal"))

    def kept(self) -> dict[str, Entry]:
        """Return its entries for the file by full name; only weights and result for a layer that is
        not exported step by step."""
        return {
            self.prefix + name: entry
            for name, entry in self.trace.items()
            if self.is_told or name == "out" or (entry.origin is None and name != "x")
        }


def list_traces(setup: Setup) -> Iterator[NamedTrace]:
    """Yield all traces in the order of the pages; only the seven steps for a real model or with
    cross-attention."""
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
    """Yield the next-word steps, after the causal stack if the setup's is not causal."""
    causal = next_word.resolve_setup(setup)
    if not setup.is_causal:
        for n, layer in enumerate(encoder.encode(causal), start=1):
            yield NamedTrace("next", f"causal{n}.", layer)
    yield NamedTrace("next", "next_word.", next_word.predict(causal))


def _classifier(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the classifier's input, its layers, and the classifier itself."""
    answer = classify(setup)
    yield NamedTrace("classifier", "classifier.", answer.batch.trace)
    x = answer.batch.trace.value("x")
    for n, weights in enumerate(answer.weights, start=1):
        (layer,) = encoder.stack(setup, (weights,), x, answer.batch.may_attend)
        x = layer.value("out")
        yield NamedTrace("classifier", f"classifier.layer{n}.", layer)
    yield NamedTrace("classifier", "classifier.", answer.trace)
