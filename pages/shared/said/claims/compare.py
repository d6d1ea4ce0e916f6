"""What is said of two setups side by side: which fields differ, where the numbers part, and how
far. No Streamlit here."""

from collections.abc import Sequence

from core.compare import Pair, first_apart, why
from core.setup import DEFAULTS, Setup
from core.text import SYMBOLS
from pages.shared.said.words import number, quoted, times

Sides = tuple[Setup, Setup]  # held, present
MOST_LETTERS = 40  # of a sentence that is quoted
MOST_EDITS = 3  # that are named
# What has no name here is called by its symbol alone, or by its name: W_q, b_q, concat.
NAMES = {
    "ids": "the ids",
    "embedding_table": "the embedding table E",
    "embedded": "the rows E[ids]",
    "positions": "the positions P",
    "x": "X",
    "q": "the queries Q",
    "k": "the keys K",
    "v": "the values V",
    "scores": "the scores ω",
    "scaled": "the scaled scores ω′",
    "masked": "the masked scores ω″",
    "weights": "the weights α",
    "dropped": "the weights α after dropout",
    "context": "the context Z",
    "output": "the output Y",
    "normed_1": "the first norm",
    "normed_2": "the second norm",
    "resid_mid": "the sum X + Y",
    "resid_post": "the sum N + F",
    "ffn_hidden": "H",
    "angles": "the angles θ",
    "q_normed": "the normed queries",
    "k_normed": "the normed keys",
    "q_rotated": "the turned queries",
    "k_rotated": "the turned keys",
    "ffn_gate": "the gate G",
    "ffn_opened": "the gate after silu",
    "memory_ids": "the other sentence's ids",
    "memory_embedded": "the other sentence's rows E[ids]",
    "memory_positions": "the other sentence's positions",
    "memory_x": "the other sentence's rows M",
    "memory_angles": "the other sentence's angles",
    "ffn_activated": "H after its activation",
    "ffn_out": "F",
    "out": "Out",
    "w_1": "W_1",
    "w_2": "W_2",
    "tempered": "logits / T",
    "top_k": "what top-k leaves",
    "top_p": "what top-p leaves",
}
PLURAL = (
    "memory_ids",
    "memory_embedded",
    "memory_positions",
    "memory_x",
    "memory_angles",
    "ids",
    "embedded",
    "positions",
    "angles",
    "q",
    "k",
    "q_normed",
    "k_normed",
    "q_rotated",
    "k_rotated",
    "v",
    "scores",
    "scaled",
    "masked",
    "weights",
    "dropped",
)


def fields_apart(sides: Sides) -> str:
    """Say which choices differ, and how. It quotes the reader's own words: plain text."""
    held, present = sides
    names = [name for name in DEFAULTS if getattr(held, name) != getattr(present, name)]
    clauses = (
        (
            _edits_apart(sides)
            if name == "edits"
            else (
                f"{name} is {_value(held, name)} in the held setup and {_value(present, name)} in"
                " the present one"
            )
        )
        for name in names
    )
    return (
        f"{'One choice differs' if len(names) == 1 else f'{len(names)} choices differ'}:"
        f" {'; '.join(clauses)}."
    )


def numbers_apart(pairs: Sequence[Pair], main: Sequence[str], sides: Sides) -> str:
    """Say where along the derivation the first number differs, and how far the page's `main`
    tensors are apart."""
    first = first_apart(pairs)
    if first is None:
        return f"No number differs, from {called(pairs[0].name)} to {called(pairs[-1].name)}."
    by_name = {pair.name: pair for pair in pairs}
    shown = dict.fromkeys((first, *(by_name[name] for name in main)))
    start = (
        "They part at the first tensor"
        if first is pairs[0]
        else f"Everything before {called(first.name)} is the same"
    )
    start += _first_number(first)
    batch = "ids" in by_name and len(by_name["ids"].present or ()) == 2
    return f"{start}; {'; '.join(_apart(pair, sides, batch) for pair in shown)}."


def called(name: str) -> str:
    """Name a tensor as the pages do; the name of one in a stack says of which layer it is.

    >>> called("scores"), called("layer2.w_q")
    ('the scores ω', 'W_q of layer 2')
    """
    layer, _, own = name.rpartition(".")
    said = NAMES.get(own) or SYMBOLS.get(own, own)
    return f"{said} of {layer.replace('layer', 'layer ')}" if layer else said


def no_difference(shapes: tuple[tuple[int, int], tuple[int, int]], place: str) -> str:
    """Say why two matrices have no difference: their shapes, or that they stand in another `place`,
    a head or a layer."""
    held, present = shapes
    if held != present:
        return (
            f"There is no difference of {times(held)} and {times(present)} numbers: only what has"
            " one shape can be subtracted."
        )
    return (
        f"The held setup has no {place}. Its last one stands here instead, so there is no"
        " difference."
    )


def _first_number(pair: Pair) -> str:
    """Tell the first number that differs: where it stands, places counted from 1, and what both
    have there."""
    if pair.first is None or pair.numbers is None or pair.present is None:
        return ""
    place = ", ".join(
        f"{axis} {at}"
        for (axis, _), at in zip(pair.present, (at + 1 for at in pair.first), strict=True)
    )
    held, present = (
        str(value) if isinstance(value, int) else number(value) for value in pair.numbers
    )
    both = (
        f"{held} held and {present} present"
        if held != present
        else f"{held} in both as printed, and not the same"
    )
    return f"; there the first number that differs, at {place}, is {both}"


def _apart(pair: Pair, sides: Sides, batch: bool) -> str:
    name, many = called(pair.name), pair.name.split(".")[-1] in PLURAL
    if pair.held is None or pair.present is None:
        return f"only the {'present' if pair.held is None else 'held'} setup has {name}"
    if pair.largest is None:
        fields = " and ".join(why(pair, *sides, batch))
        shapes = f"{_shape(pair.held)} held and {_shape(pair.present)} present"
        return f"{name} {'have' if many else 'has'} other shapes, {shapes}, decided by {fields}"
    if pair.same:
        return f"{name} {'are' if many else 'is'} the same"
    return f"{name} {'differ' if many else 'differs'} by up to {number(pair.largest)}"


def _shape(axes: Sequence[tuple[str, int]]) -> str:
    return "(" + ", ".join(f"{axis} {size}" for axis, size in axes) + ")"


def _edits_apart(sides: Sides) -> str:
    """Say which edits of weights one setup has and the other not."""
    held, present = (setup.changes for setup in sides)
    alone = (
        [edit for edit in held if edit not in present],
        [edit for edit in present if edit not in held],
    )
    if not any(alone):
        return "edits are the same, made in another order"
    told = [
        f"{_listed([str(edit) for edit in own])} in the {which} setup alone"
        for own, which in zip(alone, ("held", "present"), strict=True)
        if own
    ]
    return f"edits: {' and '.join(told)}"


def _listed(edits: Sequence[str]) -> str:
    named = ", ".join(edits[:MOST_EDITS])
    return named if len(edits) <= MOST_EDITS else f"{named} and {len(edits) - MOST_EDITS} more"


def _value(setup: Setup, name: str) -> str:
    """Write a choice so that it fits on a line."""
    value = getattr(setup, name)
    if name in ("text", "others", "memory"):
        line = value.replace("\n", " / ")
        return (
            quoted(line if len(line) <= MOST_LETTERS else line[:MOST_LETTERS] + "…")
            if value
            else "none"
        )
    return str(value)
