"""What is said of trained weights: what was learned, how well, and what was never learned. No
Streamlit here."""

from torch import Tensor
from torch.nn.functional import cosine_similarity

from core.setup import Setup
from core.training import Trained
from core.written import count, listed
from pages.shared.said.words import number, percent, quoted


def attention_learned(setup: Setup, result: Trained) -> str:
    """Say what the weights of the seven steps were asked in training, and how often they are right;
    `result` is that training."""
    if setup.learns_words:
        return _words_learned(setup, result)
    verb, adjective = (_right(result, question) for question in ("verb", "adjective"))
    return (
        "They were asked two things of each sentence: at the adjective, which noun it is said of;"
        f" at the verb, who does it. Of {result.asked:,} sentences that training never saw,"
        f" {adjective} are answered right at the adjective and {verb} at the"
        f" verb.{_no_order(setup)}{_ended_early(setup, result)}{_edited(setup)} They were never"
        " asked what the other words look at, nor about any other kind of sentence."
    )


def stack_learned(setup: Setup, result: Trained) -> str:
    """Say what a stack keeps of the seven steps, what it was asked, and how often it is right;
    `result` is its training."""
    if setup.learns_words:
        return f"**These weights are trained.** {_words_learned(setup, result)}"
    return (
        f"**These weights are trained.** {_held(setup)} as the seven steps have them, and all else"
        " of the stack was trained on top. It was asked at the word *it*, which says nothing by"
        f" itself: which noun is meant? Of {result.asked:,} sentences that training never saw,"
        f" {_right(result, 'it')} are answered right, through one more matrix that gives each word"
        f" a score.{_no_looking_ahead(setup)}{_ended_early(setup, result)}{_edited(setup)}"
    )


def _words_learned(setup: Setup, result: Trained) -> str:
    """Say what a whole stack learned that says what comes next, and how often it is right; `result`
    is its training."""
    share = percent(result.accuracy[setup.task], decimals=1)
    learned = {
        "next": (
            "to say the next word of a small language: its loss is the mean over all places of a"
            f" sentence. Of the next words of {result.asked:,} sentences that training never saw,"
            f" {share} had the largest share; many cannot be known."
        ),
        "repeat": (
            "to say the next letter in rows of letters that begin again: it counts where a letter"
            f" has come before. Of the next letters of {result.asked:,} rows that training never"
            f" saw, {share} of those that can be known had the largest share."
        ),
    }
    return (
        f"The whole stack learned, from the table to the last layer, {learned[setup.task]} The"
        " seven steps are those of layer"
        f" {setup.layer}.{_ended_early(setup, result)}{_edited(setup)}"
    )


def how_made(setup: Setup, result: Trained | None) -> str:
    """Say how a weight matrix of the seven steps came about; `result` is the training, None where
    there was none."""
    if setup.real:
        return f"was read from {setup.real.name}, as its makers had trained it."
    if setup.numbers is not None:
        return "is as it was given."
    if result is None:
        return f"is drawn from the seed, {setup.init}; training would change it."
    if not result.losses:
        return "began at random, from the seed, and no step of training has moved it yet."
    return (
        f"began at random, from the seed, and was moved in {count(len(result.losses), 'step')} of"
        " training."
    )


def nearest_row(setup: Setup, table: Tensor, row: int) -> str:
    """Say which word of training has the row most like this one of the table (word, d_model), as
    plain text.

    Nothing where the word was not seen in training, and where a row is a single number and has no
    direction.
    """
    words = setup.vocabulary
    if setup.init != "trained" or words[row] not in setup.known or setup.d_model == 1:
        return ""
    others = [k for k, word in enumerate(words) if word in setup.known and k != row]
    alike = cosine_similarity(table[others], table[row][None], dim=-1)
    best = int(alike.argmax())
    return (
        f"Of the words of training, {quoted(words[others[best]])} has the row nearest to that of"
        f" {quoted(words[row])} in direction: their cosine is {number(alike[best].item())}."
    )


def _right(result: Trained, question: str) -> str:
    right = round(result.accuracy[question] * result.asked)
    return "all" if right == result.asked else f"{right:,}" if right else "none"


def _no_order(setup: Setup) -> str:
    if setup.positions != "none" or setup.mask != "none":
        return ""
    return (
        " Without **Positions** nothing tells which noun comes first, so with verbs like *warmed*,"
        " that take either noun first, who does it is a guess."
    )


def _no_looking_ahead(setup: Setup) -> str:
    if not setup.is_causal:
        return ""
    return (
        " The causal mask keeps *it* from looking at the adjective, which decides and comes later:"
        " it can only guess."
    )


def _ended_early(setup: Setup, result: Trained) -> str:
    made = len(result.losses)
    if made == setup.steps_taken < setup.steps:
        return (
            f" So far {count(made, 'step')} of {setup.steps} {'was' if made == 1 else 'were'}"
            " taken."
        )
    if made >= result.wanted:
        return ""
    return (
        f" Training ended after {count(made, 'step')} of {result.wanted}: at these sizes more would"
        " take too long."
    )


def _edited(setup: Setup) -> str:
    return " That was asked before any weight was edited." if setup.edits else ""


def _held(setup: Setup) -> str:
    kept = ["the table"]
    if setup.positions == "learned":
        kept.append("the learned positions")
    if setup.projections == "learned":
        kept.append(
            "layer 1's W_q, W_k and W_v" + (" with their biases" if setup.bias == "on" else "")
        )
    held = listed(kept)
    return f"{held[0].upper()}{held[1:]} {'stay' if len(kept) > 1 else 'stays'}"
