"""What the pages say of weights that were changed by hand, and of edits that are ready to be made. No Streamlit here."""

from collections.abc import Container

from torch import Tensor

from core import agreement, attention
from core.edits import touched
from core.setup import Setup
from core.text import labels
from core.trace import Trace
from pages.shared import computed
from pages.shared.claims.common import in_tokens
from pages.shared.words import number, quoted

EDITED = " Some of the numbers were then edited by hand."


def edited(setup: Setup, but: Container[str] = ()) -> str:
    """Behind a sentence that says how weights were drawn: that some were edited. `but` are weights that are not meant."""
    return EDITED if any(edit.name not in but for edit in computed.edits_that_fit(setup)) else ""


def edited_matrix(trace: Trace, name: str, head: int | None = None) -> str:
    """The same of one entry; of one with heads, of the one that is asked for (from 0)."""
    flags = touched(computed.edits_that_fit(trace.setup), name, tuple(trace.value(name).shape))
    return EDITED if (flags if head is None else flags[head]).any() else ""


def even(name: str, row: Tensor, may_attend: Tensor, setup: Setup) -> str:
    """What W_q = 0 does to one word's weights (key,), of which it may look at some."""
    given = row[may_attend]
    low, high = number(given.min().item()), number(given.max().item())
    if low != high:
        return f"Queries are 0, except where later edits change them again: {quoted(name)} gives from {low} to {high}."
    same = "Queries are 0, and so is every score, whatever the keys are: each word that a word may look at gets the same. "
    return f"{in_tokens(setup)(same)}{quoted(name)} gives {low} to each of {len(given)}."


def alike(before: Trace, after: Trace, head: int) -> str:
    """How many words give most to their like, themselves or a repeat, without W_q = W_k and with it; `head` from 0."""
    without, with_it = (_to_their_like(trace, head) for trace in (before, after))
    return in_tokens(before.setup)(
        f"A query is then the word's own key, and fits itself: in head {head + 1}, {with_it} of {len(before.tokens)} words give most "
        f"to themselves or to a repeat of themselves with it, {without} without it."
    )


def _to_their_like(trace: Trace, head: int) -> int:
    ids = trace.value("ids")
    return int((ids[trace.value("weights")[head].argmax(dim=-1)] == ids).sum())


def of_embeddings(after: Trace, head: int) -> str:
    """What W_v = identity makes of the context; `head` from 0."""
    x, weights, context = (after.value(name) for name in ("x", "weights", "context"))
    apart = agreement.largest_difference(attention.mix(weights[head], x), context[head])
    return in_tokens(after.setup)(
        "A value is then the word's own row of X, and the context a mixture of the embeddings themselves: Z and α · X "
    ) + (f"differ by at most {number(apart)}." if apart else "are equal to the last bit.")


def head_off(before: Trace, after: Trace, i: int) -> str:
    """How far the output moves where a head's rows of W_o are 0: that of the token in focus, from 0, and the furthest."""
    outputs = [trace.value("output") for trace in (before, after)]
    moves = (outputs[1] - outputs[0]).norm(dim=-1)
    lengths = [number(output[i].norm().item()) for output in outputs]
    names, furthest = labels(before.tokens), int(moves.argmax())
    said = (
        f"The head's context no longer reaches the output: that of {quoted(names[i])} moves by {number(moves[i].item())}, from a "
        f"length of {lengths[0]} to {lengths[1]}."
    )
    return (
        said
        if furthest == i
        else f"{said} That of {quoted(names[furthest])} moves furthest, by {number(moves[furthest].item())}."
    )
