"""What the pages say of weights that were changed by hand, and of edits that are ready to be made.
No Streamlit here."""

from collections.abc import Container

from torch import Tensor

from core import agreement, attention
from core.edits import touched
from core.setup import Setup
from core.text import labels
from core.trace import Trace
from core.written import count
from pages.shared.said.claims.common import in_tokens
from pages.shared.said.words import number, quoted
from pages.shared.server import computed

EDITED = " Some of the numbers were then edited by hand."


def edited(setup: Setup, but: Container[str] = ()) -> str:
    """Add to a sentence about how weights were drawn that some were edited. `but` are weights that
    are not meant."""
    return EDITED if any(edit.name not in but for edit in computed.edits_that_fit(setup)) else ""


def edited_matrix(trace: Trace, name: str, head: int | None = None) -> str:
    """Say the same of one entry; of one with heads, of the one that is asked for (from 0). A
    further layer's weights are called so."""
    layer = trace.setup.layer
    called = f"layer{layer}.{name}" if layer > 1 and name.startswith(("w_", "b_")) else name
    flags = touched(computed.edits_that_fit(trace.setup), called, tuple(trace.value(name).shape))
    return EDITED if flags[() if head is None else trace.head_index(name, head)].any() else ""


def even(after: Trace, head: int, i: int, may_attend: Tensor) -> str:
    """Say what W_q = 0 does to one word's weights (key,), of which it may look at some; head and
    word from 0.

    A later edit may put something into W_q again, in this head or in another.
    """
    q, row, name = (
        after.value("q"),
        after.value("weights")[head, i],
        quoted(labels(after.tokens)[i]),
    )
    given = row[may_attend]
    low, high = number(given.min().item()), number(given.max().item())
    if q[head, i].any():
        between = (
            f"from {low} to {high}" if low != high else f"{low} to each of {len(given)}, as printed"
        )
        return (
            in_tokens(after.setup)(
                f"Later edits change W_q or its bias again, so in head {head + 1} the query of this"
                " word is not 0: "
            )
            + f"{name} gives {between}."
        )
    whose = (
        "Queries are"
        if not q.any()
        else f"In head {head + 1} queries are"
        if not q[head].any()
        else "This word's query is"
    )
    same = (
        f"{whose} 0, and so is every score of its row, whatever the keys are: each word that a word"
        " may look at gets the same. "
    )
    if not whose.startswith("This"):
        same = same.replace(" of its row", "")
    return f"{in_tokens(after.setup)(same)}{name} gives {low} to each of {len(given)}."


def alike(before: Trace, after: Trace, head: int) -> str:
    """Say how many words give most to their like, themselves or a repeat, without W_q = W_k and
    with it; `head` from 0."""
    without, with_it = (_to_their_like(trace, head) for trace in (before, after))
    across = bool(after.setup.memory)
    pairs = [("w_q", "w_k"), ("b_q", "b_k")] if across else [("q", "k")]
    differ = after.setup.norms_heads and not after.value("gain_q").equal(after.value("gain_k"))
    gains = (
        " The norms that follow have different gains, so the two then differ again."
        if differ
        else ""
    )
    same = all(after.of_head(q, head).equal(after.of_head(k, head)) for q, k in pairs if q in after)
    begin = (
        "A query is then made as a key is: it fits the key of the same word."
        if same and across
        else (
            f"A query is then the word's own key, and fits itself.{gains}"
            if same
            else (
                f"Later edits change W_q or W_k again, so in head {head + 1} queries and keys still"
                " differ."
            )
        )
    )
    like = (
        "their like in the other sentence"
        if across
        else "themselves, or to the same word elsewhere"
    )
    return in_tokens(before.setup)(
        f"{begin} How many of {count(len(before.tokens), 'word')} give most to {like}? In head"
        f" {head + 1}, {with_it} with W_q = W_k and {without} without."
    )


def _to_their_like(trace: Trace, head: int) -> int:
    ids = trace.value("ids")
    asked = trace.value("memory_ids") if trace.setup.memory else ids
    return int((asked[trace.value("weights")[head].argmax(dim=-1)] == ids).sum())


def of_embeddings(after: Trace, head: int) -> str:
    """Say what W_v = identity makes of the context; `head` from 0."""
    x, weights, context = (after.value(name) for name in (after.asked, "weights", "context"))
    letter = "M" if after.setup.memory else "X"
    apart = agreement.largest_difference(attention.mix(weights[head], x), context[head])
    same = after.of_head("v", head).equal(x)
    begin = (
        f"A value is then the word's own row of {letter}, and the context a mixture of the"
        " embeddings themselves"
        if same
        else (
            f"Later edits change W_v or its bias again, so in head {head + 1} values are not the"
            f" words' own rows of {letter}"
        )
    )
    return in_tokens(after.setup)(f"{begin}: Z and α · {letter} ") + (
        f"differ by at most {number(apart)} (the largest number is"
        f" {number(agreement.largest(context[head]))} in size)."
        if apart
        else "are equal to the last bit."
    )


def head_off(before: Trace, after: Trace, head: int, i: int) -> str:
    """Say how far the output moves where a head's rows of W_o are 0: that of the token in focus,
    and the furthest; both from 0."""
    d_v = after.setup.d_v
    is_off = not after.value("w_o")[head * d_v : (head + 1) * d_v].any()
    begin = (
        "The head's context no longer reaches the output."
        if is_off
        else "Later edits fill the head's rows of W_o again."
    )
    outputs = [trace.value("output") for trace in (before, after)]
    moves = (outputs[1] - outputs[0]).norm(dim=-1)
    lengths = [number(output[i].norm().item()) for output in outputs]
    names, furthest = labels(before.tokens), int(moves.argmax())
    said = (
        f"{begin} The output of {quoted(names[i])} moves by {number(moves[i].item())}. Its length"
        f" was {lengths[0]} and is now {lengths[1]}."
    )
    return (
        said
        if furthest == i
        else (
            f"{said} {quoted(names[furthest])} moves furthest, by {number(moves[furthest].item())}."
        )
    )
