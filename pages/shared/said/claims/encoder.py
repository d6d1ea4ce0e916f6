"""What is said of the encoder: of shuffled words, and of what a layer is given. No Streamlit
here."""

import math

from core import shuffle
from core.text import quoted
from core.written import short
from pages.shared.said.words import number, percent


def shuffled(result: shuffle.Shuffled) -> str:
    """Say what the shuffle shows of this stack, and of rotary positions why they have no row."""
    rotary = (
        " Rotary positions, which are chosen, add nothing to a word's row, so they are not among"
        " these kinds."
    )
    return _shuffled(result) + (rotary if result.setup.positions == "rotary" else "")


def _shuffled(result: shuffle.Shuffled) -> str:
    setup, verdict = result.setup, shuffle.verdict(result)
    if verdict == "typed":
        if len(setup.tokens) == 1:
            return "A single word has only one order: there is nothing to shuffle."
        reason = "Nothing is shuffled" if setup.shuffle == 0 else "This shuffle changes nothing"
        return (
            f"{reason}: the order is the one that was typed. Move **Shuffle** under More, above the"
            " figure."
        )
    largest, share = result.largest("none"), result.share("none")
    moves = f"moves by at most **{number(largest)}**" if largest else "does not move at all"
    carry = "to the stack, a sentence is then a bag of words."
    if share > shuffle.SEEN:
        rounded = (
            f", {percent(share, 2)} of the largest number there: rounding, which large scores"
            f" enlarge. But for that, {carry}"
        )
    else:
        rounded = f"{': rounding' if largest else ''}. {carry.capitalize()}"
    mask, says = (
        ("window", "how far apart two words are")
        if setup.mask == "window"
        else ("causal mask", "who is before whom")
    )
    explanation = {
        "bag": rounded,
        "alike": (
            f"{': rounding' if largest else ''}. All words are the same, so the **{mask}** has"
            " nothing to give away."
        ),
        "mask": f": here the **{mask}** gives the order away, since it decides {says}.",
        "hidden": f". The **{mask}** decides {says}, but here the results do not show it.",
    }[verdict]
    return f"Without positions, a word's result {moves}{explanation} {_with_positions(result)}"


def _with_positions(result: shuffle.Shuffled) -> str:
    kinds = shuffle.seen(result)  # the positions that show the order
    has_learned = "learned" in result.kinds
    learned = (
        f", with learned ones by up to **{short(result.largest('learned'), 2)}**"
        if has_learned
        else ""
    )
    changes = (
        "With sinusoidal positions it moves by up to"
        f" **{short(result.largest('sinusoidal'), 2)}**{learned}. "
    )
    if not any(result.sizes):
        return (
            changes
            + "All results are 0, since a norm leaves nothing of a row with a single number."
        )
    if kinds == result.kinds[1:]:
        return changes + "That is what positions are for."
    if kinds:
        return changes + f"Here only {kinds[0]} positions show the order."
    return changes + "Here not even positions show the order."


def given(name: str, below: int, kept: float) -> str:
    """Say what a layer is given for a word, with so many layers `below` it; `kept` is the cosine
    with the word's row of X, NaN where one of the two has no direction.

    >>> print(given("it", 2, 0.314).replace(": ", ":\\n"))
    Layer 3 is given what the 2 layers below it made of “it”:
    its cosine with the row of X is 0.3140.
    """
    if not below:
        return f"Layer 1 is given X itself: the row of {quoted(name)} as it was embedded."
    made = "layer 1 made" if below == 1 else f"the {below} layers below it made"
    direction = (
        "one of the two has no direction"
        if math.isnan(kept)
        else f"its cosine with the row of X is {number(kept)}"
    )
    return f"Layer {below + 1} is given what {made} of {quoted(name)}: {direction}."
