"""What the training's page says of steps, answers and heads. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core import language, lessons
from core.roles import ASKED, Look
from core.setup import Setup
from core.training import Trained
from core.written import count
from pages.shared.said import words


def steps(result: Trained) -> str:
    """Say how many steps were made, and why not all of them where some are missing."""
    said = f"**{len(result.losses)} of {count(result.wanted, 'step')}** of training made."
    if len(result.losses) == result.wanted:
        return said
    return f"{said} At these sizes the rest would take too long."


def loss(result: Trained) -> str:
    """Say where the loss began and where it ended."""
    first, last = (words.number(result.losses[at]) for at in (0, -1))
    return f"The loss goes from {first} in the first step to {last} in the last."


def answers(result: Trained) -> str:
    """Say what attention alone answers right of the sentences that it never saw."""
    right = (
        f"**{round(result.accuracy[question] * result.asked):,}** right at the {question}"
        for question in lessons.OF_ATTENTION
    )
    return f"Of {result.asked:,} sentences that it never saw it answers {' and '.join(right)}."


def unseen_words(names: Sequence[str]) -> str:
    """List the words of the sentence that are not in the language, as plain text; nothing where
    there are none."""
    if not names:
        return ""
    quoted = ", ".join(words.quote(name) for name in names)
    return f"Training never saw {quoted}: attention to what was only drawn means nothing."


def looks_right(asked: tuple[str, int | None], after: Sequence[int]) -> str:
    """Say which word is right, and since when it has the largest weight: what `right_since`
    found."""
    meant, since = asked
    if since is None:
        return f"The right word is {words.quote(meant)}: the largest weight does not end there."
    return (
        f"The right word is {words.quote(meant)}: the largest weight is there from step"
        f" {after[since]} on."
    )


def right_since(setup: Setup, moments: Tensor, query: int) -> tuple[str, int | None] | None:
    """Return the word that a film's own sentence asks for at one of its words (from 0), and since
    which moment it has the largest weight (None: not at the end); `moments` are one head's weights.

    None where the sentence is not of the language, or where nothing is asked at this word.
    """
    row = language.ROWS.get(setup.tokens)
    question = next((name for name in lessons.OF_ATTENTION if language.PLACES[name] == query), None)
    if row is None or question is None:
        return None
    meant = language.EXAMPLES[row].answer(question)
    right = [setup.tokens[int(looks)] == meant for looks in moments[:, query].argmax(dim=-1)]
    since = next((k + 1 for k in reversed(range(len(right))) if not right[k]), 0)
    return meant, since if right[-1] else None


def moment(step: int, loss: float, accuracy: Mapping[str, float], of: int) -> str:
    """Say how things stood after so many steps; `loss` is that of the last of them."""
    shares = ", ".join(
        f"{round(share * of)} at the {question}" for question, share in accuracy.items()
    )
    return (
        f"After {count(step, 'step')}: loss {words.number(loss)}. Right of {of} unseen sentences:"
        f" {shares}."
    )


def role(head: int, looks: Mapping[str, Look]) -> str:
    """Say what one head (from 1) came to do; looks at the adjective and at the verb."""
    return (
        f"**Head {head}** takes the adjective to its noun in {looks['adjective'].times} of {ASKED}"
        f" sentences, and the verb to its subject in {looks['verb'].times}."
    )
