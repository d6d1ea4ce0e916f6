"""Sentences about edited weights. No Streamlit here."""

from collections.abc import Container

from core import Setup
from core.forward.trace import Trace
from pages.shared.server import computed

EDITED = " Some of the numbers were then edited by hand."


def describe_edits(setup: Setup, but: Container[str] = ()) -> str:
    """Return a note if any weights are edited, except those in `but`."""
    are_edited = any(
        edit.name not in but and edit not in computed.edits_that_do_not_fit(setup)
        for edit in setup.changes
    )
    return EDITED if are_edited else ""


def describe_edited_matrix(trace: Trace, name: str, head: int | None = None) -> str:
    """Return the note if this entry is edited; of an entry with heads, this `head` (from 0)."""
    layer = trace.setup.layer
    called = f"layer{layer}.{name}" if layer > 1 and name.startswith(("w_", "b_")) else name
    before, place = (
        computed.find_unedited(trace.setup, called),
        () if head is None else trace.head_index(name, head),
    )
    return "" if before is None or before[place].equal(trace.value(name)[place]) else EDITED
