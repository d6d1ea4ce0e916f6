"""Real models: read from a folder in Hugging Face's layout, and computed by our own steps.

`ATTENTION_MODELS` names a model's folder, or one with several in it; the default is the user's
cache. It gives what `draws` and `training_store` give otherwise, so the same steps compute with it.
"""

import os
from contextlib import suppress
from pathlib import Path
from threading import Lock

from .checkpoint import Unreadable
from .model import Pretrained
from .sizes import CONFIGS, Sizes

__all__ = [
    "Pretrained",
    "Sizes",
    "Unreadable",
    "find",
    "is_itself_a_model",
    "is_readable",
    "names",
    "root",
]

FOLDER = "ATTENTION_MODELS"


def names() -> tuple[str, ...]:
    """Return the available models, sorted; `find` checks whether one can be read."""
    return tuple(_folders())


def find(name: str = "") -> Pretrained:
    """Return the model of this name, by default the first, loaded once for all users, and again
    when its files have changed.

    Raises:
        Unreadable: it is not here, or it cannot be read.
    """
    folders = _folders()
    if not folders:
        raise Unreadable(f"There is no model here; the folder that {FOLDER} names may have one.")
    folder = folders.get(name) if name else next(iter(folders.values()))
    if folder is None:
        raise Unreadable(f"There is no {name} here; there is {', '.join(folders)}.")
    with _one_reader:
        known = _read.get(folder)
        if known is None or known.is_outdated:
            _read[folder] = Pretrained(folder)
            _read[folder].was_read_before = known is not None
        return _read[folder]


def is_readable(name: str = "") -> bool:
    """Return whether the model of this name, or the first if none is named, can be used."""
    with suppress(Unreadable):
        find(name).check_numbers()
        return True
    return False


_read: dict[Path, Pretrained] = {}
_one_reader = Lock()


def root() -> Path:
    """Return the folder where models are looked up and downloaded to."""
    named = os.environ.get(FOLDER)
    return Path(named).resolve() if named else Path.home() / ".cache" / "attention-explorer"


def _folders() -> dict[str, Path]:
    """Return the folders with a model, by name; empty if they cannot be read."""
    here = root()
    try:
        found = (
            [here]
            if _has_model(here)
            else sorted(below for below in here.iterdir() if _has_model(below))
        )
    except OSError:
        return {}
    return {folder.name: folder for folder in found if not folder.name.startswith(".")}


def is_itself_a_model() -> bool:
    """Return whether the folder of models is itself a model, so that none can be added."""
    return _has_model(root())


def _has_model(folder: Path) -> bool:
    return any((folder / name).is_file() for name in CONFIGS)
