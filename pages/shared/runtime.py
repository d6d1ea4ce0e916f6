"""What belongs to the process, and what is Streamlit's own inside: here, in `drawings` and in `sending`, and nowhere else.

Each use says why it is needed and which test notices when a new Streamlit breaks it; Streamlit is pinned for them.
"""

import gc
import threading
from base64 import b64encode
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import streamlit as st
import torch
from streamlit.navigation.page import StreamlitPage
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime import app_session
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import RerunException, get_script_run_ctx
from streamlit.runtime.state.common import user_key_from_element_id

from pages.shared import sending
from pages.shared.large_messages import LargeMessages
from pages.shared.steps import STEPS

LOGO = Path(__file__).parents[2] / "assets" / "logo.svg"
ICON = f"data:image/svg+xml;base64,{b64encode(LOGO.read_bytes()).decode()}"  # a file would be read anew for each page


def begin() -> None:
    """Switch Streamlit's discovery of the folder `pages` off, before it takes a deep link away from us.

    Until st.navigation has run once in a process, a cold deep link would run the page's file instead of the
    entry point, so every page calls this too, through `state.begin`. Noticed by `test_a_cold_deep_link`.
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
    """The page that this run is for. The menu of a page that the visitor was on before is sent again as it was.

    Streamlit goes through all pages each time. Noticed by `test_what_is_kept_is_what_is_drawn`.
    """
    context, menus = get_script_run_ctx(), st.session_state.setdefault("menus", {})
    run_messages = context._enqueue.__self__
    if context.page_script_hash not in menus:
        start = len(run_messages)
        page = st.navigation(menu(), position="sidebar", expanded=True)
        messages = run_messages[start:]
        menus |= {page._script_hash: (page, messages)} if len(messages) == 1 else {}
        return page
    page, messages = menus[context.page_script_hash]
    run_messages += messages
    context.set_mpa_v2_page(page._script_hash)
    page._can_be_called = True
    return page


# Python runs one thread at a time. A hundred visitors' runs that take turns every few milliseconds all
# finish late; one after the other, most finish early and none later.
_one_at_a_time = threading.Lock()
_runs: set[int] = set()  # the threads of those that are under way or wait for their turn
_no_run = threading.Condition()


def run_page_instead(path: str) -> NoReturn:
    """Begin this run again as one for another page, and with all that the browser said.

    `st.switch_page` forgets what widgets hold and which link the message had, and sleeps for two rounds of the server.
    Noticed by `test_an_act_from_the_page_before`.
    """
    page = next(page for page in menu() if page.url_path == path)
    raise RerunException(replace(get_script_run_ctx().script_requests._rerun_data, page_script_hash=page._script_hash))


def let_runs_go_first(most: float) -> None:
    """Wait until no visitor's run is under way, so many seconds at most.

    What trains beside them takes the interpreter from them at every small operation: answers came twice as late.
    """
    with _no_run:
        _no_run.wait_for(lambda: not _runs, most)


@cache
def read_ahead(read: Callable[[str], object], files: tuple[str, ...]) -> None:
    """Once in a process, between the visitors' runs: read what the first visitor of each page would wait for otherwise.

    Never beside one: where two threads parse code, Python 3.11 takes one's depth for the other's, and both may fail.
    Noticed by `test_what_is_read_ahead_waits_for_its_turn`.
    """

    def work() -> None:
        for file in files:
            let_runs_go_first(most=1.0)
            with _one_at_a_time:
                read(file)

    threading.Thread(target=work, daemon=True).start()


@contextmanager
def _under_way() -> Iterator[None]:
    run = threading.get_ident()
    _runs.add(run)
    try:
        yield
    finally:
        _runs.discard(run)
        if not _runs:
            with _no_run:
                _no_run.notify_all()


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
    enqueue, messages = context._enqueue, sending.RunMessages()
    with _under_way(), _one_at_a_time:
        _hear_again()
        large = st.session_state.setdefault("large_messages", LargeMessages())
        context.cached_message_hashes = large.still_there(context.cached_message_hashes)
        context._enqueue = messages.append
        try:
            yield
        except RerunException:  # overtaken: the next run answers
            messages.last.clear()
            raise
        finally:
            context._enqueue = enqueue
            messages += messages.last
            large.note(messages)
            with context.session_state.query_params() as params:
                params.__init__()
            messages[:] = [message for message in messages if message.WhichOneof("type") != "page_info_changed"]
            sending.send(enqueue, messages)


@contextmanager
def sent_last() -> Iterator[None]:
    """What is drawn within is sent after all else of this run: the browser draws what has come every 10 ms.

    Noticed by `test_the_answer_comes_last`.
    """
    messages = get_script_run_ctx()._enqueue.__self__
    start = len(messages)
    yield
    messages.last += messages[start:]
    del messages[start:]


def _hear_again() -> None:
    """Note once more what the browser's widgets hold, where a run that was overtaken may have written over it.

    Streamlit notes it before a run has its turn, and the run before may still be writing then: the session would take what
    that run wrote for what the browser shows. On the way to another page Streamlit passes over widgets that are bound to the
    address, as those of the run before then are. Noticed by `test_a_preset_and_then_a_page`.
    """
    context = get_script_run_ctx()
    states = context.script_requests._rerun_data.widget_states
    may_differ = context.is_history_navigation or context.session_state._state._new_session_state
    if may_differ and states is not None:
        context.session_state.on_script_will_rerun(states)


def holds(key: str) -> Any:
    """What a widget of this visitor holds; None where it was not drawn yet.

    As `st.session_state.get`, which goes through nine functions for it, thirty times a run. Noticed by
    `test_what_a_widget_holds_is_what_streamlit_says`.
    """
    state = get_script_run_ctx().session_state._state
    try:
        return state._getitem(state._get_widget_id(key), key)
    except KeyError:
        return None


def browser_has() -> frozenset[str] | None:
    """The keys of the widgets that the browser may have: with a message, it sends what each that it drew holds. None where it
    did not say.

    Streamlit's session cannot tell that from what an earlier run wrote. Noticed by `test_a_control_that_never_arrived`.
    """
    states = get_script_run_ctx().script_requests._rerun_data.widget_states
    return None if states is None else frozenset(user_key_from_element_id(state.id) or "" for state in states.widgets)


def end_if_overtaken() -> None:
    """End this run here if its reader did something else or left, as Streamlit does wherever something is shown.

    Noticed by `test_who_waits_and_leaves_gives_up_the_place`.
    """
    get_script_run_ctx().yield_check()


def message_link() -> str:
    """The link in the message from Streamlit that began this run."""
    return get_script_run_ctx().query_string


def navigated() -> bool:
    """Whether the browser went to another entry of its history: its link is then `message_link`."""
    return get_script_run_ctx().is_history_navigation


def hold_link(link: str, values: dict[str, str]) -> None:
    """Take the link out of Streamlit's hands: a binding works in the browser, where it writes the address.

    On the server it would write widgets from the address at each Back. `values` is what is in force: a widget whose
    value stands there is not sent again. `link` is what a test, which has no browser, finds as the link after the
    run. Noticed by `test_a_choice_of_one_page_waits_on_the_others`.
    """
    context = get_script_run_ctx()
    context.is_history_navigation = False
    context.query_string = link
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
    def theme(section: str) -> CustomThemeConfig:
        config = CustomThemeConfig()
        fill(config, section)
        return config

    def populate(message: CustomThemeConfig, section: str = "theme") -> None:
        if theme(section).ByteSize():  # merging an empty section would make it present
            message.MergeFrom(theme(section))

    app_session._populate_theme_msg = populate


@cache
def freeze_imports(*modules: ModuleType) -> None:
    """Once in a process: take everything imported so far out of the garbage collector's rounds.

    `modules` are those that the first page would import otherwise, and altair and pandas with them. A round over all of
    their objects costs several times what a page does. And there are fewer rounds: over the objects of a hundred visitors,
    they made every twentieth answer wait twice as long.
    """
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
