"""Mounting: when and how boards are sent to the browser.

The scripts are sent once, as a component of their own; each board's component only calls them.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pages.shared.board.packed import Matrix, choice, sent, to_json
from pages.shared.server import run
from pages.shared.text import elements

_board = elements.component("attention_board", "attentionBoard")


@dataclass(kw_only=True)
class View:
    """A view of matrices. Its fields are set by a page and read by its script, in this order, as
    `data`.

    The script is the file in `views/` with the class's name in snake case, or `script`. Common
    fields: `chosen` is the selected cell (row, column), from 0; `of_screen` the fraction of a
    lecture screen's height; `max_zoom` the largest zoom in a lecture.
    """

    alt: str  # a description for screen readers
    script: ClassVar[str]

    def __init_subclass__(cls, script: str = "") -> None:
        """Set the script that draws the view."""
        cls.script = script or re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__).lower()


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
