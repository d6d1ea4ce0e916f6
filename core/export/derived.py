"""Every tensor of a setup, page by page, under the name that it has once all pages are told in one
script.

The seven steps' have the names they have everywhere. `batch.scores` are those of all sentences at
once, `layer2.w_q` and `layer2.out` belong to a layer of the stack, `next_word.logits` to the next
word, `classifier.logits` to the classifier, `classifier.layer1.w_q` to its layers.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from .. import batch, encoder, next_word, trace
from ..classifier import classify
from ..record import Entry, Trace
from ..setup import Setup


@dataclass(frozen=True, eq=False)
class NamedTrace:
    """A trace, and what stands before its entries' names to tell them from others': nothing,
    `batch.`, `layer2.` …"""

    prefix: str
    trace: Trace
    layers: str = "layer"  # what the names of the layers below it begin with


def seven_steps(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the trace from the words to the output."""
    yield NamedTrace("", trace.run(setup))


def masks(setup: Setup) -> Iterator[NamedTrace]:
    """Yield all sentences at once."""
    yield NamedTrace("batch.", batch.run(setup).trace)


def block(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the first layer of the stack."""
    yield NamedTrace("layer1.", encoder.encode(setup)[0])


def above(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the layers above it."""
    for n, layer in enumerate(encoder.encode(setup)[1:], start=2):
        yield NamedTrace(f"layer{n}.", layer)


def classifier(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the sentences as the classifier takes them in, its layers one after the other, and what
    stands on top."""
    answer = classify(setup)
    yield NamedTrace("classifier.", answer.batch.trace)
    x = answer.batch.trace.value("x")
    for n, weights in enumerate(answer.weights, start=1):  # one at a time: the largest takes 14 MB
        (layer,) = encoder.stack(setup, (weights,), x, answer.batch.may_attend)
        x = layer.value("out")
        yield NamedTrace(f"classifier.layer{n}.", layer)
    yield NamedTrace("classifier.", answer.trace)


def following(setup: Setup) -> Iterator[NamedTrace]:
    """Yield the way to the next word. Where the stack above looks ahead, before it the same stack
    in which none does: `causal1.` …"""
    if not says_a_word(setup):
        return
    causal, layers = next_word.in_force(setup), "layer" if setup.is_causal else "causal"
    if not setup.is_causal:
        for n, layer in enumerate(encoder.encode(causal), start=1):
            yield NamedTrace(f"causal{n}.", layer)
    yield NamedTrace("next_word.", next_word.predict(causal), layers)


def says_a_word(setup: Setup) -> bool:
    """Return whether a next word is taken home: not of a model that was read, whose table is too
    large, and not where training with the setup's mask made other weights than it makes where none
    looks ahead."""
    return not (setup.real or next_word.why_not(setup)) and (
        setup.init != "trained" or setup.is_causal
    )


# By the address of the page that shows them.
AFTER_THE_STEPS: dict[str, Callable[[Setup], Iterator[NamedTrace]]] = {
    "masks": masks,
    "block": block,
    "encoder": above,
    "next": following,
    "classifier": classifier,
}


def has_steps_alone(setup: Setup) -> bool:
    """Return whether what is taken home ends with the seven steps: of one layer they are enough,
    and they alone ask another sentence."""
    return bool(setup.real or setup.memory) or setup.layer > 1


def named_traces(setup: Setup) -> Iterator[NamedTrace]:
    """Yield all of them, in the order of the pages."""
    for of_pages in (seven_steps, *(() if setup.memory else AFTER_THE_STEPS.values())):
        yield from of_pages(setup)


def to_keep(named: NamedTrace) -> dict[str, Entry]:
    """Return its entries for a file, by their full names: of the classifier's layers, which run on
    every sentence, only the weights and what each hands on."""
    inner = named.prefix.startswith(("classifier.layer", "causal"))
    return {
        named.prefix + name: entry
        for name, entry in named.trace.items()
        if not inner
        or name == "out"
        or (named.prefix[:2] == "cl" and entry.origin is None and name != "x")
    }
