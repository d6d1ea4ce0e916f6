"""What a checkpoint holds, by name: `model.safetensors`, or the shards that its index names.

Files are mapped into memory: a tensor costs nothing until its numbers are asked for, and of a table only the rows that are.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any

from torch import Tensor

DTYPES = ("F32", "F16", "BF16")
ONE_FILE, INDEX = "model.safetensors", "model.safetensors.index.json"


class Unreadable(ValueError):
    """Why a model cannot be read, in a sentence for a reader."""


class Tensors:
    """The tensors of a folder, each read when it is asked for.

    Raises:
        Unreadable: there is no such file, or it is not what its name says.
    """

    def __init__(self, folder: Path) -> None:
        self._stored: dict[str, tuple[Any, str]] = {}
        for file in (_open(folder / name) for name in _files(folder)):
            self._stored |= {_today(name): (file, name) for name in file.keys()}  # noqa: SIM118

    def prefix(self, name: str) -> str:
        """Return what stands before this name: a model that another one wraps calls its tensors `bert.…`. Unreadable without it."""
        found = [key.removesuffix(name) for key in self._stored if f".{key}".endswith(f".{name}")]
        if not found:
            raise Unreadable(f"There is no {name} in the checkpoint.")
        return min(found, key=len)

    def check(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise Unreadable unless there is such a tensor, of this shape and a kind of numbers that we read. None is read yet."""
        if name not in self._stored:
            raise Unreadable(f"There is no {name} in the checkpoint.")
        file, own = self._stored[name]
        found, dtype = tuple(file.get_slice(own).get_shape()), file.get_slice(own).get_dtype()
        if found != shape:
            raise Unreadable(f"{name} is {_by(found)}, where config.json makes it {_by(shape)}.")
        if dtype not in DTYPES:
            raise Unreadable(f"{name} holds {dtype}; what is read is {', '.join(DTYPES)}.")

    def __contains__(self, name: str) -> bool:
        return name in self._stored

    def __getitem__(self, name: str) -> Tensor:
        """Return the tensor as it stands in the file: float32, float16 or bfloat16."""
        file, own = self._stored[name]
        tensor: Tensor = file.get_tensor(own)
        return tensor


def read_json(path: Path) -> dict[str, Any]:
    """Return what a JSON file says of names. Raises Unreadable where there is no such file, or it says something else."""
    where = f"{path.name} in {path.parent.name}"
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise Unreadable(f"There is no {where}.") from None
    except (ValueError, RecursionError):
        raise Unreadable(f"{where} is not JSON.") from None
    if not isinstance(said, dict):
        raise Unreadable(f"{where} has no names.")
    return said


def library(name: str) -> Any:
    """Return a library that only whoever reads a model needs. Raises Unreadable where it is not installed, and says what brings it."""
    try:
        return import_module(name)
    except ImportError:
        raise Unreadable(f"To read a model takes {name.partition('.')[0]}: pip install -e '.[models]' brings it.") from None


def _files(folder: Path) -> list[str]:
    """Return the names of the files that hold the tensors."""
    if (folder / ONE_FILE).exists() or not (folder / INDEX).exists():
        return [ONE_FILE]
    files = read_json(folder / INDEX).get("weight_map")
    if not isinstance(files, dict) or not all(isinstance(file, str) and Path(file).name == file for file in files.values()):
        raise Unreadable(f"{INDEX} in {folder.name} does not say which file holds which tensor.")
    return sorted(set(files.values()))


def _open(path: Path) -> Any:
    safetensors = library("safetensors")
    if not path.is_file():
        raise Unreadable(f"There is no {path.name} in {path.parent.name}.")
    try:
        return safetensors.safe_open(path, "pt")
    except (OSError, safetensors.SafetensorError) as error:
        raise Unreadable(f"{path.name} in {path.parent.name} is no safetensors file: {error}.") from None


def _today(name: str) -> str:
    """Return a tensor's name: BERT's first checkpoints call gain and shift of a norm gamma and beta."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace("LayerNorm.beta", "LayerNorm.bias")


def _by(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "a single number"
