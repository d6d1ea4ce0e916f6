"""all-MiniLM-L6-v2 from the hub, where a reader asks for it: once for all visitors, and whole or not at all."""

import hashlib
import os
import shutil
import tempfile
import threading
from collections.abc import Callable
from http.client import HTTPException
from pathlib import Path
from urllib.request import urlopen

from . import root
from .tensors import FILES, Unreadable

NAME = "all-MiniLM-L6-v2"
REPOSITORY = f"sentence-transformers/{NAME}"
LICENCE, BYTES = "Apache-2.0", 90_868_376
SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"  # of the tensors
MOST_BYTES_BESIDE = 5_000_000  # of each other file
CHUNK = 2**20

_one_download = threading.Lock()


def download(report: Callable[[int], None] = lambda done: None) -> Path:
    """Fetch the model to where models are looked for, unless it is there. `report` hears how many bytes of BYTES have come.

    Raises:
        Unreadable: the hub does not answer, or what came is not the model.
    """
    into = root()
    folder = into / NAME
    with _one_download:
        if folder.exists():
            return folder
        try:
            into.mkdir(parents=True, exist_ok=True)
            part = Path(tempfile.mkdtemp(prefix=".", dir=into))  # what is half here is found by nobody
        except OSError as error:
            raise Unreadable(f"{NAME} has no place: {error}.") from None
        try:
            for file in ("config.json", "tokenizer.json"):
                _fetch(file, part, MOST_BYTES_BESIDE)
            if _fetch(FILES[0], part, BYTES, report) != SHA256:
                raise Unreadable(f"What came is not {NAME}: its hash is another. Nothing was kept.")
            part.chmod(0o755)
            return part.rename(folder)
        except (OSError, HTTPException) as error:
            raise Unreadable(f"{NAME} could not be fetched: {getattr(error, 'reason', error)}.") from None
        finally:
            shutil.rmtree(part, ignore_errors=True)


def _fetch(file: str, folder: Path, most: int, report: Callable[[int], None] = lambda done: None) -> str:
    """Fetch one file; return its hash."""
    hub = os.environ.get("HF_ENDPOINT", "https://huggingface.co")
    done, digest = 0, hashlib.sha256()
    with urlopen(f"{hub}/{REPOSITORY}/resolve/main/{file}", timeout=30) as answer, (folder / file).open("wb") as kept:
        while chunk := answer.read(CHUNK):
            done += len(chunk)
            if done > most:
                raise Unreadable(f"What came is not {NAME}: {file} is larger. Nothing was kept.")
            digest.update(chunk)
            kept.write(chunk)
            report(done)
    return digest.hexdigest()
