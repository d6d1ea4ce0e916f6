"""Edits in the words of the pages: `w_q.1.3.5=0.7` is “W_q[3, 5], head 1 = 0.7”. No Streamlit
here."""

from core.edits import Edit
from core.setup import Setup
from core.text import labels
from pages.shared.said.words import isolated
from pages.shared.server import computed

SYMBOLS = {"embedding_table": "E", "positions": "P"}
OF_HEADS = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")


def symbol(name: str) -> str:
    """Name a weight as the formulas do.

    >>> symbol("w_q"), symbol("b_o"), symbol("embedding_table")
    ('W_q', 'b_o', 'E')
    """
    return SYMBOLS.get(name, name.replace("w_", "W_"))


def says(edit: Edit, setup: Setup) -> str:
    """Say what an edit changes, and to what, in words.

    >>> says(Edit("w_q.1.3.5", "-0.7"), Setup()), says(Edit("w_o.29-56", "0"), Setup())
    ('W_q[3, 5], head 1 = −0.7', 'rows 29 to 56 of W_o = 0')
    """
    is_copy = edit.value != "identity" and edit.value[0].isalpha()
    return (
        f"{_target(edit.target, setup)} ="
        f" {_target(edit.value, setup) if is_copy else edit.value.replace('-', '−')}"
    )


def listed(setup: Setup) -> list[dict[str, str]]:
    """List every edit of a setup, as the browser's scripts read it: what it says, and why it waits,
    empty where it counts."""
    reasons = computed.edits_that_do_not_fit(setup)
    return [
        {"target": edit.target, "says": says(edit, setup), "waits": reasons.get(edit, "")}
        for edit in setup.changes
    ]


def _target(target: str, setup: Setup) -> str:
    """Say which weights, in words: one cell, rows and columns, or all."""
    layer, name, places = _parts(target)
    behind = [f"layer {layer}"] if layer else []
    if name in OF_HEADS and places:
        head = places.pop(0)
        behind.insert(0, "every head" if head == "*" else f"head{_counted(head)}")
    places = [*places, *"**"][: 1 if name.startswith("b_") else 2]
    if all(place.isdigit() for place in places):
        row = _row(name, places[0], setup)
        which = f"{symbol(name)}[{', '.join((row, *places[1:]))}]"
    else:
        axes = zip(("row", "column")[-len(places) :], places, strict=True)
        lines = [
            axis
            + (
                f" {_row(name, place, setup)}"
                if axis == "row" and place.isdigit()
                else _counted(place)
            )
            for axis, place in axes
            if place != "*"
        ]
        which = f"{', '.join(lines)} of {symbol(name)}" if lines else symbol(name)
    return ", ".join((which, *behind))


def _parts(target: str) -> tuple[str, str, list[str]]:
    """Return the layer's number, empty without one, the weight's name, and its places."""
    first, *rest = target.split(".")
    if first.startswith("layer"):
        return first.removeprefix("layer"), rest[0], rest[1:]
    return "", first, rest


def _counted(place: str) -> str:
    """Name one place of an axis, or several."""
    return f"s {place.replace('-', ' to ')}" if "-" in place else f" {place}"


def _row(name: str, place: str, setup: Setup) -> str:
    """Name a row: one of the table by its word, any other by its number."""
    words = labels(setup.vocabulary) if name == "embedding_table" else ()
    return isolated(words[int(place) - 1]) if int(place) <= len(words) else place
