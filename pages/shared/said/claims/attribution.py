"""What is said of a logit taken apart: what brings most, what heads bring together, and what one
does without its later ways."""

from collections.abc import Sequence

from core.attribution import Attribution, Summand
from core.text import quoted
from core.written import count, number
from pages.shared.said import words

ROUNDING = 1e-6  # of all summands together, that a total may move by though nothing changes
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


def of(word: str, instead: str = "") -> str:
    """Say what is taken apart: a word's logit, or by how much it is larger than another's."""
    return f"the logit of {quoted(word)}" + (f" less that of {quoted(instead)}" if instead else "")


PARTS = ("attention", "feed-forward part")


def on_the_way(layer: int, layers: int, which: int, value: float, so_far: float) -> str:
    """Say what a bar of the sum's way up `layers` layers brings, and how much there is then: layer
    0 is below the first, one more than there are is the norm at the top; of a layer between, 0 is
    attention and 1 the feed-forward part."""
    what = (
        f"Layer {layer}, {PARTS[which]},"
        if 0 < layer <= layers
        else "The norm at the top"
        if layer
        else "The word’s own row"
    )
    return f"{what} brings {number(value)}; with it there is {number(so_far)}."


def named(summand: Summand, names: Sequence[str]) -> str:
    """Name a summand: layers and heads from 1, words by their names.

    >>> named(Summand(0.5, "head", 0, 2, 1), ["the", "cat"]), named(
    ...     Summand(0.5, "layer2.b_o"), ["the", "cat"]
    ... )
    ('layer 1, head 3, reading “cat”', 'layer 2, b_o')
    """
    if summand.name == "head":
        return (
            f"layer {summand.layer + 1}, head {summand.head + 1}, reading"
            f" {quoted(names[summand.token])}"
        )
    if summand.name == "feed_forward":
        return f"layer {summand.layer + 1}, feed-forward part"
    if summand.name in OF_THE_WORD:
        return f"the {OF_THE_WORD[summand.name]} of {quoted(names[-1])}"
    layer, _, name = summand.name.partition(".")
    return f"layer {layer.removeprefix('layer')}, {SYMBOLS[name]}" if name else OF_THE_STACK[layer]


def largest(apart: Attribution, names: Sequence[str], said: str) -> str:
    """Say which summand brings most, for or against; `said` is what was taken apart."""
    first, *others = apart.ranked()
    if first.value == 0:
        return (
            f"Nothing speaks for one word or the other: each of {count(len(others) + 1, 'summand')}"
            " is 0."
        )
    way = "speaks for it" if first.value > 0 else "speaks against it"
    told = f"{is_total(apart, said)} The largest of {count(len(others) + 1, 'summand')} {way}"
    return f"{told}: {named(first, names)}, brings {number(first.value)}."


def is_total(apart: Attribution, said: str) -> str:
    """Say what is taken apart, and what it is."""
    return f"{said[0].upper()}{said[1:]} is {number(apart.total)}."


def by_a_head(apart: Attribution, names: Sequence[str]) -> str:
    """Say which head brings most by one word, and of how much."""
    most = apart.by_a_head()
    return (
        f"Of what heads bring, most is that of {named(most, names)}: {number(most.value)}. The sum"
        f" is {number(apart.total)}."
    )


def head(layer: int, head: int) -> str:
    """Name a head, both from 0."""
    return f"layer {layer + 1}, head {head + 1}"


def first_said(word: str, first: int, layers: int, share: float, end: float) -> str:
    """Say after how many layers the answer after the last word first is the likeliest, with which
    share, and with which in the end."""
    when = (
        f"After layer {first} of {layers}"
        if first
        else f"Before the first of {count(layers, 'layer')}"
    )
    ending = f", and after the last {words.percent(end)}" if first < layers else ""
    return (
        f"{when} {quoted(word)} is the likeliest next word for the first time, with"
        f" {words.percent(share)}{ending}."
    )


def by_kind(apart: Attribution) -> str:
    """Say what heads, feed-forward parts and all else bring together, and that it adds up."""
    parts = [apart.heads.sum().item(), apart.feed_forward.sum().item(), sum(apart.others.values())]
    rounding = (
        "" if sum(map(words.printed, parts)) == words.printed(apart.total) else ", but for rounding"
    )
    heads, fed, rest = map(number, parts)
    return (
        f"All heads together bring {heads}, the feed-forward parts {fed}, the last word’s own row"
        f" and the rest {rest}. That adds up to {number(apart.total)}{rounding}."
    )


def held(of_held: float, here: float) -> str:
    """Say what the same logit, or difference of two, is in the setup that is held."""
    return f"In the held setup the same is {number(of_held)}, here it is {number(here)}."


def parted(layer: int, head: int, of_held: float, here: float) -> str:
    """Say which head, from 0, brings what is furthest apart there and here."""
    return (
        f"What is furthest apart is brought by layer {layer + 1}, head {head + 1}:"
        f" {number(of_held)} held, {number(here)} here."
    )


def really(apart: Attribution, layer: int, head: int, without: float) -> str:
    """Say what is left out of what one head brings, both from 0: beside it, how far the total
    really moves `without` the head."""
    direct, fall = apart.heads[layer, head].sum().item(), apart.total - without
    if abs(fall) <= ROUNDING * sum(abs(each.value) for each in apart.ranked()):
        fall = 0.0
    moves = (
        f"falls by {number(fall)}"
        if fall > 0
        else f"rises by {number(-fall)}"
        if fall < 0
        else "stays as it is"
    )
    other = " That is the other way." if fall * direct < 0 else ""
    return (
        f"Layer {layer + 1}, head {head + 1} brings {number(direct)}. With it off, and all above it"
        f" computed again, the total really {moves}.{other}"
    )


def becomes(names: Sequence[str], before: Sequence[float], after: Sequence[float]) -> str:
    """Say what becomes of the shares that one or two words have, once a head is off.

    >>> becomes(["Paris", "London"], [0.7727, 0.0121], [0.25, 0.01211])
    'The share of “Paris” goes from 77.3% to 25.0%, that of “London” stays at 1.2%.'
    """
    parts = []
    for name, *shares in zip(names, before, after, strict=True):
        then, now = (words.percent(share, 1) for share in shares)
        parts.append(
            f"of {quoted(name)} "
            + (f"stays at {now}" if then == now else f"goes from {then} to {now}")
        )
    return f"The share {', that '.join(parts)}."
