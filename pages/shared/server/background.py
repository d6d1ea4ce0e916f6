"""Slow results for all visitors are computed beside the runs: a page is drawn without them, then
again. Training has its own queue (`training_queue`)."""

import threading
import time
from collections.abc import Callable, Hashable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from typing import Any, TypeVar

import streamlit as st

from pages.shared.server import run

Result = TypeVar("Result")
Waits = list[
    tuple[Future[Any], float]
]  # a run's pending results, with the latest time of the next drawing
LOOK = 0.2  # seconds between two checks for the user's actions
FOR_EVER = float("inf")
MAX = 8  # stored results, the latest

_thread = ThreadPoolExecutor(1, "background", initializer=run.one_thread_for_torch)
_asked: dict[tuple[Any, ...], Future[Any]] = {}
_lock = threading.Lock()
_of_run = threading.local()  # one thread for each run


@contextmanager
def collect_requests() -> Iterator[Waits]:
    """Collect the pending results of the run inside."""
    _of_run.waits = waits = []
    yield waits


def ask(
    compute: Callable[..., Result], *inputs: Hashable, again_in: float = FOR_EVER
) -> Result | None:
    """Return the function's result; None while it is computed, and the page is redrawn after at
    most `again_in` seconds.

    An error is raised to the caller and not stored: the next call tries again.
    """
    call = (compute, *inputs)
    with _lock:
        future = _asked.pop(call, None) or _thread.submit(compute, *inputs)
        _asked[call] = future
        for oldest in list(_asked)[:-MAX]:
            del _asked[oldest]
    if not is_done(future, again_in):
        return None
    if future.exception():
        _asked.pop(call, None)
    return future.result()


def is_done(future: Future[Any], again_in: float = FOR_EVER) -> bool:
    """Return whether a result is there; if not, the page is redrawn with it, or after at most
    `again_in` seconds."""
    if future.done():
        return True
    _of_run.waits.append((future, time.monotonic() + again_in))
    return False


def draw_again(waits: Waits) -> None:
    """Wait after a run for its pending results and redraw the page, unless the user has acted."""
    for future, due in waits:
        while not future.done() and time.monotonic() < due:
            run.end_if_overtaken()
            wait([future], LOOK)
    if waits:
        st.rerun()
