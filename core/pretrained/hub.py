"""Download models from the hub, from a list that the host sets: once for all users, and never in
part.

`ATTENTION_HUB` is that list, separated by commas: `owner/name`, `owner/name@revision`, or a name in
`KNOWN`; if it is empty, nothing is downloaded. The library resumes downloads and supports mirrors
(`HF_ENDPOINT`) and `HF_HUB_OFFLINE`.
"""

import errno
import hashlib
import os
import re
import shutil
import threading
from collections.abc import Callable
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

from . import Pretrained, is_itself_a_model, root
from .checkpoint import FILES, Unreadable, library

LIST = "ATTENTION_HUB"
NEEDED = ("config.json", "tokenizer.json", "README.md", "*.safetensors", f"{FILES[0]}.index.json")
Report = Callable[[int, int], None]  # bytes downloaded, and in total

_one_download = threading.Lock()


@dataclass(frozen=True)
class Offered:
    """A model that may be downloaded: its repository, revision and, if known, its megabytes, its
    licence, and the hash of its tensors."""

    repository: str
    revision: str | None = None
    megabytes: int = 0
    licence: str = ""
    sha256: str = ""

    @property
    def name(self) -> str:
        """The model's name here."""
        return self.repository.rpartition("/")[2]


KNOWN = {
    each.name: each
    for each in (
        Offered(
            "sentence-transformers/all-MiniLM-L6-v2",
            "c9745ed1d9f207416be6d2e6f8de32d1f16199bf",
            91,
            "Apache-2.0",
            "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db",
        ),
        Offered(
            "HuggingFaceTB/SmolLM2-135M",
            "93efa2f097d58c2a74874c7e644dbc9b0cee75a2",
            269,
            "Apache-2.0",
            "80521b40281d6ce74e35c9282c22539e75aa0ac8578892b2a59955ef78d55da1",
        ),
        Offered(
            "distilbert/distilgpt2",
            "2290a62682d06624634c1f46a6ad5be0f47f38aa",
            353,
            "Apache-2.0",
            "e1ff18884359fe8beb795a5f414feb85a6ce3d929ad019c0d958c039d2b94a1b",
        ),
    )
}


def list_offered() -> dict[str, Offered]:
    """Return the downloadable models by name. Invalid names in the host's list are skipped; empty
    if the folder of models is itself a model."""
    listed = os.environ.get(LIST)
    if is_itself_a_model():
        return {}
    if listed is None:
        return dict(KNOWN)
    found = filter(None, map(_parse_offered, re.split(r"[\s,]+", listed)))
    return {each.name: each for each in found}


def _parse_offered(entry: str) -> Offered | None:
    if entry in KNOWN:
        return KNOWN[entry]
    named = re.fullmatch(r"([\w-][\w.-]*/[\w-][\w.-]*)(?:@([\w.-]+))?", entry)
    if named is None:
        return None
    known = KNOWN.get(named[1].rpartition("/")[2])
    return (
        known
        if known and named[2] is None and known.repository == named[1]
        else Offered(named[1], named[2])
    )


def download(name: str, report: Report = lambda come, of: None) -> Path:
    """Download a listed model to the folder of models, unless it is there, and return its folder;
    `report` receives the progress.

    Raises:
        Unreadable: it is not on the list, the hub does not answer, or the download is not a
        readable model.
    """
    one = list_offered().get(name)
    if one is None:
        raise Unreadable(
            f"{name} is not among the models that this server fetches:"
            f" {', '.join(list_offered()) or 'there are none'}."
        )
    folder, part = (
        root() / name,
        root() / f".{name}",
    )  # partial downloads are hidden, and resumed
    with _one_download:
        if folder.exists():
            return folder
        try:
            part.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unreadable(f"{name} has no place: {error}.") from None
        try:
            _fetch(one, part, report)
            _check(one, part)
            return part.rename(folder)
        except Unreadable as error:
            shutil.rmtree(part, ignore_errors=True)
            raise Unreadable(f"{error} Nothing was kept.") from None
        except Exception as error:  # of the library or its dependencies
            if folder.exists():  # another server with the same folder was first
                return folder
            why, may_go_on = _explain_failure(one, error)
            if not (may_go_on and _has_come(part)):
                shutil.rmtree(part, ignore_errors=True)
            raise Unreadable(
                f"{name} could not be fetched: {why}{'' if why.endswith('?') else '.'}"
            ) from None


def _has_come(part: Path) -> bool:
    """Return whether there is a complete or partial file, apart from the library's metadata."""
    return any(
        each.is_file() and (each.parent == part or each.suffix == ".incomplete")
        for each in part.rglob("*")
    )


NO_ANSWER = (
    "ConnectError",
    "ConnectTimeout",
    "OfflineModeIsEnabled",
    "LocalEntryNotFoundError",
)  # and broken connections:
BROKE_OFF = (
    "RemoteProtocolError",
    "ReadError",
    "ReadTimeout",
    "IncompleteRead",
    "ChunkedEncodingError",
)


def _explain_failure(one: Offered, error: Exception) -> tuple[str, bool]:
    """Return why a download failed, in words, and whether it can be resumed."""
    chain: list[BaseException] = [error]
    while (before := chain[-1].__cause__ or chain[-1].__context__) and before not in chain:
        chain.append(before)
    kinds = [type(each).__name__ for each in chain]
    if any(getattr(each, "errno", None) in (errno.ENOSPC, errno.EDQUOT) for each in chain):
        return "there is no room for it on the server's disk. Nothing was kept", False
    if any(
        getattr(getattr(each, "response", None), "status_code", 0) in (401, 403, 404)
        for each in chain
    ):
        at = f" with the revision {one.revision}" if one.revision else ""
        return f"the hub has no {one.repository}{at} that it shows to everybody", False
    if any(kind in BROKE_OFF for kind in kinds):
        return "the line broke off. What has come is kept, and the next try goes on with it", True
    if any(kind in NO_ANSWER for kind in kinds):
        return "the hub does not answer. Is there a network?", True
    return (str(error).strip() or kinds[0]).splitlines()[0].rstrip("."), True


def _fetch(one: Offered, into: Path, report: Report) -> None:
    library("huggingface_hub").snapshot_download(
        one.repository,
        revision=one.revision,
        local_dir=into,
        allow_patterns=list(NEEDED),
        ignore_patterns="*/*",
        endpoint=os.environ.get("HF_ENDPOINT"),
        tqdm_class=_make_progress_bar(report),
        # parallel workers close each other's client when there is no answer
        max_workers=1,
    )
    shutil.rmtree(into / ".cache")  # the library's metadata


def _check(one: Offered, folder: Path) -> None:
    """Raise Unreadable unless it is the requested model and can be read."""
    if one.sha256:
        with (folder / FILES[0]).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != one.sha256:
                raise Unreadable(f"What came is not {one.name}: its hash is another.")
    Pretrained(folder)


def _make_progress_bar(report: Report) -> Any:
    """Return a silent progress bar for the library that reports the number of bytes."""

    class Bar(library("tqdm").tqdm):  # type: ignore[misc]
        def __init__(self, *given: Any, **settings: Any) -> None:
            super().__init__(*given, **settings | {"file": StringIO()})

        def update(self, n: float | None = 1) -> bool | None:
            drawn: bool | None = super().update(n)
            if self.unit == "B":
                report(int(self.n), int(self.total or 0))
            return drawn

    return Bar
