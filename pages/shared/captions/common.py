"""Sentences of several pages, such as a page's headline. No Streamlit here."""

from core import Setup, pretrained
from core.forward import masked_lm
from pages.shared.link.pages import LATER, find
from pages.shared.text.words import quote, unit


def describe_pair(query: str, key: str) -> str:
    """Describe a pair's roles (query, key, value), as plain text.

    >>> describe_pair("is", "dessert")
    '“is” has the query; “dessert” has the key, and hands on its value.'
    """
    return f"{quote(query)} has the query; {quote(key)} has the key, and hands on its value."


def headline(path: str, setup: Setup) -> str:
    """Return a page's headline, true for this setup."""
    if other := _of_another_figure(path, setup):
        return other
    said = _of_a_step(path, setup)
    if setup.memory and find(path).across:
        said += f" {find(path).across}"
    if path == "projection" and setup.layer > 1:
        said += f" X is what layer {setup.layer - 1} hands on."
    return said


def _of_a_step(path: str, setup: Setup) -> str:
    match path:
        case "projection" if setup.numbers and setup.numbers.projected and setup.layer == 1:
            return "Queries, keys and values are given: nothing here made them."
        case "projection" if setup.projections == "none":
            return "Queries, keys and values are the words' vectors themselves."
        case "heads" if not setup.has_w_o:
            return "There is no W_o: what was found, side by side, is the output."
    return find(path).sentence


def _of_another_figure(path: str, setup: Setup) -> str:
    """Return the headline of a page whose content differs for this setup, "" otherwise."""
    match path:
        case "next" if masked_lm.looks_ahead(setup):
            at_mask = (
                "This model looks both ways. The row at [MASK] becomes a share for each piece that"
                " may stand there."
            )
            none = (
                "Not every model can say what comes next: whoever has looked ahead has seen the"
                " answer."
            )
            return none if masked_lm.explain_refusal(setup) else at_mask
        case "classifier" if setup.real:
            of_sentences = (
                "This model makes one vector of a sentence: the mean of its words. Sentences that"
                " mean much the same point the same way. Type others under **Further sentences**."
            )
            of_the_next = (
                "This model says what comes next: the last word's row becomes a share for each"
                " piece of its vocabulary."
            )
            return of_sentences if setup.real.is_of_sentences else of_the_next
        case "training" if setup.learns_words:
            return (
                "A stack learns to say what comes next: nobody tells it what a row is, it reads and"
                " guesses."
            )
        case "model" if not setup.real and not pretrained.names():
            return (
                "A model that people use reads your sentence, head by head. This server has none"
                " yet."
            )
    return ""


def explain_alone(path: str) -> str:
    """Explain that a page beyond the seven steps ignores the second sentence, "" for all other
    pages.

    >>> explain_alone("scores")
    ''
    >>> print(explain_alone("masks"))
    Other keys are for the seven steps alone: here the sentence stands by itself.
    """
    if find(path) not in LATER or path in ("notebooks", "bring"):
        return ""
    return "Other keys are for the seven steps alone: here the sentence stands by itself."


def act(path: str, setup: Setup) -> str:
    """Return a page's possible action, "" if there is nothing to click.

    >>> act("projection", Setup()), act("projection", Setup(projections="none"))
    ('Click a number, or press **Play**.', '')
    """
    if path == "next" and masked_lm.looks_ahead(setup):
        return "" if masked_lm.explain_refusal(setup) else "Move **Words' temperature**."
    has_none = (path == "projection" and setup.projections == "none") or (
        path == "classifier" and setup.real
    )
    said = "" if has_none else find(path).act
    return said.replace("One word", f"One {unit(setup)}") if path == "next" else said
