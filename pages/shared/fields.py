"""All fields that a link can say, of setup and focus, and where the control of each stands. No Streamlit here."""

from functools import cache

from core import setup
from core.fields import Control, Field
from pages.shared import focus

FIELDS: dict[str, Field] = setup.FIELDS | focus.FIELDS
CONTROLS: dict[str, Control] = {name: field.control for name, field in FIELDS.items() if field.control}
_FROM_ABOVE = sorted(CONTROLS, key=lambda name: CONTROLS[name].row)


@cache
def in_panel(panel: str) -> tuple[str, ...]:
    """The fields of a panel of the sidebar, from above; "top" are those above all panels."""
    return tuple(name for name in _FROM_ABOVE if CONTROLS[name].panel == panel)


@cache
def on_page(path: str) -> tuple[str, ...]:
    """The fields whose controls stand in the sidebar of this page and its like alone, from above."""
    return tuple(name for name in _FROM_ABOVE if path in CONTROLS[name].pages)
