"""What stands before a trace's entries: the namespace for them, and how sentences of several
lengths become one batch."""

from collections.abc import Callable

from .. import batch, draws, masks, weights
from ..setup import Setup
from . import given
from .derived import NamedTrace
from .expressions import Made, mask_of


def opening(named: NamedTrace) -> Made | None:
    """Return the lines that come first; None where they go into a namespace that is there
    already."""
    setup = named.trace.setup
    if named.prefix == "classifier.":
        return None if "encoded" in named.trace else _classifier(setup)
    namespace = f"{named.prefix.rstrip('.')} = SimpleNamespace()"
    return _batch(setup, namespace) if named.prefix == "batch." else Made(namespace)


def _batch(setup: Setup, namespace: str) -> Made:
    """Return the batch's words, and who may look at whom."""
    mask, no_word_is_hidden = weights.mask(setup), setup.padding == "unmasked"
    allowed = (
        f"padding({'torch.ones_like(batch.is_word)' if no_word_is_hidden else 'batch.is_word'})"
    )
    lines = [
        namespace,
        f"words = {_words('vocabulary')}",
        "batch.is_word = word_places(setup)",
        f"batch.may_attend = {allowed} & {mask_of('batch.is_word.shape[1]', mask)}",
    ]
    functions: list[Callable] = [batch.word_places, masks.padding, mask.func]
    if setup.dropout > 0:
        shape = "len(sentences), setup.heads, *batch.may_attend.shape[1:]"
        lines.append(f"batch.dropout_mask = dropout_mask(setup, {shape})")
        functions.append(draws.dropout_mask)
    if setup.positions == "learned" and weights.is_drawn(setup):
        longest = max(map(len, setup.sentences))
        lines += [given.drawn_positions(str(longest)), *given.edited_positions(setup, longest)]
    return Made("\n".join(lines), tuple(functions))


def _classifier(setup: Setup) -> Made:
    """Return the classifier's namespace; trained, it has words of its own."""
    namespace = "classifier = SimpleNamespace()"
    if weights.is_drawn(setup):
        return Made(namespace)
    known = f"known = {list(weights.below_classifier(setup).words)!r}"
    return Made(f"{namespace}\n{known}\nclassifier.words = {_words('known')}")


def _words(known: str) -> str:
    """Return a vocabulary, further words of the sentences, and padding, as an expression."""
    return (
        f"[*{known}, *sorted({{word for sentence in sentences for word in sentence}} -"
        f" {{*{known}}}), {batch.PAD!r}]"
    )
