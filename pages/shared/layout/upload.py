"""The file upload."""

import html
from collections.abc import Sequence

import streamlit as st

from pages.shared.server import run
from pages.shared.text import elements

COOKIE = "_streamlit_xsrf"  # Streamlit accepts no file without it


def uploads(label: str, key: str, types: Sequence[str], most_bytes: int) -> list[tuple[str, bytes]]:
    """Draw the upload and return its files by name.

    In another site's frame, without the cookie, Streamlit would reject files: the page links to
    itself instead.
    """
    if (
        st.context.url is None
        or not st.get_option("server.enableXsrfProtection")
        or COOKIE in st.context.cookies
    ):
        given = st.file_uploader(
            label,
            key=key,
            type=types,
            max_upload_size=most_bytes // 2**20,
            accept_multiple_files=True,
        )
        return [(file.name, file.getvalue()) for file in given]
    elements.markdown(
        "A file is sent only from a page by itself: in this frame, the browser keeps back the"
        " cookie that it takes."
    )
    alone = (
        f'<a href="?{html.escape(run.now().link)}" target="_blank" data-new-tab rel="noopener">Open'
        " this page by itself</a>"
    )
    elements.html(f'<p class="ab-way">{alone}</p>')
    return []
