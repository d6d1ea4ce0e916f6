"""Exercises of the page on the next word, or the one at [MASK]: a logit, a share, and the word that
a number draws."""

import math
from dataclasses import replace
from itertools import accumulate, pairwise

import torch

from .. import attention, filling, next_word
from ..answers import fixed, worked
from ..question import Opens, Question, Slip, Unposed
from ..text import quoted, shorten
from ..written import number
from . import sums
from .draft import MOST_LISTED, Draft

MIDDLING, CLEAR = (0.001, 0.999), 0.01  # a share to work out; one that a number can be drawn in


def a_logit(draft: Draft) -> Question | Unposed:
    """Ask for the last row times one column of the unembedding."""
    ours = _on_words_said(draft)
    if isinstance(ours, Unposed):
        return ours
    rank, place = _a_word(ours)
    cell = ours.opened("logits", (place,))
    shown = sorted(cell.terms, key=lambda term: -abs(term.value))[:2]
    logits, row = ours.value("logits"), ours.value(cell.terms[0].factors[0].name)
    another = next_word.likeliest(ours.trace)[rank - 1]
    which = "row" if filling.looks_ahead(draft.setup) else "last row"
    slips = [
        *sums.slips(cell, shown),
        Slip("the logit of another word is taken", fixed(logits[another].item())),
        Slip(
            "it is divided by the temperature already",
            fixed(logits[place].item() / draft.setup.word_temperature),
        ),
        Slip(f"the {which} alone is added up", fixed(row.sum().item())),
    ]
    return draft.exercise(
        sums.question(ours, ours.cell("logits", place), cell, shown),
        "number",
        sums.answer(cell, shown),
        slips,
        (
            f"Each number of the {which} is multiplied by the word's own.",
            "Add the products to what the others give.",
        ),
        f"Added up it is {number(cell.value)}.",
        _opens(rank),
    )


def a_share(draft: Draft) -> Question | Unposed:
    """Ask for one word's share, after the temperature."""
    ours = _on_words_said(draft)
    if isinstance(ours, Unposed):
        return ours
    logits, tempered, ready, shares = (
        ours.value(name) for name in ("logits", "tempered", "top_p", "probabilities")
    )
    low, high = MIDDLING
    places = [
        (rank, place)
        for rank, place in enumerate(next_word.likeliest(ours.trace))
        if low < shares[place] < high
    ]
    if not places:
        return Unposed(
            draft.name,
            "Here one word has all of the share: try a higher temperature, or let more words come.",
        )
    rank, place = draft.random.choice(places)
    t, logit, largest = draft.setup.word_temperature, logits[place].item(), ready.max().item()
    exponentials = (ready.double() - largest).exp()
    total, cut = (
        exponentials.sum().item(),
        " of those that may come" if (ready == -torch.inf).any() else "",
    )
    others = [
        ("the temperature is left out", attention.softmax(logits)),
        ("it is multiplied by the temperature instead of divided", attention.softmax(logits * t)),
        ("e is raised to the number, and not yet divided by the sum", exponentials),
        ("the numbers themselves are divided by their sum, without e", tempered / tempered.sum()),
        ("words that may not come are counted too", attention.softmax(tempered)),
        ("all words are taken to be alike", torch.full_like(shares, 1 / len(shares))),
    ]
    return draft.exercise(
        f"The logit of {_quoted(ours, place)} is {number(logit)}, and the temperature of words is"
        f" {t:g}. Divided by it, the largest of all logits m is {number(largest)}, and all e^(logit"
        f" / T − m){cut} add up to {number(total)}.\nWhich share does {_quoted(ours, place)} have?",
        "number",
        worked(
            lambda own, m, s: math.exp(own / t - m) / s,
            logit,
            largest,
            total,
            exact=shares[place].item(),
        ),
        [Slip(says, fixed(values[place].item())) for says, values in others],
        (
            "Divide the logit by the temperature first.",
            "Take the largest away, and raise e to that.",
            "Divide by the sum.",
        ),
        f"It is {number(shares[place].item())}: its own exponential divided by the sum.",
        _opens(rank),
    )


def a_word(draft: Draft) -> Question | Unposed:
    """Ask for the word into whose bar a number falls."""
    ours = _on_words_said(draft)
    if isinstance(ours, Unposed):
        return ours
    shares = ours.value("probabilities").double()
    order = [
        place
        for place in shares.argsort(descending=True, stable=True)[:MOST_LISTED].tolist()
        if shares[place] > 0
    ]
    bars = list(pairwise(accumulate((shares[place].item() for place in order), initial=0.0)))
    clear = [k for k, (start, end) in enumerate(bars) if end - start > CLEAR]
    if len(order) < 2:
        return Unposed(
            draft.name,
            "It needs two words that may come: try a higher temperature, or let more words come.",
        )
    right = draft.random.choice(clear)
    start, end = bars[right]
    drawn = round(start + (end - start) * draft.random.uniform(0.2, 0.8), 4)
    near = [
        k for k in (right - 1, right + 1, 0, len(order) - 1) if k != right and 0 <= k < len(order)
    ]
    wrong = list(dict.fromkeys(near))[:2]

    def told(k: int) -> str:
        return (
            f"the bar of {_quoted(ours, order[k])} goes from {number(bars[k][0])} to"
            f" {number(bars[k][1])}"
        )

    listed = ", ".join(
        f"{ours.cell('probabilities', place)} = {number(shares[place].item())}" for place in order
    )
    return draft.choice(
        f"The largest shares are {listed}. Laid end to end in this order, the bars begin at 0.\nThe"
        f" number {number(drawn)} is drawn. "
        + (
            "Which piece is put in?"
            if filling.looks_ahead(draft.setup)
            else "Which word comes next?"
        ),
        _quoted(ours, order[right]),
        [
            (_quoted(ours, order[k]), f"No: {told(k)}, and {number(drawn)} does not lie there.")
            for k in wrong
        ],
        (
            "Add up the shares from the first on.",
            "The bar in which the sum passes the number is the word's.",
        ),
        f"{told(right)[0].upper()}{told(right)[1:]}, and {number(drawn)} lies there.",
        Opens("next", {}),
    )


def _on_words_said(draft: Draft) -> Draft | Unposed:
    """Return the same draft, whose trace is that of the word that is said: at [MASK], or next."""
    if why := filling.why_none(draft.setup):
        return Unposed(draft.name, why)
    return replace(draft, sources=replace(draft.sources, trace=draft.sources.said))


def _a_word(ours: Draft) -> tuple[int, int]:
    """Pick one of those that the page shows: its rank, from 0, and its place in the vocabulary."""
    shown = next_word.likeliest(ours.trace)
    rank = ours.pick(len(shown))
    return rank, shown[rank]


def _quoted(ours: Draft, place: int) -> str:
    return quoted(shorten(ours.trace.vocabulary[place]))


def _opens(rank: int) -> Opens:
    return Opens("next", {"column": rank + 1})
