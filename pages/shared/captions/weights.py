"""Sentences about the weights: the division by √d_k and its effect. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core import Setup
from core.analysis import std
from core.analysis.std import Spread
from core.notebooks import n4
from pages.shared.text.words import number, percent, quote, short


def divisor(setup: Setup) -> str:
    """State the divisor of the scores, "" if there is none.

    >>> divisor(Setup(d_k=24)), divisor(Setup(scale="none"))
    (' √24 is 4.8990.', '')
    """
    said = "" if setup.scale == "none" else f" √{setup.d_k} is {number(setup.d_k**0.5)}."
    return said if setup.temperature == 1 else f"{said} The temperature divides too."


def division(name: str, raw: Tensor, scaled: Tensor) -> str:
    """Compare one word's largest weight without and with the division by √d_k; rows (key,)."""
    without, with_it = (percent(row.max().item()) for row in (raw, scaled))
    return (
        f"The largest weight of {quote(name)} is {without} without the division and {with_it}"
        " with it."
    )


def row_sums() -> str:
    """State the row sums of N4's softmax along the wrong axis, with this mistake alone and with
    both."""
    alone, both = (n4.row_sums(frozenset(faults)) for faults in (("axis",), ("axis", "size")))
    return (
        "One of the notebooks behind this explorer does just that: with this mistake alone its"
        f" rows sum to {alone}. As it stands there, with √6 in place of √24 as well, they sum to"
        f" {both} (see **Notebooks**)."
    )


def explain_growth(spreads: Sequence[Spread]) -> str:
    """State how the spread of the scores changes with d_k, and the assumption behind √d_k."""
    power = f"{std.fit_exponent(list(spreads)):.2f}".replace("-", "−")
    return (
        f"From d_k = 8 on, the spread changes like d_k to the power {power}. Independent"
        " parts of mean 0, which normal matrices give as a rule, bring it near 0.5: hence the root."
        " Uniform matrices, all above 0, bring it near 1."
    )


def slopes(spreads: Sequence[Spread]) -> str:
    """Compare the largest slopes with and without the division, at the largest d_k shown."""
    raw, divided = (short(slope) for slope in spreads[-1].slope)
    return (
        f"At d_k = {spreads[-1].d_k} the largest slope is {raw} without the division and {divided}"
        " with it."
    )


def drawn_by(setup: Setup) -> str:
    """Describe how the study over d_k initialises its weights, as a clause.

    >>> drawn_by(Setup()), drawn_by(Setup(projections="none"))
    ('W_q and W_k drawn uniform, seed 123', 'nothing projected, seed 123')
    """
    kind = std.kind(setup)
    drawn = "nothing projected" if kind == "none" else f"W_q and W_k drawn {kind}"
    return f"{drawn}, seed {setup.seed}"
