"""Sentences about edited weights. No Streamlit here."""

from collections.abc import Container

from core import Setup
from core.board.packed import Matrix
from pages.shared.server import computed

EDITED = " Some of the numbers were then edited by hand."


def describe_edits(setup: Setup, but: Container[str] = ()) -> str:
    """Return a note if any weights are edited, except those in `but`."""
    are_edited = any(
        edit.name not in but and edit not in computed.edits_that_do_not_fit(setup)
        for edit in setup.changes
    )
    return EDITED if are_edited else ""


def describe_edited_matrix(weights: Matrix) -> str:
    """Return the note if these weights are edited."""
    return "" if weights.unedited is None else EDITED
