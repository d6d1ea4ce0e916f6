"""One run: one visitor's page for one address. The link is the state, and a page is a function of
the link.

The browser owns the address: each action changes it there (`navigation.js`), and Streamlit requests
the page as after Back. Everything that changes a number is in the address. Between runs,
Streamlit's session keeps only the corrections of the first link, what who waits for training was
told, and Streamlit's own fields: files and answers to exercises.
"""

import ctypes
import gc
import os
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
import torch

from core import Setup
from core.analysis import attribution
from core.forward import next_word
from core.forward.trace import Trace
from core.training import training_store
from pages.shared.link import STORY_LINK, LinkState, at_head, parse_link, read_link, write_link
from pages.shared.link.focus import Focus
from pages.shared.link.model_link import select_model
from pages.shared.link.pages import LATER, OVERVIEW, PAGES, Page, find
from pages.shared.server import computed, streamlit_internals

# ---------- the state of this run ----------


@dataclass(frozen=True)
class Run:
    """A page, a link, and the parsed link, or another's that it is drawn by meanwhile. `arrived` is
    the original link if it was corrected."""

    page: Page
    link: str
    view: LinkState
    messages: tuple[str, ...]
    arrived: str | None
    is_meanwhile: bool = False
    questions: list[tuple[str, str]] = field(
        default_factory=list
    )  # with answers, added by the page's parts


_now = threading.local()  # one thread for each run
# of a visitor: the first run's link and its corrections
ARRIVAL = "arrival"
FAILED = "failed files"
PROMISES = "promises"


def begin() -> Page:
    """Find this run's page and link. Called once, first of all."""
    is_first = ARRIVAL not in st.session_state
    page, link, arrived = _page(is_first), _link(), None
    if page is OVERVIEW and not parse_link(link):  # without a link: the story's setup
        arrived, link = link, STORY_LINK
    nearest = read(page, link)
    if is_first and nearest.messages:
        arrived, link = link, nearest.link
    elif followed := _find_largest_head(nearest):
        arrived, link = link, write_link(parse_link(link) | followed)
    corrected, corrections = st.session_state.get(
        ARRIVAL, (link, nearest.messages if arrived is not None else ())
    )
    view = read(page, link)
    _now.run = Run(
        page, link, view, (*(corrections if link == corrected else ()), *view.messages), arrived
    )
    return page


def read(page: Page, link: str) -> LinkState:
    """Return the parsed link; the page Real model reads it with a model."""
    return read_link(select_model(link) if page.path == "model" else link)


def _find_largest_head(view: LinkState) -> dict[str, object]:
    """Return the fields that the route `why` adds to a link without a selected head: the head and
    word with the largest contribution to the next word. {} while training."""
    setup, focus = view.setup, view.focus
    if (
        not focus.lecturing
        or focus.route != "why"
        or focus.seven == "chosen"
        or next_word.explain_refusal(setup)
    ):
        return {}
    if setup.init == "trained" and training_store.find_missing(
        next_word.resolve_setup(setup), "stack"
    ):
        return {}
    trace = computed.predicted(setup)
    shown = next_word.shown(trace)
    word = shown[focus.column_of(len(shown))]
    most = computed.compute_attribution(
        trace.setup, word, attribution.other_word(trace, word, focus.instead)
    ).by_a_head()
    return at_head(trace.setup, most.layer, most.head, most.token)


def _page(is_first: bool) -> Page:
    """Return the requested page.

    Streamlit gets the list of pages only once, since each time it moves the browser to this run's
    page, even if the user has gone on. Without a browser, as in tests, it gets the list each time.
    """
    url = st.context.url
    if url is None or is_first:
        pages = [
            st.Page(page.file, title=page.menu, url_path=page.path or None, default=not page.path)
            for page in PAGES
        ]
        return find(st.navigation(pages, expanded=True).url_path)
    path = urlsplit(url).path.rpartition("/")[2]
    return next((page for page in PAGES if page.path == path), PAGES[0])


def _link() -> str:
    """Return the address's parameters, without Streamlit's own (`embed`) and the window's class
    (`room`)."""
    names = [name for name in st.query_params if name != "room"]
    return write_link([(name, value) for name in names for value in st.query_params.get_all(name)])


def room() -> str:
    """Return the window's class from its address (KQZT-3f9a1c2b4d5e), "" if none."""
    return st.query_params.get("room", "")[:24]


def end() -> None:
    """Store the visitor's first link once a run is complete. Called last of all."""
    run = now()
    if ARRIVAL not in st.session_state:
        st.session_state[ARRIVAL] = run.link, run.messages


def now() -> Run:
    """Return this run. Every page calls it first, so a page's file that is run alone shows what to
    open instead."""
    if not is_drawing():
        streamlit_internals.run_the_entry_point(is_page=True)
        st.error(
            "This file is one page of the explorer. Open the whole: `streamlit run"
            ' streamlit_app.py`, and in a test `AppTest.from_file("streamlit_app.py")`, then'
            ' `.run()`, then `.switch_page("pages/4_scores.py")`.'
        )
        st.stop()
    return _now.run


def get_promises() -> dict[Any, Any]:
    """Return what this visitor was told on the wait for each training, which a rerun keeps."""
    return st.session_state.setdefault(PROMISES, {})


def is_drawing() -> bool:
    """Return whether this thread draws a page, not a part by itself."""
    return hasattr(_now, "run")


def show(view: LinkState) -> None:
    """Draw this run's page by another link's state; the address stays."""
    _now.run = replace(now(), view=view, is_meanwhile=True)


def get_failed_files() -> dict[str, str]:
    """Return why this visitor's files could not be made, by their labels."""
    return st.session_state.setdefault(FAILED, {})


def view() -> LinkState:
    """Return this run's parsed link."""
    return now().view


def setup() -> Setup:
    """Return the setup: every choice that changes a number."""
    return now().view.setup


def focus() -> Focus:
    """Return the selection, clamped to the sentence itself on pages that ignore the second one."""
    view = now().view
    if view.setup.memory and now().page in LATER:
        return replace(view.focus, key=min(view.focus.key, len(view.setup.tokens)))
    return view.focus


def held() -> Setup | None:
    """Return the pinned setup outside of a lecture, None if there is none or no run."""
    shown = getattr(_now, "run", None)
    return None if shown is None or shown.view.focus.lecture == "on" else shown.view.focus.held


def trace() -> Trace:
    """Return the sentence's trace, for the seven steps."""
    return computed.traced(setup())


# ---------- the process ----------

# Python runs one thread at a time. If a hundred visitors' runs take turns every few milliseconds,
# all finish late; one after the other, most finish early and none later.
_one_at_a_time = threading.Lock()
_runs: set[int] = set()  # the threads that run or wait
_no_run = threading.Condition()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Run one visitor's page at a time, and send it when it is complete."""
    thread = threading.get_ident()
    _runs.add(thread)
    try:
        with _one_at_a_time, streamlit_internals.held_back():
            yield
    finally:
        vars(_now).pop("run", None)
        _runs.discard(thread)
        if not _runs:
            with _no_run:
                _no_run.notify_all()


def end_if_overtaken() -> None:
    """End this run if its user has acted or left, as Streamlit does on every message and here on
    reading the session."""
    st.session_state.get(ARRIVAL)


def let_runs_go_first(most: float) -> None:
    """Wait until no visitor's run is active, at most this many seconds.

    Training beside runs takes the interpreter at every small operation, which doubles response
    times.
    """
    with _no_run:
        _no_run.wait_for(lambda: not _runs, most)


# Sums of Intel's library have the same digits in every process, with any number of threads.
os.environ.setdefault("MKL_CBWR", "AVX2")


def one_thread_for_torch() -> None:
    """Use one torch thread in this run's thread.

    Streamlit answers in new threads, and in each OpenMP starts a thread pool for the smallest
    batched product, which then spins for a hundred times its duration. The setting is per thread.
    """
    torch.set_num_threads(1)


M_MMAP_THRESHOLD, MAPPED = -3, 2**20  # glibc's parameter, and bytes


@cache
def prepare_memory(*modules: ModuleType) -> None:
    """Exclude everything imported so far from garbage collection, once per process.

    `modules` are those that the first page would import. A full collection costs several times a
    page. They also become rarer: with a hundred visitors they made every twentieth answer twice as
    slow. Allocations above MAPPED are returned to the system one by one: a pretrained model's
    layers otherwise left holes of hundreds of megabytes; a training's tensors are reused.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(M_MMAP_THRESHOLD, MAPPED)
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
