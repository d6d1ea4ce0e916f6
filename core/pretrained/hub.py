"""Download models from the Hub, from a list that the host sets: once for all users, and never in
part.

`ATTENTION_HUB` is that list, separated by commas: `owner/name`, `owner/name@revision`, or a name in
`KNOWN`; if it is empty, nothing is downloaded, nor with `HF_HUB_OFFLINE`. Mirrors (`HF_ENDPOINT`)
are supported.
"""

import errno
import os
import re
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from . import Pretrained, check_config, list_folders
from .checkpoint import Unreadable, find_numbered, library, list_files, protect
from .folders import CONFIGS, FILES, is_itself_a_model, match, root
from .tokenizer_files import FILE, OF_BYTES, OF_WORDS, SAID
from .transfer import Repository, explain_failure, hash_of, is_offline, list_repository, transfer

LIST = "ATTENTION_HUB"
PARTS = ".fetching"  # the folder with what has come in part
MB = 1_000_000
CONFIGS_ALONE, INDEX = [(name,) for name in CONFIGS], ".index.json"
TOKENIZERS = ((FILE,), OF_WORDS, OF_BYTES)
TENSORS = (".safetensors", ".bin")  # endings of large files
NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
Report = Callable[[int, int], None]  # bytes downloaded, and in total


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
    offline, or if the folder of models is itself a model."""
    listed = os.environ.get(LIST)
    if is_offline() or is_itself_a_model():
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
    """Download a listed model to the folder of models, unless it is here, and return its folder;
    `report` receives the progress.

    Raises:
        Unreadable: it is not on the list, the Hub does not answer, or the download is not a
        readable model.
    """
    offered = list_offered()
    if name not in offered:
        offline = " offline (HF_HUB_OFFLINE)" if is_offline() else ""
        raise Unreadable(
            f"{name} is not among the models that this server fetches{offline}:"
            f" {', '.join(offered) or 'there are none'}."
        )
    try:
        (root() / PARTS).mkdir(parents=True, exist_ok=True)
        with library("filelock").FileLock(root() / PARTS / f"{name}.lock"):
            folders = list_folders()
            if here := match(offered[name].repository, folders) or match(name, folders):
                return folders[here]  # another visitor or server was first
            part = _fetch(offered[name], report)
            protect(part)
            folder = part.rename(root() / name)
            part.parent.rmdir()
            return folder
    except OSError as error:
        raise Unreadable(f"{name} could not be fetched: {_explain_disk(error)}") from None


def _fetch(one: Offered, report: Report) -> Path:
    """Return the folder with all that came. What the Hub broke off is kept for the next attempt."""
    part: Path | None = None
    try:
        repository = list_repository(one.repository, one.revision)
        part = _make_part(repository.commit, one.name)
        _transfer_all(repository, part, report)
        _check(one, part)
        return part
    except (Unreadable, OSError) as error:
        if part:
            shutil.rmtree(part, ignore_errors=True)
        if isinstance(error, OSError):
            raise
        raise Unreadable(f"{error} Nothing was kept.") from None
    except Exception as error:  # of the library or its dependencies
        at = f" with the revision {one.revision}" if one.revision else ""
        why = explain_failure(error, f"{one.repository}{at}")
        kept = _measure_kept(part) if part else 0
        goes_on = f" {kept / MB:.1f} MB of it are kept; the next attempt goes on there."
        raise Unreadable(
            f"{one.name} could not be fetched: {why}{goes_on if kept else ''}"
        ) from None


def _make_part(commit: str, name: str) -> Path:
    """Return the folder of a download at one commit, without those of other commits."""
    part = root() / PARTS / commit / name
    for other in (root() / PARTS).glob(f"*/{name}"):
        if other != part:
            shutil.rmtree(other)
    part.mkdir(parents=True, exist_ok=True)
    return part


def _transfer_all(repository: Repository, part: Path, report: Report) -> None:
    """Bring the files that are read. What decides whether they can be read comes before them."""
    files = repository.files
    (config,), stored = _choose(repository, CONFIGS_ALONE), _choose(repository, _list_stored(files))
    tokenizer = _choose(repository, TOKENIZERS)
    small = [config, *tokenizer, *(name for name in (SAID, "README.md") if name in files)]
    small += [name for name in stored if name.endswith(INDEX)]
    for name in small:
        transfer(repository, files[name], part, lambda come: None)
        if name == config:
            check_config(part)
    tensors = list_files(part) if stored[0].endswith(INDEX) else stored
    _choose(repository, [tensors])
    come, of = (sum(files[name].size for name in names) for names in (small, [*small, *tensors]))

    def count(more: int) -> None:
        nonlocal come
        come += more
        report(come, of)

    _check_room(part, of - come)
    for name in tensors:
        transfer(repository, files[name], part, count)


def _choose(repository: Repository, ways: Iterable[Sequence[str]]) -> Sequence[str]:
    """Return the first of several sets of files that is complete. Raises Unreadable without one."""
    sets = [each for each in ways if each]
    for names in sets:
        if all(name in repository.files for name in names):
            return names
    raise Unreadable(f"{repository.name} has no {', no '.join(map(' with '.join, sets))}.")


def _list_stored(names: Iterable[str]) -> Iterator[list[str]]:
    """Yield the ways of storing tensors: a file, the index of its shards, or shards without one."""
    for file in FILES:
        yield [file]
        yield [f"{file}{INDEX}"]
        yield [*find_numbered(file, names)]


def _check_room(part: Path, needed: int) -> None:
    """Raise Unreadable if the disk has no room for the tensors that have not come."""
    needed, free = needed - _measure_kept(part), shutil.disk_usage(part).free
    if needed > free:
        raise Unreadable(
            f"It takes {needed / MB:.1f} MB, and the server's disk has {free / MB:.1f} MB left."
        )


def _check(one: Offered, folder: Path) -> None:
    """Raise Unreadable unless it is the requested model and can be read."""
    if one.sha256 and hash_of(folder / FILES[0]) != one.sha256:
        raise Unreadable(f"What came is not {one.name}: its hash is another.")
    Pretrained(folder)


def _measure_kept(part: Path) -> int:
    """Return how many bytes of the tensors have come."""
    return sum(file.stat().st_size for file in part.glob("*") if file.suffix in TENSORS)


def _explain_disk(error: OSError) -> str:
    if error.errno in NO_ROOM:
        return "there is no room for it on the server's disk. Nothing was kept."
    return f"its folder cannot be written: {(error.strerror or type(error).__name__).lower()}."
