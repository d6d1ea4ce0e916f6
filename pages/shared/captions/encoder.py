"""Sentences about the encoder: shuffled words, and a layer's input. No Streamlit here."""

import math
from collections.abc import Sequence

from core.analysis import shuffle
from core.text.text import quote
from core.text.written import join_words
from pages.shared.text.words import number


def describe_shuffle(result: shuffle.Shuffled) -> str:
    """State the result of the shuffle for this stack."""
    moves = join_words([f"{number(result.largest(kind))} ({kind})" for kind in result.kinds])
    return (
        f"The largest move, by the positions that are added: {moves}. Where nothing moves but by"
        " rounding, the stack does not know the order: to it a sentence is a bag of words. A mask"
        " gives the order away, too, since it decides who is before whom."
    )


def describe_input(name: str, below: int, kept: float) -> str:
    """Describe a layer's input for a word, with `below` layers under it; `kept` is the cosine with
    the word's row of X, NaN for a zero vector.

    >>> describe_input("it", 2, 0.314)
    'Layer 3 is given the row of “it” as it is by then: its cosine with X is 0.3140.'
    """
    said = f"Layer {below + 1} is given the row of {quote(name)} as it is by then"
    return f"{said}." if math.isnan(kept) else f"{said}: its cosine with X is {number(kept)}."


def describe_pictured(tokens: int, shown: Sequence[int]) -> str:
    """State which tokens the small pictures show, "" if all.

    >>> describe_pictured(100, range(32, 96))
    'The small pictures show 64 of 100 tokens, from place 33 to 96; the numbers are of all.'
    """
    if len(shown) == tokens:
        return ""
    return (
        f"The small pictures show {len(shown)} of {tokens} tokens, from place {shown[0] + 1} to"
        f" {shown[-1] + 1}; the numbers are of all."
    )
