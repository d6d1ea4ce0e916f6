"""What was drawn before is sent again as it was: most of a page is the same after a click, and on it for the next visitor.

This and `runtime` are all that knows Streamlit from inside.
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
    """What was drawn of late by place, the latest last. Runs are made one at a time, so nobody else looks."""

    by_place: dict[tuple, list[Drawing]] = field(default_factory=dict)
    size: int = 0

    def find(self, place: tuple, call: tuple) -> Drawing | None:
        """What this call drew at this place."""
        return next((drawing for drawing in self.by_place.get(place, ()) if drawing.call == call), None)

    def add(self, place: tuple, drawing: Drawing) -> None:
        """Keep it; what is oldest gives way, here and in all."""
        here = self.by_place.pop(place, [])
        old = [other for k, other in enumerate(here) if other.call == drawing.call or k <= len(here) - MOST_AT_A_PLACE]
        self.by_place[place] = [*(other for other in here if other not in old), drawing]
        self.size += drawing.size - sum(other.size for other in old)
        while self.size > MOST_BYTES:
            self.size -= sum(other.size for other in self.by_place.pop(next(iter(self.by_place))))


drawings = Drawings()


def kept(draw: Callable[..., Any]) -> Callable[..., None]:
    """A drawing that is sent again as it was where any visitor's run made the same call at the same place.

    Most of a page is the same after a click, and to make an element anew costs fifty times what it costs to send it.
    What is drawn may depend on nothing but the call's own arguments; `fresh` draws in any case, and is for a widget
    that is written, which the browser must be told once and never again. Noticed by `test_what_is_kept_is_what_is_drawn`.
    """

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, fresh: bool = False, **named: Any) -> None:
        call, dg = (draw, inputs, named), st._main._active_dg
        before = None if fresh else _before(call, dg)
        if before is not None:
            _held().extend(map(_as_known, before.messages))
            dg._cursor._index += before.places
        elif fresh:
            draw(*inputs, **named)
        else:
            with _noted(call, dg):
                draw(*inputs, **named)

    return draw_or_send_again


def kept_block(draw: Callable[..., Any]) -> Callable[..., Any]:
    """The same for a container or columns, which others draw into."""

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, **named: Any) -> Any:
        call, dg = (draw, inputs, named), st._main._active_dg
        before = _before(call, dg)
        if before is None:
            with _noted(call, dg):
                return draw(*inputs, **named)
        _held().extend(before.messages)
        outer, *inner = before.messages
        block = _opened(dg, outer)
        return [_opened(block, column) for column in inner] or block

    return draw_or_send_again


def _opened(parent: DeltaGenerator, message: ForwardMsg) -> DeltaGenerator:
    """The place to draw in that this message opened."""
    kind = message.delta.add_block.WhichOneof("type")
    return DeltaGenerator(parent._root_container, parent._cursor.open_block(), parent, kind)


def refilled(draw: Callable[..., Any], fill: Callable[[Element, Any], None], empty: Any) -> Callable[..., None]:
    """The same for one element whose `data` alone differs: it is filled into what was sent before, kept `empty`."""

    @wraps(draw)
    def draw_or_fill(*inputs: Any, data: Any, **named: Any) -> None:
        call, dg = (draw, inputs, named), st._main._active_dg
        before = _before(call, dg)
        if before is None:
            with _noted(call, dg, lambda message: _filled(message, fill, empty)):
                draw(*inputs, data=data, **named)
        else:
            get_script_run_ctx().enqueue(_filled(before.messages[0], fill, data))
            dg._cursor._index += 1

    return draw_or_fill


def _filled(message: ForwardMsg, fill: Callable[[Element, Any], None], data: Any) -> ForwardMsg:
    made = ForwardMsg()
    made.CopyFrom(message)
    made.hash = ""
    fill(made.delta.new_element, data)
    return made


def _held() -> list[ForwardMsg]:
    """Where the messages of this run gather: see `one_run`."""
    return get_script_run_ctx()._enqueue.__self__


def _place(dg: DeltaGenerator) -> tuple:
    """Where the next element goes: in the frame or on which page, and there where."""
    return (ThreadState.get().active_script_hash, *dg._cursor.delta_path)


def _before(call: tuple, dg: DeltaGenerator) -> Drawing | None:
    """What the same call drew at this place, its widgets known to the visitor's session; nothing where one must be told."""
    found = drawings.find(_place(dg), call)
    if found is None or not all(map(_is_known, found.widgets)):
        return None
    for widget in found.widgets:
        get_script_run_ctx().shared.widget_ids_this_run.check_and_add(widget.id)
    return found


def _is_known(widget: WidgetMetadata) -> bool:
    """Let the session know the widget, if it does not yet: Streamlit forgets what is not drawn or not sent by the browser.

    Not where the browser would have to be told another value than it shows.
    """
    context = get_script_run_ctx()
    state = context.session_state._state
    if widget.id in state._new_widget_state.widget_metadata and (
        widget.id in state._new_widget_state or widget.id in state._old_state
    ):
        return True
    return not register_widget_from_metadata(widget, context).value_changed


def _as_known(message: ForwardMsg) -> ForwardMsg:
    """A large message goes by its name where the browser says that it has it, as everything does in Streamlit."""
    known = message.metadata.cacheable and message.hash in get_script_run_ctx().cached_message_hashes
    return create_reference_msg(message) if known else message


@contextmanager
def _noted(call: tuple, dg: DeltaGenerator, stored: Callable[[ForwardMsg], ForwardMsg] | None = None) -> Iterator[None]:
    """Note what is drawn within, unless it goes by its name or sets a widget."""
    context, place, at = get_script_run_ctx(), _place(dg), dg._cursor.index
    start, known = len(_held()), context.shared.widget_ids_this_run.snapshot()
    yield
    messages = tuple(_held()[start:])
    if not all(map(_can_be_sent_again, messages)):
        return
    messages = tuple(map(stored, messages)) if stored else messages
    metadata = context.session_state._state._new_widget_state.widget_metadata
    widgets = tuple(metadata[name] for name in context.shared.widget_ids_this_run.snapshot() - known if name in metadata)
    drawings.add(place, Drawing(call, messages, widgets, dg._cursor.index - at))


def _can_be_sent_again(message: ForwardMsg) -> bool:
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    sets = kind is not None and getattr(getattr(element, kind), "set_value", False)
    return message.WhichOneof("type") == "delta" and not sets
