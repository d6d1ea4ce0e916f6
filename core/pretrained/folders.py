"""Where models are: folders in Hugging Face's layout, by name.

`ATTENTION_MODELS` names a model's folder, one with several in it, or a cache of the Hub's. Without
it they are the explorer's own folder and the Hub's cache (`HF_HUB_CACHE`, `HF_HOME`), so that
nothing is downloaded that is already on the machine.
"""

import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

Fingerprint = tuple[tuple[str, int, int, int], ...]
FOLDER = "ATTENTION_MODELS"
CONFIGS = ("config.json", "bert_config.json")
FILES = ("model.safetensors", "pytorch_model.bin")  # of tensors
LARGE = 1_000_000_000  # bytes
CACHED, SNAPSHOTS = "models--", "snapshots"  # names in the Hub's cache

GIVEN: dict[str, Path] = {}  # models that a program reads from elsewhere, by name; not listed


def root() -> Path:
    """Return the folder where models are looked up and downloaded to."""
    return _path(os.environ.get(FOLDER) or "~/.cache/attention-explorer")


def list_folders() -> dict[str, Path]:
    """Return the folders with a model, by name, including those that cannot be read."""
    own = root()
    if is_itself_a_model():
        return {name_of(own): own}
    places = [own, own / "hub"] if os.environ.get(FOLDER) else [own, _hub_cache()]
    return {name_of(folder): folder for place in places for folder in _models_in(place)}


def is_itself_a_model() -> bool:
    """Return whether the folder of models is itself a model, so that none can be added."""
    return _has_model(root())


def name_of(folder: Path) -> str:
    """Return a model's name: its folder's, or its repository's in the Hub's cache.

    >>> name_of(Path("models/my gpt")), name_of(Path("hub/models--owner--small/snapshots/0123"))
    ('my gpt', 'owner/small')
    """
    repository = folder.parent.parent.name
    if folder.parent.name == SNAPSHOTS and repository.startswith(CACHED):
        return repository.removeprefix(CACHED).replace("--", "/", 1)
    return folder.name


def match(name: str, names: Iterable[str]) -> str | None:
    """Return the name that is meant: itself, or the only one that has or lacks an owner before it.

    >>> match("small", ["tiny", "owner/small"]), match("other/small", ["owner/small"])
    ('owner/small', None)
    """
    listed = [*names]
    if name in listed:
        return name
    same = [
        one
        for one in listed
        if one.rpartition("/")[2] == name.rpartition("/")[2] and ("/" in one) != ("/" in name)
    ]
    return same[0] if len(same) == 1 else None


def names_in(folder: Path) -> list[str] | None:
    """Return the names in a folder, [] if it is none; None if they cannot be listed."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError:
        return None


def fingerprint(folder: Path) -> Fingerprint:
    """Return each file's name, size, time and number on the disk: another set, other files."""
    found = []
    for name in sorted(names_in(folder) or ()):
        try:
            said = (folder / name).stat()
        except OSError:
            continue
        found.append((name, said.st_size, said.st_mtime_ns, said.st_ino))
    return tuple(found)


def is_large(folder: Path) -> bool:
    """Return whether a model's files are so large that it is not read unless it is named."""
    return sum(size for _, size, *_ in fingerprint(folder)) > LARGE


def read_licence(folder: Path) -> str:
    """Return the licence in the front matter of the model's README.md; empty if there is none."""
    try:
        readme = (folder / "README.md").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
    found = re.match(r"---\n(?:.*\n)*?license: *([\w.-]+)", readme)
    return found[1] if found else ""


def _has_model(folder: Path) -> bool:
    """Return whether a folder has a file of a model's. One that cannot be listed may have."""
    names = names_in(folder)
    return names is None or not {*CONFIGS, *FILES}.isdisjoint(names)


def _models_in(place: Path) -> Iterator[Path]:
    """Yield the models in a folder, sorted."""
    for name in sorted(names_in(place) or ()):
        if name.startswith(CACHED):
            yield from _snapshot(place / name)
        elif not name.startswith(".") and _has_model(place / name):
            yield place / name


def _snapshot(repository: Path) -> list[Path]:
    """Return the snapshot of a cached repository that `main` names, or else the latest with a
    model; [] if there is none."""
    snapshots = repository / SNAPSHOTS
    names = names_in(snapshots)
    if names is None:  # some snapshot, to say that it cannot be listed
        return [snapshots / "main"]
    try:
        main = (repository / "refs" / "main").read_text(encoding="utf-8").strip()
    except OSError:
        main = ""
    found = [snapshots / name for name in names if _has_model(snapshots / name)]
    return sorted(found, key=lambda one: (one.name == main, one.stat().st_mtime))[-1:]


def _hub_cache() -> Path:
    """Return the Hub's cache of models, as its library finds it."""
    caches = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    home = os.environ.get("HF_HOME") or f"{caches}/huggingface"
    return _path(os.environ.get("HF_HUB_CACHE") or f"{home}/hub")


def _path(named: str) -> Path:
    """Return an absolute path; a link in it keeps its name, which may be a model's."""
    return Path(os.path.abspath(os.path.expanduser(os.path.expandvars(named))))
