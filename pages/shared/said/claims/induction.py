"""What the training's page says of letters that begin again: row and heads. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core import induction, language, tasks
from core.induction import ASKED, JOBS, MARGIN, Measured
from core.written import count, listed
from pages.shared.said.words import number, percent, quoted

Head = tuple[int, int]  # layer and head, both from 0
# What a head with a job is called; Olsson et al. 2022.
CALLED = dict(zip(JOBS, ("previous-token head", "induction head"), strict=True))
MOST_NAMED = 5  # heads of one name that are listed, each with its number
LEARNED = 0.9  # of the letters: from there on it is said to have learned it


def head(at: Head) -> str:
    """Name a head as the page Real model does: layer · head, from 1.

    >>> head((0, 1))
    '1·2'
    """
    return f"{at[0] + 1}·{at[1] + 1}"


def _place(row: Sequence[str], at: int) -> str:
    """Name a letter and where it stands."""
    return f"{quoted(row[at])} at place {at + 1}"


def puzzle(row: Sequence[str], query: int) -> str:
    """Say what can be known of what comes after a letter (from 0) of the row, as plain text."""
    after = induction.place_after(row, query)
    begun = " ".join(row[: query + 1])
    if after is None:
        return f"{begun} ? Nobody can know: {quoted(row[query])} has not come before."
    return (
        f"{begun} ? {quoted(row[query])} has come before, at place {after}, and"
        f" {quoted(row[after])} came next. Whoever finds that place says {quoted(row[after])}."
    )


def not_yours() -> str:
    """Say what a row of the reader's own would be."""
    return (
        "This row is one that training never saw. Yours may be any letters from a to l in which"
        f" one comes again, up to {tasks.LENGTH - 1}."
    )


def learned(found: Measured) -> str:
    """Say how many letters are right of those that can be known, and the loss there."""
    told = (
        "" if found.accuracy >= LEARNED else " **It has not learned it**: fewer than nine in ten."
    )
    return (
        f"Of the letters that can be known in {ASKED} rows that training never saw,"
        f" **{percent(found.accuracy, decimals=1)}** are right. The loss there is"
        f" {number(found.loss)} nats.{told}"
    )


def with_edits(found: Measured, edited: Measured) -> str:
    """Say what the reader's edits make of it."""
    right, left = percent(found.accuracy, decimals=1), percent(edited.accuracy, decimals=1)
    return (
        f"**With your edits {left}** are right, with a loss of {number(edited.loss)}. All below is"
        f" without them: {right}."
    )


def course(of_steps: Mapping[int, Measured], pair: tuple[Head, Head]) -> str:
    """Say when it was learned, and how far both heads' scores moved meanwhile."""
    first, last = of_steps[min(of_steps)], of_steps[max(of_steps)]
    since = {
        share: _since(of_steps, [found.accuracy >= share for found in of_steps.values()])
        for share in (0.5, LEARNED)
    }
    half, most = since[0.5], since[LEARNED]
    when = (
        "At the end fewer than half of the letters are right."
        if half is None
        else f"Half of the letters are right from step {half} on"
        + (
            "; at the end fewer than nine in ten are."
            if most is None
            else f", nine in ten from step {most} on."
        )
    )
    moved = [
        f"head {head(at)}'s on {job} went from {number(a)} to {number(b)}"
        for at, job, a, b in zip(pair, JOBS, _scores(first, pair), _scores(last, pair), strict=True)
    ]
    return f"{when} Of the mean weights, {' and '.join(moved)}."


def there_since(
    of_steps: Mapping[int, Measured], pair: tuple[Head, Head], least: Tensor
) -> tuple[int, str] | None:
    """Return the moment (from 0) from which on both heads have their names, and the film's mark
    there; None where they do not."""
    high = [
        all(a >= b for a, b in zip(_scores(found, pair), least.tolist(), strict=True))
        for found in of_steps.values()
    ]
    step = _since(of_steps, high)
    return (
        None
        if step is None or step == min(of_steps)
        else (list(of_steps).index(step), f"both heads there at step {step}")
    )


def _since(of_steps: Mapping[int, Measured], holds: Sequence[bool]) -> int | None:
    """Return the first step from which on something holds at every moment; None where it does not
    at the end."""
    at = len(holds) - next((k for k, held in enumerate(reversed(holds)) if not held), len(holds))
    return None if at == len(holds) else list(of_steps)[at]


def _scores(found: Measured, pair: tuple[Head, Head]) -> list[float]:
    return [found.scores[job, *at].item() for job, at in enumerate(pair)]


def moment(
    step: int, loss: float, found: Measured | None, accuracy: float, pair: tuple[Head, Head]
) -> str:
    """Say how things stood after so many steps: the loss of the last of them, what was right, and
    both heads' mean weights."""
    began = f"After {count(step, 'step')}: loss {number(loss)}" if step else "Before the first step"
    if found is None:
        return f"{began}. Right: {percent(accuracy)}."
    before, after = _scores(found, pair)
    return (
        f"{began}. Right: {percent(found.accuracy)}. Head {head(pair[0])} on {JOBS[0]}:"
        f" {number(before)}. Head {head(pair[1])} on {JOBS[1]}: {number(after)}."
    )


def names(found: Measured, least: Tensor) -> list[str]:
    """Name the heads that do each job, with their scores, which take at `least` so much (job,);
    where none does it, say what the best lacks. As markdown."""
    given = found.names(least)
    return [_named(found, given, job, needed) for job, needed in enumerate(least.tolist())]


def _named(found: Measured, given: Mapping[Head, str], job: int, needed: float) -> str:
    mine = sorted(
        (at for at, named in given.items() if named == JOBS[job]),
        key=lambda at: -found.scores[job, *at].item(),
    )
    without = {
        0: f"looking at all places alike would give {number(needed - MARGIN)}",
        1: (
            f"a head that always looks equally far back would reach {number(needed - MARGIN)} at"
            " best"
        ),
    }[job]
    if not mine:
        others = {at: found.scores[job, *at].item() for at in _heads(found) if at not in given}
        best = max(others, key=lambda at: others[at]) if others else None
        nearest = (
            f" Of those without a name, head {head(best)} comes nearest, with"
            f" {number(others[best])}."
            if best
            else ""
        )
        return (
            f"No head is {'an' if job else 'a'} **{CALLED[JOBS[job]]}**: the name needs"
            f" {number(needed)} on {JOBS[job]}, where {without}.{nearest}"
        )
    scores, more = [number(found.scores[job, *at].item()) for at in mine], len(mine) - MOST_NAMED
    heads, each = listed(list(map(head, mine))), listed(scores)
    if more > 0:
        heads = listed([*map(head, mine[:MOST_NAMED]), f"{more} more"])
        each = listed([*scores[:MOST_NAMED], f"at least {scores[-1]}"])
    title, (who, do) = CALLED[JOBS[job]], ("Head", "gives") if len(mine) == 1 else ("Heads", "give")
    are = (
        f"is {'an' if job else 'a'} **{title}**: it"
        if len(mine) == 1
        else f"are **{title}s**: they"
    )
    return (
        f"**{who} {heads}** {are} {do} {each} of {'its' if len(mine) == 1 else 'their'} attention"
        f" to {JOBS[job]}, on average; {without}."
    )


def _heads(found: Measured) -> list[Head]:
    layers, heads = found.scores.shape[1:]
    return [(layer, k) for layer in range(layers) for k in range(heads)]


def of_model(name: str, found: Sequence[Measured], heads: int, rows: int) -> str:
    """Say how many pieces of random `rows` a model gets right once they have begun again; where
    that was measured, too, how many without its induction heads, and without as many others."""
    right, *without = (percent(each.accuracy, decimals=1) for each in found)
    told = (
        f"{rows} rows of random pieces begin again, so that only who looks back can know what comes"
        f" next. Of those pieces {name} says {right} right."
    )
    if not without:
        return told
    those, many = (
        ("induction head", "one other head")
        if heads == 1
        else (f"{heads} induction heads", "as many other heads")
    )
    return (
        f"{told} Without its {those}, which then nobody hears, {without[0]}; without {many}, drawn,"
        f" {without[1]}."
    )


def brought(row: Sequence[str], key: int, weight: float, before: Head, above: Head) -> str:
    """Say what the head below brought to the place after the last time (from 0), as plain text;
    `weight` is what it gives to the place before."""
    return (
        f"In layer {before[0] + 1}, head {head(before)} gives {percent(weight)} of the attention of"
        f" {_place(row, key)} to the place before, {quoted(row[key - 1])}, and adds what it finds"
        f" to the row of {quoted(row[key])}. Layer {above[0] + 1} makes its key of that row."
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
    """Tell one score and weight of the head above, with the head below and without it, as plain
    text."""
    return (
        f"In layer {above[0] + 1}, {_place(row, query)} asks, and {_place(row, key)} is asked: head"
        f" {head(above)}'s score is {number(scores[0])}. Without head {head(below)} it would be"
        f" {number(scores[1])}, and the weight {number(weights[1])} in place of"
        f" {number(weights[0])}."
    )


def keys(row: Sequence[str], key: int, moved: Tensor) -> str:
    """Say why one layer cannot, by a measurement: how far each head's key (layer, head) moves when
    another letter stands before the place (from 0). As plain text."""
    first = (
        f"Put another letter before {_place(row, key)}: in layer 1 its key stays as it is, to the"
        " last digit. It is made of that place's own row of X alone, so no query of layer 1 can"
        " look for a place by the letter before it."
    )
    if len(moved) == 1:
        return f"{first} There is no second layer."
    above = moved[1:]
    layer, k = divmod(int(above.argmax()), above.shape[1])
    most = above[layer, k].item()
    if most == 0:
        return f"{first} Above it no key moves either."
    return (
        f"{first} In layer {layer + 2} the key of head {head((layer + 1, k))} moves, by"
        f" {percent(most)} of its length on average."
    )


def next_word(losses: Tensor) -> str:
    """Say how near the loss is to the least that there can be; losses (token − 1,) of all
    sentences."""
    mean, least = losses.double().mean().item(), sum(language.floor()) / len(losses)
    return (
        f"Over all sentences of the language its loss is **{number(mean)}** nats a word. Nobody can"
        f" have less than **{number(least)}**, the language's own entropy: often several words can"
        " come next."
    )
