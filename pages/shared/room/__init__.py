"""A class that works together: all see the lecturer's page, and answer what is asked.

It stands beside the pages, which know nothing of it: each browser window has a line of its own to
the server (`line.py`), and what it is told it does as its reader would, by the address. `room.py`
says what a class is, `store.py` where it is kept, `hall.py` who is in it and what each may do,
`questions.py` what can be asked.
"""

import streamlit as st
from starlette.routing import WebSocketRoute

from pages.shared.room.line import meet

ROUTES = [
    WebSocketRoute(
        f"/{st.get_option('server.baseUrlPath').strip('/')}/room".replace("//", "/"), meet
    )
]
