"""Sentences about training: steps, accuracy and heads. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core import Setup
from core.analysis.head_targets import ASKED, Look
from core.text import language
from core.text.written import count
from core.training import objectives
from core.training.training import Trained
from pages.shared.text import words


def steps(result: Trained) -> str:
    """State the number of steps, and why some are missing."""
    said = f"**{len(result.losses)} of {count(result.wanted, 'step')}** of training made."
    if len(result.losses) == result.wanted:
        return said
    return f"{said} At these sizes the rest would take too long."


def loss(result: Trained) -> str:
    """State the first and the last loss."""
    first, last = (words.number(result.losses[at]) for at in (0, -1))
    return f"The loss goes from {first} in the first step to {last} in the last."


def answers(result: Trained) -> str:
    """State the accuracy of attention alone on unseen sentences."""
    right = (
        f"**{round(result.accuracy[question] * result.asked):,}** right at the {question}"
        for question in objectives.OF_ATTENTION
    )
    return f"Of {result.asked:,} sentences that it never saw it answers {' and '.join(right)}."


def unseen_words(names: Sequence[str]) -> str:
    """List the sentence's words that are not in the language, as plain text, "" if there are
    none."""
    if not names:
        return ""
    quoted = ", ".join(words.quote(name) for name in names)
    return f"Training never saw {quoted}: attention to what was only drawn means nothing."


def looks_right(asked: tuple[str, int | None], after: Sequence[int]) -> str:
    """State the right word and the step from which it has the largest weight, as found by
    `right_since`."""
    meant, since = asked
    if since is None:
        return f"The right word is {words.quote(meant)}: the largest weight does not end there."
    return (
        f"The right word is {words.quote(meant)}: the largest weight is there from step"
        f" {after[since]} on."
    )


def right_since(setup: Setup, moments: Tensor, query: int) -> tuple[str, int | None] | None:
    """Return the right word for a query (from 0) of the film's sentence, and the moment from which
    it has the largest weight (None: not at the end); `moments` are one head's weights.

    None for a sentence outside the language, or a query without a question.
    """
    row = language.ROWS.get(setup.tokens)
    question = next(
        (name for name in objectives.OF_ATTENTION if language.PLACES[name] == query), None
    )
    if row is None or question is None:
        return None
    meant = language.EXAMPLES[row].answer(question)
    right = [setup.tokens[int(looks)] == meant for looks in moments[:, query].argmax(dim=-1)]
    since = next((k + 1 for k in reversed(range(len(right))) if not right[k]), 0)
    return meant, since if right[-1] else None


def moment(step: int, loss: float, accuracy: Mapping[str, float], of: int) -> str:
    """Describe one moment: step, the loss of the last step, and accuracy."""
    shares = ", ".join(
        f"{round(share * of)} at the {question}" for question, share in accuracy.items()
    )
    return (
        f"After {count(step, 'step')}: loss {words.number(loss)}. Right of {of} unseen sentences:"
        f" {shares}."
    )


def role(head: int, looks: Mapping[str, Look]) -> str:
    """Describe the role of one head (from 1), by its attention at adjective and verb."""
    return (
        f"**Head {head}** takes the adjective to its noun in {looks['adjective'].times} of {ASKED}"
        f" sentences, and the verb to its subject in {looks['verb'].times}."
    )
