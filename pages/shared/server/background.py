"""What takes seconds and is the same for all visitors is computed beside the runs: a page is drawn
without it first, and once more when it is there. Trainings, which show how far they are, have a
room of their own (`training_queue`)."""

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
]  # what a run asked for, and when it is drawn again at the latest
LOOK = 0.2  # seconds between two looks at what the reader does meanwhile
FOR_EVER = float("inf")
MAX = 8  # results that are kept, the latest

_thread = ThreadPoolExecutor(1, "background", initializer=run.one_thread_for_torch)
_asked: dict[tuple[Any, ...], Future[Any]] = {}
_lock = threading.Lock()
_of_run = threading.local()  # a run is a thread


@contextmanager
def collect_requests() -> Iterator[Waits]:
    """Collect what the run within asks for that is not there yet."""
    _of_run.waits = waits = []
    yield waits


def ask(
    compute: Callable[..., Result], *inputs: Hashable, again_in: float = FOR_EVER
) -> Result | None:
    """Return what this function gives; None while it is being computed, and the page is drawn again
    in so many seconds at most.

    An error is raised to whoever asks, and forgotten: the next one tries again.
    """
    call = (compute, *inputs)
    with _lock:
        future = _asked.pop(call, None) or _thread.submit(compute, *inputs)
        _asked[call] = future
        for oldest in list(_asked)[:-MAX]:
            del _asked[oldest]
    if not future.done():
        _of_run.waits.append((future, time.monotonic() + again_in))
        return None
    if future.exception():
        _asked.pop(call, None)
    return future.result()


def forget(compute: Callable[..., Any], *inputs: Hashable) -> None:
    """Have the next one who asks compute it anew."""
    _asked.pop((compute, *inputs), None)


def draw_again(waits: Waits) -> None:
    """Wait, after a run, for what it asked for, and draw the page with it. Whoever goes on
    meanwhile is not held up."""
    for future, due in waits:
        while not future.done() and time.monotonic() < due:
            run.end_if_overtaken()
            wait([future], LOOK)
    if waits:
        st.rerun()
