"""Mounting: what a browser is sent of the boards, and when.

The scripts go to a browser once, as a component of their own. Each board is a component whose
script only calls them.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

from pages.shared.board.packed import Matrix, choice, sent, to_json
from pages.shared.said import elements
from pages.shared.server import run

_board = elements.component("attention_board", "attentionBoard")


@dataclass(kw_only=True)
class View:
    """A way to show something. Its fields are what a page says of it, and, in this order, what its
    script reads as `data`.

    The script is that in `views/` with the class's name in small letters, or another `script`. What
    several have: `chosen` is the cell that is followed (row, column), from 0; `of_screen`, in a
    lecture, the share of the screen's height; `max_zoom` how much larger a lecture may draw it.
    """

    alt: str  # what there is to see, in words
    script: ClassVar[str]

    def __init_subclass__(cls, script: str = "") -> None:
        """Say which script draws it."""
        cls.script = script or cls.__name__.lower()


def door(view: type[View]) -> Callable[..., None]:
    """Return the function by which a page draws such a view: its matrices in front, its fields by
    name, then as for `show`."""

    def draw(
        *matrices: Matrix, key: str, chooses: Mapping[str, Any] | None = None, **fields: Any
    ) -> None:
        show(view(**fields, **({"matrices": matrices} if matrices else {})), key, chooses)

    return draw


def show(view: View, key: str, chooses: Mapping[str, Any] | None = None) -> None:
    """Mount one board. The browser knows it again by its `key`; a click sets what `chooses` says
    (see `choice`).

    It goes as bytes: Streamlit writes a dictionary out twice, once to send it and once to recognise
    it.
    """
    focus, data = run.focus(), {"view": view.script, **sent(view)}
    if focus.lecturing and focus.notes == "off":
        data["lecture"] = data.get("ofScreen", 0.72)
    _board(key=key, data=to_json(data | {"chooses": chooses or choice()}).encode())
