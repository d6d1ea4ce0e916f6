"""All fields of setup and focus, which are the link's parameters, and what each is called on
screen. No Streamlit here."""

from core import setup
from core.fields import Control, Field
from pages.shared.link import focus

FIELDS: dict[str, Field] = setup.FIELDS | focus.FIELDS
CONTROLS: dict[str, Control] = {
    name: field.control for name, field in FIELDS.items() if field.control
}
