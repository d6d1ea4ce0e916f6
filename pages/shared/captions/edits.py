"""Sentences about edited weights. No Streamlit here."""

from collections.abc import Container

from core import Setup
from core.forward.trace import Trace
from core.setup.edits import flag_edited_cells
from pages.shared.server import computed

EDITED = " Some of the numbers were then edited by hand."


def describe_edits(setup: Setup, but: Container[str] = ()) -> str:
    """Return a note if any weights are edited, except those in `but`."""
    return EDITED if any(edit.name not in but for edit in computed.edits_that_fit(setup)) else ""


def describe_edited_matrix(trace: Trace, name: str, head: int | None = None) -> str:
    """Return the note if this entry is edited; of an entry with heads, this `head` (from 0)."""
    layer = trace.setup.layer
    called = f"layer{layer}.{name}" if layer > 1 and name.startswith(("w_", "b_")) else name
    flags = flag_edited_cells(
        computed.edits_that_fit(trace.setup), called, tuple(trace.value(name).shape)
    )
    return EDITED if flags[() if head is None else trace.head_index(name, head)].any() else ""
