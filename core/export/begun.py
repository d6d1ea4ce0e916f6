"""What stands before the entries of a part: the place for them, and how sentences of several lengths become one batch."""

from collections.abc import Callable

from .. import batch, draws, masks, weights
from ..setup import Setup
from . import given
from .derived import Part
from .expressions import Made


def begin(part: Part) -> Made | None:
    """The lines that come first; None where the part goes on in a place that is there already."""
    setup = part.trace.setup
    if part.prefix == "classifier.":
        return None if "encoded" in part.trace else _classifier(setup)
    place = f"{part.prefix.rstrip('.')} = SimpleNamespace()"
    return _batch(setup, place) if part.prefix == "batch." else Made(place)


def _batch(setup: Setup, place: str) -> Made:
    """Its words, and who may look at whom."""
    mask, no_word_is_hidden = masks.MASKS[setup.mask], setup.padding == "unmasked"
    allowed = f"padding({'torch.ones_like(batch.is_word)' if no_word_is_hidden else 'batch.is_word'})"
    lines = [
        place,
        f"words = {_words('vocabulary')}",
        "batch.is_word = word_places(setup)",
        f"batch.may_attend = {allowed} & {mask.__name__}(batch.is_word.shape[1])",
    ]
    functions: list[Callable] = [batch.word_places, masks.padding, mask]
    if setup.dropout > 0:
        shape = "len(sentences), setup.heads, *batch.may_attend.shape[1:]"
        lines.append(f"batch.dropout_mask = dropout_mask(setup, {shape})")
        functions.append(draws.dropout_mask)
    if setup.positions == "learned" and setup.init != "trained":
        longest = max(map(len, setup.sentences))
        lines += [given.drawn_positions(str(longest)), *given.edited_positions(setup, longest)]
    return Made("\n".join(lines), tuple(functions))


def _classifier(setup: Setup) -> Made:
    """Trained, it has words of its own."""
    place = "classifier = SimpleNamespace()"
    if setup.init != "trained":
        return Made(place)
    known = f"known = {list(weights.classifier_vocabulary(setup))!r}"
    return Made(f"{place}\n{known}\nclassifier.words = {_words('known')}")


def _words(known: str) -> str:
    """A vocabulary, further words of the sentences, and padding, as an expression."""
    return f"[*{known}, *sorted({{word for sentence in sentences for word in sentence}} - {{*{known}}}), {batch.PAD!r}]"
