"""All fields of setup and focus, which are the link's parameters, and where the control of each stands. No Streamlit here."""

from functools import cache

from core import setup
from core.fields import Control, Field
from pages.shared import focus

FIELDS: dict[str, Field] = setup.FIELDS | focus.FIELDS
CONTROLS: dict[str, Control] = {name: field.control for name, field in FIELDS.items() if field.control}
_BY_ROW = sorted(CONTROLS, key=lambda name: CONTROLS[name].row)


@cache
def in_panel(panel: str) -> tuple[str, ...]:
    """The fields of a panel of the sidebar, from top to bottom; the panel "top" is above all others."""
    return tuple(name for name in _BY_ROW if CONTROLS[name].panel == panel)


@cache
def on_page(path: str) -> tuple[str, ...]:
    """The fields whose controls are in the sidebar on this page but not on every page, from top to bottom."""
    return tuple(name for name in _BY_ROW if path in CONTROLS[name].pages)
