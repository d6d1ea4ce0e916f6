"""Real models: read from a folder in Hugging Face's layout, and computed by our own steps.

`ATTENTION_MODELS` names a model's folder, or one with several in it; the default is the user's
cache. It gives what `draws` and `training_store` give otherwise, so the same steps compute with it.
"""

from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from .checkpoint import Unreadable, keep_while_unchanged
from .folders import FOLDER, GIVEN, is_itself_a_model, is_large, list_folders, match, root
from .model import Pretrained
from .sizes import Sizes, check_config

__all__ = [
    "FOLDER",
    "Pretrained",
    "Sizes",
    "Unreadable",
    "check_config",
    "explain_refusal",
    "find",
    "is_itself_a_model",
    "list_folders",
    "names",
    "root",
]

LISTED = 8  # names in a message


def names() -> tuple[str, ...]:
    """Return the available models; `find` checks whether one can be read."""
    return tuple(list_folders())


def find(name: str = "") -> Pretrained:
    """Return the model of this name, by default the first that can be read, loaded once for all
    users, and again when its files have changed.

    Raises:
        Unreadable: it is not here, or it cannot be read.
    """
    if name in GIVEN:
        return _load(GIVEN[name])
    folders = list_folders()
    if not folders:
        raise Unreadable(f"There is no model here; the folder that {FOLDER} names may have one.")
    if not name and (first := _find_first(list(folders.values()))):
        return first
    named = match(name or next(iter(folders)), folders)
    if named is None:
        more = f" and {len(folders) - LISTED} more" if len(folders) > LISTED else ""
        raise Unreadable(
            f"There is no {name} here; there is {', '.join([*folders][:LISTED])}{more}."
        )
    return _load(folders[named])


def _find_first(folders: Sequence[Path]) -> Pretrained | None:
    """Return the first model that can be read, large ones last. It stays the first when others
    come, since results of it are cached without its name."""
    before = _first.get(root())
    for folder in [before] if before and before in folders else sorted(folders, key=is_large):
        with suppress(Unreadable):
            model = _load(folder)
            model.check_numbers()
            _first[root()] = folder
            return model
    return None


def explain_refusal(name: str = "") -> str:
    """Return why no model of this name can be read, or none at all if none is named; "" if one
    can."""
    try:
        find(name).check_numbers()
    except Unreadable as error:
        return str(error)
    return ""


_load = keep_while_unchanged(Pretrained)
_first: dict[Path, Path] = {}
