"""What would stand at [MASK]: from the row there to a share for each piece, and from the shares to
one piece.

Devlin et al. 2019, section 3.1: some words of a sentence are covered, and the row of each covered
word has to say which it was, from the words on both sides. From the logits on, steps are those of
the next word.
"""

from dataclasses import replace

import torch  # noqa: F401 (the worked examples use it)
from torch import Tensor

from . import encoder, next_word, weights
from .block import ACTIVATED
from .model import normalise
from .next_word import LAST, LOGITS, choose
from .origin import Product
from .record import Record, Trace
from .setup import Setup
from .step import Step
from .trace import compute_embedding
from .word_origins import Row


def row_at(encoded: Tensor, place: int) -> Tensor:
    """What the stack hands on for the word at one place, counted from 0: (token, d_model) →
    (d_model,).

    >>> row_at(torch.tensor([[1., 2.], [3., 4.]]), place=0).tolist()
    [1.0, 2.0]
    """
    return encoded[place]


def dense(row: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Put a row through one more layer: (d_model,) · (d_model, d_model) + (d_model,) → (d_model,).

    >>> dense(
    ...     torch.tensor([1.0, 2.0]),
    ...     torch.tensor([[1.0, 0.0], [0.0, 3.0]]),
    ...     torch.tensor([10.0, 20.0]),
    ... ).tolist()
    [11.0, 26.0]
    """
    return row @ w + b


AT_MASK = replace(LAST, function=row_at, origin=Row, symbol="z_m")
DENSE = Step(dense, Product, "dense", "H", "d_model")
WEIGHTS = {
    "w_fill": ("W_fill", "d_model d_model"),
    "b_fill": ("b_fill", "d_model"),
    "b_word": ("b", "word"),
}


def explain_refusal(setup: Setup) -> str:
    """Return why it is not said what would stand at [MASK], in a sentence; "" where it is."""
    if setup.real is None or not looks_ahead(setup):
        return "Only a model that looks both ways, BERT's family, learned what stands at [MASK]."
    if not setup.real.fills:
        return (
            f"{setup.real.name} looks ahead, and its folder has no part that says which word would"
            " stand at [MASK]."
        )
    mask = setup.real.tokenizer.mask
    return (
        ""
        if mask in setup.tokens
        else f"{setup.real.name} looks ahead: it says which word would stand at {mask}. Type that"
        " for a word of the sentence."
    )


def place(setup: Setup) -> int:
    """Return where the first [MASK] stands among the tokens, from 0. Raises ValueError where
    nothing is said of one; says why."""
    if reason := explain_refusal(setup):
        raise ValueError(reason)
    assert setup.real is not None
    return setup.tokens.index(setup.real.tokenizer.mask)


def fill(setup: Setup) -> Trace:
    """Take every step from what the stack hands on (`encoded`) to one piece (`chosen`, its place
    among `trace.vocabulary`): `last`, which is the row at the first [MASK], `dense`, `activated`,
    `normed_top`, `logits`, and on as `next_word.predict` does.

    Raises:
        ValueError: the setup has no model with the part that says it, or the sentence no [MASK];
        says why.
    """
    at, model, x = place(setup), setup.real, compute_embedding(setup).value("x")
    assert model is not None
    record = Record()
    out = encoder.result(setup, weights.layers(setup), x, weights.may_attend(setup, len(x)))
    record.keep("encoded", "Z", out, "token d_model")
    record.apply(AT_MASK, "encoded", place=at)
    for name, (symbol, axes) in WEIGHTS.items():
        record.keep(name, symbol, model.filling[name], axes)
    record.apply(DENSE, "last", "w_fill", "b_fill")
    kind = model.family.fills or setup.activation
    record.apply(ACTIVATED[kind].named("activated", f"{kind}(H)", "d_model"), "dense")
    normalise(setup, model.filling, record, "normed_top", "activated", "fill", "d_model")
    record.keep(
        "unembedding",
        "U" if setup.unembedding == "own" else "E^⊤",
        model.unembedding,
        "d_model word",
    )
    said = replace(
        LOGITS,
        function=model.unembed_at_mask,
        origin=lambda top: Product(top, "unembedding", "b_word"),
    )
    record.apply(said, "normed_top")
    choose(setup, record)
    return Trace(setup, record.entries, _words=model.tokenizer.every)


def looks_ahead(setup: Setup) -> bool:
    """Return whether the setup's model looks both ways, so that it is asked for a word at [MASK]
    and not for the next."""
    return setup.real is not None and setup.real.is_of_sentences


def explain_no_word(setup: Setup) -> str:
    """Return why neither a word at [MASK] nor a next one is said, in a sentence; "" where one
    is."""
    return explain_refusal(setup) if looks_ahead(setup) else next_word.explain_refusal(setup)


def say(setup: Setup) -> Trace:
    """Take every step to the word that is said: at [MASK] of a model that looks both ways, else the
    next. Raises ValueError where none is; says why."""
    return fill(setup) if looks_ahead(setup) else next_word.predict(setup)
