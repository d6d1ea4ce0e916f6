"""Mounting: when and how boards are sent to the browser.

The scripts are sent once, as a component of their own; each board's component only calls them.
"""

from collections.abc import Callable, Mapping
from typing import Any

from core.board.packed import Matrix, choice, sent, to_json
from core.board.view import View
from pages.shared.server import run
from pages.shared.text import elements

_board = elements.component("attention_board", "attentionBoard")


def view_function(view: type[View]) -> Callable[..., None]:
    """Return the function that a page calls to draw this view: matrices, then fields by name, then
    as in `show`."""

    def draw(
        *matrices: Matrix, key: str, chooses: Mapping[str, Any] | None = None, **fields: Any
    ) -> None:
        show(view(**fields, **({"matrices": matrices} if matrices else {})), key, chooses)

    return draw


def show(view: View, key: str, chooses: Mapping[str, Any] | None = None) -> None:
    """Mount one board. `key` identifies it in the browser; a click sets the fields in `chooses`
    (see `choice`).

    The data is sent as bytes, since Streamlit serialises a dictionary twice.
    """
    focus, data = run.focus(), {"view": view.script, **sent(view)}
    if focus.lecturing and focus.notes == "off":
        data["lecture"] = data.get("ofScreen", 0.72)
    _board(key=key, data=to_json(data | {"chooses": chooses or choice()}).encode())
