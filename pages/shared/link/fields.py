"""All fields of setup and focus, which are the link's parameters. No Streamlit here."""

from core import setup
from core.fields import Field
from pages.shared.link import focus

FIELDS: dict[str, Field] = setup.FIELDS | focus.FIELDS
CONTROLS = tuple(name for name, field in FIELDS.items() if field.label)  # those with a control
