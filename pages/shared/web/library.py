"""All scripts and styles of the explorer, as one invisible component."""

import json

import streamlit as st

from core.board.themes import themes
from pages.shared import panel
from pages.shared.text import elements
from pages.shared.web.scripts import script, styles

_library = elements.component(
    "attention_library",
    js=f"const STYLES = {json.dumps(styles())};\nconst THEMES = {json.dumps(themes())};\n"
    + script("web/main", with_views=True),
)
_bar = elements.component("attention_bar", "attentionBar")
CONSTANTS = json.dumps(panel.constants()).encode()


def bar() -> None:
    """Draw the navigation bar, always in view, before the rest of the page."""
    _bar(key="board_bar", data=b"")


def show() -> None:
    """Send the scripts. Streamlit sends only the hash of such a large message if the browser has
    it."""
    with st.sidebar:
        _library(key="library", data=CONSTANTS)
