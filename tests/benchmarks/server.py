"""Start a real Streamlit server, and stop it again."""

import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
APP, BARE = ROOT / "streamlit_app.py", Path(__file__).with_name("bare.py")


@dataclass
class Server:
    """A running server: its port and its process."""

    port: int
    process: subprocess.Popen

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def wait_until_it_answers(self) -> "Server":
        """Return it once it does. Raises RuntimeError if it ends before that."""
        deadline = time.monotonic() + 60
        while time.monotonic() < deadline and self.process.poll() is None:
            try:
                urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=2)
                return self
            except OSError:
                time.sleep(0.05)
        stop(self)
        raise RuntimeError(f"no answer from {self.process.args}")


def free_port() -> int:
    """Return a port that nobody listens on now."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


@contextmanager
def serving(script: str | Path, *options: str, **more: Any) -> Iterator[Server]:
    """Run `streamlit run script` until the block ends; what else may be said is `launch`'s."""
    server = launch(script, *options, **more)
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
) -> Server:
    """Start a server with the repository's settings and return it once it answers; `under` is a
    command that starts another, `environment` what its environment has besides."""
    port = port or free_port()
    command = [
        *(*under, sys.executable, "-m", "streamlit", "run", str(script)),
        *("--server.port", str(port), "--server.address", "127.0.0.1", "--server.headless", "true"),
        *options,
    ]
    paths = os.pathsep.join(filter(None, [os.environ.get("PYTHONPATH"), str(ROOT)]))
    own = os.environ | {"PYTHONPATH": paths} | (environment or {})
    silent = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, cwd=ROOT, env=own, **silent)
    return Server(port, process).wait_until_it_answers()


def stop(server: Server) -> None:
    """End the process that was started, politely, then not."""
    server.process.terminate()
    try:
        server.process.wait(10)
    except subprocess.TimeoutExpired:
        server.process.kill()
        server.process.wait(10)
