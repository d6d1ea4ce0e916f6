"""Masked language modelling: from the row at [MASK] to a probability for each piece, and to one
piece.

Devlin et al. 2019, section 3.1: some words are masked and predicted from the words on both sides.
From the logits on, the steps are those of next-word prediction.
"""

from dataclasses import replace

import torch  # noqa: F401 (the worked examples use it)
from torch import Tensor

from ..layers.block import ACTIVATED
from ..layers.model import normalise
from ..setup.setup import Setup
from ..trace.origin import Product
from ..trace.record import Trace, TraceBuilder
from ..trace.step import Step
from ..weights import weights
from . import encoder, next_word
from .next_word import LAST, LOGITS, choose
from .trace import compute_embedding
from .word_origins import Row


def row_at(encoded: Tensor, place: int) -> Tensor:
    """Return the stack's output at one position, counted from 0: (token, d_model) → (d_model,).

    >>> row_at(torch.tensor([[1., 2.], [3., 4.]]), place=0).tolist()
    [1.0, 2.0]
    """
    return encoded[place]


def dense(row: Tensor, w: Tensor, b: Tensor) -> Tensor:
    """Apply a linear layer to a row: (d_model,) · (d_model, d_model) + (d_model,) → (d_model,).

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
    """Return why [MASK] cannot be predicted, in a sentence; "" if it can."""
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
    """Return the index of the first [MASK] among the tokens, from 0. Raises ValueError if it cannot
    be predicted; says why."""
    if reason := explain_refusal(setup):
        raise ValueError(reason)
    assert setup.real is not None
    return setup.tokens.index(setup.real.tokenizer.mask)


def fill(setup: Setup) -> Trace:
    """Compute every step from the stack's output (`encoded`) to one piece (`chosen`, its index in
    `trace.vocabulary`): `last`, the row at the first [MASK], `dense`, `activated`, `normed_top`,
    `logits`, and then as in `next_word.predict`.

    Raises:
        ValueError: there is no model with a masked-language-model head, or no [MASK] in the
        sentence; says why.
    """
    at, model, x = place(setup), setup.real, compute_embedding(setup).value("x")
    assert model is not None
    record = TraceBuilder()
    out = encoder.result(setup, weights.layers(setup), x, weights.may_attend(setup, len(x)))
    record.keep("encoded", "Out", out, "token d_model")
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
    """Return whether the setup's model is bidirectional, so that it predicts [MASK], not the next
    word."""
    return setup.real is not None and setup.real.looks_ahead


def explain_no_word(setup: Setup) -> str:
    """Return why no word can be predicted, at [MASK] or next, in a sentence; "" if one can."""
    return explain_refusal(setup) if looks_ahead(setup) else next_word.explain_refusal(setup)


def say(setup: Setup) -> Trace:
    """Compute every step to the predicted word: [MASK] for a bidirectional model, else the next
    word. Raises ValueError if there is none; says why."""
    return fill(setup) if looks_ahead(setup) else next_word.predict(setup)
