"""The frame around every page: navigation, the setup in the sidebar, what had to be changed."""

import streamlit as st

from pages.shared import board, sidebar, state
from pages.shared.steps import STEPS

state.begin()
state.freeze_imports()
st.set_page_config("Attention explorer", layout="wide")
page = st.navigation(
    [st.Page(step.file, title=step.menu, url_path=step.path or None, default=not step.path) for step in STEPS],
    position="sidebar",
    expanded=True,
)
state.arrive()
with state.one_at_a_time:
    board.library()
    with state.sent_as_one():
        sidebar.show(page.url_path)
        setup, changes = state.settle()
        sidebar.messages(setup, changes)
        page.run()
