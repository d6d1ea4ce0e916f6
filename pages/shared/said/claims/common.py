"""What the sentences of several pages need: counts, and a page's headline. No Streamlit here."""

from core import filling, pretrained
from core.setup import Setup
from pages.shared.link.pages import LATER, find
from pages.shared.said.words import quoted, unit

MOST_LAYERS = 6


def followed(query: str, key: str, across: bool = False) -> str:
    """Say of a pair of words whose query, key and value are made, as plain text. `across`: the one
    that is asked stands in another sentence.

    >>> followed("is", "dessert")
    '“is” asks with its query; “dessert” is found by its key, and answers with its value.'
    """
    other = "it is" if query == key and not across else f"{quoted(key)} is"
    return (
        f"{quoted(query)} asks with its query; {other} found by its key, and answers with its"
        " value."
    )


def headline(path: str, setup: Setup) -> str:
    """Return what happens on a page, in one sentence that is true of this setup."""
    if other := _of_another_figure(path, setup):
        return other
    special = {
        (
            "projection",
            True,
        ): "Queries, keys and values are the words' vectors themselves: nothing is projected.",
        ("heads", True): (
            "No W_o is given: what the heads found, side by side, is the output."
            if setup.projections == "learned"
            else (
                "Without projections there is one head and no W_o: what the head found is the"
                " output."
            )
        ),
    }
    sentence = special.get(
        (path, not setup.has_w_o if path == "heads" else setup.projections == "none"),
        find(path).sentence,
    )
    if (
        path == "projection"
        and setup.numbers is not None
        and setup.numbers.projected
        and setup.layer == 1
    ):
        sentence = "Queries, keys and values are given: nothing here made them."
        return (
            f"{sentence} Keys and values are those of the sentence that is asked."
            if setup.memory
            else sentence
        )
    if path == "heads" and setup.has_w_o and setup.heads == 1:
        sentence = (
            "One head looks at the sentence. W_o makes one vector for each word of what it found."
        )
    if path == "heads" and setup.memory:
        sentence = sentence.replace("at the sentence", "at the sentence that is asked")
    if setup.memory and find(path).across:
        sentence += f" {find(path).across}"
    if path == "projection" and setup.layer > 1:
        sentence += f" X is what layer {setup.layer - 1} hands on."
    return sentence


def _of_another_figure(path: str, setup: Setup) -> str:
    """Return what happens on a page that shows something else with this setup; nothing where it
    does not."""
    match path:
        case "next" if filling.looks_ahead(setup):
            at_mask = (
                "This model looks both ways. The row at [MASK] becomes a share for each piece that"
                " may stand there."
            )
            none = (
                "Not every model can say what comes next: whoever has looked ahead has seen the"
                " answer."
            )
            return none if filling.why_not(setup) else at_mask
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
            of_letters = (
                "A row of letters begins again: what comes next? A stack learns it from rows alone."
            )
            of_words = (
                "A stack learns to say the next word: nobody tells it what a sentence is, it reads"
                " and guesses."
            )
            return of_letters if setup.task == "repeat" else of_words
        case "model" if not setup.real and not pretrained.is_readable(setup.model):
            return (
                "A model that people use reads your sentence, head by head. This server has none"
                " yet."
            )
    return ""


def by_itself(path: str, setup: Setup) -> str:
    """Say how a page beyond the seven steps treats a second sentence; nothing on the seven, and on
    pages that do not show it.

    >>> by_itself("scores", Setup())
    ''
    >>> print(by_itself("masks", Setup()))
    The other sentence is asked in the seven steps alone: here the sentence stands by itself.
    """
    if find(path) not in LATER or path in ("notebooks", "bring"):
        return ""
    said = (
        "The other sentence is asked in the seven steps alone: here the sentence stands by itself."
    )
    return (
        f"{said} The given K and V belong to the other one, so what is shown here is drawn."
        if setup.alone.memory
        else said
    )


def act(path: str, setup: Setup) -> str:
    """Say what a reader can do on a page; nothing where a setup leaves nothing to click.

    >>> act("projection", Setup()), act("projection", Setup(projections="none"))
    ('Click a number, or press **Play**.', '')
    """
    if path == "next" and filling.looks_ahead(setup):
        return "" if filling.why_not(setup) else "Move **Words' temperature**."
    has_none = (path == "projection" and setup.projections == "none") or (
        path == "classifier" and setup.real
    )
    said = "" if has_none else find(path).act
    return said.replace("One word", f"One {unit(setup)}") if path == "next" else said
