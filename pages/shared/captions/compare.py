"""Sentences about two setups: which fields differ, where the numbers first differ, and by how much.
No Streamlit here."""

from collections.abc import Mapping, Sequence

from core import Setup
from core.analysis.compare import Pair, Places, first_apart
from core.fields.fields import Choice, Number
from core.setup.setup import FIELDS
from core.text.text import SYMBOLS
from core.text.written import count
from pages.shared.text.words import number, quote, times

Sides = tuple[Setup, Setup]  # pinned, present
MAX_LETTERS = 40  # of a quoted sentence or edits


def fields_apart(sides: Sides) -> str:
    """List the fields that differ. Quotes the user's words: plain text only.

    >>> fields_apart((Setup(), Setup(heads=2, memory="a b")))
    'Held → present: heads 3 → 2; memory “” → “a b”.'
    """
    told = [
        f"{name} {' → '.join(_value(setup, name) for setup in sides)}"
        for name in FIELDS
        if len({getattr(setup, name) for setup in sides}) > 1
    ]
    return f"Held → present: {'; '.join(told)}."


def numbers_apart(pairs: Sequence[Pair], main: Sequence[str], how: str = "") -> str:
    """Name the first tensor that differs; state its and the `main` tensors' largest differences,
    and `how` words of different sentences are compared."""
    first = first_apart(pairs)
    if first is None:
        return (
            f"No number differs{how}, from {name_tensor(pairs[0].name)} to"
            f" {name_tensor(pairs[-1].name)}."
        )
    by_name = {pair.name: pair for pair in pairs}
    shown = dict.fromkeys((first, *(by_name[name] for name in main)))
    return (
        f"The first that differs is {name_tensor(first.name)}. Apart{how}:"
        f" {'; '.join(map(_apart, shown))}."
    )


def describe_matching(matched: Mapping[str, Places], alike: bool) -> str:
    """Say how words are compared, "" for the same sentences (`alike`).

    >>> describe_matching({}, False), describe_matching({"query": ([1, 0], [0, 1])}, False)
    (', place by place', ', each word with the same word')
    """
    if alike:
        return ""
    found = any(both[0] for axis, both in matched.items() if axis != "word")
    return ", each word with the same word" if found else ", place by place"


def name_tensor(name: str) -> str:
    """Name a tensor by its symbol, with its layer in a stack.

    >>> name_tensor("scores"), name_tensor("layer2.w_q")
    ('ω', 'W_q of layer 2')
    """
    layer, _, own = name.rpartition(".")
    said = SYMBOLS.get(own, own)
    return f"{said} of {layer.replace('layer', 'layer ')}" if layer else said


def no_difference(shapes: tuple[tuple[int, int], tuple[int, int]], place: str) -> str:
    """Explain why two matrices have no difference: different shapes, or a `place` (head or layer)
    that the pinned setup lacks."""
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


def _apart(pair: Pair) -> str:
    if pair.largest is None:
        return f"{name_tensor(pair.name)} {_shape(pair.held)} held, {_shape(pair.present)} present"
    if pair.others:
        return f"{name_tensor(pair.name)} in {pair.others[0]} of {count(pair.others[1], 'place')}"
    return f"{name_tensor(pair.name)} by up to {number(pair.largest)}"


def _shape(axes: Sequence[tuple[str, int]] | None) -> str:
    return "(" + ", ".join(f"{axis} {size}" for axis, size in axes) + ")" if axes else "nothing"


def _value(setup: Setup, name: str) -> str:
    """Return a field's value on one line."""
    value = getattr(setup, name)
    if isinstance(FIELDS[name], Choice | Number):
        return str(value)
    line = value.replace("\n", " / ")
    return quote(line if len(line) <= MAX_LETTERS else f"{line[:MAX_LETTERS]}…")
