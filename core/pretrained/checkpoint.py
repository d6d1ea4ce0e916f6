"""A checkpoint's tensors by name: `model.safetensors` or `pytorch_model.bin`, or the shards of
either.

Files that are large, or that nobody may write to, are memory-mapped: only the requested tensors, or
rows of a table, are read. Others are copied: one that became shorter while it is mapped would end
the process.
"""

import json
import pickle
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from importlib import import_module
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple, TypeVar

import torch
from torch import Tensor

from .folders import FILES, Fingerprint, fingerprint, name_of

Result = TypeVar("Result")

# Dtypes by their names in a file. F64 is read as float32.
DTYPES = {"F32": torch.float32, "F16": torch.float16, "BF16": torch.bfloat16, "F64": torch.float64}
OTHERS = (".bin", ".gguf", ".h5", ".msgpack", ".pt", ".pth", ".safetensors")  # that are not read
COPIED = 128_000_000  # bytes of a model that is copied, unless nobody may write to it
WRITABLE = 0o222  # in a file's mode: to its owner, its group or all
LFS = b"version https://git-lfs"  # the first bytes of a Git LFS pointer


class Unreadable(ValueError):
    """A model cannot be read; the message is a sentence for the user."""


def keep_while_unchanged(read: Callable[[Path, bool], Result]) -> Callable[[Path], Result]:
    """Return a function that reads a folder once, and again when its files have changed; `read` is
    told whether it is read again. A refusal is kept too."""
    kept: dict[Path, tuple[Fingerprint, Result | Unreadable]] = {}
    one_reader = Lock()

    def get(folder: Path) -> Result:
        with one_reader:
            files = fingerprint(folder)
            if folder not in kept or kept[folder][0] != files:
                try:
                    kept[folder] = files, read(folder, folder in kept)
                except Unreadable as error:
                    kept[folder] = files, Unreadable(str(error))
            found = kept[folder][1]
        if isinstance(found, Unreadable):
            raise Unreadable(str(found))
        return found

    return get


def library(name: str) -> Any:
    """Import a library that only real models need: the rest of core needs torch alone."""
    return import_module(name)


class Held(NamedTuple):
    """A tensor in a file: its shape, its dtype's name, and what gets it."""

    shape: tuple[int, ...]
    dtype: str
    get: Callable[[], Tensor]


class Tensors:
    """The tensors of a folder, read lazily.

    Raises:
        Unreadable: there is no such file, or its format is invalid.
    """

    def __init__(self, folder: Path) -> None:
        self._folder, self._files = folder, fingerprint(folder)
        self._stored: dict[str, Held] = {}
        names = list_files(folder)
        is_large = sum(size for name, size, *_ in self._files if name in names) > COPIED
        for file in (_open(folder / name, is_large) for name in names):
            self._stored |= {_today(name): held for name, held in file.items()}

    def has(self, end: str) -> bool:
        """Return whether a tensor's name is this, or ends so after a dot."""
        return any(f".{name}".endswith(f".{end}") for name in self._stored)

    def prefix(self, *names: str) -> str:
        """Return what stands before the first of these names that is there: wrapped models call
        their tensors `bert.…`. Unreadable without any."""
        for name in names:
            ends = [key for key in self._stored if f".{key}".endswith(f".{name}")]
            if ends:
                return min(ends, key=len).removesuffix(name)
        raise Unreadable(f"There is no {names[0]} in the checkpoint.")

    def under(self, prefix: str, name: str) -> str:
        """Return the tensor's name with the longest beginning of the prefix that it stands behind:
        a head may stand beside the model, in what wraps both. Without one if it is not there."""
        dots = [place + 1 for place, letter in enumerate(prefix) if letter == "."]
        wrapped = (prefix[:end] + name for end in (*dots[::-1], 0))
        return next((each for each in wrapped if each in self._stored), name)

    def check(self, name: str, shape: tuple[int, ...]) -> None:
        """Raise Unreadable unless there is such a tensor, with this shape and a supported dtype.
        Its numbers are not read."""
        if name not in self._stored:
            raise Unreadable(f"There is no {name} in the checkpoint.")
        found, dtype, _ = self._stored[name]
        if found != shape:
            raise Unreadable(
                f"{name} is {_shape_text(found)}, where config.json makes it {_shape_text(shape)}."
            )
        if dtype not in DTYPES:
            raise Unreadable(f"{name} holds {dtype}; what is read is {', '.join(DTYPES)}.")

    def check_numbers(self, name: str) -> None:
        """Raise Unreadable if the tensor holds NaN or ∞."""
        if not all(extreme.isfinite() for extreme in self[name].aminmax()):
            raise Unreadable(
                f"{name} holds NaN or ∞ where numbers belong: all that is computed with it would be"
                " none. Was its training broken off, or its file damaged?"
            )

    def refuse_outdated(self) -> None:
        """Raise Unreadable if a file has changed: what is mapped of one that became shorter cannot
        be read, and the process would be ended."""
        if fingerprint(self._folder) != self._files:
            raise Unreadable(
                f"{name_of(self._folder)} was saved anew while it was read. Open it again: its new"
                " files are read then."
            )

    def __contains__(self, name: str) -> bool:
        return name in self._stored

    def __iter__(self) -> Iterator[str]:
        return iter(self._stored)

    def __getitem__(self, name: str) -> Tensor:
        """Return the tensor as stored, mapped: float32, float16 or bfloat16."""
        self.refuse_outdated()
        tensor = self._stored[name].get()
        return tensor.float() if tensor.dtype == torch.float64 else tensor


def _open_safetensors(path: Path, mapped: bool) -> dict[str, Held]:
    """Return the tensors in a file of safetensors."""
    safetensors = library("safetensors")
    try:
        file = safetensors.safe_open(path, "pt")
        copied = {} if mapped else library("safetensors.torch").load(path.read_bytes())
    except (OSError, safetensors.SafetensorError) as error:
        raise Unreadable(
            f"{path.name} in {name_of(path.parent)} is no safetensors file: {error}."
        ) from None
    get = file.get_tensor if mapped else copied.__getitem__
    found = {name: file.get_slice(name) for name in file.keys()}  # noqa: SIM118
    return {
        name: Held(tuple(of.get_shape()), of.get_dtype(), partial(get, name))
        for name, of in found.items()
    }


def _open_pickled(path: Path, mapped: bool) -> dict[str, Held]:
    """Return the tensors in a file of PyTorch's, from which nothing else is loaded."""
    where = f"{path.name} in {name_of(path.parent)}"
    try:
        held = _unpickle(path, mapped)
    except (OSError, RuntimeError, ValueError, EOFError, KeyError, pickle.PickleError) as error:
        raise Unreadable(
            f"{where} is no file of PyTorch's with tensors alone:"
            f" {str(error).partition('.')[0][:99]}."
        ) from None
    if not isinstance(held, Mapping):
        raise Unreadable(f"{where} does not hold tensors by name.")
    called = {dtype: name for name, dtype in DTYPES.items()}
    return {
        name: Held(tuple(one.shape), called.get(one.dtype, str(one.dtype)), one.detach)
        for name, one in held.items()
        if isinstance(name, str) and isinstance(one, Tensor)
    }


def _unpickle(path: Path, mapped: bool) -> Any:
    try:
        return torch.load(path, map_location="cpu", weights_only=True, mmap=mapped)
    except RuntimeError:  # PyTorch's files before 1.6 cannot be mapped
        return torch.load(path, map_location="cpu", weights_only=True)


def read_json(path: Path) -> dict[str, Any]:
    """Return the object in a JSON file. Raises Unreadable if there is no such file, or it is
    invalid."""
    where = f"{path.name} in {name_of(path.parent)}"
    refuse_pointer(path)
    try:
        said = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise Unreadable(f"There is no {where}.") from None
    except OSError:
        raise Unreadable(f"This server may not read {where}.") from None
    except (ValueError, RecursionError):
        raise Unreadable(f"{where} is not JSON.") from None
    if not isinstance(said, dict):
        raise Unreadable(f"{where} has no names.")
    return said


def refuse_pointer(path: Path) -> None:
    """Raise Unreadable if the file is a Git LFS pointer."""
    try:
        with path.open("rb") as file:
            is_pointer = file.read(len(LFS)) == LFS
    except OSError:
        return
    if is_pointer:
        raise Unreadable(
            f"{path.name} in {name_of(path.parent)} is a pointer of Git LFS, not the file: `git lfs"
            " pull` there fetches it."
        )


def list_files(folder: Path) -> list[str]:
    """Return the names of the files that contain the tensors."""
    for name in FILES:
        if (folder / name).exists():
            return [name]
        if files := _shards(folder, name):
            return files
    others = sorted(path.name for path in folder.iterdir() if path.suffix in OTHERS)
    instead = f", only {', '.join(others)}" if others else ""
    raise Unreadable(f"There is no {' and no '.join(FILES)} in {name_of(folder)}{instead}.")


def protect(folder: Path) -> None:
    """Let nobody write to the files with the tensors, so that they can be mapped: whoever saves the
    model anew makes new ones."""
    for name in list_files(folder):
        (folder / name).chmod(0o444)


def _shards(folder: Path, name: str) -> list[str]:
    """Return the files that together are this one, as its index says, or their own names without
    one: model-00001-of-00002.safetensors."""
    index = f"{name}.index.json"
    if (folder / index).exists():
        files = read_json(folder / index).get("weight_map")
        if not isinstance(files, dict) or not all(
            isinstance(file, str) and Path(file).name == file for file in files.values()
        ):
            raise Unreadable(
                f"{index} in {name_of(folder)} does not say which file holds which tensor."
            )
        return sorted(set(files.values()))
    found = find_numbered(name, (path.name for path in folder.iterdir()))
    if found and {*found.values()} != {len(found)}:
        raise Unreadable(
            f"The shards of {name} in {name_of(folder)} are not complete: {len(found)} of"
            f" {max(found.values())} are there."
        )
    return sorted(found)


def find_numbered(name: str, names: Iterable[str]) -> dict[str, int]:
    """Return the shards of a file among these names, each with the number of all.

    >>> find_numbered("model.safetensors", ["model-00001-of-00002.safetensors", "config.json"])
    {'model-00001-of-00002.safetensors': 2}
    """
    stem, _, suffix = name.partition(".")
    numbered = re.compile(rf"{stem}-\d+-of-(\d+)\.{suffix}")
    return {each: int(of[1]) for each in names if (of := numbered.fullmatch(each))}


def _open(path: Path, is_large: bool) -> dict[str, Held]:
    if not path.is_file():
        raise Unreadable(f"There is no {path.name} in {name_of(path.parent)}.")
    refuse_pointer(path)
    read = _open_pickled if path.suffix == ".bin" else _open_safetensors
    return read(path, is_large or not path.stat().st_mode & WRITABLE)


def _today(name: str) -> str:
    """Return a tensor's current name: BERT's first checkpoints call a norm's gain and shift gamma
    and beta."""
    return name.replace("LayerNorm.gamma", "LayerNorm.weight").replace(
        "LayerNorm.beta", "LayerNorm.bias"
    )


def _shape_text(shape: tuple[int, ...]) -> str:
    return "×".join(map(str, shape)) or "a single number"
