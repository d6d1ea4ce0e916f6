"""How much memory a server holds, now and at its peak."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import psutil

from tests.benchmarks.server import Server


def megabytes(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / 1e6


@contextmanager
def watching_memory(server: Server, measured: Callable[[Server], float] = megabytes) -> Iterator[list[float]]:
    """Note the server's memory four times a second while the block runs."""
    seen, done = [measured(server)], threading.Event()

    def watch() -> None:
        while not done.wait(0.25):
            seen.append(measured(server))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()
