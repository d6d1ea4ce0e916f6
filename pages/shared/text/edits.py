"""Edits in words: `w_q.1.3.5=0.7` is “W_q[3, 5], head 1 = 0.7”. No Streamlit here."""

from core import Setup
from core.setup.edits import Edit
from core.text.text import labels
from pages.shared.server import computed
from pages.shared.text.words import isolate

SYMBOLS = {"embedding_table": "E", "positions": "P"}
OF_HEADS = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v")


def symbol(name: str) -> str:
    """Return a weight's symbol in the formulas.

    >>> symbol("w_q"), symbol("b_o"), symbol("embedding_table")
    ('W_q', 'b_o', 'E')
    """
    return SYMBOLS.get(name, name.replace("w_", "W_"))


def says(edit: Edit, setup: Setup) -> str:
    """Describe an edit and its value in words.

    >>> says(Edit("w_q.1.3.5", "-0.7"), Setup()), says(Edit("w_o.29-56", "0"), Setup())
    ('W_q[3, 5], head 1 = −0.7', 'W_o[29 to 56, all] = 0')
    """
    is_copy = edit.value != "identity" and edit.value[0].isalpha()
    return (
        f"{_target(edit.target, setup)} ="
        f" {_target(edit.value, setup) if is_copy else edit.value.replace('-', '−')}"
    )


def list_edits(setup: Setup) -> list[dict[str, str]]:
    """List a setup's edits as the browser's scripts read them: description, and why one has no
    effect ("" if it has)."""
    reasons = computed.edits_that_do_not_fit(setup)
    return [
        {"target": edit.target, "says": says(edit, setup), "waits": reasons.get(edit, "")}
        for edit in setup.changes
    ]


def _target(target: str, setup: Setup) -> str:
    """Name the edited weights: symbol with indices, then head and layer."""
    first, *places = target.split(".")
    behind = []
    if first.startswith("layer"):
        behind, (first, *places) = [first.replace("layer", "layer ")], places
    if first in OF_HEADS and places:
        head = places.pop(0)
        behind.insert(0, "every head" if head == "*" else f"head {_counted(head)}")
    places = [*places, *"**"][: 1 if first.startswith("b_") else 2]
    told = [_counted(place) for place in places]
    words = labels(setup.vocabulary) if first == "embedding_table" else ()
    if places[0].isdigit() and int(places[0]) <= len(words):
        told[0] = isolate(words[int(places[0]) - 1])
    where = "" if set(places) == {"*"} else f"[{', '.join(told)}]"
    return ", ".join((f"{symbol(first)}{where}", *behind))


def _counted(place: str) -> str:
    """Name one index of an axis, several, or all."""
    return "all" if place == "*" else place.replace("-", " to ")
