"""Files of a repository on the Hub: which there are, and their transfer, which goes on where it
broke off.

Addresses, proxies and an account's token are those of the Hub's own library.
"""

import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from .checkpoint import Unreadable, library

Report = Callable[[int], None]  # bytes that came
CONNECT, SILENCE = 10, 30  # seconds: to reach the Hub, and without a byte of it


@dataclass(frozen=True)
class File:
    """A file in a repository: its name, its bytes, and for a large one its hash."""

    name: str
    size: int
    sha256: str


@dataclass(frozen=True)
class Repository:
    """A repository at one commit, and its files by name."""

    name: str
    commit: str
    files: dict[str, File]


def list_repository(name: str, revision: str | None) -> Repository:
    """Return a repository's files at a revision, by default the newest."""
    url = f"{_endpoint()}/api/models/{name}/revision/{quote(revision or 'main', safe='')}"
    answer = _session().get(
        url, params={"blobs": "true"}, headers=_headers(), timeout=_timeout(), follow_redirects=True
    )
    answer.raise_for_status()
    said = answer.json()
    files = [
        File(each["rfilename"], each.get("size") or 0, (each.get("lfs") or {}).get("sha256", ""))
        for each in said["siblings"]
    ]
    return Repository(name, said["sha"], {file.name: file for file in files})


def transfer(repository: Repository, file: File, folder: Path, report: Report) -> None:
    """Bring a file into a folder, from where an earlier transfer broke off. What came is kept only
    if the Hub can go on there.

    Raises:
        Unreadable: what came has another hash. Errors of the library and of the disk.
    """
    to, goes_on = folder / file.name, True
    have = to.stat().st_size if to.exists() else 0
    report(have)
    if have < file.size or not to.exists():
        url = f"{_endpoint()}/{repository.name}/resolve/{repository.commit}/{quote(file.name)}"
        asked = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
        try:
            with _session().stream(
                "GET", url, headers=_headers() | asked, timeout=_timeout(), follow_redirects=True
            ) as answer:
                answer.raise_for_status()
                goes_on = answer.headers.get("Accept-Ranges") == "bytes"
                is_rest = answer.headers.get("Content-Range", "").startswith(f"bytes {have}-")
                if have and not is_rest:
                    report(-have)
                with to.open("ab" if is_rest else "wb") as written:
                    for piece in answer.iter_raw():
                        written.write(piece)
                        report(len(piece))
        except Exception:
            if not goes_on:
                to.unlink(missing_ok=True)
            raise
    if file.sha256 and hash_of(to) != file.sha256:
        raise Unreadable(f"What came is not the Hub's {file.name}: its hash is another.")


def hash_of(path: Path) -> str:
    """Return a file's SHA-256."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def is_offline() -> bool:
    """Return whether the Hub must not be asked: `HF_HUB_OFFLINE`."""
    return os.environ.get("HF_HUB_OFFLINE", "").upper() in ("1", "ON", "YES", "TRUE")


def explain_failure(error: Exception, what: str) -> str:
    """Return why a transfer of a repository failed, in words."""
    httpx = library("httpx2")
    if isinstance(error, httpx.HTTPStatusError):
        return _explain_status(error.response, what)
    for kinds, why in (
        (
            (httpx.ConnectError, httpx.ConnectTimeout),
            "the Hub does not answer. Is there a network?",
        ),
        (httpx.TimeoutException, f"the Hub has been silent for {SILENCE} seconds."),
        (httpx.TransportError, "the line broke off."),
        ((ValueError, KeyError, TypeError), "what answers there is not the Hub."),
    ):
        if isinstance(error, kinds):
            return why
    return f"{type(error).__name__} came in between."


def _explain_status(answer: Any, what: str) -> str:
    status, wait = answer.status_code, answer.headers.get("Retry-After", "")
    patience = f" It wants {wait} seconds of patience." if wait.isdigit() else ""
    if status in (401, 404):
        return f"the Hub has no {what} that it shows to everybody."
    if status == 403:
        return f"the Hub shows {what} only to those whom it has let in."
    if status == 429:
        return f"the Hub has been asked too often from here.{patience}"
    return f"the Hub is out of order ({status}).{patience}"


def _endpoint() -> str:
    usual: str = library("huggingface_hub.constants").ENDPOINT
    return os.environ.get("HF_ENDPOINT") or usual


def _session() -> Any:
    return library("huggingface_hub").get_session()


def _headers() -> dict[str, str]:
    headers: dict[str, str] = library("huggingface_hub.utils").build_hf_headers()
    return headers


def _timeout() -> Any:
    return library("httpx2").Timeout(SILENCE, connect=CONNECT)
