"""All that Python uses of Streamlit's inside: no other Python file does. Nothing of another library
is changed.

It stands on five things that are not documented: a flag of `PagesManager`, the function by which a
run's messages are handed over (`_enqueue`), the cursor that says where the next element goes, what
a message has in it, and whom its own stream serves. `tests/test_versions.py` opens every page with
each version that is allowed.

An element that is sent again with other data, and not made anew, buys a third of the processor time
of a rerun (`python -m tests.benchmarks cost`). Messages are held back for what is seen, not for
time. Without the flag the first link that is opened shows no page at all.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import partial, wraps
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


def run_the_entry_point() -> None:
    """Switch Streamlit's own use of the folder `pages` off.

    Until `st.navigation` was called once in a process, Streamlit runs the file of a page that is
    asked for in place of the entry point, for every visitor. So a page that finds itself alone
    calls this, too, and begins again.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


# ---------- a websocket beside Streamlit's ----------

_foreign = ThreadPoolExecutor(1, "origins")
PATIENT = 3  # seconds


async def is_served(socket: WebSocket) -> bool:
    """Return whether Streamlit's own stream would serve this page: one of this address, in a frame
    of another one too, or of one that the host's settings name. Of others it asks a host elsewhere
    who this one is, so the server's loop does not wait for that."""
    origin, host = socket.headers.get("origin"), socket.headers.get("host")
    serves = partial(starlette_websocket._is_origin_allowed, origin, host)
    with suppress(ValueError, TimeoutError):  # no address at all; others are asked about, too
        if origin is None or urlsplit(origin).netloc == host:
            return serves()
        async with asyncio.timeout(PATIENT):
            return await asyncio.get_running_loop().run_in_executor(_foreign, serves)
    return False


# ---------- the messages of a run ----------


@contextmanager
def held_back() -> Iterator[None]:
    """Send what is drawn within when all of it is there; nothing, where the reader has done
    something else meanwhile. Left to itself half of an answer stands beside half of the last."""
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


# ---------- an element that is sent again with other data ----------

Fill = Callable[[Element, Any], None]
made = dict[tuple[Any, ...], ForwardMsg]()  # the message of each drawing, by its other inputs


def refill(draw: Callable[..., Any], fill: Fill) -> Callable[..., None]:
    """Return a drawing of one element that is made once a process, and sent again with other `data`
    at the place where it is drawn next: `fill` puts them into a copy of its message.

    What is drawn may depend on nothing else but its other inputs, which stay few.
    """

    @wraps(draw)
    def draw_or_send_again(data: Any, **inputs: Any) -> None:
        context, cursor = get_script_run_ctx(), st._main._active_dg._cursor
        call = (draw, *inputs.values())
        if call not in made:
            with _note_messages(context) as sent:
                draw(data=data, **inputs)
            if sent[0].WhichOneof("type") == "delta":  # or its hash alone, if a browser has it
                made[call] = sent[0]
            return
        message = ForwardMsg()
        message.CopyFrom(made[call])
        message.hash = ""  # Streamlit computes it from the content when it is sent
        message.metadata.delta_path[:] = cursor.delta_path
        fill(message.delta.new_element, data)
        context.enqueue(message)
        cursor.lock_element()

    return draw_or_send_again


@contextmanager
def _note_messages(context: Any) -> Iterator[list[ForwardMsg]]:
    """Note the messages that are sent within."""
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
    """Put in what a component of our own is given."""
    element.bidi_component.bytes = data


def fill_markdown(element: Element, data: str) -> None:
    """Put in the words of a sentence in markdown."""
    element.markdown.body = dedent(data).strip()
