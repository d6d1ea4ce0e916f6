"""What a list of models says of each, without keeping it in memory; and the memory that is free."""

import re
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from . import Pretrained, Unreadable, list_folders, names
from .checkpoint import keep_while_unchanged, list_files
from .families import FAMILIES
from .folders import Fingerprint, fingerprint, name_of

LIMITS = ("max", "current")  # of a container's memory
Files = tuple[tuple[str, Fingerprint], ...]
NEXT, COVERED, SENTENCE = "next word", "covered word", "sentence vector"


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


def summarize(name: str) -> Summary:
    """Return what a list says of the model of this name; it is read again once its files
    change."""
    folder = list_folders().get(name)
    return _read(folder) if folder else Summary(name, refused=f"There is no {name} here.")


def fingerprint_all() -> Files:
    """Return each model's files by its name: as long as they are the same, so are the
    summaries."""
    return tuple((name, fingerprint(folder)) for name, folder in list_folders().items())


def summarize_all(_: Files) -> tuple[Summary, ...]:
    """Return a summary of each model here with these files; those that can be read are the
    first."""
    return tuple(sorted(map(summarize, names()), key=lambda one: bool(one.refused)))


@keep_while_unchanged
def _read(folder: Path, _: bool) -> Summary:
    name = name_of(folder)
    try:
        model = Pretrained(folder)
    except Unreadable as error:
        return Summary(name, refused=str(error))
    sizes = model.sizes
    size = sum((folder / file).stat().st_size for file in list_files(folder))
    return Summary(
        name,
        next(kind for kind, family in FAMILIES.items() if family is model.family),
        sizes.layers,
        sizes.heads,
        size,
        size + _measure_copies(model),
        _find_prediction(model),
    )


def _measure_copies(model: Pretrained) -> int:
    """Return the bytes of the copies of W_q and W_k that rotary positions need."""
    if model.family.positions != "rotary":
        return 0
    first = model.layer(1)
    return model.sizes.layers * sum(first[name].nbytes for name in ("w_q", "w_k"))


def _find_prediction(model: Pretrained) -> str:
    if model.is_of_sentences:
        return COVERED if model.fills else SENTENCE
    return NEXT


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
