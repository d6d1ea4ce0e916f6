"""All that Python uses of Streamlit's inside: no other Python file does. Nothing of another library
is changed.

It stands on six things that are not documented: a flag of `PagesManager`, the functions by which an
element and a run's messages are handed over (`_enqueue`), the cursor that says where the next
element goes, what a message has in it, the question whether a run was overtaken, and whom its own
stream serves. `tests/test_versions.py` opens every page with each version that is allowed.

What it buys, in processor time a rerun beside a bare page (`python -m tests.benchmarks`): messages
held back until a run is complete a fifth, drawings that are sent again a half. Without the flag the
first link that is opened shows no page at all.
"""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial, wraps
from textwrap import dedent
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.websockets import WebSocket
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.web.server.starlette import starlette_websocket

Place = DeltaGenerator  # a container: where others draw


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


class Messages(list[ForwardMsg]):
    """What a run has drawn so far, held back until it is complete, and how each is sent then."""

    def __init__(self, send: Callable[[ForwardMsg], None]) -> None:
        super().__init__()
        self.send = send


@contextmanager
def held_back() -> Iterator[None]:
    """Send what is drawn within when all of it is there; nothing, where the reader has done
    something else meanwhile.

    Left to itself, each of some fifty messages wakes the server's thread, which then takes turns
    with the page's.
    """
    context = get_script_run_ctx()
    messages = Messages(context._enqueue)
    context._enqueue = messages.append
    try:
        yield
    except RerunException:
        messages.clear()
        raise
    finally:
        context._enqueue = messages.send
        for message in messages:
            messages.send(message)


def end_if_overtaken() -> None:
    """End this run here if its reader did something else or left, as Streamlit does wherever
    something is sent."""
    held = get_script_run_ctx()._enqueue.__self__
    runner = held.send.__self__ if isinstance(held, Messages) else held
    runner._maybe_handle_execution_control_request()


# ---------- drawings that are sent again ----------


@dataclass(frozen=True, eq=False)
class Drawing:
    """What one call drew at its place: the messages, and how many places it takes."""

    call: tuple
    messages: tuple[ForwardMsg, ...]
    places: int

    @property
    def size(self) -> int:
        """Return how many bytes it has."""
        return sum(message.ByteSize() for message in self.messages)


MOST_AT_A_PLACE, MOST_BYTES = 8, 16_000_000  # all pages, as they are opened, take a tenth of it


@dataclass
class Drawings:
    """The latest drawings of each place, the newest last. Runs take place one at a time, so there
    is no lock."""

    by_place: dict[tuple, list[Drawing]] = field(default_factory=dict)
    size: int = 0

    def find(self, place: tuple, call: tuple) -> Drawing | None:
        """Return the drawing that this call left at this place, if there is one."""
        return next(
            (drawing for drawing in reversed(self.by_place.get(place, ())) if drawing.call == call),
            None,
        )

    def add(self, place: tuple, drawing: Drawing) -> None:
        """Keep it. The oldest are dropped where there are too many at this place, or too many bytes
        in all."""
        here = self.by_place.pop(place, [])
        dropped = here[: max(len(here) + 1 - MOST_AT_A_PLACE, 0)]
        self.by_place[place] = [*here[len(dropped) :], drawing]
        self.size += drawing.size - sum(other.size for other in dropped)
        while self.size > MOST_BYTES:
            self.size -= sum(other.size for other in self.by_place.pop(next(iter(self.by_place))))


store = Drawings()
REPEATED = "repeated"  # what is kept at a place beside what it was filled from


def kept(draw: Callable[..., Any]) -> Callable[..., None]:
    """Return a drawing that is sent again as it was where any visitor's run made the same call at
    the same place.

    Most of a page is the same after a click, and to make an element anew costs many times what it
    costs to send it. What is drawn may depend on nothing but the call's arguments, and may have no
    widget of Streamlit's in it.
    """

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, **named: Any) -> None:
        call, spot = (draw, inputs, named), Spot()
        if drawing := store.find(spot.place, call):
            spot.send_again(drawing)
        else:
            with spot.keeping(call):
                draw(*inputs, **named)

    return draw_or_send_again


def kept_block(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return the same for a container or columns, which others draw into."""

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, **named: Any) -> Any:
        call, spot = (draw, inputs, named), Spot()
        drawing = store.find(spot.place, call)
        if drawing is None:
            with spot.keeping(call):
                return draw(*inputs, **named)
        spot.send(drawing.messages)
        outer, *inner = drawing.messages
        block = _block_in(spot.container, outer)
        return [_block_in(block, column) for column in inner] or block

    return draw_or_send_again


def _block_in(parent: DeltaGenerator, message: ForwardMsg) -> DeltaGenerator:
    """Return the container that this message opened in its parent."""
    kind = message.delta.add_block.WhichOneof("type")
    return DeltaGenerator(parent._root_container, parent._cursor.open_block(), parent, kind)


def refilled(
    draw: Callable[..., Any],
    fill: Callable[[Element, Any], None],
    empty: Any,
    repeats: bool = False,
) -> Callable[..., None]:
    """Return the same for one element of which only `data` changes: `fill` puts that into a copy of
    the message, kept `empty`.

    Where data often `repeats` itself, what was filled is kept too.
    """

    @wraps(draw)
    def draw_or_fill(*inputs: Any, data: Any, **named: Any) -> None:
        call, spot = (draw, inputs, named), Spot()
        if repeats and (filled := store.find((*spot.place, REPEATED), (*call, data))):
            spot.send_again(filled)
            return
        drawing = store.find(spot.place, call)
        if drawing is None:
            with spot.keeping(call, lambda message: _with_data(message, fill, empty)):
                draw(*inputs, data=data, **named)
            return
        message = _with_data(drawing.messages[0], fill, data)
        spot.send((message,))
        spot.cursor.lock_element()
        if repeats:
            store.add((*spot.place, REPEATED), Drawing((*call, data), (message,), 1))

    return draw_or_fill


def _with_data(message: ForwardMsg, fill: Callable[[Element, Any], None], data: Any) -> ForwardMsg:
    """Return a copy of the message with other data."""
    copy = ForwardMsg()
    copy.CopyFrom(message)
    copy.hash = ""  # Streamlit computes it from the content when the copy is sent
    fill(copy.delta.new_element, data)
    return copy


# ---------- what differs from one drawing of an element to the next, put into its message
# ----------


def fill_component(element: Element, data: bytes) -> None:
    """Put in what a component of our own is given."""
    element.bidi_component.bytes = data


def fill_sentence(kind: str) -> Callable[[Element, str], None]:
    """Return what puts in the words of a text, or of one in markdown."""

    def fill(element: Element, data: str) -> None:
        getattr(element, kind).body = dedent(data).strip()

    return fill


class Spot:
    """Where the next element goes: the container and the cursor in it."""

    __slots__ = ("container", "context", "cursor", "place")

    def __init__(self) -> None:
        self.context = get_script_run_ctx()
        self.container = st._main._active_dg
        self.cursor = cursor = self.container._cursor
        self.place = (cursor.root_container, cursor.parent_path, cursor.index)

    def send(self, messages: tuple[ForwardMsg, ...]) -> None:
        """Hand them to the run. Of a large one that the browser has, Streamlit sends the hash
        alone."""
        for message in messages:
            self.context.enqueue(message)

    def send_again(self, drawing: Drawing) -> None:
        """Draw what was drawn, and go on behind it."""
        self.send(drawing.messages)
        for _ in range(drawing.places):
            self.cursor.lock_element()

    @contextmanager
    def keeping(
        self, call: tuple, convert: Callable[[ForwardMsg], ForwardMsg] = lambda message: message
    ) -> Iterator[None]:
        """Keep what is drawn within, each message as `convert` makes it. Not where one went as its
        hash alone."""
        held, index = self.context._enqueue.__self__, self.cursor.index
        start = len(held)
        yield
        messages = tuple(held[start:])
        if all(message.WhichOneof("type") == "delta" for message in messages):
            store.add(
                self.place, Drawing(call, tuple(map(convert, messages)), self.cursor.index - index)
            )
