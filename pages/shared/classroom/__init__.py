"""A shared class: everyone sees the lecturer's page and answers the lecturer's questions.

Pages know nothing of it: each browser window has a websocket (`socket.py`) and follows messages by
changing its address. `room.py` defines a class, `store.py` stores it, `class_registry.py` manages
members and permissions, `questions.py` the questions.
"""

import streamlit as st
from starlette.routing import WebSocketRoute

from pages.shared.classroom.socket import meet

ROUTES = [
    WebSocketRoute(
        f"/{st.get_option('server.baseUrlPath').strip('/')}/room".replace("//", "/"), meet
    )
]
