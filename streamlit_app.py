"""The frame around every page: the panel of the setup, what had to be changed, and the page that the address asks for."""

import streamlit as st

from pages.shared import (
    board,
    computed,
    elements,
    lecture,
    library,
    notebooks,
    panel,
    share,
    show,
    state,
    waiting_room,
    worksheet,
)
from pages.shared.page import run_page
from pages.shared.server import inside

inside.run_the_entry_point()
state.one_thread_for_torch()
state.freeze_imports(show, notebooks, computed)
with state.one_at_a_time():
    step = state.begin()
    in_frame = "collapsed" if st.context.is_embedded else "auto"
    st.set_page_config(f"{step.title} · Attention explorer", page_icon=panel.ICON, layout="wide", initial_sidebar_state=in_frame)
    board.bar()
    with elements.container(key="above"):  # so that nothing below moves
        panel.messages()
        share.show(step.path)
    lecture.begin(step.path)
    jobs = waiting_room.jobs(step.path, state.setup(), state.focus())
    if jobs:
        view = waiting_room.View(jobs)
    elif worksheet.on():
        worksheet.show(step.path)
    else:
        run_page(step)
    panel.show()
    library.show()
    state.end()
if jobs:
    waiting_room.work(view, jobs)
