"""All scripts and styles of the explorer, as one component that draws nothing: what it brings stays in the browser."""

import json

import streamlit as st

from pages.shared import elements, panel
from pages.shared.board.scripts import SCRIPTS, script, styles
from pages.shared.board.themes import themes

_library = elements.component(
    "attention_library",
    js=f"const STYLES = {json.dumps(styles())};\nconst THEMES = {json.dumps(themes())};\n" + script(*SCRIPTS),
)
CONSTANTS = json.dumps(panel.constants()).encode()


def show() -> None:
    """Send the scripts. Of a message as large as that Streamlit sends the hash alone, once the browser has it."""
    with st.sidebar:
        _library(key="library", data=CONSTANTS)
