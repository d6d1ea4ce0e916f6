"""What was drawn before is sent again: a click changes little of a page, and the next visitor sees much the same page.

Only this module, `runtime` and `sending` use what Streamlit does not document.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property, wraps
from typing import Any

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.scriptrunner_utils.script_run_context import ScriptRunContext, ThreadState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.widgets import register_widget_from_metadata

from pages.shared.sending import RunMessages, frame


@dataclass(frozen=True, eq=False)
class Drawing:
    """What one call drew at its place: the messages, the widgets among them, and how many places it takes."""

    call: tuple
    messages: tuple[ForwardMsg, ...]
    widgets: tuple[WidgetMetadata, ...]
    places: int

    @cached_property
    def size(self) -> int:
        """Bytes, of those that go as they are with their frames."""
        return sum(message.ByteSize() * (1 if message.metadata.cacheable else 2) for message in self.messages)

    @cached_property
    def frames(self) -> dict[int, bytes]:
        """By identity, as a websocket sends them: those that never go as their hash alone."""
        return {id(message): frame(message) for message in self.messages if not message.metadata.cacheable}


MOST_AT_A_PLACE, MOST_BYTES = 8, 16_000_000  # all pages, as they are opened, take a tenth of it


@dataclass
class Drawings:
    """The latest drawings of each place, the newest last. Runs take place one at a time, so there is no lock."""

    by_place: dict[tuple, list[Drawing]] = field(default_factory=dict)
    size: int = 0

    def find(self, place: tuple, call: tuple) -> Drawing | None:
        """The drawing that this call left at this place, if there is one."""
        for drawing in reversed(self.by_place.get(place, ())):
            if drawing.call == call:
                return drawing
        return None

    def add(self, place: tuple, drawing: Drawing) -> None:
        """Keep it. The oldest are dropped where there are too many at this place, or too many bytes in all."""
        here = self.by_place.pop(place, [])
        old = [other for k, other in enumerate(here) if other.call == drawing.call or k <= len(here) - MOST_AT_A_PLACE]
        self.by_place[place] = [*(other for other in here if other not in old), drawing]
        self.size += drawing.size - sum(other.size for other in old)
        while self.size > MOST_BYTES:
            self.size -= sum(other.size for other in self.by_place.pop(next(iter(self.by_place))))


store = Drawings()
FILLED = "filled"  # what is kept at a place beside what it was filled from, which stays however many there are


def kept(draw: Callable[..., Any]) -> Callable[..., None]:
    """A drawing that is sent again as it was where any visitor's run made the same call at the same place.

    Most of a page is the same after a click, and to make an element anew costs fifty times what it costs to send it.
    What is drawn may depend on nothing but the call's own arguments; `fresh` draws in any case, and is for a widget
    that is written, which the browser must be told once and never again. Noticed by `test_what_is_kept_is_what_is_drawn`.
    """

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, fresh: bool = False, **named: Any) -> None:
        if fresh:
            draw(*inputs, **named)
            return
        call, spot = (draw, inputs, named), Spot()
        drawing = spot.earlier(call)
        if drawing is None:
            with _keeping(call, spot):
                draw(*inputs, **named)
        else:
            spot.send_again(drawing)
            spot.cursor._index += drawing.places

    return draw_or_send_again


def kept_block(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a container or columns, which others draw into."""

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, **named: Any) -> Any:
        call, spot = (draw, inputs, named), Spot()
        drawing = spot.earlier(call)
        if drawing is None:
            with _keeping(call, spot):
                return draw(*inputs, **named)
        spot.send_again(drawing)
        outer, *inner = drawing.messages
        block = _block_in(spot.dg, outer)
        return [_block_in(block, column) for column in inner] or block

    return draw_or_send_again


def _block_in(parent: DeltaGenerator, message: ForwardMsg) -> DeltaGenerator:
    """The container that this message opened in its parent."""
    kind = message.delta.add_block.WhichOneof("type")
    return DeltaGenerator(parent._root_container, parent._cursor.open_block(), parent, kind)


def refilled(
    draw: Callable[..., Any],
    fill: Callable[[Element, Any], None],
    empty: Any,
    reports: bool = False,
    keeps: Callable[[Any], bool] | None = None,
) -> Callable[..., None]:
    """The same for one element of which only `data` changes: `fill` puts it into a copy of the message, kept with `empty` data.

    `reports` says whether the browser sends what it holds. A component that does not, as every board, is forgotten by the
    visitor's session, which would look through all that it holds three times a run. Noticed by `test_a_board_holds_nothing`.
    `keeps` says of which data the filled message is kept, too, to be sent again.
    """

    @wraps(draw)
    def draw_or_fill(*inputs: Any, data: Any, **named: Any) -> None:
        call, spot = (draw, inputs, named), Spot()
        is_kept = keeps is not None and keeps(data)
        filled = spot.earlier((*call, data), FILLED) if is_kept else None
        drawing = None if filled else spot.earlier(call)
        if filled:
            spot.send_again(filled)
            spot.cursor._index += 1
        elif drawing is None:
            with _keeping(call, spot, lambda message: _with_data(message, fill, empty), reports):
                draw(*inputs, data=data, **named)
        else:
            message = _with_data(drawing.messages[0], fill, data)
            spot.context.enqueue(message)
            spot.cursor._index += 1
            if is_kept:
                store.add((*spot.place, FILLED), Drawing((*call, data), (message,), (), 1))

    return draw_or_fill


def _with_data(message: ForwardMsg, fill: Callable[[Element, Any], None], data: Any) -> ForwardMsg:
    """A copy of the message with other data."""
    copy = ForwardMsg()
    copy.CopyFrom(message)
    copy.hash = ""  # Streamlit computes it from the content when the copy is sent
    fill(copy.delta.new_element, data)
    return copy


class Spot:
    """Where the next element goes: the run and its messages, the container and its cursor. Each is looked up once."""

    __slots__ = ("context", "cursor", "dg", "messages", "place")

    def __init__(self) -> None:
        self.context = get_script_run_ctx()
        self.messages: RunMessages = self.context._enqueue.__self__  # of this run so far, which `one_run` sends at its end
        self.dg = st._main._active_dg
        self.cursor = cursor = self.dg._cursor
        # The script, which is the frame or a page, and the element's path in it.
        self.place = (ThreadState.get().active_script_hash, cursor.root_container, cursor.parent_path, cursor.index)

    def earlier(self, call: tuple, *kind: str) -> Drawing | None:
        """What the same call drew here. None where nothing is kept, or where the browser must be sent a widget's value."""
        drawing = store.find((*self.place, *kind) if kind else self.place, call)
        if drawing is None:
            return None
        for widget in drawing.widgets:
            if not _is_known(widget, self.context):
                return None
        for widget in drawing.widgets:
            self.context.shared.widget_ids_this_run.check_and_add(widget.id)
        return drawing

    def send_again(self, drawing: Drawing) -> None:
        """Send what was drawn: large messages by their hash alone where the browser says that it has them, as Streamlit does."""
        if len(drawing.frames) == len(drawing.messages):
            self.messages.extend(drawing.messages)
        else:
            known = self.context.cached_message_hashes
            self.messages.extend(
                create_reference_msg(message) if message.metadata.cacheable and message.hash in known else message
                for message in drawing.messages
            )
        self.messages.frames.update(drawing.frames)


def _is_known(widget: WidgetMetadata, context: ScriptRunContext) -> bool:
    """Whether the visitor's session knows the widget. It is registered where the session does not, since Streamlit forgets a
    widget that was not drawn in a run, or that the browser sent no value of.

    False where the browser shows another value than the session holds: then the widget must be drawn anew.
    """
    state = context.session_state._state
    if widget.id in state._new_widget_state.widget_metadata and (
        widget.id in state._new_widget_state or widget.id in state._old_state
    ):
        return True
    return not register_widget_from_metadata(widget, context).value_changed


@contextmanager
def _keeping(
    call: tuple, spot: Spot, convert: Callable[[ForwardMsg], ForwardMsg] | None = None, reports: bool = True
) -> Iterator[None]:
    """Keep what is drawn within, each message as `convert` makes it, unless one is only a hash or sets a widget."""
    context, place, index = spot.context, spot.place, spot.cursor.index
    start, earlier_ids = len(spot.messages), context.shared.widget_ids_this_run.snapshot()
    yield
    messages = tuple(spot.messages[start:])
    if not all(map(_can_be_sent_again, messages)):
        return
    messages = tuple(map(convert, messages)) if convert else messages
    metadata = context.session_state._state._new_widget_state.widget_metadata
    names = context.shared.widget_ids_this_run.snapshot() - earlier_ids if reports else ()
    widgets = tuple(metadata[name] for name in names if name in metadata)
    store.add(place, Drawing(call, messages, widgets, spot.cursor.index - index))


def _can_be_sent_again(message: ForwardMsg) -> bool:
    """Whether it draws something, and sets no widget: the browser must get such a value once only."""
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    sets = kind is not None and getattr(getattr(element, kind), "set_value", False)
    return message.WhichOneof("type") == "delta" and not sets
