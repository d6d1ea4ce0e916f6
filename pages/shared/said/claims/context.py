"""What the context's page says of a mixture. No Streamlit here."""

import itertools
from collections.abc import Sequence

from torch import Tensor

from core.written import behind_a_sign, number
from pages.shared.said.words import percent, quoted

CLEAR = 0.0002  # a difference that can be read off four decimals


def contribution(weights: Tensor, values: Tensor, names: Sequence[str], column: int) -> str:
    """Say that a weight is no contribution yet: of one row of weights (key,) and one column of
    values (key,), counted from 1, two words of which the one with less weight gives more. Where
    there are none, that is said. Nothing for a single word."""
    if len(names) == 1:
        return ""
    shares, parts = weights.tolist(), (weights * values).abs().tolist()
    # One has clearly less weight, and clearly a larger part, than the other.
    pairs = [
        (more, less)
        for more, less in itertools.permutations(range(len(names)), 2)
        if shares[less] - shares[more] > CLEAR and parts[more] - parts[less] > CLEAR
    ]
    begin = f"A weight is not a contribution: that is weight times value. In column {column}"
    if not pairs:
        return (
            f"{begin} the order is the same: no word with clearly less weight gives clearly more."
            " It is not always so."
        )
    more, less = max(pairs, key=lambda pair: parts[pair[0]] - parts[pair[1]])

    def told(k: int) -> str:
        weight, value = weights[k].item(), values[k].item()
        return f"{number(weight)} · {behind_a_sign(value)} = {number(weight * value)}"

    return (
        f"{begin}, {quoted(names[more])} has less weight than {quoted(names[less])} and still gives"
        f" more, in size: {told(more)}, against {told(less)}."
    )


def brings(weights: Sequence[float], shares: Sequence[float], names: Sequence[str]) -> str:
    """Say which word is looked at most and how much it brings, of one row: weights, and each word's
    share of all that is brought.

    >>> brings([0.8, 0.2], [0.1, 0.9], ["[SEP]", "cat"])
    '“[SEP]” gets 80% of the weight and brings 10%. “cat” brings most: 90%, with 20% of the weight.'
    """
    looked_at, most = (max(range(len(names)), key=each.__getitem__) for each in (weights, shares))
    if shares[most] == 0:
        return (
            f"{quoted(names[looked_at])} gets {percent(weights[looked_at])} of the weight, and"
            " nothing is brought: every part is 0."
        )
    first = (
        f"{quoted(names[looked_at])} gets {percent(weights[looked_at])} of the weight and brings"
        f" {percent(shares[looked_at])}"
    )
    if looked_at == most:
        return f"{first}: {'all' if weights[looked_at] == shares[most] == 1 else 'most'} of both."
    return (
        f"{first}. {quoted(names[most])} brings most: {percent(shares[most])}, with"
        f" {percent(weights[most])} of the weight."
    )


def mixture(column: int, values: Tensor, context: Tensor) -> str:
    """Say where one column of the context lies, beside the values (key,) it is mixed from; `column`
    counts from 1."""
    low, high = values.min().item(), values.max().item()
    leaves = context.min().item() < low or context.max().item() > high
    but = ", up to rounding" if leaves else ""
    if low == high:
        return (
            f"In column {column} all values are {number(low)}, so every word's context is"
            f" {number(low)} there too{but}: a mixture of equal numbers is that number."
        )
    return (
        f"A mixture lies between the smallest and the largest of what is mixed: in column {column}"
        f" the values go from {number(low)} to {number(high)}, and every word's context lies"
        f" between them{but}."
    )
