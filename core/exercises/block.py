"""Exercises of the page on the block: the residual stream, the norm, the activation."""

import math

from torch import Tensor

from ..answers import fixed, worked
from ..norms import EPSILON
from ..question import Opens, Question, Slip
from ..trace import Trace
from ..written import behind_a_sign, number
from .draft import Draft


def a_residual(draft: Draft) -> Question:
    """Ask for what attention found, added to what was there."""
    layer, trace = _a_layer(draft)
    place, column = _a_cell(draft, trace.value("x"))
    x, found, total = (
        trace.value(name)[place, column].item() for name in ("x", "output", "resid_mid")
    )
    opens = _opens(layer, place, column, "resid_mid")
    slips = [
        Slip(
            "the input is left out: the residual connection keeps it",
            fixed(found),
            _opens(layer, place, column, "output"),
        ),
        Slip("what attention found is left out", fixed(x)),
        Slip("what attention found is taken away", worked(lambda a, b: a - b, x, found), opens),
        Slip("the two are multiplied", worked(lambda a, b: a * b, x, found), opens),
        Slip("the mean of the two is taken", worked(lambda a, b: (a + b) / 2, x, found), opens),
    ]
    return draft.exercise(
        f"Layer {layer}. {draft.word(place)}, column {column + 1}: X has {number(x)}, attention"
        f" found Y = {number(found)}. What goes on in the residual stream?",
        "number",
        worked(lambda a, b: a + b, x, found, exact=total),
        slips,
        (
            "A residual connection goes past the attention.",
            "What was there stays, and what was found is added.",
        ),
        f"{number(x)} + {behind_a_sign(found)} = {number(total)}.",
        opens,
    )


def a_norm(draft: Draft) -> Question:
    """Ask for a number of a row, brought to mean 0 and spread 1."""
    if draft.setup.norm_kind == "rms":
        return an_rms_norm(draft)
    layer, trace = _a_layer(draft)
    source = "resid_mid" if draft.setup.norm == "post" else "x"
    rows = trace.value(source)
    place, column = _a_cell(draft, rows)
    row = rows[place].double()
    value, mean = row[column].item(), row.mean().item()
    variance = row.var(correction=0).item()
    divisor = math.sqrt(variance + EPSILON)
    # Of nearly equal numbers, ε is most of what is divided by: that is no spread.
    is_spread = number(divisor) == number(math.sqrt(variance))
    what, squared, told = (
        ("the spread", "the variance, the spread squared", "its spread (standard deviation)")
        if is_spread
        else (
            "that root",
            "variance + ε, without the root",
            f"the root of its variance + ε, with ε = {EPSILON:.5f}, is",
        )
    )
    answer = trace.value("normed_1")[place, column].item()
    opens = _opens(layer, place, column, "normed_1")
    given = (value, mean, divisor)
    slips = [
        Slip("the mean is not taken away", worked(lambda v, m, s: v / s, *given), opens),
        Slip(f"it is not divided by {what}", worked(lambda v, m, s: v - m, *given), opens),
        Slip(
            f"it is divided by {squared}", worked(lambda v, m, s: (v - m) / (s * s), *given), opens
        ),
        Slip(
            "it is divided first, and the mean taken away after",
            worked(lambda v, m, s: v / s - m, *given),
            opens,
        ),
        Slip("the mean is added", worked(lambda v, m, s: (v + m) / s, *given), opens),
        Slip(f"it is multiplied by {what}", worked(lambda v, m, s: (v - m) * s, *given), opens),
        Slip(
            "the mean is taken away from it the other way round",
            worked(lambda v, m, s: (m - v) / s, *given),
            opens,
        ),
    ]
    return draft.exercise(
        f"Layer {layer}. In the row of {draft.word(place)}, column {column + 1} has"
        f" {number(value)}; the row's mean is {number(mean)}, {told} {number(divisor)}. What does"
        " the norm make of that number?",
        "number",
        worked(lambda v, m, s: (v - m) / s, *given, exact=answer),
        slips,
        ("First bring the row's mean to 0.", f"Then divide by {what}."),
        f"({number(value)} − {behind_a_sign(mean)}) / {number(divisor)} = {number(answer)}.",
        opens,
    )


def an_activation(draft: Draft) -> Question:
    """Ask what the activation function lets through."""
    if draft.setup.activation == "swiglu":
        return a_gate(draft)
    layer, trace = _a_layer(draft)
    hidden = trace.value("ffn_hidden")
    negative = (hidden < -0.01).nonzero().tolist()  # what relu and gelu are about
    place, column = (
        draft.random.choice(negative) if negative and not draft.chosen else _a_cell(draft, hidden)
    )
    value, answer = hidden[place, column].item(), trace.value("ffn_activated")[place, column].item()
    below = 0.5 * (1 + math.erf(value / math.sqrt(2)))
    relu = draft.setup.activation == "relu"
    opens = _opens(layer, place, column, "ffn_activated")
    slips = [
        Slip(
            "it is let through as it is", fixed(value), _opens(layer, place, column, "ffn_hidden")
        ),
        Slip("its sign is dropped", fixed(-value), opens),
        (
            Slip("gelu is taken: here it is relu", worked(lambda v, b: v * b, value, below), opens)
            if relu
            else Slip("relu is taken: here it is gelu", fixed(max(value, 0.0)), opens)
        ),
        Slip(
            "it is multiplied by the share above it",
            worked(lambda v, b: v * (1 - b), value, below),
            opens,
        ),
        Slip("the share is given, not the number times it", fixed(below), opens),
        Slip("it becomes 1 or 0", fixed(float(value > 0)), opens),
    ]
    rule = (
        "relu keeps what is positive and puts 0 for the rest"
        if relu
        else "gelu multiplies by the share of a normal distribution below"
    )
    more = "" if relu else f" The share below {number(value)} is {number(below)}."
    return draft.exercise(
        f"Layer {layer}. In the feed-forward part, number {column + 1} of {draft.word(place)} is"
        f" {number(value)}. What does {draft.setup.activation} make of it?{more}",
        "number",
        worked(lambda v, b: max(v, 0.0) if relu else v * b, value, below, exact=answer),
        slips,
        (
            f"{rule[0].upper()}{rule[1:]}.",
            "Look at the sign." if relu else "Multiply the number by that share.",
        ),
        f"{rule[0].upper()}{rule[1:]}: {number(answer)}.",
        opens,
    )


def an_rms_norm(draft: Draft) -> Question:
    """Ask for a number of a row, divided by the root of the row's mean square."""
    layer, trace = _a_layer(draft)
    rows = trace.value("resid_mid" if draft.setup.norm == "post" else "x")
    place, column = _a_cell(draft, rows)
    row = rows[place].double()
    value, mean, root = (
        row[column].item(),
        row.mean().item(),
        math.sqrt(row.square().mean().item() + EPSILON),
    )
    answer = trace.value("normed_1")[place, column].item()
    opens, given = _opens(layer, place, column, "normed_1"), (value, mean, root)
    slips = [
        Slip(
            "the mean is taken away first, as layer norm does: here it stays",
            worked(lambda v, m, s: (v - m) / s, *given),
            opens,
        ),
        Slip("it is not divided at all", fixed(value), opens),
        Slip(
            "it is divided by the mean square, without the root",
            worked(lambda v, m, s: v / (s * s), *given),
            opens,
        ),
        Slip("it is divided by the mean", worked(lambda v, m, s: v / m if m else v, *given), opens),
        Slip("it is multiplied by the root", worked(lambda v, m, s: v * s, *given), opens),
    ]
    return draft.exercise(
        f"Layer {layer}. In the row of {draft.word(place)}, column {column + 1} has"
        f" {number(value)}; the row's mean is {number(mean)}, the root of its mean square + ε, with"
        f" ε = {EPSILON:.5f}, is {number(root)}. What does the norm (rms) make of that number?",
        "number",
        worked(lambda v, m, s: v / s, *given, exact=answer),
        slips,
        ("This norm leaves the mean where it is.", "Divide by the root of the mean square."),
        f"{number(value)} / {number(root)} = {number(answer)}.",
        opens,
    )


def a_gate(draft: Draft) -> Question:
    """Ask what swiglu's gate lets through of one number."""
    layer, trace = _a_layer(draft)
    place, column = _a_cell(draft, trace.value("ffn_hidden"))
    gate, hidden, answer = (
        trace.value(name)[place, column].item()
        for name in ("ffn_gate", "ffn_hidden", "ffn_activated")
    )
    share = 1 / (1 + math.exp(-gate)) if gate > -700 else 0.0
    opens, given = _opens(layer, place, column, "ffn_activated"), (gate, share, hidden)
    slips = [
        Slip(
            "the gate is not multiplied by its share", worked(lambda g, s, h: g * h, *given), opens
        ),
        Slip("the share alone is taken for the gate", worked(lambda g, s, h: s * h, *given), opens),
        Slip(
            "the two are added: the gate multiplies",
            worked(lambda g, s, h: g * s + h, *given),
            opens,
        ),
        Slip(
            "only the gate is given",
            worked(lambda g, s, h: g * s, *given),
            _opens(layer, place, column, "ffn_opened"),
        ),
        Slip(
            "it is let through as it is", fixed(hidden), _opens(layer, place, column, "ffn_hidden")
        ),
    ]
    return draft.exercise(
        f"Layer {layer}. In the feed-forward part, number {column + 1} of {draft.word(place)} is"
        f" {number(hidden)}, and its gate is {number(gate)}, of which 1 / (1 + e to minus the gate)"
        f" is {number(share)}. What does swiglu make of the number?",
        "number",
        worked(lambda g, s, h: g * s * h, *given, exact=answer),
        slips,
        (
            "First the gate times its share: that is silu.",
            "Then the number times what the gate lets through.",
        ),
        f"{number(gate)} · {behind_a_sign(share)} · {behind_a_sign(hidden)} = {number(answer)}.",
        opens,
    )


def _a_layer(draft: Draft) -> tuple[int, Trace]:
    """Pick a layer of the stack, from 1, with its trace."""
    layers = draft.sources.stack(draft.setup)
    layer = draft.pick(len(layers), "layer")
    return layer + 1, layers[layer]


def _a_cell(draft: Draft, rows: Tensor) -> tuple[int, int]:
    """Pick one number of one token."""
    return draft.pick(rows.shape[0], "query"), draft.pick(rows.shape[1], "column")


def _opens(layer: int, place: int, column: int, stage: str) -> Opens:
    return Opens(
        "block", {"layer": layer, "query": place + 1, "column": column + 1, "stage": stage}
    )
