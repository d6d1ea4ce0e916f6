"""Start a real Streamlit server for a measurement, and stop it again."""

import os
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

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
def serving(script: str | Path, *options: str, port: int | None = None) -> Iterator[Server]:
    """`streamlit run script` until the block ends, with the settings that are in the repository."""
    server = launch(script, *options, port=port)
    try:
        yield server
    finally:
        stop(server)


def launch(script: str | Path, *options: str, port: int | None = None, under: Sequence[str] = ()) -> Server:
    """Start a server and wait until it answers; `under` is a command that starts another, if it is not to be started plainly."""
    port = port or free_port()
    command = [
        *(*under, sys.executable, "-m", "streamlit", "run", str(script)),
        *("--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"),
        *options,
    ]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": paths}, **quiet)
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
