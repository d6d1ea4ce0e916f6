"""How much memory a server holds, now and at its peak."""

from collections.abc import Iterator
from contextlib import contextmanager

import psutil

from tests.benchmarks.server import Server
from tests.benchmarks.watch import watching


def megabytes(server: Server) -> float:
    return psutil.Process(server.process.pid).memory_info().rss / 1e6


@contextmanager
def watching_memory(server: Server) -> Iterator[list[float]]:
    """Note the server's memory four times a second while the block runs."""
    seen = [megabytes(server)]
    with watching(0.25, lambda: seen.append(megabytes(server))):
        yield seen
