"""What a list of models says of each, without keeping it in memory; and the memory that is free."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import Pretrained, Unreadable, list_folders, names
from .folders import Fingerprint, fingerprint

LIMITS = ("max", "current")  # of a container's memory
Files = tuple[tuple[str, Fingerprint], ...]
NEXT, COVERED, SENTENCE, NONE = "next word", "covered word", "sentence vector", "no words"


@dataclass(frozen=True)
class Summary:
    """A model in a list: its family's name in config.json, sizes, the bytes of its tensors and of
    the memory that it takes, and what it predicts; or why it was refused."""

    name: str
    family: str = ""
    layers: int = 0
    heads: int = 0
    size: int = 0
    memory: int = 0
    predicts: str = ""
    refused: str = ""


_summaries: dict[Path, tuple[Fingerprint, Summary]] = {}


def summarize(name: str) -> Summary:
    """Return what a list says of the model of this name; it is read again once its files
    change."""
    folder = list_folders().get(name)
    if folder is None:
        return Summary(name, refused=f"There is no {name} here.")
    files, known = fingerprint(folder), _summaries.get(folder)
    if known is None or known[0] != files:
        _summaries[folder] = known = files, _read_summary(name, folder)
    return known[1]


def list_files() -> Files:
    """Return each model's files by its name: as long as they are the same, so are the
    summaries."""
    return tuple((name, fingerprint(folder)) for name, folder in list_folders().items())


def summarize_all() -> tuple[Summary, ...]:
    """Return a summary of each model here; those that can be read are the first."""
    return tuple(sorted(map(summarize, names()), key=lambda one: bool(one.refused)))


def _read_summary(name: str, folder: Path) -> Summary:
    try:
        model = Pretrained(folder)
    except Unreadable as error:
        return Summary(name, refused=str(error))
    return Summary(
        name,
        model.kind,
        model.sizes.layers,
        model.sizes.heads,
        model.size,
        model.memory,
        _find_prediction(model),
    )


def _find_prediction(model: Pretrained) -> str:
    if model.is_of_sentences:
        return COVERED if model.fills else SENTENCE
    return NEXT if model.says_next else NONE


def measure_free_memory() -> int | None:
    """Return the bytes of memory that are free on this machine, or in its container; None if the
    system does not say."""
    try:
        lines = re.findall(r"(?m)^MemAvailable:\s+(\d+) kB", _read_text("/proc/meminfo"))
        free = 1024 * int(lines[0])
    except (OSError, IndexError):
        return None
    with suppress(OSError, ValueError):  # "max" without a limit
        limit, used = (int(_read_text(f"/sys/fs/cgroup/memory.{name}")) for name in LIMITS)
        free = min(free, limit - used)
    return free


def _read_text(path: str) -> str:
    return Path(path).read_text(encoding="utf-8")
