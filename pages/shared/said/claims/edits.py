"""What the pages say of weights that were changed by hand. No Streamlit here."""

from collections.abc import Container

from core.edits import flag_edited_cells
from core.setup import Setup
from core.trace import Trace
from pages.shared.server import computed

EDITED = " Some of the numbers were then edited by hand."


def describe_edits(setup: Setup, but: Container[str] = ()) -> str:
    """Add to a sentence about how weights were drawn that some were edited. `but` are weights that
    are not meant."""
    return EDITED if any(edit.name not in but for edit in computed.edits_that_fit(setup)) else ""


def describe_edited_matrix(trace: Trace, name: str, head: int | None = None) -> str:
    """Say the same of one entry; of one with heads, of the one that is asked for (from 0). A
    further layer's weights are called so."""
    layer = trace.setup.layer
    called = f"layer{layer}.{name}" if layer > 1 and name.startswith(("w_", "b_")) else name
    flags = flag_edited_cells(
        computed.edits_that_fit(trace.setup), called, tuple(trace.value(name).shape)
    )
    return EDITED if flags[() if head is None else trace.head_index(name, head)].any() else ""
