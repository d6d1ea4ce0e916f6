"""The frame around every page: navigation, the setup in the sidebar, what had to be changed."""

import streamlit as st

from pages.shared import board, lecture, notebooks, runtime, show, sidebar, state, steps, waiting_room, worksheet

runtime.begin()
runtime.one_thread_for_torch()
runtime.remember_theme()
runtime.freeze_imports(show, notebooks)
with runtime.one_run():
    page = runtime.navigate()
    state.begin_run(page.url_path)
    if state.is_new("frame", (page.url_path, lecture.on())):  # the browser keeps it
        sidebar_state = "collapsed" if lecture.on() else "auto"
        st.set_page_config("Attention explorer", page_icon=runtime.ICON, layout="wide", initial_sidebar_state=sidebar_state)
    board.bar()
    sidebar.show(page.url_path)
    sidebar.messages()
    lecture.begin(page.url_path)
    jobs = waiting_room.jobs(page.url_path, state.setup(), state.focus())
    if jobs:
        view = waiting_room.View(jobs)
    elif worksheet.on():
        worksheet.show(page.url_path)
    else:
        page.run()
    with st.sidebar:
        board.library()
    state.end_run()
runtime.read_ahead(show.where_made, tuple(step.file for step in steps.STEPS))
if jobs:
    waiting_room.work(view, jobs)
