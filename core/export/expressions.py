"""The line that makes an entry in an exported script: a function of other entries, or what the
script was given."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from torch import Tensor

from .. import batch, draws, embedding, text, weights
from ..names import OF_THE_STEPS, PROJECTED
from ..origin import Copy
from ..record import Entry
from ..sources import Edited
from .derived import NamedTrace
from .functions import called
from .literals import literal, unpacked, unpacked_floats


@dataclass(frozen=True)
class Made:
    """An expression, and the functions that have to stand before it."""

    expression: str
    functions: tuple[Callable, ...] = ()


def made(named: NamedTrace, entry: Entry) -> Made:
    """Return how the script makes an entry of this trace."""
    if entry.call is not None:
        return _called(named, entry)
    if isinstance(entry.origin, Copy):
        return Made(named.prefix + entry.origin.source)
    return MADE_OF.get(named.prefix.rstrip(".0123456789"), _of_a_layer)(named, entry)


def _called(named: NamedTrace, entry: Entry) -> Made:
    call = entry.call
    assert call is not None
    functions: list[Callable] = []
    arguments = [named.prefix + name for name in call.inputs]
    for name, value in call.settings.items():
        given = _tensor(named, name) if isinstance(value, Tensor) else Made(repr(value))
        functions += given.functions
        arguments.append(f"{name}={given.expression}")
    return Made(f"{called(call.function)}({', '.join(arguments)})", (*functions, call.function))


def _tensor(named: NamedTrace, name: str) -> Made:
    """Return what a step was given beside entries: who may look at whom, which places are words,
    which weights dropout keeps."""
    mask = weights.mask_in_steps(named.trace.setup)
    if name == "may_attend" and not named.prefix.startswith(("batch.", "classifier.")):
        return Made(mask_of("len(tokens)", mask), (mask.func,))
    return Made("batch.may_attend[:, None]" if name == "may_attend" else f"batch.{name}")


def mask_of(tokens: str, mask: partial[Tensor]) -> str:
    """Return the call that makes a mask for so many tokens, an expression."""
    named = (f"{key}={value}" for key, value in mask.keywords.items())
    return f"{mask.func.__name__}({', '.join([tokens, *named])})"


def _of_the_steps(named: NamedTrace, entry: Entry) -> Made:
    if entry.name == "ids":
        return Made("token_ids(tokens, vocabulary)", (text.token_ids,))
    if entry.name == "memory_ids":
        return Made("token_ids(memory, vocabulary)", (text.token_ids,))
    if (
        entry.name in ("positions", "memory_positions")
        and named.trace.setup.memory
        and weights.is_drawn(named.trace.setup)
    ):
        return Made(f'drawn["positions"][:{len(entry.value)}]')  # one table for both sentences
    return _weight(named, entry, entry.name)


def _of_the_batch(named: NamedTrace, entry: Entry) -> Made:
    setup, name = named.trace.setup, entry.name
    if name == "ids":
        return Made(
            "padded_ids(sentences, words, batch.is_word)", (text.token_ids, batch.padded_ids)
        )
    if name == "angles":
        angles = (
            f"rotary_angles(tokens={entry.value.shape[1]}, size={setup.d_k},"
            f" base={setup.rotary_base})"
        )
        return Made(
            f"from_first_word({angles}, batch.is_word)",
            (embedding.rotary_angles, embedding.from_first_word),
        )
    if name == "positions":
        return _placed(named, weights.of(setup))
    if name != "embedding_table":  # W_q, W_k, W_v and W_o are those of the seven steps
        return _literal(entry.value) if name in ("x", *PROJECTED) else Made(name)
    known = len(setup.vocabulary)
    if not weights.is_drawn(setup):
        rows = _literal(entry.value[known:])
        return Made(f"torch.cat([embedding_table, {rows.expression}])", rows.functions)
    return Made(
        'torch.cat([embedding_table, rows_apart(setup.seed, "further words", len(words) -'
        " len(vocabulary), setup.d_model)])",
        (draws.rows_apart,),
    )


def _of_the_classifier(named: NamedTrace, entry: Entry) -> Made:
    setup, name = named.trace.setup, entry.name
    if name == "encoded":
        return Made(f"classifier.layer{setup.layers}.out")
    if name in ("w_c", "b_c"):
        return _weight(named, entry, name)
    if weights.is_drawn(setup) or name == "angles":
        return Made(f"batch.{name}")
    if name == "ids":
        return Made("padded_ids(sentences, classifier.words, batch.is_word)")
    return (
        _placed(named, weights.below_classifier(setup))
        if name == "positions"
        else _literal(entry.value)
    )


def _of_the_next_word(named: NamedTrace, entry: Entry) -> Made:
    setup, name = named.trace.setup, entry.name
    if name == "encoded":
        return Made(f"{named.layers}{setup.layers}.out")
    if name == "number":
        return Made("next_number(setup)", (draws.next_number,))
    if name == "unembedding" and not weights.is_drawn(
        setup
    ):  # lying as it lies in core: products add up in the same order
        turned = _literal(entry.value.T)
        return Made(f"{turned.expression}.T", turned.functions)
    of_the_steps = name == "embedding_table" and not weights.of(setup).x(
        setup.tokens
    )  # a given X was made of no table
    return Made(name) if of_the_steps else _weight(named, entry, name)


def _of_a_causal_layer(named: NamedTrace, entry: Entry) -> Made:
    """Return a layer of the stack in which none looks ahead: its weights are those of the stack."""
    n = int(named.prefix.removeprefix("causal").rstrip("."))
    if entry.name == "x":
        return Made(f"causal{n - 1}.out" if n > 1 else "x")
    return Made(f"layer{n}.{entry.name}")


def _placed(named: NamedTrace, own: Edited) -> Made:
    """Return each sentence's positions, counted from its own first word."""
    setup = named.trace.setup
    tokens = named.trace.value("ids").shape[1]
    if setup.positions == "sinusoidal":
        rows = Made(
            f"sinusoidal(tokens={tokens}, d_model={setup.d_model})", (embedding.sinusoidal,)
        )
    else:
        rows = (
            Made('drawn["positions"]')
            if weights.is_drawn(setup)
            else _literal(own.positions(tokens))
        )
    return Made(f"place({rows.expression}, batch.is_word)", (*rows.functions, embedding.place))


def _of_a_layer(named: NamedTrace, entry: Entry) -> Made:
    """Return a layer of the stack, or of the classifier's, `layer2.` or `classifier.layer2.`."""
    layer, below = named.prefix.removeprefix("classifier."), named.prefix.startswith("classifier.")
    n = int(layer.removeprefix("layer").rstrip("."))
    if entry.name == "x":
        outer = "classifier." if below else ""
        return Made(f"{outer}layer{n - 1}.out" if n > 1 else f"{outer}x")
    if below and weights.is_drawn(named.trace.setup):
        return Made(layer + entry.name)
    if not below and n == 1 and entry.name in (*OF_THE_STEPS, *PROJECTED):
        return Made(entry.name)
    return _weight(named, entry, layer + entry.name)


def _weight(named: NamedTrace, entry: Entry, name: str) -> Made:
    setup = named.trace.setup
    of_layer = (
        f"layer{setup.layer}."
        if setup.layer > 1 and entry.name in weights.projections(setup)
        else ""
    )
    is_given = (
        not weights.is_drawn(setup) or entry.name == "x"
    )  # x: where the layers below are not written out
    return _literal(entry.value) if is_given else Made(f'drawn["{of_layer}{name}"]')


def _literal(value: Tensor) -> Made:
    expression = literal(value)
    return Made(
        expression,
        tuple(
            each
            for each in (unpacked, unpacked_floats)
            if expression.startswith(f"{each.__name__}(")
        ),
    )


def _of_a_model(named: NamedTrace, entry: Entry) -> Made:
    return _literal(entry.value)


MADE_OF = {
    "": _of_the_steps,
    "batch": _of_the_batch,
    "next_word": _of_the_next_word,
    "causal": _of_a_causal_layer,
    "classifier": _of_the_classifier,
    "mask": _of_a_model,
}
