"""What a run is: one visitor's page, drawn for one address. The link is the state, and a page is a
function of the link.

The browser owns the address. Each act of a reader changes it there (`address.js`), and Streamlit
asks the server for the address as it is then, as after Back. What decides a number stands in the
address alone. Between two runs of a visitor, Streamlit's session keeps what was changed in the link
that he arrived with, and what stands in Streamlit's own fields: a file, and answers to exercises.
"""

import ctypes
import gc
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from types import ModuleType
from urllib.parse import urlsplit

import streamlit as st
import torch

from core import attribution, next_word, training_store
from core.setup import Setup
from core.trace import Trace
from pages.shared.link import STORY_LINK, View, at_head, parse_link, read_link, write_link
from pages.shared.link.focus import Focus
from pages.shared.link.pages import LATER, OVERVIEW, PAGES, Page, find
from pages.shared.server import computed, inside

# ---------- what this run shows ----------


@dataclass(frozen=True)
class Run:
    """A page and a link, and what the link amounts to. `arrived` is the link as it came, where it
    had to be changed."""

    page: Page
    link: str
    view: View
    messages: tuple[str, ...]
    arrived: str | None
    questions: list[tuple[str, str]] = field(
        default_factory=list
    )  # with their answers, as the page's parts come to them


_now = threading.local()  # a run is a thread
# of a visitor: the link that the first run was for, and what was changed in it, in words
ARRIVAL = "arrival"


def begin() -> Page:
    """Find out which page and link this run is for. Once, before all else."""
    is_first = ARRIVAL not in st.session_state
    page, link, arrived = _page(is_first), _link(), None
    if page is OVERVIEW and not parse_link(link):  # who comes without a link gets the story's setup
        arrived, link = link, STORY_LINK
    nearest = read_link(link)
    if is_first and nearest.messages:
        arrived, link = link, nearest.link
    elif followed := _find_largest_head(nearest):
        arrived, link = link, write_link(parse_link(link) | followed)
    corrected, corrections = st.session_state.get(
        ARRIVAL, (link, nearest.messages if arrived is not None else ())
    )
    view = read_link(link)
    _now.run = Run(
        page, link, view, (*(corrections if link == corrected else ()), *view.messages), arrived
    )
    return page


def _find_largest_head(view: View) -> dict[str, object]:
    """Return what a lecture on the route `why` adds to a link in which no head is followed yet: the
    head, and the word it reads, that bring most to the word that comes next. Nothing as long as
    that is learned."""
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
    """Return the page that is asked for.

    Streamlit is told of all pages once: each time it is, it takes the browser to the page that the
    run is for, where a quick reader has gone on meanwhile. Where there is no browser, as in a test,
    it is told each time.
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
    """Return the address's parameters, without those that Streamlit keeps to itself (`embed`) and a
    window's class (`room`)."""
    names = [name for name in st.query_params if name != "room"]
    return write_link([(name, value) for name in names for value in st.query_params.get_all(name)])


def room() -> str:
    """Return which class the visitor's window is in, as its address says (KQZT-3f9a1c2b4d5e);
    nothing for no class."""
    return st.query_params.get("room", "")[:24]


def end() -> None:
    """Remember how the visitor arrived: all of this run was drawn. Once, after all else."""
    run = now()
    if ARRIVAL not in st.session_state:
        st.session_state[ARRIVAL] = run.link, run.messages


def now() -> Run:
    """Return this run. The first call of every page leads here: a page's file that is run by itself
    says what to open instead."""
    if not hasattr(_now, "run"):
        inside.run_the_entry_point()
        st.error(
            "This file is one page of the explorer. Open the whole: `streamlit run"
            ' streamlit_app.py`, and in a test `AppTest.from_file("streamlit_app.py")`, then'
            ' `.run()`, then `.switch_page("pages/4_scores.py")`.'
        )
        st.stop()
    return _now.run


def view() -> View:
    """Return what this run's link amounts to."""
    return now().view


def setup() -> Setup:
    """Return every choice that decides a number."""
    return now().view.setup


def focus() -> Focus:
    """Return what is looked at. Beyond the seven steps a sentence stands by itself: no word of
    another one is asked."""
    view = now().view
    if view.setup.memory and now().page in LATER:
        return replace(view.focus, key=min(view.focus.key, len(view.setup.tokens)))
    return view.focus


def held() -> Setup | None:
    """Return the setup that is held beside the present one, outside of a lecture; None where there
    is none, or no run."""
    shown = getattr(_now, "run", None)
    return None if shown is None or shown.view.focus.lecture == "on" else shown.view.focus.held


def trace() -> Trace:
    """Return everything computed of the sentence, for a page that shows the seven steps."""
    return computed.traced(setup())


# ---------- what belongs to the process ----------

# Python runs one thread at a time. A hundred visitors' runs that take turns every few milliseconds
# all finish late; one after the other, most finish early and none later.
_one_at_a_time = threading.Lock()
_runs: set[int] = set()  # the threads of those that are under way or wait for their turn
_no_run = threading.Condition()


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Let one visitor's run take place at a time, and send what it shows when it is complete."""
    thread = threading.get_ident()
    _runs.add(thread)
    try:
        with _one_at_a_time, inside.held_back():
            yield
    finally:
        vars(_now).pop("run", None)
        _runs.discard(thread)
        if not _runs:
            with _no_run:
                _no_run.notify_all()


def end_if_overtaken() -> None:
    """End this run here if its reader did something else or left, as Streamlit does wherever
    something is sent, and where its session is asked."""
    st.session_state.get(ARRIVAL)


def let_runs_go_first(most: float) -> None:
    """Wait until no visitor's run is under way, so many seconds at most.

    What trains beside them takes the interpreter from them at every small operation: answers came
    twice as late.
    """
    with _no_run:
        _no_run.wait_for(lambda: not _runs, most)


def one_thread_for_torch() -> None:
    """Keep torch's helpers away from this run's thread.

    Streamlit answers each reader in a new thread, and in each of them OpenMP starts a crew anew for
    the smallest batched product, which then spins for as long as the product took a hundred times
    over. The setting belongs to the thread, so it is made where the thread begins.
    """
    torch.set_num_threads(1)


M_MMAP_THRESHOLD, MAPPED = -3, 2**20  # glibc's number for it, and bytes


@cache
def prepare_memory(*modules: ModuleType) -> None:
    """Take, once in a process, all that is imported so far out of the garbage collector's rounds.

    `modules` are those that the first page would import otherwise. A round over all of their
    objects costs several times what a page does. And there are fewer rounds: over the objects of a
    hundred visitors, they made every twentieth answer wait twice as long. What is larger than
    MAPPED is asked of the system and given back one by one: of a real model's layers hundreds of
    megabytes stayed in holes otherwise; a training's tensors are smaller, and taken again.
    """
    if sys.platform == "linux" and (mallopt := getattr(ctypes.CDLL(None), "mallopt", None)):
        mallopt(M_MMAP_THRESHOLD, MAPPED)
    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)
