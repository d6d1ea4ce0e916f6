"""The pages in their order: this one table drives navigation, previous and next, and the tests."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Step:
    """A page. `path` is its place in the URL, and the file's name without its number."""

    file: str
    title: str
    path: str
    sentence: str


STEPS = (
    Step("pages/0_overview.py", "Overview", "", "Follow any number in self-attention back to the word it came from."),
    Step(
        "pages/1_vocabulary.py",
        "Vocabulary",
        "vocabulary",
        "A network cannot multiply words, so each different word gets a number: its place in a sorted list.",
    ),
    Step(
        "pages/2_embedding.py",
        "Embedding",
        "embedding",
        "The id picks a row of a table. From here on that row of numbers stands for the word.",
    ),
    Step(
        "pages/3_projection.py",
        "Projection",
        "projection",
        "Each word plays three parts: it asks (query), it is asked (key), it answers (value). Three matrices make them.",
    ),
    Step(
        "pages/4_scores.py",
        "Scores",
        "scores",
        "How well does one word's question fit another word's key? Multiply them number by number and add up.",
    ),
    Step(
        "pages/5_weights.py",
        "Weights",
        "weights",
        "The scores of one query become shares of 1: how much of its attention each word gets.",
    ),
    Step(
        "pages/6_context.py",
        "Context",
        "context",
        "Each word's new vector is a mixture of all values, each taken by its weight.",
    ),
    Step(
        "pages/7_heads.py",
        "Heads",
        "heads",
        "Several heads look at the sentence in different ways; W_o mixes what they found into one vector for each word.",
    ),
)


def number(step: Step) -> int:
    """Where a page stands: the overview is 0, the steps count from 1."""
    return STEPS.index(step)


def find(path: str) -> Step:
    """The page with this path."""
    return next(step for step in STEPS if step.path == path)
