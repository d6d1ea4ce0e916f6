"""What the training's page says of steps, answers and heads. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core import language, lessons
from core.roles import ASKED, Look
from core.setup import Setup
from core.training import Trained
from core.written import count, short
from pages.shared.said import words

MOST_TOLD = 10  # losses that are averaged at the beginning and at the end
HABIT = 0.9  # of the sentences: what a head does less often is no habit


def steps(result: Trained) -> str:
    """Say how many steps were made, and why not all of them where some are missing."""
    made, wanted = len(result.losses), result.wanted
    if made == wanted:
        return (
            f"**{count(made, 'step')}** of training {'was' if made == 1 else 'were'} made, as asked"
            " for."
        )
    return (
        f"**{made} of {wanted} steps** of training were made: at these sizes a step takes so many"
        " multiplications that the rest would take too long."
    )


def loss(losses: Sequence[float]) -> str:
    """Say where the loss began and where it ended; a mean of several steps where there are
    enough."""
    if len(losses) == 1:
        return f"The loss of the only step is {short(losses[0])}."
    told = MOST_TOLD if len(losses) >= 2 * MOST_TOLD else 1
    first, last = sum(losses[:told]) / told, sum(losses[-told:]) / told
    where = (f"first {told} steps", f"last {told}") if told > 1 else ("first step", "last")
    verb = "fell" if last < first else "did not fall"
    return (
        f"The loss {verb}: {short(first)} in the {where[0]}, {short(last)} in the"
        f" {where[1]}{', on average' * (told > 1)}."
    )


def answers(setup: Setup, result: Trained) -> str:
    """Say what attention alone answers right of the sentences that it never saw, and what it lacks
    where it cannot."""
    few = [each for each in lessons.OF_ATTENTION if result.accuracy[each] < HABIT]
    adjective, verb = (
        f"**{round(result.accuracy[each] * result.asked):,} of {result.asked:,}**"
        for each in lessons.OF_ATTENTION
    )
    end = ""
    if few:
        where = " and ".join(f"at the {question}" for question in few)
        end = f" **It has not learned the language**: {where} less than nine in ten are right."
    if "verb" in few and setup.positions == "none" and setup.mask == "none":
        end += (
            " Without positions it cannot: “the milk warmed the cat” and “the cat warmed the milk”"
            " are the same words. Choose **Positions** in the sidebar."
        )
    return (
        f"Of sentences that it never saw it answers {adjective} right at the adjective and {verb}"
        f" at the verb.{end}"
    )


def sentence(setup: Setup) -> str:
    """Return whether training saw the setup's sentence."""
    row = language.ROWS.get(setup.tokens)
    if row is None:
        return "Your own sentence is none of them."
    unseen = row in lessons.learned_and_unseen(setup.seed)[1].tolist()
    return f"Your own sentence is one that training {'never sees' if unseen else 'may see'}."


def unseen_words(names: Sequence[str]) -> str:
    """List the words of the sentence that are not in the language, as plain text; nothing where
    there are none."""
    if not names:
        return ""
    quoted = ", ".join(words.quoted(name) for name in names)
    rows, it = ("its row was", "it") if len(names) == 1 else ("their rows were", "them")
    return f"Training never saw {quoted}: {rows} only drawn, so attention to {it} means nothing."


def film(moments: Tensor, after: Sequence[int], names: Sequence[str], query: int) -> str:
    """Say what changed for one word (from 0) between the first and the last moment, and which
    weight changed most.

    `moments` are one head's weights (moment, query, key), `after` how many steps were made at each.
    """
    first, last = moments[0], moments[-1]
    looks = [
        words.attention(names[query], matrix[query].tolist(), names) for matrix in (first, last)
    ]
    change = (last - first).abs()
    if change.max() == 0:
        return f"Before the first step: {looks[0]} No weight changed."
    i, j = divmod(int(change.argmax()), len(names))
    return (
        f"Before the first step: {looks[0]} After {count(after[-1], 'step')}: {looks[1]} The weight"
        f" that changed most is {words.cell('weights', names[i], names[j])}, from"
        f" {words.number(first[i, j].item())} to {words.number(last[i, j].item())}."
    )


def looks_right(setup: Setup, moments: Tensor, after: Sequence[int], query: int) -> str:
    """Say since when the film's own sentence has its largest weight on the right word; `moments`
    are one head's weights.

    Nothing where the sentence is not of the language, or where nothing is asked at this word (from
    0).
    """
    if (asked := _right_since(setup, moments, query)) is None:
        return ""
    _, meant, since = asked
    begin = f"The right word is {words.quoted(meant)}: "
    if since is None:
        return f"{begin}the largest weight does not end there."
    if since == 0:
        return f"{begin}the largest weight was there before the first step, and stayed."
    return f"{begin}the largest weight is there since step {after[since]}, at the latest."


def found(
    setup: Setup, moments: Tensor, after: Sequence[int], query: int
) -> tuple[int, str] | None:
    """Return the moment since when the largest weight is on the right word, and the film's mark
    there; None where there is none."""
    asked = _right_since(setup, moments, query)
    if asked is None or not asked[2]:
        return None
    _, meant, since = asked
    return since, f"{words.isolated(meant)} found at step {after[since]}"


def _right_since(setup: Setup, moments: Tensor, query: int) -> tuple[str, str, int | None] | None:
    """Return what is asked at this word, the right word, and since which moment it has the largest
    weight (None: not at the end)."""
    row = language.ROWS.get(setup.tokens)
    question = next((name for name in lessons.OF_ATTENTION if language.PLACES[name] == query), None)
    if row is None or question is None:
        return None
    meant = language.EXAMPLES[row].answer(question)
    right = [setup.tokens[int(looks)] == meant for looks in moments[:, query].argmax(dim=-1)]
    since = len(right) - next(
        (k for k, is_right in enumerate(reversed(right)) if not is_right), len(right)
    )
    return question, meant, since if right[-1] else None


def moment(step: int, loss: float, accuracy: Mapping[str, float], of: int) -> str:
    """Say how things stood after so many steps; `loss` is that of the last of them."""
    began = (
        f"After {count(step, 'step')}: loss {words.number(loss)}"
        if step
        else "Before the first step"
    )
    shares = ", ".join(
        f"{round(share * of)} at the {question}" for question, share in accuracy.items()
    )
    return f"{began}. Right of {of} unseen sentences: {shares}."


def role(head: int, looks: Mapping[str, Look]) -> str:
    """Say what one head (from 1) came to do; looks at the adjective and at the verb."""
    told = {"adjective": "the adjective to its noun", "verb": "the verb to its subject"}
    habits = [
        f"{told[question]} in {look.times} of {ASKED} sentences"
        for question, look in looks.items()
        if look.times >= HABIT * ASKED
    ]
    if habits:
        return f"**Head {head}** takes {' and '.join(habits)}."
    return (
        f"**Head {head}** does neither as a rule: the adjective's largest weight is on its noun in"
        f" {looks['adjective'].times} of {ASKED} sentences, the verb's on its subject in"
        f" {looks['verb'].times}."
    )
