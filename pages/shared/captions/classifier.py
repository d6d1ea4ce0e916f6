"""Sentences about the classifier's answers and training. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core import Setup
from core.text.written import count
from core.training.classification import Judged
from core.training.training import Trained
from pages.shared.text.words import isolate, number, percent

MAX_NAMED = 8


def answer(shares: Sequence[float], names: Sequence[str] | None = None) -> str:
    """Name the most probable class with its probability; several if exactly equal.

    `names` are the class names, if any.
    """
    largest = max(shares)
    best = [
        str(k) if names is None else isolate(names[k - 1])
        for k, share in enumerate(shares, start=1)
        if share == largest
    ]
    if len(best) == 1:
        return f"{'class ' if names is None else ''}{best[0]}, {percent(largest, 1)}"
    return (
        f"{'classes ' if names is None else ''}{', '.join(best[:-1])} and {best[-1]},"
        f" {percent(largest, 1)} each"
    )


def labels_learned(setup: Setup, result: Trained) -> str:
    """State the training steps and the change of the loss."""
    made = len(result.losses)
    less = (
        f"the loss went from {number(result.losses[0])} to {number(result.losses[-1])}."
        if made > 1
        else "the loss was there once."
        if made
        else "nothing has changed yet."
    )
    budget = (
        ""
        if made == result.wanted
        else f" At these sizes there is time for no more; {result.wanted} were asked for."
    )
    edited = ""
    if setup.edits:
        edited = (
            " Of edited matrices only W_c and b_c count on this page: table and blocks are the"
            " classifier's own. How many it gets right was asked before anything was edited."
        )
    return f"After {count(made, 'step')}, {less}{budget}{edited}"


def accuracy(judged: Judged) -> str:
    """State the accuracy on held-out and on training sentences, and of the most frequent label."""
    told = []
    for part, what in (
        ("held out", "held out, from which it never learned,"),
        ("learned", "that it learned from"),
    ):
        right = judged.right(part)
        told.append(
            f"Of the {len(right)} sentences {what} it gets"
            f" {_count_of_all(int(right.sum()), len(right))} right."
        )
    told.append(
        "Always answering with the most frequent label among the sentences held out would get"
        f" {judged.most_frequent('held out')} right."
    )
    return " ".join(told)


def _count_of_all(some: int, every: int) -> str:
    """Return a count out of all, in words.

    >>> _count_of_all(3, 4), _count_of_all(4, 4), _count_of_all(0, 4)
    ('3, 75.0%,', 'all', 'none')
    """
    return {0: "none", every: "all"}.get(some, f"{some}, {percent(some / every, 1)},")


def not_gets(looks: Tensor, sentences: int, setup: Setup) -> str:
    """State the largest mean weight on *not* from the word after it, over all heads."""
    layer, head = divmod(int(looks.argmax()), looks.shape[1])
    even = (
        " Spread evenly, it would be 17% or 20%, since these sentences have five or six words."
        if setup.mask == "none"
        else ""
    )
    return (
        f"In the {sentences} sentences with *not* that were held out, the word after it gives it"
        f" {percent(looks.max().item())} of its attention on average in layer {layer + 1}, head"
        f" {head + 1}; no layer and head gives it more.{even} It could be learned otherwise: *not*"
        " may look at that word, or a third word at both. A weight says where a head looks, not why"
        " the answer is what it is: leave *not* out of a sentence, and see how p changes."
    )


def never_seen(words: Sequence[str], what: str) -> str:
    """Name the words that are not in the training data, "" if there are none."""
    if not words:
        return ""
    named = ", ".join(map(isolate, words[:MAX_NAMED])) + (
        f" and {len(words) - MAX_NAMED} more" if len(words) > MAX_NAMED else ""
    )
    return f"Never seen in training, so that the vectors of these {what} were only drawn: {named}."
