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
from streamlit.runtime.scriptrunner_utils.script_run_context import ThreadState
from streamlit.runtime.state.common import WidgetMetadata
from streamlit.runtime.state.widgets import register_widget_from_metadata


@dataclass(frozen=True, eq=False)
class Drawing:
    """What one call drew at its place: the messages, the widgets among them, and how many places it takes."""

    call: tuple
    messages: tuple[ForwardMsg, ...]
    widgets: tuple[WidgetMetadata, ...]
    places: int

    @cached_property
    def size(self) -> int:
        """Bytes."""
        return sum(message.ByteSize() for message in self.messages)


MOST_AT_A_PLACE, MOST_BYTES = 8, 16_000_000  # all pages, as they are opened, take a tenth of it


@dataclass
class Drawings:
    """The latest drawings of each place, the newest last. Runs take place one at a time, so there is no lock."""

    by_place: dict[tuple, list[Drawing]] = field(default_factory=dict)
    size: int = 0

    def find(self, place: tuple, call: tuple) -> Drawing | None:
        """The drawing that this call left at this place, if there is one."""
        return next((drawing for drawing in self.by_place.get(place, ()) if drawing.call == call), None)

    def add(self, place: tuple, drawing: Drawing) -> None:
        """Keep it. The oldest are dropped where there are too many at this place, or too many bytes in all."""
        here = self.by_place.pop(place, [])
        old = [other for k, other in enumerate(here) if other.call == drawing.call or k <= len(here) - MOST_AT_A_PLACE]
        self.by_place[place] = [*(other for other in here if other not in old), drawing]
        self.size += drawing.size - sum(other.size for other in old)
        while self.size > MOST_BYTES:
            self.size -= sum(other.size for other in self.by_place.pop(next(iter(self.by_place))))


store = Drawings()


def kept(draw: Callable[..., Any]) -> Callable[..., None]:
    """A drawing that is sent again as it was where any visitor's run made the same call at the same place.

    Most of a page is the same after a click, and to make an element anew costs fifty times what it costs to send it.
    What is drawn may depend on nothing but the call's own arguments; `fresh` draws in any case, and is for a widget
    that is written, which the browser must be told once and never again. Noticed by `test_what_is_kept_is_what_is_drawn`.
    """

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, fresh: bool = False, **named: Any) -> None:
        call, dg = (draw, inputs, named), st._main._active_dg
        drawing = None if fresh else _earlier(call, dg)
        if drawing is not None:
            _run_messages().extend(map(_by_name_if_known, drawing.messages))
            dg._cursor._index += drawing.places
        elif fresh:
            draw(*inputs, **named)
        else:
            with _keeping(call, dg):
                draw(*inputs, **named)

    return draw_or_send_again


def kept_block(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a container or columns, which others draw into."""

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, **named: Any) -> Any:
        call, dg = (draw, inputs, named), st._main._active_dg
        drawing = _earlier(call, dg)
        if drawing is None:
            with _keeping(call, dg):
                return draw(*inputs, **named)
        _run_messages().extend(drawing.messages)
        outer, *inner = drawing.messages
        block = _block_in(dg, outer)
        return [_block_in(block, column) for column in inner] or block

    return draw_or_send_again


def _block_in(parent: DeltaGenerator, message: ForwardMsg) -> DeltaGenerator:
    """The container that this message opened in its parent."""
    kind = message.delta.add_block.WhichOneof("type")
    return DeltaGenerator(parent._root_container, parent._cursor.open_block(), parent, kind)


def refilled(
    draw: Callable[..., Any], fill: Callable[[Element, Any], None], empty: Any, reports: bool = False
) -> Callable[..., None]:
    """The same for one element of which only `data` changes: `fill` puts it into a copy of the message, kept with `empty` data.

    `reports` says whether the browser sends what it holds. A component that does not, as every board, is forgotten by the
    visitor's session, which would look through all that it holds three times a run. Noticed by `test_a_board_holds_nothing`.
    """

    @wraps(draw)
    def draw_or_fill(*inputs: Any, data: Any, **named: Any) -> None:
        call, dg = (draw, inputs, named), st._main._active_dg
        drawing = _earlier(call, dg)
        if drawing is None:
            with _keeping(call, dg, lambda message: _with_data(message, fill, empty), reports):
                draw(*inputs, data=data, **named)
        else:
            get_script_run_ctx().enqueue(_with_data(drawing.messages[0], fill, data))
            dg._cursor._index += 1

    return draw_or_fill


def _with_data(message: ForwardMsg, fill: Callable[[Element, Any], None], data: Any) -> ForwardMsg:
    """A copy of the message with other data."""
    copy = ForwardMsg()
    copy.CopyFrom(message)
    copy.hash = ""  # Streamlit computes it from the content when the copy is sent
    fill(copy.delta.new_element, data)
    return copy


def _run_messages() -> list[ForwardMsg]:
    """The messages of this run so far, which `one_run` sends at its end."""
    return get_script_run_ctx()._enqueue.__self__


def _place(dg: DeltaGenerator) -> tuple:
    """Where the next element goes: the script, which is the frame or a page, and the element's path in it."""
    return (ThreadState.get().active_script_hash, *dg._cursor.delta_path)


def _earlier(call: tuple, dg: DeltaGenerator) -> Drawing | None:
    """What the same call drew at this place. None where nothing is kept, or where the browser must be sent a widget's value."""
    drawing = store.find(_place(dg), call)
    if drawing is None or not all(map(_is_known, drawing.widgets)):
        return None
    for widget in drawing.widgets:
        get_script_run_ctx().shared.widget_ids_this_run.check_and_add(widget.id)
    return drawing


def _is_known(widget: WidgetMetadata) -> bool:
    """Whether the visitor's session knows the widget. It is registered where the session does not, since Streamlit forgets a
    widget that was not drawn in a run, or that the browser sent no value of.

    False where the browser shows another value than the session holds: then the widget must be drawn anew.
    """
    context = get_script_run_ctx()
    state = context.session_state._state
    if widget.id in state._new_widget_state.widget_metadata and (
        widget.id in state._new_widget_state or widget.id in state._old_state
    ):
        return True
    return not register_widget_from_metadata(widget, context).value_changed


def _by_name_if_known(message: ForwardMsg) -> ForwardMsg:
    """The message, or its hash alone where it is large and the browser says that it has it. Streamlit does the same."""
    is_known = message.metadata.cacheable and message.hash in get_script_run_ctx().cached_message_hashes
    return create_reference_msg(message) if is_known else message


@contextmanager
def _keeping(
    call: tuple, dg: DeltaGenerator, convert: Callable[[ForwardMsg], ForwardMsg] | None = None, reports: bool = True
) -> Iterator[None]:
    """Keep what is drawn within, each message as `convert` makes it, unless one is only a hash or sets a widget."""
    context, place, index = get_script_run_ctx(), _place(dg), dg._cursor.index
    start, earlier_ids = len(_run_messages()), context.shared.widget_ids_this_run.snapshot()
    yield
    messages = tuple(_run_messages()[start:])
    if not all(map(_can_be_sent_again, messages)):
        return
    messages = tuple(map(convert, messages)) if convert else messages
    metadata = context.session_state._state._new_widget_state.widget_metadata
    names = context.shared.widget_ids_this_run.snapshot() - earlier_ids if reports else ()
    widgets = tuple(metadata[name] for name in names if name in metadata)
    store.add(place, Drawing(call, messages, widgets, dg._cursor.index - index))


def _can_be_sent_again(message: ForwardMsg) -> bool:
    """Whether it draws something, and sets no widget: the browser must get such a value once only."""
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    sets = kind is not None and getattr(getattr(element, kind), "set_value", False)
    return message.WhichOneof("type") == "delta" and not sets
