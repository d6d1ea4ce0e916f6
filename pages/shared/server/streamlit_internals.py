"""All uses of Streamlit's internals in Python. No other library is patched.

It relies on five undocumented things: a flag of `PagesManager`, the function that sends a run's
messages (`_enqueue`), the cursor of the next element, the contents of a message, and the origin
check of its websocket. `tests/test_versions.py` opens every page with each allowed version.

Resending an element with other data saves a third of a rerun's processor time (`python -m
tests.benchmarks cost`). Messages are held back for a complete picture, not for speed. Without the
flag, the first opened link shows no page.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial, wraps
from pathlib import Path
from textwrap import dedent
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.websockets import WebSocket
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.web.server.starlette import starlette_websocket

ENTRY_POINT = Path(__file__).parents[3] / "streamlit_app.py"


def run_the_entry_point(is_page: bool = False) -> None:
    """Switch off Streamlit's own use of the folder `pages`.

    Until a process first calls `st.navigation`, Streamlit runs a requested page's file instead of
    the entry point, for every visitor. So a page that runs alone calls this and restarts; of
    several visitors at once, each.
    """
    is_of_the_app = is_page and Path(get_script_run_ctx().main_script_path) == ENTRY_POINT
    if PagesManager.uses_pages_directory or is_of_the_app:
        PagesManager.uses_pages_directory = False
        st.rerun()


# ---------- a websocket beside Streamlit's ----------

_foreign = ThreadPoolExecutor(1, "origins")
PATIENT = 3  # seconds


async def is_served(socket: WebSocket) -> bool:
    """Return whether Streamlit's websocket would accept this page: same address (also in a foreign
    frame) or an allowed origin. Foreign origins need a network request, so they are checked in a
    thread."""
    origin, host = socket.headers.get("origin"), socket.headers.get("host")
    serves = partial(starlette_websocket._is_origin_allowed, origin, host)
    with suppress(ValueError, TimeoutError):  # no valid address, or no answer in time
        if origin is None or urlsplit(origin).netloc == host:
            return serves()
        async with asyncio.timeout(PATIENT):
            return await asyncio.get_running_loop().run_in_executor(_foreign, serves)
    return False


# ---------- the messages of a run ----------


@contextmanager
def held_back() -> Iterator[None]:
    """Send what is drawn inside when it is complete, or nothing if the user has acted; otherwise
    old and new parts would be shown together."""
    context = get_script_run_ctx()
    send, messages = context._enqueue, list[ForwardMsg]()
    context._enqueue = messages.append
    try:
        yield
    except RerunException:
        messages.clear()
        raise
    finally:
        context._enqueue = send
        for message in messages:
            send(message)


# ---------- resending an element with other data ----------

Fill = Callable[[Element, Any], None]
made = dict[tuple[Any, ...], ForwardMsg]()  # each drawing's message, by its other inputs


def refill(draw: Callable[..., Any], fill: Fill) -> Callable[..., None]:
    """Return a function that builds an element once per process, then resends it with other `data`,
    inserted by `fill` into a copy of its message.

    The drawing may depend only on its other inputs, with few different values.
    """

    @wraps(draw)
    def draw_or_send_again(data: Any, **inputs: Any) -> None:
        context, cursor = get_script_run_ctx(), st._main._active_dg._cursor
        call = (draw, *inputs.values())
        if call not in made:
            with _note_messages(context) as sent:
                draw(data=data, **inputs)
            if sent[0].WhichOneof("type") == "delta":  # or only its hash, if a browser has it
                made[call] = sent[0]
            return
        message = ForwardMsg()
        message.CopyFrom(made[call])
        message.hash = ""  # Streamlit computes it from the content on sending
        message.metadata.delta_path[:] = cursor.delta_path
        fill(message.delta.new_element, data)
        context.enqueue(message)
        cursor.lock_element()

    return draw_or_send_again


@contextmanager
def _note_messages(context: Any) -> Iterator[list[ForwardMsg]]:
    """Record the messages sent inside."""
    sent, send = list[ForwardMsg](), context._enqueue

    def note_and_send(message: ForwardMsg) -> None:
        sent.append(message)
        send(message)

    context._enqueue = note_and_send
    try:
        yield sent
    finally:
        context._enqueue = send


def fill_component(element: Element, data: bytes) -> None:
    """Insert a component's data."""
    element.bidi_component.bytes = data


def fill_markdown(element: Element, data: str) -> None:
    """Insert a Markdown text."""
    element.markdown.body = dedent(data).strip()
