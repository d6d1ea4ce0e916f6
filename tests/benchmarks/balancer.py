"""The load balancer of compose.yaml, with its own configuration, in front of processes instead of
containers."""

import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.benchmarks.server import APP, ROOT, Server, free_port, launch, stop

COMPOSE = ROOT / "compose.yaml"


def find_haproxy() -> str | None:
    """Return where HAProxy is; Debian puts it where only root looks."""
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")


def embedded(name: str, **changes: str) -> str:
    """Return the text of a file that compose.yaml carries; each of the `changes` replaces the rest
    of the one line that begins so."""
    text = COMPOSE.read_text(encoding="utf-8")
    carried = rf"^  {re.escape(name)}:\n    content: \|\n((?:      .*\n|\n)+)"
    text = textwrap.dedent(re.search(carried, text, re.MULTILINE)[1])
    for begins, rest in changes.items():
        text, count = re.subn(rf"^( *{begins}\b).*$", rf"\g<1>{rest}", text, flags=re.MULTILINE)
        assert count == 1, begins
    return text


@dataclass(frozen=True)
class Address:
    """Where a replica listens, and where its agent does, if it has one."""

    port: int
    agent: int = 1  # nobody listens there: the balancer goes by the health check alone


def configuration(port: int, *replicas: Address) -> str:
    """Return the balancer's configuration, with addresses of processes for Docker's names."""
    lines = (
        f"    server replica{k} 127.0.0.1:{replica.port} agent-port {replica.agent}"
        for k, replica in enumerate(replicas, 1)
    )
    text = embedded("haproxy.cfg", bind=f" 127.0.0.1:{port}", **{"server-template": ""})
    return re.sub(r"^ *server-template$", "\n".join(lines), text, flags=re.MULTILINE)


@contextmanager
def replica(drain: int) -> Iterator[tuple[Server, Address, psutil.Process]]:
    """Start the app as compose.yaml does; yield it with the process in it that serves. Told to
    stop, it goes on for so many seconds."""
    agent = free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "replica.py")
        text = embedded("replica.py", AGENT=f" = {agent}", DRAIN=f" = {drain}")
        path.write_text(text, encoding="utf-8")
        server = launch(APP, under=(sys.executable, str(path)))
        serves = psutil.Process(server.process.pid).children()[0]
        try:
            yield server, Address(server.port, agent), serves
        finally:
            stop(server)
            if serves.is_running():
                serves.kill()


@contextmanager
def balancing(*replicas: Address) -> Iterator[Server]:
    """Run HAProxy in front of these, until the block ends."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "haproxy.cfg")
        path.write_text(configuration(port, *replicas), encoding="utf-8")
        silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        process = subprocess.Popen([find_haproxy(), "-db", "-f", str(path)], **silent)
        server = Server(port, process).wait_until_it_answers()
        try:
            yield server
        finally:
            stop(server)
