"""Look at something again and again while a measurement runs."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def watching(seconds: float, look: Callable[[], None]) -> Iterator[None]:
    """Look every so many seconds, in a thread of its own, until the block ends."""
    done = threading.Event()

    def watch() -> None:
        while not done.wait(seconds):
            look()

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()
