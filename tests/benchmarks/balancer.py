"""The load balancer of compose.yaml, with its own configuration, in front of processes instead of
containers."""

import re
import shutil
import subprocess
import sys
import tempfile
import textwrap
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil

from tests.benchmarks.server import ROOT, Server, free_port, launch, stop

COMPOSE = ROOT / "compose.yaml"


def find_haproxy() -> str | None:
    """Debian puts it where only root looks."""
    return shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")


def embedded(name: str) -> str:
    """The text of one of the files that compose.yaml carries."""
    text = COMPOSE.read_text(encoding="utf-8")
    found = re.search(
        rf"^  {re.escape(name)}:\n    content: \|\n((?:      .*\n|\n)+)", text, re.MULTILINE
    )
    return textwrap.dedent(found[1])


@dataclass(frozen=True)
class Address:
    """Where a replica listens, and where its agent does, if it has one."""

    port: int
    agent: int = 1  # nobody listens there: the balancer goes by the health check alone


def configuration(port: int, replicas: Sequence[Address]) -> str:
    """The balancer's configuration, with addresses of processes for Docker's names."""
    lines = [
        f"    server replica{k} 127.0.0.1:{replica.port} agent-port {replica.agent}"
        for k, replica in enumerate(replicas, 1)
    ]
    text, templates = re.subn(
        r"^ *server-template .*$", "\n".join(lines), embedded("haproxy.cfg"), flags=re.MULTILINE
    )
    text, binds = re.subn(r"^( *bind) :8501$", rf"\1 127.0.0.1:{port}", text, flags=re.MULTILINE)
    assert (templates, binds) == (1, 1)
    return text


@contextmanager
def replica(drain: int) -> Iterator[tuple[Server, Address, psutil.Process]]:
    """The app as compose.yaml starts it, and the process in it that serves. Told to stop, it goes
    on for so many seconds."""
    agent = free_port()
    text, agents = re.subn(
        r"^AGENT = 8502$", f"AGENT = {agent}", embedded("replica.py"), flags=re.MULTILINE
    )
    text, drains = re.subn(r"^DRAIN = .*$", f"DRAIN = {drain}", text, flags=re.MULTILINE)
    assert (agents, drains) == (1, 1)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "replica.py"
        path.write_text(text, encoding="utf-8")
        server = launch(ROOT / "streamlit_app.py", under=(sys.executable, str(path)))
        serves = psutil.Process(server.process.pid).children()[0]
        try:
            yield server, Address(server.port, agent), serves
        finally:
            stop(server)
            if serves.is_running():
                serves.kill()


@contextmanager
def balancing(*replicas: Address) -> Iterator[Server]:
    """HAProxy in front of these, until the block ends."""
    port = free_port()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "haproxy.cfg"
        path.write_text(configuration(port, replicas), encoding="utf-8")
        process = subprocess.Popen(
            [find_haproxy(), "-db", "-f", str(path)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        server = Server(port, process)
        try:
            _wait(server)
            yield server
        finally:
            stop(server)


def _wait(server: Server) -> None:
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline and server.process.poll() is None:
        try:
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=2)
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError("the balancer does not answer")
