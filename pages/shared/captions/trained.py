"""Sentences about what was trained: task, accuracy, words not in training. No Streamlit here."""

from torch import Tensor
from torch.nn.functional import cosine_similarity

from core import Setup
from core.text.written import count
from core.training.training import Trained
from pages.shared.captions.training import answers
from pages.shared.text.words import number, percent, quote

OF_WORDS = {
    "next": "to say the next word of a small language. Of the next words of {asked} sentences that"
    " training never saw, {share} had the largest share; many cannot be known.",
    "repeat": "to say the next letter in rows of letters that begin again. Of the next letters of"
    " {asked} rows that training never saw, {share} of those that can be known had the largest"
    " share.",
}


def describe_learning(setup: Setup, result: Trained, part: str) -> str:
    """Describe the task and accuracy of a trained `part` (attention, or the whole stack) with this
    `result`."""
    made = count(len(result.losses), "step")
    if setup.learns_words:
        share = percent(result.accuracy[setup.task], decimals=1)
        told = OF_WORDS[setup.task].format(asked=f"{result.asked:,}", share=share)
        return f"In {made} of training the whole stack learned, from the table up, {told}"
    if part == "attention":
        return (
            f"In {made} of training they were asked two things of each sentence: at the adjective,"
            f" which noun it is said of; at the verb, who does it. {answers(result)} They were"
            " never asked what the other words look at, nor about any other kind of sentence."
        )
    right = round(result.accuracy["it"] * result.asked)
    return (
        "What the seven steps have learned stays, and all else of the stack was trained on top, in"
        f" {made}. It was asked at the word *it*, which says nothing by itself: which noun is"
        f" meant? Of {result.asked:,} sentences that training never saw, {right:,} are answered"
        " right, through one more matrix that gives each word a score."
    )


def describe_origin(setup: Setup, result: Trained | None, rule: str) -> str:
    """Describe the origin of a matrix of the seven steps; `result` is its training, None if
    untrained, and `rule` how its numbers were drawn."""
    if result is not None:
        made = count(len(result.losses), "step")
        return f"began at random, from the seed, and was moved in {made} of training."
    if setup.numbers is not None and setup.numbers.projected:
        return "is drawn: Q, K and V are given, and nothing after **Projection** follows from it."
    own = {"real": "as its makers had trained it", "given": "as it was given"}
    return f"is {own.get(setup.init, f'drawn from the seed, {rule}')}."


def nearest_row(setup: Setup, table: Tensor, row: int) -> str:
    """Name the training word whose row of the table (word, d_model) has the largest cosine with
    this one, as plain text.

    "" for a word not in training, or rows of a single number.
    """
    words = setup.vocabulary
    if setup.init != "trained" or words[row] not in setup.known or setup.d_model == 1:
        return ""
    others = [k for k, word in enumerate(words) if word in setup.known and k != row]
    alike = cosine_similarity(table[others], table[row][None], dim=-1)
    best = int(alike.argmax())
    return (
        f"Of the words of training, {quote(words[others[best]])} has the row nearest to that of"
        f" {quote(words[row])} in direction: their cosine is {number(alike[best].item())}."
    )
