"""Sentences about logit attribution: the largest summands, the heads' total, and the effect of
ablating a head."""

from collections.abc import Sequence

from core.analysis.attribution import Attribution, Summand
from core.text.text import quote
from core.text.written import count, number
from pages.shared.text import words

OF_THE_WORD = {
    "x": "row of X",
    "embedded": "row of the table",
    "positions": "place",
    "part": "part of the text",
}
SYMBOLS = {
    "b_o": "b_o",
    "b_2": "b_2",
    "shift_1": "the first norm’s shift",
    "shift_2": "the second norm’s shift",
}
OF_THE_STACK = {
    "shift_0": "the shift of the norm below layer 1",
    "shift_top": "the shift of the norm at the top",
}


def describe_logit(word: str, instead: str = "") -> str:
    """Name the attributed quantity: a word's logit, or its difference to another's."""
    return f"the logit of {quote(word)}" + (f" less that of {quote(instead)}" if instead else "")


def describe_running_sum(part: str, value: float, so_far: float) -> str:
    """Describe one bar of the sum by layers and the sum so far."""
    return f"{part} brings {number(value)}; with it there is {number(so_far)}."


def name_summand(summand: Summand, names: Sequence[str]) -> str:
    """Name a summand: layers and heads from 1, words by their names.

    >>> name_summand(Summand(0.5, "head", 0, 2, 1), ["the", "cat"]), name_summand(
    ...     Summand(0.5, "layer2.b_o"), ["the", "cat"]
    ... )
    ('layer 1, head 3, reading “cat”', 'layer 2, b_o')
    """
    if summand.name == "head":
        return f"{head(summand.layer, summand.head)}, reading {quote(names[summand.token])}"
    if summand.name == "feed_forward":
        return f"layer {summand.layer + 1}, feed-forward part"
    if summand.name in OF_THE_WORD:
        return f"the {OF_THE_WORD[summand.name]} of {quote(names[-1])}"
    layer, _, name = summand.name.partition(".")
    return f"layer {layer.removeprefix('layer')}, {SYMBOLS[name]}" if name else OF_THE_STACK[layer]


def head(layer: int, head: int) -> str:
    """Name a head (layer and head from 0)."""
    return f"layer {layer + 1}, head {head + 1}"


def is_total(apart: Attribution, said: str) -> str:
    """State the attributed quantity and its value."""
    return f"{said[0].upper()}{said[1:]} is {number(apart.total)}."


def largest(apart: Attribution, names: Sequence[str], said: str) -> str:
    """Name the summand with the largest absolute value; `said` is the attributed quantity."""
    ranked = apart.ranked()
    return (
        f"{is_total(apart, said)} The largest of {len(ranked)} summands:"
        f" {name_summand(ranked[0], names)}, brings {number(ranked[0].value)}."
    )


def describe_largest_head(apart: Attribution, names: Sequence[str]) -> str:
    """Name the head with the largest contribution from one word, and the total."""
    most = apart.by_a_head()
    return (
        f"Of what heads bring, most is that of {name_summand(most, names)}: {number(most.value)}."
        f" The sum is {number(apart.total)}."
    )


def describe_kinds(apart: Attribution) -> str:
    """State the totals of heads, feed-forward parts and the rest."""
    heads, fed = apart.heads.sum().item(), apart.feed_forward.sum().item()
    return (
        f"All heads together bring {number(heads)}, the feed-forward parts {number(fed)}, the last"
        f" word’s own row and the rest {number(sum(apart.others.values()))}."
    )


def first_said(word: str, first: int, layers: int, share: float, end: float) -> str:
    """State after how many layers the answer is first the most probable word, with its probability
    then and at the end."""
    when = f"After {first} of {count(layers, 'layer')}" if first else "Before the first layer"
    return (
        f"{when} {quote(word)} is for the first time the likeliest next word, with"
        f" {words.percent(share, 1)}; in the end with {words.percent(end, 1)}."
    )


def explain_held(of_held: float, here: float) -> str:
    """State the attributed quantity in the pinned setup and in this one."""
    return f"In the held setup the same is {number(of_held)}, here it is {number(here)}."


def describe_difference(layer: int, which: int, of_held: float, here: float) -> str:
    """Name the head (layer and head from 0) whose contribution differs most between the setups."""
    return (
        f"What is furthest apart is brought by {head(layer, which)}: {number(of_held)} held,"
        f" {number(here)} here."
    )


def really(apart: Attribution, layer: int, which: int, without: float) -> str:
    """Compare one head's contribution with the true total `without` the head (layer and head from
    0)."""
    brings = number(apart.heads[layer, which].sum().item())
    return (
        f"{head(layer, which).capitalize()} brings {brings}. With it off, and all above it computed"
        f" again, the total is really {number(without)} in place of {number(apart.total)}."
    )


def becomes(names: Sequence[str], before: Sequence[float], after: Sequence[float]) -> str:
    """State one or two words' probabilities before and after a head's ablation.

    >>> becomes(["Paris", "London"], [0.7727, 0.0121], [0.25, 0.01211])
    'Without it: “Paris” 77.3% → 25.0%, “London” 1.2% → 1.2%.'
    """
    told = (
        f"{quote(name)} {words.percent(then, 1)} → {words.percent(now, 1)}"
        for name, then, now in zip(names, before, after, strict=True)
    )
    return f"Without it: {', '.join(told)}."
