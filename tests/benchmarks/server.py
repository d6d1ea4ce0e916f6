"""Start a real Streamlit server for a measurement, and stop it again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

ROOT = Path(__file__).parents[2]


@dataclass
class Server:
    """A running server: its port and its process."""

    port: int
    process: subprocess.Popen

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"


def free_port() -> int:
    """A port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(
    script: str | Path, *options: str, port: int | None = None, **more: Any
) -> Iterator[Server]:
    """`streamlit run script` until the block ends, with the settings that are in the repository;
    `more` is for `launch`."""
    server = launch(script, *options, port=port, **more)
    try:
        yield server
    finally:
        stop(server)


def launch(
    script: str | Path,
    *options: str,
    port: int | None = None,
    under: Sequence[str] = (),
    environment: Mapping[str, str] | None = None,
    errors: int | IO = subprocess.DEVNULL,
) -> Server:
    """Start a server and wait until it answers; `under` is a command that starts another, if it is
    not to be started plainly. It has these variables in its environment too, and writes its errors
    where it is told to."""
    port = port or free_port()
    command = [
        *(*under, sys.executable, "-m", "streamlit", "run", str(script)),
        *("--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"),
        *options,
    ]
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    own = os.environ | {"PYTHONPATH": paths} | (environment or {})
    process = subprocess.Popen(command, cwd=ROOT, env=own, stdout=subprocess.DEVNULL, stderr=errors)
    server = Server(port, process)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        try:
            urllib.request.urlopen(f"{server.url}/_stcore/health", timeout=1)
            return server
        except OSError:
            if process.poll() is not None:
                break
            time.sleep(0.05)
    stop(server)
    raise RuntimeError(f"no answer from {script} on port {port}")


def stop(server: Server) -> None:
    """End the process that was started, politely, then not."""
    server.process.send_signal(signal.SIGTERM)
    try:
        server.process.wait(10)
    except subprocess.TimeoutExpired:
        server.process.kill()
        server.process.wait(10)
