"""How much memory a server holds, now and at its peak."""

import re
import statistics
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.server import Server


class Held(NamedTuple):
    """Megabytes: what the process holds itself, and all of it in memory, with the libraries' and
    models' files that it has mapped.

    A host that is short of memory can take the files' pages back, and reads them again when they
    are needed.
    """

    own: float
    whole: float

    def __str__(self) -> str:
        return f"{self.own:.0f} MB of its own, {self.whole:.0f} with mapped files"


def held(server: Server) -> Held:
    """What it holds now."""
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    kilobytes = {
        name: int(size) for name, size in re.findall(r"^(\w+):\s+(\d+) kB$", status, re.MULTILINE)
    }
    own = kilobytes["RssAnon"] + kilobytes["VmSwap"]
    return Held(own * 1024 / 1e6, (own + kilobytes["RssFile"] + kilobytes["RssShmem"]) * 1024 / 1e6)


def most(seen: Sequence[Held]) -> Held:
    """The most of each that was seen."""
    return Held(*map(max, zip(*seen, strict=True)))


def middle(seen: Sequence[Held]) -> Held:
    """What it was half of the time."""
    return Held(*map(statistics.median, zip(*seen, strict=True)))


@contextmanager
def watching_memory(server: Server) -> Iterator[list[Held]]:
    """Note the server's memory four times a second while the block runs."""
    seen, done = [held(server)], threading.Event()

    def watch() -> None:
        while not done.wait(0.25):
            seen.append(held(server))

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        yield seen
    finally:
        done.set()
        watcher.join()
