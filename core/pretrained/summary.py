"""What a list of models says of each, without keeping it in memory."""

from dataclasses import dataclass
from pathlib import Path

from . import Pretrained, Unreadable, list_folders, names
from .folders import Fingerprint, fingerprint

Files = tuple[tuple[str, Fingerprint], ...]
PREDICTS = ("the next word", "a covered word", "a sentence's vector")


@dataclass(frozen=True)
class Summary:
    """A model in a list: its family's name in config.json, sizes, the bytes of its tensors and what
    it predicts, one of `PREDICTS`; or why it was refused."""

    name: str
    family: str = ""
    layers: int = 0
    heads: int = 0
    size: int = 0
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
        PREDICTS[(1 + (not model.fills)) if model.is_of_sentences else 0],
    )
