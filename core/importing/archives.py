"""What is in a file of tensors, by name: safetensors, NumPy's .npz, what torch.save writes. Nothing
in it is run, and a tensor is read only once it is asked for."""

import io
import json
import math
import pickletools
import zipfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import PurePath
from typing import Any

import numpy as np
import torch
from numpy.lib import format as npy
from torch import Tensor

from .questions import InvalidInput

MAX_BYTES = 8 * 2**20  # .streamlit/config.toml lets one megabyte more pass
MAX_NUMBERS = 3 * 20 * 64 * 64  # of one tensor: queries, keys and values of 20 heads, in one
MAX_HEADER, MAX_DIRECTORY, MAX_PICKLE = 2**20, 2**20, 200_000
_DTYPES = {
    "F64": torch.float64,
    "F32": torch.float32,
    "F16": torch.float16,
    "BF16": torch.bfloat16,
    "I64": torch.int64,
    "I32": torch.int32,
    "<f8": torch.float64,
    "<f4": torch.float32,
    "<f2": torch.float16,
    "<i8": torch.int64,
    "<i4": torch.int32,
}
# What the pickle of a state dict calls. `torch.load(weights_only=True)` allows more, such as a
# bytearray of any length.
_PLAIN = {
    "collections OrderedDict",
    "torch._utils _rebuild_tensor_v2",
    "torch._utils _rebuild_parameter",
} | {f"torch {kind}Storage" for kind in ("Double", "Float", "Half", "BFloat16", "Long", "Int")}


@dataclass(frozen=True)
class Stored:
    """A tensor in a file: how long its axes are, and what reads it."""

    shape: tuple[int, ...]
    read: Callable[[], Tensor]

    def tensor(self) -> Tensor:
        """Return its numbers. Raises InvalidInput where they are too many, or are not there."""
        if math.prod(self.shape) > MAX_NUMBERS:
            raise InvalidInput(
                f"A matrix of {' × '.join(map(str, self.shape))} numbers is larger than any that"
                " fits here."
            )
        return _safely(self.read).detach()


Contents = tuple[dict[str, Stored], dict[str, str]]


def contents(name: str, data: bytes) -> Contents:
    """Return the tensors of a file by name, and what it says of itself by name. Raises
    InvalidInput with a sentence, whatever it holds."""
    suffix = PurePath(name).suffix.lower()
    if suffix not in _READERS:
        raise InvalidInput(f"“{name[:40]}” is no file of tensors: {', '.join(_READERS)} are read.")
    if not data:
        raise InvalidInput(f"“{name[:40]}” is empty.")
    if len(data) > MAX_BYTES:
        raise InvalidInput(
            f"“{name[:40]}” is larger than {MAX_BYTES // 2**20} MB; bring the layer alone."
        )
    return _safely(partial(_READERS[suffix], data))


def _safely(read: Callable[[], Any]) -> Any:
    """Return what a reader returns. Somebody's file may break it in any way: each becomes one
    sentence."""
    try:
        return read()
    except InvalidInput:
        raise
    except Exception:
        raise InvalidInput("The file is damaged, or its kind is not what its name says.") from None


def _tensor(numbers: bytes | memoryview, dtype: torch.dtype, shape: tuple[int, ...]) -> Tensor:
    return torch.frombuffer(bytearray(numbers), dtype=dtype).reshape(shape)


def _sizes(shape: Any) -> tuple[int, ...]:
    """Return a shape that a file names, where it is one."""
    if not all(type(size) is int and 0 < size < 2**40 for size in shape):
        raise ValueError(shape)
    return tuple(shape)


# ---------- safetensors ----------


def _read_safetensors(data: bytes) -> Contents:
    length = int.from_bytes(data[:8], "little")
    if length > min(MAX_HEADER, len(data) - 8):
        raise InvalidInput(
            f"The file's header says that it is {length:,} bytes long, and no such header is read."
        )
    header = json.loads(data[8 : 8 + length])
    about = {str(key): str(value) for key, value in header.pop("__metadata__", {}).items()}
    body, stored = memoryview(data)[8 + length :], {}
    for name, entry in header.items():
        dtype, shape, (first, end) = (
            _DTYPES.get(entry["dtype"]),
            entry["shape"],
            entry["data_offsets"],
        )
        if dtype and all(shape):
            stored[name] = Stored(
                _sizes(shape), partial(_tensor, body[first:end], dtype, tuple(shape))
            )
    return stored, about


# ---------- .npz ----------


def _read_npz(data: bytes) -> Contents:
    archive, stored, about = _archive(data), dict[str, Stored](), dict[str, str]()
    for member in archive.infolist():
        name = member.filename.removesuffix(".npy")
        with archive.open(member) as file:
            is_first = npy.read_magic(file) == (1, 0)
            read_header = npy.read_array_header_1_0 if is_first else npy.read_array_header_2_0
            shape, _, dtype = read_header(file)
        if name == "axes" and not shape and dtype.kind == "U" and dtype.itemsize <= MAX_HEADER:
            about = json.loads(str(_read_member(archive, member)))
        if dtype.str in _DTYPES and all(shape):
            read = partial(_read_tensor, archive, member)
            stored[name] = Stored(_sizes(shape), read)
    return stored, {str(key): str(value) for key, value in about.items()}


def _read_member(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> np.ndarray:
    with archive.open(member) as file:
        return npy.read_array(file, allow_pickle=False)


def _read_tensor(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Tensor:
    return torch.from_numpy(_read_member(archive, member))


def _archive(data: bytes) -> zipfile.ZipFile:
    """Return an archive whose list of members is short, and which has one way to be read."""
    if data[:4] != b"PK\x03\x04" or data[-22:-18] != b"PK\x05\x06":
        raise InvalidInput(
            "The file is no archive as NumPy and PyTorch write them; save it with np.savez, or"
            " torch.save of a state_dict."
        )
    directory = int.from_bytes(data[-10:-6], "little")
    if data[-42:-38] == b"PK\x06\x07":  # with sizes of 64 bits in a record before it
        record, place = data[-98:-42], int.from_bytes(data[-34:-26], "little")
        directory = (
            int.from_bytes(record[40:48], "little") if place == len(data) - 98 else len(data)
        )
    if directory > MAX_DIRECTORY:
        raise InvalidInput("The archive's list of members is longer than that of any layer.")
    archive = zipfile.ZipFile(io.BytesIO(data))
    names = [member.filename.lower() for member in archive.infolist()]
    if len(set(names)) < len(names):
        raise InvalidInput("Two members of the archive have the same name.")
    if any(
        member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
        for member in archive.infolist()
    ):
        raise InvalidInput("The archive is packed in a way that neither NumPy nor PyTorch uses.")
    return archive


# ---------- .pt ----------


def _read_torch(data: bytes) -> Contents:
    archive = _archive(data)
    members = archive.infolist()
    if any(member.compress_type for member in members) or sum(
        member.file_size for member in members
    ) > len(data):
        raise InvalidInput("The archive is packed, as torch.save packs none.")
    (pickled,) = (member for member in members if PurePath(member.filename).name == "data.pkl")
    if pickled.file_size > MAX_PICKLE:
        raise InvalidInput("The file names more than a layer: save the layer's state_dict alone.")
    for opcode, argument, _ in pickletools.genops(archive.read(pickled)):
        if opcode.name in ("GLOBAL", "INST", "STACK_GLOBAL") and argument not in _PLAIN:
            what = str(argument).rpartition(" ")[2][:40]
            raise InvalidInput(
                f"The file holds Python's objects ({what}), which are not read: save"
                " torch.save(layer.state_dict(), …)."
            )
    loaded = torch.load(io.BytesIO(data), map_location="cpu", weights_only=True)
    return {
        name: Stored(tuple(one.shape), partial(torch.Tensor.cpu, one))
        for name, one in _flat(loaded)
    }, {}


def _flat(loaded: Any) -> Iterator[tuple[str, Tensor]]:
    """Yield the tensors of dicts in dicts, as a checkpoint keeps them, with names joined by points;
    each dict once."""
    waiting, seen = [("", loaded)], set[int]()
    while waiting:
        before, part = waiting.pop(0)
        if isinstance(part, Tensor) and part.numel():
            yield before.rstrip("."), part
        elif isinstance(part, dict) and id(part) not in seen:
            seen.add(id(part))
            waiting += [(f"{before}{name}.", inner) for name, inner in part.items()]


_READERS: dict[str, Callable[[bytes], Contents]] = {
    ".npz": _read_npz,
    ".safetensors": _read_safetensors,
    ".pt": _read_torch,
    ".pth": _read_torch,
}
