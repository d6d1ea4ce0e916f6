"""Exercises on why a word is said: what a head brings by one word, what brings most, and what is
left without a head."""

from dataclasses import dataclass, replace
from functools import cached_property

import torch
from torch import Tensor

from .. import attribution, next_word
from ..answers import fixed, worked
from ..attribution import Attribution
from ..question import Opens, Question, Slip, Unposed
from ..setup import Setup
from ..text import labels, quoted, shorten
from ..trace import embedded
from ..written import number
from .draft import CLEAR, MOST_LISTED, Draft

At = tuple[int, int, int]  # layer, head and token, from 0
SEEN = 0.01  # a weight that is not all but nothing
TOO_FEW = "Here too few heads bring anything: draw other weights, or type another sentence."


@dataclass(frozen=True, eq=False)
class Taken:
    """The likeliest word's logit less the next one's, taken apart: by which `setup`, of which
    `pair` (places), and each head's `weights` for the last word (layer, head, token)."""

    setup: Setup
    pair: tuple[int, int]
    of: str
    apart: Attribution
    weights: Tensor

    @cached_property
    def clear(self) -> list[At]:
        """Where a head takes something, and brings something by it."""
        found = (self.weights > SEEN) & (self.apart.heads.abs() > CLEAR)
        return [(layer, head, token) for layer, head, token in found.nonzero().tolist()]

    def where(self, at: At) -> str:
        """Name a head and what it reads."""
        return (
            f"layer {at[0] + 1}, head {at[1] + 1}, reading"
            f" {quoted(labels(self.setup.tokens)[at[2]])}"
        )

    def factors(self, at: At) -> tuple[float, float]:
        """Return a weight, and what the value that is read would bring if it were 1."""
        weight = self.weights[at].item()
        return weight, self.apart.heads[at].item() / weight

    def opens(self, at: At) -> Opens:
        """Return where the page shows it."""
        return Opens("next", {"layer": at[0] + 1, "head": at[1] + 1, "key": at[2] + 1})


def what_a_head_brings(draft: Draft) -> Question | Unposed:
    """Ask for one summand: a weight times what the value that it takes speaks for."""
    taken = _taken(draft)
    if isinstance(taken, Unposed):
        return taken
    at = draft.random.choice(taken.clear)
    weight, value = taken.factors(at)
    slips = [
        Slip("the weight is left out: it would be 1 then", fixed(value)),
        Slip(
            "the two are added: a weight says how much of the value is taken", fixed(weight + value)
        ),
        Slip("it is what speaks for the other word", fixed(-weight * value)),
    ]
    return draft.exercise(
        f"{_capital(taken.where(at))}: its weight is {number(weight)}. The whole value that it"
        f" reads, through W_o and all norms above it as they are, would bring {number(value)} to"
        f" {taken.of}.\nHow much does the head bring by reading that word?",
        "number",
        worked(lambda a, b: a * b, weight, value, exact=taken.apart.heads[at].item()),
        slips,
        ("A head takes as much of a value as its weight says.", "Multiply the two."),
        f"{number(weight)} · ({number(value)}) = {number(taken.apart.heads[at].item())}.",
        taken.opens(at),
    )


def what_brings_most(draft: Draft) -> Question | Unposed:
    """Ask which of a few summands is the largest in size: a large weight is not yet a large
    part."""
    taken = _taken(draft)
    if isinstance(taken, Unposed):
        return taken
    first = draft.random.choice(taken.clear)
    others = [
        at
        for at in taken.clear
        if abs(abs(taken.apart.heads[at]) - abs(taken.apart.heads[first])) > CLEAR
    ]
    if not others:
        return Unposed(draft.name, TOO_FEW)
    looked, valued = (max(others, key=lambda at: abs(taken.factors(at)[k])) for k in (0, 1))
    few = dict.fromkeys((first, looked, valued))
    right = max(few, key=lambda at: abs(taken.apart.heads[at].item()))
    if any(
        at != right and abs(abs(taken.apart.heads[at]) - abs(taken.apart.heads[right])) <= CLEAR
        for at in few
    ):
        return Unposed(draft.name, TOO_FEW)
    order = draft.random.sample(list(few), len(few))
    given = "; ".join(
        f"{taken.where(at)}: {number(a)} and {number(b)}"
        for at in order
        for a, b in [taken.factors(at)]
    )

    def told(at: At) -> str:
        a, b = taken.factors(at)
        return (
            f"{taken.where(at)}: {number(a)} · ({number(b)}) ="
            f" {number(taken.apart.heads[at].item())}"
        )

    return draft.choice(
        "The weight of some heads for a word, and what that word's whole value would bring to"
        f" {taken.of}: {given}.\nWhich of them brings most, for it or against it?",
        taken.where(right),
        [
            (taken.where(at), f"{told(at)}, and another brings more in size.")
            for at in order
            if at != right
        ],
        (
            "A head that looks at a word takes a part of its value.",
            "Multiply each weight by what stands behind it.",
        ),
        f"{_capital(told(right))}.",
        taken.opens(right),
    )


def what_is_left(draft: Draft) -> Question | Unposed:
    """Ask how large a difference of logits would be without what one head brings itself."""
    taken = _taken(draft)
    if isinstance(taken, Unposed):
        return taken
    layer, head = draft.random.choice(sorted({at[:2] for at in taken.clear}))
    parts, total, names = (
        taken.apart.heads[layer, head],
        taken.apart.total,
        labels(taken.setup.tokens),
    )
    shown = sorted(range(len(parts)), key=lambda k: -abs(parts[k].item()))[: MOST_LISTED - 1]
    given = [(quoted(names[k]), parts[k].item()) for k in sorted(shown)]
    if len(parts) > len(shown):
        given.append(("all others", parts.sum().item() - sum(value for _, value in given)))
    numbers = [value for _, value in given]
    really = attribution.without(taken.setup, layer, head, *taken.pair)
    slips = [
        Slip("what the head brings is added", fixed(total + sum(numbers))),
        Slip(
            "only the word by which it brings most is taken away",
            fixed(total - parts[shown[0]].item()),
        ),
        Slip("that is what the head brings, not what is left", fixed(sum(numbers))),
        Slip("all above it is computed again: that is what really is left", fixed(really)),
    ]
    return draft.exercise(
        f"{_capital(taken.of)} is {number(total)}. Layer {layer + 1}, head {head + 1} brings by"
        f" reading {', '.join(f'{name} {number(value)}' for name, value in given)}.\nHow large"
        " would it be without what this head brings, if all else brought what it does now?",
        "number",
        worked(
            lambda all_of_it, *parts: all_of_it - sum(parts),
            total,
            *numbers,
            exact=total - parts.sum().item(),
        ),
        slips,
        (
            "A logit is a sum: what a head brings is one part of it.",
            "Add up what the head brings, and take it away.",
        ),
        f"{number(total)} less ({number(sum(numbers))}) is {number(total - sum(numbers))}. With the"
        f" head really off it is {number(really)}, since what it does through later parts is gone,"
        " too.",
        taken.opens((layer, head, shown[0])),
    )


def _taken(draft: Draft) -> Taken | Unposed:
    if reason := next_word.why_not(draft.setup):
        return Unposed(draft.name, reason)
    trace = draft.sources.said(draft.setup)
    word, *others = next_word.likeliest(trace)
    if not others:
        return Unposed(draft.name, "It compares two words: type a sentence with more than one.")
    setup = replace(trace.setup, layer=1)
    layers = draft.sources.stack(setup)
    apart = attribution.of_run(embedded(setup), layers, attribution.column(setup, word, others[0]))
    weights = torch.stack([layer.value("weights")[:, -1].double() for layer in layers])
    first, second = (quoted(shorten(trace.vocabulary[place])) for place in (word, others[0]))
    taken = Taken(
        setup, (word, others[0]), f"the logit of {first} less that of {second}", apart, weights
    )
    return taken if taken.clear else Unposed(draft.name, TOO_FEW)


def _capital(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}"
