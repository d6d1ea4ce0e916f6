"""What the weights' page says of the largest weight, of the division and of what grows. No
Streamlit here."""

import math
from collections.abc import Sequence

from torch import Tensor

from core import spread
from core.notebooks import n4
from core.setup import Setup
from core.spread import Spread
from core.written import short
from pages.shared.said.words import number, quoted
from pages.shared.server import computed


def largest_weight(weights: Tensor, masked: Tensor) -> str:
    """Describe the largest weight of one row (key,), from it and the scores that went into the
    softmax.

    Where a weight is below 1 and would print as 1.0000, the sentence says how much is left for the
    others.
    """
    printed = number(weights.max().item())
    if printed != "1.0000" or int(masked.isfinite().sum()) == 1:
        return printed
    apart = masked.double() - masked.double().max()
    exps = apart.exp()
    rest = exps.sum() - 1  # several that share the largest would not print as 1
    others = (exps[apart < 0].sum() / (1 + rest)).item()
    return (
        f"nearly 1 (all others together have {number(others)})"
        if others
        else "nearly 1 (the others have next to nothing)"
    )


def temperature(setup: Setup) -> str:
    """Say where the temperature stands in the formula; nothing where it is 1."""
    if setup.temperature == 1:
        return ""
    return (
        " The divisor is the temperature."
        if setup.scale == "none"
        else " The divisor's last factor is the temperature."
    )


def root(setup: Setup) -> str:
    """Say what the root in the formula is as a number; nothing where no root stands there.

    >>> root(Setup(d_k=24)), root(Setup(d_k=16)), root(Setup(scale="none"))
    (', √24 ≈ 4.8990.', ', √16 = 4.', '')
    """
    if setup.scale == "none":
        return ""
    whole = math.isqrt(setup.d_k)
    return (
        f", √{setup.d_k} = {whole}."
        if whole**2 == setup.d_k
        else f", √{setup.d_k} ≈ {number(setup.d_k**0.5)}."
    )


def division(
    name: str, raw: tuple[Tensor, Tensor], scaled: tuple[Tensor, Tensor], setup: Setup
) -> str:
    """Compare one word's row (weights, masked scores) without the division by √d_k and with it. The
    temperature counts in both."""
    without, with_it = largest_weight(*raw), largest_weight(*scaled)
    sentence = (
        f"The largest weight of {quoted(name)} is {without} without the division and {with_it}"
        " with it."
    )
    sentence += (
        f" Both are divided by the temperature, {setup.temperature:g}."
        if setup.temperature != 1
        else ""
    )
    return sentence + (
        " √1 is 1, so that here the division changes nothing." if setup.d_k == 1 else ""
    )


def row_sums() -> str:
    """Say what N4's softmax along the wrong axis does to its row sums, with this fault alone and as
    it stands there."""
    alone, both = (n4.row_sums(frozenset(faults)) for faults in (("axis",), ("axis", "size")))
    return (
        "One of the notebooks behind this explorer does just that: with this mistake alone its"
        f" rows sum to {alone}. As it stands there, with √6 in place of √24 as well, they sum to"
        f" {both} (see **Notebooks**)."
    )


def growth(spreads: Sequence[Spread]) -> str:
    """Say how the spread of the scores changes with d_k; nothing where all scores are equal."""
    power = spread.growth(list(spreads))
    if math.isnan(power):
        return ""
    if abs(power) < 0.005:
        return "From d_k = 8 on, the spread hardly changes with d_k."
    verb = "grows" if power > 0 else "falls"
    return f"From d_k = 8 on, the spread {verb} like d_k to the power {power:.2f}.".replace(
        "-", "−"
    )


def slopes(spreads: Sequence[Spread]) -> str:
    """Return whether the division keeps slopes larger, at the largest d_k that is drawn; nothing
    where all scores are equal."""
    last = spreads[-1]
    if last.standard_deviation == 0:
        return ""
    raw, divided = (short(slope) for slope in last.slope)
    begin = (
        f"At d_k = {last.d_k} the largest slope is {raw} without the division and {divided} with"
        " it: "
    )
    if raw == divided:
        return f"{begin}there is nothing to choose between the two."
    if last.slope[1] > last.slope[0]:
        return f"{begin}with it, weights follow their scores further."
    return (
        f"{begin}these scores did not lie too far apart, and the division only makes the weights"
        " more even."
    )


def why_it_grows(spreads: Sequence[Spread], init: str) -> str:
    """Say why the spread changes as it does with d_k; `init` is how this study draws weights
    (`spread.kind`)."""
    power = spread.growth(list(spreads))
    if math.isnan(power):
        return ""
    if init == "normal":
        return (
            "The paper's argument assumes queries and keys of mean 0 and independent parts: then"
            " the power is 0.5 on average, and √d_k is just right. Weights drawn from a normal"
            " distribution are like that; this draw "
            + (
                "comes close."
                if abs(power - 0.5) < 0.15
                else "does not, as single draws often do not: try another **Seed**."
            )
        )
    if init == "uniform":
        return (
            "The paper's argument assumes parts of mean 0, which gives a power of 0.5. These"
            " weights lie between 0 and 1, mean 0.5: the numbers of a query tend to have the same"
            " sign, so the products add up instead of cancelling. "
            + (
                "So the power is nearer 1, and dividing by √d_k helps, but not enough."
                if power > 0.75
                else "As a rule that brings the power near 1; with this draw it does not."
            )
            + " Set **Weights** to normal and compare."
        )
    if init == "xavier":
        peak = max(spreads, key=lambda each: each.standard_deviation)
        last = spreads[-1]
        falls = (
            f"the spread is largest at d_k = {peak.d_k} and has fallen to"
            f" {short(last.standard_deviation, 2)} at {last.d_k}"
            if last.standard_deviation < peak.standard_deviation
            else "as a rule the spread falls for large d_k; with this draw it has not yet"
        )
        return (
            f"Xavier's bound shrinks as d_k grows: {falls}. Dividing by √d_k makes the weights more"
            " even still."
        )
    return (
        "Without projections the score of a word with itself is its squared length, which grows"
        " like d_k; those of different words grow only like √d_k, as a rule. Dividing by √d_k"
        " helps, but in the end each word gives all to itself and its repeats."
    )


def drawn_by(setup: Setup) -> str:
    """Say how the study over d_k draws its weights, as a clause; with trained weights it draws its
    own all the same."""
    kind, seed = spread.kind(setup), f"seed {setup.seed}"
    if setup.init != "trained":
        return (
            f"{'without projections' if kind == 'none' else f'with weights drawn {kind}'}, {seed}"
        )
    if kind == "none":
        return f"without projections, their rows drawn and not trained, {seed}"
    return (
        f"with W_q and W_k drawn xavier, {seed}, since trained ones have one size only; training"
        " starts from such, half as large"
    )


def left_out(setup: Setup, draws_words: bool = False) -> str:
    """Say what the curves over d_k leave out of this setup. Where words' rows are drawn anew, that
    is also what was added to them."""
    learned = setup.projections == "learned"
    draws_words = draws_words or not learned
    edited = {edit.name for edit in computed.edits_that_fit(setup)}
    choices = (
        ("mask", setup.mask != "none"),
        ("temperature", setup.temperature != 1),
        ("biases", learned and setup.bias == "on"),
        ("edits of the projections", bool(edited & {"w_q", "w_k"})),
        ("edits of the table", draws_words and "embedding_table" in edited),
        ("positions", draws_words and setup.positions != "none"),
    )
    names = [name for name, on in choices if on]
    *most, last = names or [""]
    return (
        f"Without {', '.join(most)}{' and ' if most else ''}{last}. ".capitalize() if names else ""
    )
