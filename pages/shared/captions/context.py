"""Sentences about the context vector. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core.text.written import equals, number, write_after_sign
from pages.shared.text.words import percent, quote


def describe_contribution(
    weights: Tensor, values: Tensor, names: Sequence[str], column: int
) -> str:
    """Compare the word with the largest weight and the one with the largest weight × value, in one
    row of weights (key,) and one column (from 1) of values (key,)."""

    def told(k: int) -> str:
        weight, value = weights[k].item(), values[k].item()
        return (
            f"{quote(names[k])}, {number(weight)} · {write_after_sign(value)}"
            f" {equals(weight * value)}"
        )

    looked_at, most = int(weights.argmax()), int((weights * values).abs().argmax())
    said = (
        "A weight is not a contribution: that is weight times value. Most in column"
        f" {column} is brought by {told(most)}."
    )
    return said if most == looked_at else f"{said} Most weight has {told(looked_at)}."


def brings(weights: Sequence[float], shares: Sequence[float], names: Sequence[str]) -> str:
    """Compare the key with the largest weight and the one with the largest share of the
    contributions, in one row.

    >>> brings([0.8, 0.2], [0.1, 0.9], ["[SEP]", "cat"])
    '“[SEP]” gets 80% of the weight and brings 10%. “cat” brings most: 90%, with 20% of the weight.'
    """
    looked_at, most = (max(range(len(names)), key=each.__getitem__) for each in (weights, shares))
    if looked_at == most:
        return (
            f"{quote(names[most])} gets most of the weight, {percent(weights[most])}, and brings"
            f" most, {percent(shares[most])}."
        )
    return (
        f"{quote(names[looked_at])} gets {percent(weights[looked_at])} of the weight and brings"
        f" {percent(shares[looked_at])}. {quote(names[most])} brings most:"
        f" {percent(shares[most])}, with {percent(weights[most])} of the weight."
    )


def mixture(column: int, values: Tensor) -> str:
    """State that one context column (from 1) lies within the range of its values (key,)."""
    return (
        f"A mixture lies between the smallest and the largest of what is mixed: in column {column}"
        f" the values go from {number(values.min().item())} to {number(values.max().item())}, and"
        " every word's context lies between them, up to rounding."
    )
