"""The frame around every page: navigation, the setup in the sidebar, what had to be changed."""

import streamlit as st

from pages.shared import board, lecture, sidebar, state

state.begin()
state.freeze_imports()
folded = "collapsed" if state.lecturing() else "auto"
st.set_page_config("Attention explorer", page_icon=state.ICON, layout="wide", initial_sidebar_state=folded)
with state.one_at_a_time:
    page = st.navigation(state.menu(), position="sidebar", expanded=True)
    state.arrive()
    board.library()
    with state.sent_as_one():
        sidebar.show(page.url_path)
        setup, changes = state.settle()
        sidebar.messages(setup, changes)
        lecture.begin(page.url_path)
        page.run()
