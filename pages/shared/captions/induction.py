"""Sentences about repeated letters: the row and the two heads. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core.analysis import induction
from core.analysis.induction import ASKED, COPIED, JOBS, MARGIN, TOP, Measured
from core.text import language
from core.text.written import count, join_words
from pages.shared.text.words import number, percent, quote

Head = tuple[int, int]  # layer and head from 0
# The names of the heads' roles (Olsson et al. 2022).
CALLED = dict(zip(JOBS, ("previous-token head", "induction head"), strict=True))
# The baseline of each role.
WITHOUT = (
    "looking at all places alike would give",
    "a head that always looks equally far back would reach",
)
MAX_NAMED = 5  # listed heads of one name, highest score first


def head(at: Head) -> str:
    """Name a head as "layer·head" from 1, as the page Real model does.

    >>> head((0, 1))
    '1·2'
    """
    return f"{at[0] + 1}·{at[1] + 1}"


def puzzle(row: Sequence[str], query: int) -> str:
    """State what is known about the letter after the `query` (from 0), as plain text."""
    after, begun = induction.place_after(row, query), f"{' '.join(row[: query + 1])} ?"
    if after is None:
        return f"{begun} Nobody can know: {quote(row[query])} has not come before."
    return (
        f"{begun} {quote(row[query])} has come before, at place {after}, and"
        f" {quote(row[after])} came next. Whoever finds that place says {quote(row[after])}."
    )


def describe_learning(found: Measured) -> str:
    """State the accuracy and loss on letters that can be predicted."""
    return (
        f"Of the letters that can be known in {ASKED} rows that training never saw,"
        f" **{percent(found.accuracy, decimals=1)}** are right. The loss there is"
        f" {number(found.loss)} nats."
    )


def describe_edits(edited: Measured) -> str:
    """State the accuracy and loss with the user's edits."""
    return (
        f"**With your edits {percent(edited.accuracy, decimals=1)}** are right, with a loss of"
        f" {number(edited.loss)}. All below is without them."
    )


def course(of_steps: Mapping[int, Measured], pair: tuple[Head, Head]) -> str:
    """State how both heads' scores changed during training."""
    first, last = of_steps[min(of_steps)], of_steps[max(of_steps)]
    moved = [
        f"head {head(at)}'s on {job} went from {percent(a)} to {percent(b)}"
        for at, job, a, b in zip(pair, JOBS, _scores(first, pair), _scores(last, pair), strict=True)
    ]
    return f"Of the mean attention weights, {' and '.join(moved)}."


def there_since(
    of_steps: Mapping[int, Measured], pair: tuple[Head, Head], least: Tensor
) -> tuple[int, str] | None:
    """Return the moment (from 0) from which both heads keep their names, and its mark on the film;
    None if there is none."""
    steps, since = list(of_steps), len(of_steps)
    while since and all(
        a >= b
        for a, b in zip(_scores(of_steps[steps[since - 1]], pair), least.tolist(), strict=True)
    ):
        since -= 1
    if since in (0, len(steps)):
        return None
    return since, f"both heads there at step {steps[since]}"


def _scores(found: Measured, pair: tuple[Head, Head]) -> list[float]:
    return [found.scores[job, *at].item() for job, at in enumerate(pair)]


def moment(
    step: int, loss: float, found: Measured | None, accuracy: float, pair: tuple[Head, Head]
) -> str:
    """Describe one moment: step, loss, accuracy and, once measured, both heads' mean weights."""
    said = f"After {count(step, 'step')}: loss {number(loss)}. Right: {percent(accuracy)}."
    if found is None:
        return said
    of_heads = (
        f" Head {head(at)} on {job}: {percent(score)}."
        for at, job, score in zip(pair, JOBS, _scores(found, pair), strict=True)
    )
    return said + "".join(of_heads)


def names(found: Measured, least: Tensor) -> list[str]:
    """List the heads of each role, highest score first, and the threshold `least` (job,), as
    markdown; last, if there are any, those that look as an induction head does but do not copy."""
    given = found.names(least)
    said = [_named(found, given, job, needed) for job, needed in enumerate(least.tolist())]
    if looking := found.only_looks(least):
        said.append(f"Looking there, but not copying: {_list_heads(found, looking, 1)}.")
    return said


def _named(found: Measured, given: Mapping[Head, str], job: int, needed: float) -> str:
    named = [at for at in given if given[at] == JOBS[job]]
    copying = (
        f", and that it copies: looking there alone, it raises what stands there among the top"
        f" {percent(TOP)} of all words, or first, in {percent(COPIED)} of the cases or more"
        if job
        else ""
    )
    return (
        f"The name **{CALLED[JOBS[job]]}** takes {percent(needed)} of a head's attention to"
        f" {JOBS[job]}, on average{copying}; {WITHOUT[job]} {percent(needed - MARGIN)}. Those that"
        f" have it: {_list_heads(found, named, job)}."
    )


def _list_heads(found: Measured, heads: Sequence[Head], job: int) -> str:
    """List heads with their score, highest first, and for the second job how often they copy."""
    scores = {at: found.scores[job, *at].item() for at in heads}
    surest = sorted(scores, key=lambda at: -scores[at])[:MAX_NAMED]
    return join_words(
        [
            f"head {head(at)} with {percent(scores[at])}"
            + (f", copying in {percent(found.copies[at].item())}" if job else "")
            for at in surest
        ]
        or ["none"]
    )


def describe_model(name: str, found: Sequence[Measured], heads: int, rows: int) -> str:
    """State a model's accuracy on repeated random `rows` and, once measured, without its induction
    heads and without as many others."""
    right, *without = (percent(each.accuracy, decimals=1) for each in found)
    said = (
        f"{rows} rows of random pieces begin again, so that only who looks back can know what comes"
        f" next. Of those pieces {name} says {right} right."
    )
    if not without:
        return said
    return (
        f"{said} Without its {count(heads, 'induction head')}, {without[0]}; without as many"
        f" others, drawn, {without[1]}."
    )


def brought(row: Sequence[str], key: int, weight: float, before: Head, above: Head) -> str:
    """Describe what the lower head adds to the place after the previous occurrence (from 0), with
    its `weight` on the place before; plain text."""
    return (
        f"In layer {before[0] + 1}, head {head(before)} gives {percent(weight)} of the attention of"
        f" {_place(row, key)} to the place before, {quote(row[key - 1])}, and adds what it finds"
        f" to the row of {quote(row[key])}. Layer {above[0] + 1} makes its key of that row."
    )


def score(
    row: Sequence[str],
    query: int,
    key: int,
    scores: Sequence[float],
    weights: Sequence[float],
    below: Head,
    above: Head,
) -> str:
    """State one score and weight of the upper head with the lower head and without it, as plain
    text."""
    return (
        f"In layer {above[0] + 1}, {_place(row, query)} has the query, {_place(row, key)} the key:"
        f" head {head(above)}'s score is {number(scores[0])}. Without head {head(below)} it would"
        f" be {number(scores[1])}, and the weight {percent(weights[1])} in place of"
        f" {percent(weights[0])}."
    )


def _place(row: Sequence[str], at: int) -> str:
    """Name a letter and its place."""
    return f"{quote(row[at])} at place {at + 1}"


def keys(row: Sequence[str], key: int, moved: Tensor) -> str:
    """Explain why one layer is not enough: how far each head's key (layer, head) moves when the
    letter before the place (from 0) changes. As plain text."""
    said = (
        f"Put another letter before {_place(row, key)}: in layer 1 its key stays as it is, to the"
        " last digit. It is made of that place's own row of X alone, so no query of layer 1 can"
        " look for a place by the letter before it."
    )
    if len(moved) == 1:
        return said
    layer, k = divmod(int(moved[1:].argmax()), moved.shape[1])
    return (
        f"{said} Above, the key of head {head((layer + 1, k))} moves most, by"
        f" {percent(moved[layer + 1, k].item())} of its length on average."
    )


def next_word(losses: Tensor) -> str:
    """Compare the mean loss with its lower bound, the entropy; losses (token − 1,) of all
    sentences."""
    mean, least = losses.double().mean().item(), sum(language.floor()) / len(losses)
    return (
        f"Over all sentences of the language its loss is **{number(mean)}** nats a word. Nobody can"
        f" have less than **{number(least)}**, the language's own entropy: often several words can"
        " come next."
    )
