"""The frame around every page: the panel of the setup, what had to be changed, and the page that
the address asks for."""

import streamlit as st

from pages.shared import classroom, lecture, panel, share
from pages.shared.layout import exercises, page, show, training_queue
from pages.shared.server import background, run, streamlit_internals
from pages.shared.share import worksheet
from pages.shared.text import elements
from pages.shared.web import library


def a_visitors_run() -> None:
    streamlit_internals.run_the_entry_point()
    run.one_thread_for_torch()
    run.prepare_memory(show)
    with background.collect_requests() as waits, run.one_at_a_time():
        here = run.begin()
        in_frame = "collapsed" if st.context.is_embedded else "auto"
        st.set_page_config(f"{here.title} · Attention explorer", panel.ICON, "wide", in_frame)
        library.bar()
        with elements.container(key="above"):  # so that nothing below moves
            panel.messages()
            share.show(here.path)
            exercises.link_other_pages(here.path)
        lecture.begin()
        training = training_queue.begin()
        if training is None:
            worksheet.show(here.path) if worksheet.on() else page.run_page(here)
        panel.show()
        library.show()
        run.end()
    if training is not None:
        training.work()
    background.draw_again(waits)


if __name__ == "__main__":
    a_visitors_run()
# the server's: Streamlit finds `app` in this file, and serves the pages and what stands in `routes`
else:
    app = st.App(__file__, routes=classroom.ROUTES)
