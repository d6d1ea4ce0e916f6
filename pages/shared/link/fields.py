"""All fields of setup and focus, which are the link's parameters. No Streamlit here."""

from core.fields.fields import Field
from core.setup import setup
from pages.shared.link import focus

FIELDS: dict[str, Field] = setup.FIELDS | focus.FIELDS
CONTROLS = tuple(name for name, field in FIELDS.items() if field.label)  # those with a control
