"""What belongs to the process, and everything that is Streamlit's own inside. Nothing else may import from it.

Each use says why it is needed and which test notices when a new Streamlit breaks it; Streamlit is pinned for them.
"""

import gc
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache, wraps
from pathlib import Path
from typing import Any

import streamlit as st
import torch
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import StreamlitPage
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_cache import create_reference_msg
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx

from pages.shared.steps import STEPS

ICON = str(Path(__file__).parents[2] / "assets" / "logo.svg")


def begin() -> None:
    """Switch Streamlit's discovery of the folder `pages` off, before it takes a deep link away from us.

    Until st.navigation has run once in a process, a cold deep link would run the page's file instead of the
    entry point, so every page calls this too, through `state.trace`. Noticed by `test_a_cold_deep_link`.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


def one_thread_for_torch() -> None:
    """Keep torch's helpers away from this run's thread.

    Streamlit answers each reader in a new thread, and in each of them OpenMP starts a crew anew for the smallest
    batched product, which then spins for as long as the product took a hundred times over. The setting belongs to
    the thread, so it is made where the thread begins; `OMP_NUM_THREADS` set by a module that is imported is too
    late for threads to come. Noticed by `test_no_helper_spins`.
    """
    torch.set_num_threads(1)


@cache
def menu() -> list[StreamlitPage]:
    """Every page, made once in a process: looking thirteen files up costs a millisecond a run.

    All visitors share them, so navigation and page run inside `one_run`.
    """
    return [st.Page(step.file, title=step.menu, url_path=step.path or None, default=not step.path) for step in STEPS]


def navigate() -> StreamlitPage:
    """The page that this run is for. The menu of the page that the visitor's last run was for is sent again as it was.

    Streamlit goes through all pages each time. Noticed by `test_what_is_kept_is_what_is_drawn`.
    """
    context, sent = get_script_run_ctx(), _run.sent
    if context.page_script_hash not in sent.menus:
        start = len(sent.held)
        page = st.navigation(menu(), position="sidebar", expanded=True)
        messages = sent.held[start:]
        sent.menus = {page._script_hash: (page, messages)} if len(messages) == 1 else {}
        return page
    page, messages = sent.menus[context.page_script_hash]
    sent.held += messages
    context.set_mpa_v2_page(page._script_hash)
    page._can_be_called = True
    return page


# Python runs one thread at a time. A hundred visitors' runs that take turns every few milliseconds all
# finish late; one after the other, most finish early and none later.
_one_at_a_time = threading.Lock()


@contextmanager
def one_run() -> Iterator[None]:
    """One visitor's run at a time; what it shows is held back and sent when it is complete.

    Left to itself, each of some fifty messages wakes the server's thread, which then takes turns with the
    page's, and after every round it waits 5 ms before it sends more. Held together, they go in one round.

    A message about the link is left out, and bindings end with the run: the address is the browser's, which may have
    moved on since it asked. With them Streamlit would take the parameter of a widget that is not drawn, or stands on
    another page, out of the address. Noticed by `test_a_pages_own_control_and_back`.
    """
    context = get_script_run_ctx()
    send, held = context._enqueue, []
    with _one_at_a_time:
        context._enqueue = held.append
        _run.sent = st.session_state.setdefault("sent", Sent())
        _run.sent.begin(held)
        try:
            yield
        finally:
            context._enqueue = send
            _run.sent.end()
            with context.session_state.query_params() as params:
                params.__init__()
            _send(send, [message for message in held if message.WhichOneof("type") != "page_info_changed"])


def _send(send: Callable[[ForwardMsg], None], messages: list[ForwardMsg]) -> None:
    """Hand over all messages of a run in one turn of the server's loop.

    One by one, each makes two calls into the loop, which is half of what a page costs. As in Streamlit itself, what a
    run that was overtaken still had to say is dropped. A test's runner has no session and takes them one by one.
    Noticed by `test_a_run_is_handed_over_at_once`.
    """
    runner = send.__self__
    sessions = {getattr(receiver, "__self__", None) for receiver in runner.on_event._get_live_receivers()}
    session = next((session for session in sessions if isinstance(session, AppSession)), None)
    if session is None:
        for message in messages:
            send(message)
        return

    def enqueue() -> None:
        if session._scriptrunner is runner:
            session._browser_queue._queue += messages  # one by one, each would be held against all those before it
            session._message_enqueued_callback()

    session._call_soon_on_event_loop(enqueue)


@dataclass(frozen=True)
class Drawing:
    """What one call drew at its place: the messages, the ids of widgets among them, and how many places it takes."""

    call: tuple
    messages: tuple[ForwardMsg, ...]
    widgets: frozenset[str]
    places: int
    data: Any = None  # what it was filled with


@dataclass
class Sent:
    """What a visitor's last run drew, by place, and what this run did so far."""

    last: dict[tuple, Drawing] = field(default_factory=dict)
    drawn: dict[tuple, Drawing] = field(default_factory=dict)
    held: list[ForwardMsg] = field(default_factory=list)
    menus: dict[str, tuple[StreamlitPage, list[ForwardMsg]]] = field(default_factory=dict)

    def begin(self, held: list[ForwardMsg]) -> None:
        """A new run: `held` is where its messages gather."""
        self.last, self.drawn, self.held = self.drawn, {}, held

    def end(self) -> None:
        """A hundred visitors' last pages are kept, not two of each."""
        self.last, self.held = {}, []


_run = threading.local()
LARGE = 20_000  # bytes; what is larger is not worth its place in memory


def kept(draw: Callable[..., Any]) -> Callable[..., None]:
    """A drawing that is sent again as it was where the visitor's last run made the same call at the same place.

    Most of a page is the same after a click, and to make an element anew costs fifty times what it costs to send it.
    What is drawn may depend on nothing but the call's own arguments; `fresh` draws in any case, and is for a widget
    that is written, which the browser must be told once and never again. Noticed by `test_what_is_kept_is_what_is_drawn`.
    """

    @wraps(draw)
    def draw_or_send_again(*inputs: Any, fresh: bool = False, **named: Any) -> None:
        call, dg = (draw, inputs, named), st._main._active_dg
        before = None if fresh else _before(call, dg)
        if before is not None:
            _send_again(before)
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
        _send_again(before)
        outer, *inner = before.messages
        block = _opened(dg, outer)
        return [_opened(block, column) for column in inner] or block

    return draw_or_send_again


def _opened(parent: DeltaGenerator, message: ForwardMsg) -> DeltaGenerator:
    """The place to draw in that this message opened."""
    kind = message.delta.add_block.WhichOneof("type")
    return DeltaGenerator(parent._root_container, parent._cursor.open_block(), parent, kind)


def refilled(draw: Callable[..., Any], fill: Callable[[Element, Any], None]) -> Callable[..., bool]:
    """The same for one element whose `data` alone may differ: it is filled into what was sent before.

    Whether it was drawn anew.
    """

    @wraps(draw)
    def draw_or_fill(*inputs: Any, data: Any, **named: Any) -> bool:
        call, dg = (draw, inputs, named), st._main._active_dg
        before = _before(call, dg)
        if before is None:
            with _noted(call, dg, data):
                draw(*inputs, data=data, **named)
        elif before.data == data:
            _send_again(before)
            dg._cursor._index += 1
        else:
            message = ForwardMsg()
            message.CopyFrom(before.messages[0])
            message.hash = ""
            fill(message.delta.new_element, data)
            with _noted(call, dg, data):
                for widget in before.widgets:
                    get_script_run_ctx().shared.widget_ids_this_run.check_and_add(widget)
                get_script_run_ctx().enqueue(message)
                dg._cursor._index += 1
        return before is None

    return draw_or_fill


def _place(dg: DeltaGenerator) -> tuple:
    """Where the next element goes. Another page is another place: with it Streamlit forgets what widgets held."""
    return (get_script_run_ctx().page_script_hash, *dg._cursor.delta_path)


def _before(call: tuple, dg: DeltaGenerator) -> Drawing | None:
    """What the same call drew at this place in the visitor's last run."""
    before = _run.sent.last.get(_place(dg))
    return before if before is not None and before.call == call else None


def _send_again(before: Drawing) -> None:
    """Widgets count as drawn, or Streamlit would forget what they hold; a large message goes by its name where the
    browser says that it has it, as everything does in Streamlit.
    """
    context, sent = get_script_run_ctx(), _run.sent
    for widget in before.widgets:
        context.shared.widget_ids_this_run.check_and_add(widget)
    for message in before.messages:
        known = message.metadata.cacheable and message.hash in context.cached_message_hashes
        sent.held.append(create_reference_msg(message) if known else message)
    sent.drawn[context.page_script_hash, *before.messages[0].metadata.delta_path] = before


@contextmanager
def _noted(call: tuple, dg: DeltaGenerator, data: Any = None) -> Iterator[None]:
    """Note what is drawn within, unless it is large, goes by its name, or sets a widget."""
    sent, place, at, ids = _run.sent, _place(dg), dg._cursor.index, get_script_run_ctx().shared.widget_ids_this_run
    start, known = len(sent.held), ids.snapshot()
    yield
    messages = tuple(sent.held[start:])
    if all(map(_can_be_sent_again, messages)):
        sent.drawn[place] = Drawing(call, messages, ids.snapshot() - known, dg._cursor.index - at, data)


def _can_be_sent_again(message: ForwardMsg) -> bool:
    element = message.delta.new_element
    kind = element.WhichOneof("type")
    sets = kind is not None and getattr(getattr(element, kind), "set_value", False)
    return message.WhichOneof("type") == "delta" and not sets and message.ByteSize() < LARGE


def holds(key: str) -> Any:
    """What a widget of this visitor holds; None where it was not drawn yet."""
    return st.session_state.get(key)


def asked() -> str:
    """The query string that came with this run's message."""
    return get_script_run_ctx().query_string


def navigated() -> bool:
    """Whether the browser went to another entry of its history: its link then stands in `asked`."""
    return get_script_run_ctx().is_history_navigation


def hold_link(query: str, values: dict[str, str]) -> None:
    """Take the link out of Streamlit's hands: a binding works in the browser, where it writes the address.

    On the server it would write widgets from the address at each Back. `values` is what is in force: a widget whose
    value stands there is not sent again. `query` is what a test, which has no browser, finds as the link after the
    run. Noticed by `test_a_choice_of_one_page_waits_on_the_others`.
    """
    context = get_script_run_ctx()
    context.is_history_navigation = False
    context.query_string = query
    with context.session_state.query_params() as params:
        params.__init__(_query_params=values)


@cache
def remember_theme() -> None:
    """Once in a process: let Streamlit walk through the theme's settings once, not for every run's first message.

    They cannot change while a server runs, and the walk costs a third of what a bare page does. Noticed by
    `test_the_theme_is_sent_as_it_is_set`.
    """
    fill = app_session._populate_theme_msg

    @cache
    def filled(section: str) -> CustomThemeConfig:
        made = CustomThemeConfig()
        fill(made, section)
        return made

    def populate(message: CustomThemeConfig, section: str = "theme") -> None:
        if filled(section).ByteSize():  # a section that sets nothing is not there at all
            message.MergeFrom(filled(section))

    app_session._populate_theme_msg = populate


@cache
def freeze_imports() -> None:
    """Once in a process: take everything imported so far out of the garbage collector's rounds.

    A round over all of torch's and altair's objects costs several times what a page does; what only the pages
    import is imported here for that. And fewer rounds: with a hundred visitors' objects to go over, they
    made every twentieth answer wait twice as long.
    """
    from pages.shared import notebooks, show  # noqa: F401

    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
