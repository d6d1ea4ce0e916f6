"""What a checkpoint holds, by name: `model.safetensors` or `pytorch_model.bin`, or the shards that
the index of either names.

Files are mapped into memory: a tensor costs nothing until its numbers are asked for, and of a table
only the rows that are.
"""

import json
import pickle
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

# What numbers are called in a file. F64 becomes float32 when it is read; all else stays as it is.
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64}
FILES = ("model.safetensors", "pytorch_model.bin")
LFS = b"version https://git-lfs"  # how a file begins that Git LFS left to be fetched


class Unreadable(ValueError):
    """Why a model cannot be read, in a sentence for a reader."""


def library(name: str) -> Any:
    """Return a library that only whoever reads a model needs: all else in core needs torch
    alone."""
    return import_module(name)


class Tensors:
    """The tensors of a folder, each read when it is asked for.

    Raises:
        Unreadable: there is no such file, or it is not what its name says.
    """

    def __init__(self, folder: Path) -> None:
        self._stored: dict[str, tuple[Any, str]] = {}
        for file in (_open(folder / name) for name in _files(folder)):
            self._stored |= {_today(name): (file, name) for name in file.keys()}  # noqa: SIM118

    def has(self, end: str) -> bool:
        """Return whether a tensor's name ends so, after a dot or whole."""
        return any(f".{name}".endswith(f".{end}") for name in self._stored)

    def prefix(self, name: str) -> str:
        """Return what stands before this name: a model that another one wraps calls its tensors
        `bert.…`. Unreadable without it."""
        found = [key.removesuffix(name) for key in self._stored if f".{key}".endswith(f".{name}")]
        if not found:
            raise Unreadable(f"There is no {name} in the checkpoint.")
        return min(found, key=len)

    def check(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise Unreadable unless there is such a tensor, of this shape and a kind of numbers that
        we read. None is read yet."""
        if name not in self._stored:
            raise Unreadable(f"There is no {name} in the checkpoint.")
        file, own = self._stored[name]
        found, dtype = file.what(own)
        if found != shape:
            raise Unreadable(
                f"{name} is {_shape_text(found)}, where config.json makes it {_shape_text(shape)}."
            )
        if dtype not in DTYPES:
            raise Unreadable(f"{name} holds {dtype}; what is read is {', '.join(DTYPES)}.")

    def __contains__(self, name: str) -> bool:
        return name in self._stored

    def __getitem__(self, name: str) -> Tensor:
        """Return the tensor as it stands in the file: float32, float16 or bfloat16."""
        file, own = self._stored[name]
        tensor: Tensor = file.get(own)
        return tensor.float() if tensor.dtype == torch.float64 else tensor


class _Safetensors:
    """A file of safetensors, mapped."""

    def __init__(self, path: Path) -> None:
        safetensors = library("safetensors")
        try:
            self._file = safetensors.safe_open(path, "pt")
        except (OSError, safetensors.SafetensorError) as error:
            raise Unreadable(
                f"{path.name} in {path.parent.name} is no safetensors file: {error}."
            ) from None
        self.keys, self.get = self._file.keys, self._file.get_tensor

    def what(self, name: str) -> tuple[tuple[int, ...], str]:
        """Return a tensor's shape, and what its numbers are called."""
        found = self._file.get_slice(name)
        return tuple(found.get_shape()), found.get_dtype()


class _Pickled:
    """A file of PyTorch's: of what it holds tensors alone are made, and they are mapped."""

    def __init__(self, path: Path) -> None:
        where = f"{path.name} in {path.parent.name}"
        try:
            held = _unpickle(path)
        except (
            OSError,
            RuntimeError,
            ValueError,
            EOFError,
            KeyError,
            pickle.UnpicklingError,
        ) as error:
            raise Unreadable(
                f"{where} is no file of PyTorch's with tensors alone:"
                f" {str(error).partition('.')[0][:99]}."
            ) from None
        if not isinstance(held, Mapping):
            raise Unreadable(f"{where} does not hold tensors by name.")
        self._held = {
            name: tensor
            for name, tensor in held.items()
            if isinstance(name, str) and isinstance(tensor, Tensor)
        }
        self.keys, self.get = self._held.keys, self._held.__getitem__

    def what(self, name: str) -> tuple[tuple[int, ...], str]:
        """Return the same of this file."""
        tensor = self._held[name]
        called = next(
            (called for called, dtype in DTYPES.items() if dtype == tensor.dtype), str(tensor.dtype)
        )
        return tuple(tensor.shape), called


def _unpickle(path: Path) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
    except RuntimeError:  # PyTorch's files before 1.6 cannot be mapped
        return torch.load(path, map_location="cpu", weights_only=True)


def read_json(path: Path) -> dict[str, Any]:
    """Return what a JSON file says of names. Raises Unreadable where there is no such file, or it
    says something else."""
    where = f"{path.name} in {path.parent.name}"
    refuse_pointer(path)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise Unreadable(f"There is no {where}.") from None
    except (ValueError, RecursionError):
        raise Unreadable(f"{where} is not JSON.") from None
    if not isinstance(said, dict):
        raise Unreadable(f"{where} has no names.")
    return said


def refuse_pointer(path: Path) -> None:
    """Raise Unreadable where Git LFS has left a pointer in the place of a file."""
    try:
        with path.open("rb") as file:
            is_pointer = file.read(len(LFS)) == LFS
    except OSError:
        return
    if is_pointer:
        raise Unreadable(
            f"{path.name} in {path.parent.name} is a pointer of Git LFS, not the file: `git lfs"
            " pull` there fetches it."
        )


def _files(folder: Path) -> list[str]:
    """Return the names of the files that hold the tensors."""
    for name in FILES:
        index = f"{name}.index.json"
        if (folder / name).exists():
            return [name]
        if (folder / index).exists():
            files = read_json(folder / index).get("weight_map")
            if not isinstance(files, dict) or not all(
                isinstance(file, str) and Path(file).name == file for file in files.values()
            ):
                raise Unreadable(
                    f"{index} in {folder.name} does not say which file holds which tensor."
                )
            return sorted(set(files.values()))
    raise Unreadable(f"There is no {' and no '.join(FILES)} in {folder.name}.")


def _open(path: Path) -> _Safetensors | _Pickled:
    if not path.is_file():
        raise Unreadable(f"There is no {path.name} in {path.parent.name}.")
    refuse_pointer(path)
    return _Pickled(path) if path.suffix == ".bin" else _Safetensors(path)


def _today(name: str) -> str:
    """Return a tensor's name: BERT's first checkpoints call gain and shift of a norm gamma and
    beta."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias"
    )


def _shape_text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "a single number"
