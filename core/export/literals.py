"""A tensor written out in a script, so that it comes back to the last bit: its numbers, or letters
where they are many."""

import base64
import zlib

import torch
from torch import Tensor

from ..cell import float32

MOST_NUMBERS = 5_000  # that stand as they are
WIDTH = 120  # letters in a line


def literal(value: Tensor) -> str:
    """Return a tensor as an expression that makes it again to the last bit, a row of numbers on
    each line.

    >>> print(literal(torch.tensor([[0.5, -0.0301], [1 / 3, 2.0]])))
    torch.tensor([[
    0.5, -0.0301], [
    0.333333343, 2.0]])
    """
    return (
        packed(value)
        if value.numel() > MOST_NUMBERS
        else f"torch.tensor({_nested(value.tolist())})"
    )


def packed(value: Tensor) -> str:
    """Return the same for very many numbers: a call of `unpacked` where they have four decimals, as
    training leaves them, which takes a third of the room; of `unpacked_floats` where some have
    more, as those of a model that was read."""
    whole = (value.double() * 10_000).round().to(torch.int32)
    are_short = torch.equal((whole.double() / 10_000).float(), value)
    letters = base64.b64encode(
        zlib.compress((whole if are_short else value.contiguous()).numpy().tobytes(), 1)
    ).decode()
    lines = "\n".join(letters[start : start + WIDTH] for start in range(0, len(letters), WIDTH))
    return (
        f'{"unpacked" if are_short else "unpacked_floats"}("""\n{lines}\n""",'
        f" {', '.join(map(str, value.shape))})"
    )


def unpacked(letters: str, *shape: int) -> Tensor:
    """Return a tensor of numbers of four decimals: ten thousand times each, whole, compressed and
    as letters."""
    whole = torch.frombuffer(
        bytearray(zlib.decompress(base64.b64decode(letters))), dtype=torch.int32
    )
    return (whole.double() / 10_000).float().reshape(shape)


def unpacked_floats(letters: str, *shape: int) -> Tensor:
    """Return a tensor of any numbers, float32: compressed and as letters."""
    return torch.frombuffer(
        bytearray(zlib.decompress(base64.b64decode(letters))), dtype=torch.float32
    ).reshape(shape)


def _nested(nested: list | float) -> str:
    if isinstance(nested, float):
        return _number(nested)
    inner = ", ".join(_nested(each) for each in nested)
    return f"[{inner}]" if isinstance(nested[0], list) else f"[\n{inner}]"


def _number(value: float) -> str:
    four_decimals = f"{value:.4f}"
    if float32(float(four_decimals)) != value:
        return f"{value:.9g}"
    return four_decimals.rstrip("0") + ("0" if four_decimals.endswith(".0000") else "")
