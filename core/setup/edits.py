"""Weights edited by hand: `w_q.1.3.5=0.7` sets head 1, row 3, column 5 of W_q, counted from 1, to
0.7.

Fewer indices, or a `*` for an index, select all: `w_q.1.3=0` sets a row to 0, `w_q.1.*.5=0` a
column, `w_o.4-6=0` rows 4 to 6. Instead of a number, the value may be `identity` or other weights
of the same shape and layer: `w_q.1=w_k.1`. W_q, W_k, W_v and their biases can replace each other,
as can W_o and its bias. An edit whose cell does not exist with the present sizes is ignored until
it does.
"""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from ..fields.fields import Field, last, quote
from ..ops.weight_names import Weights, full

MAX_EDITS, MAX_LETTERS = 64, 4000
LARGEST, DECIMALS = 1000.0, 4
_NAME = (
    r"(?:(?:layer[1-9]\d?\.)?[wb]_(?:[qkvo12]|gate)|embedding_table|positions|w_c|b_c|unembedding)"
)
_PLACE = r"[1-9]\d{0,4}"
_TARGET = rf"{_NAME}(?:\.(?:{_PLACE}(?:-{_PLACE})?|\*)){{0,3}}"
_EDIT = re.compile(rf"({_TARGET})=(?:({_TARGET})|(identity)|([^=]*))")


@dataclass(frozen=True)
class Edit:
    """One edit: its target, and its value: a number, `identity`, or other weights of the same
    shape."""

    target: str
    value: str

    def __str__(self) -> str:
        return f"{self.target}={self.value}"

    @property
    def name(self) -> str:
        """The edited weight: `w_q`, or `layer2.w_q`."""
        return _split(self.target)[0]


@dataclass(frozen=True)
class Edits(Field):
    """Edits of weights separated by commas, by default none."""

    most: ClassVar[int] = MAX_LETTERS
    expected: ClassVar[str] = f"up to {MAX_EDITS} edits like w_q.1.3.5=0.7, with commas between"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return the valid edits, the last one for each target, and messages about what was
        changed."""
        value = last(value)
        written = (
            [text.strip() for text in value[:MAX_LETTERS].split(",")]
            if isinstance(value, str)
            else [repr(value)]
        )
        edits: dict[str, Edit] = {}
        messages: list[str] = []
        for text in filter(None, written):
            edit, message = _read(text)
            messages += [message] if message else []
            if edit is not None:
                edits.pop(edit.target, None)  # edits are applied in order
                edits[edit.target] = edit
        if len(edits) > MAX_EDITS:
            messages.append(f"only the first {MAX_EDITS} of {len(edits)} are used.")
        if isinstance(value, str) and len(value) > MAX_LETTERS:
            messages.append(f"only the first {MAX_LETTERS} letters are read.")
        return ",".join(map(str, list(edits.values())[:MAX_EDITS])), tuple(messages[:5])


def read(text: str) -> tuple[Edit, ...]:
    """Parse a setup's edits, which are well formed.

    >>> read("w_q.1.3.5=0.7,w_o=identity")
    (Edit(target='w_q.1.3.5', value='0.7'), Edit(target='w_o', value='identity'))
    """
    return tuple(Edit(*one.split("=")) for one in text.split(",")) if text else ()


def put_in(weights: Weights, changes: tuple[Edit, ...], prefix: str = "") -> Weights:
    """Apply, in order, every edit that targets these weights and fits; ignore the others.

    `prefix` is the prefix of these weights in edits, such as `layer2.` for layer 2.
    """
    named = {prefix + name: weight for name, weight in weights.items()}
    edited = dict(weights)
    for edit in changes:
        if edit.name in named and explain_refusal(edit, named) is None:
            named[edit.name] = _apply(named[edit.name], edit, named)
            edited[edit.name.removeprefix(prefix)] = named[edit.name]
    return edited


def explain_refusal(edit: Edit, named: Mapping[str, Tensor]) -> str | None:
    """Return why an edit does not apply to these weights; None if it does."""
    missing = _say_missing(edit.target, named)
    if missing:
        return missing
    shape = _cells(named, edit.target).shape
    if edit.value == "identity":
        square = len(shape) >= 2 and shape[-1] == shape[-2]
        return None if square else f"{edit.target} is not square"
    if not _is_number(edit.value):
        source = _split(edit.value)[0]
        if _made_with(source) != _made_with(edit.name):
            return f"{edit.name} cannot be copied from {source}"
        missing = _say_missing(edit.value, named)
        return missing or (
            None if _cells(named, edit.value).shape == shape else f"{edit.value} has another shape"
        )
    return None


def is_weight(name: str) -> bool:
    """Return whether a tensor of this name is learned, so that it can be edited."""
    return re.fullmatch(_NAME, name) is not None


def _read(text: str) -> tuple[Edit | None, str | None]:
    match = _EDIT.fullmatch(text)
    if match is None:
        return (
            None,
            (
                f"{quote(text)} is no edit like w_q.1.3.5=0.7 of a number that there is; it was"
                " left out."
            ),
        )
    target, copied, identity, typed = match.groups()
    if copied or identity:
        return Edit(target, copied or identity), None
    try:
        number = float(typed)
    except ValueError:
        number = math.nan
    if math.isnan(number):
        return None, f"{quote(text)}: {quote(typed)} is not a number; it was left out."
    fitted = round(min(max(number, -LARGEST), LARGEST), DECIMALS) + 0.0
    written = f"{fitted:.{DECIMALS}f}".rstrip("0").rstrip(".")
    message = (
        None
        if math.isclose(fitted, number, abs_tol=1e-12)
        else f"{quote(text)} became {written}: {DECIMALS} decimals, and at most ±{LARGEST:.0f}."
    )
    return Edit(target, written), message


def _is_number(value: str) -> bool:
    return value[0] in "-0123456789"


def _made_with(name: str) -> str:
    """Return the group of weights that may replace this one. W_o is separate, since layer 1's
    differs from that of the seven steps."""
    if name in ("w_k", "w_v", "b_q", "b_k", "b_v"):
        return "w_q"
    return {"b_o": "w_o", "b_c": "w_c"}.get(name, name.partition(".")[0])


def _split(target: str) -> tuple[str, list[tuple[int, int] | None]]:
    """Return the name, and the first and last index on each axis, from 1; None means all."""
    match = re.fullmatch(r"((?:layer\d+\.)?\w+)((?:\.[\d*-]+)*)", target)
    assert match is not None
    return match[1], [_ends(text) for text in match[2].split(".")[1:]]


def _ends(text: str) -> tuple[int, int] | None:
    first, _, last = text.partition("-")
    return None if text == "*" else (int(first), int(last or first))


def _index(target: str) -> tuple[slice | int, ...]:
    """Return a target's index into its weight."""
    return tuple(map(_make_index, _split(target)[1]))


def _make_index(ends: tuple[int, int] | None) -> slice | int:
    """Return first and last position as an index; a single position removes its axis."""
    if ends is None:
        return slice(None)
    first, last = ends
    return first - 1 if first == last else slice(first - 1, last)


def _say_missing(target: str, named: Mapping[str, Tensor]) -> str | None:
    name, ranges = _split(target)
    if name not in named:
        return f"there is no {name} in this setup"
    shape = named[name].shape
    if len(ranges) > len(shape):
        return f"{name} has {len(shape)} {'axis' if len(shape) == 1 else 'axes'}"
    for size, ends in zip(shape, ranges, strict=False):
        if ends is not None and ends[1] > size:
            return f"{name} has {size} where {target} asks for {ends[1]}"
        if ends is not None and ends[1] < ends[0]:
            return f"{target} ends before it begins"
    return None


def _cells(named: Mapping[str, Tensor], target: str) -> Tensor:
    return named[_split(target)[0]][_index(target)]


def _apply(weight: Tensor, edit: Edit, named: Mapping[str, Tensor]) -> Tensor:
    weight = full(weight).clone()
    cells = _cells({edit.name: weight}, edit.target)  # a view into the weight
    if edit.value == "identity":
        cells.copy_(torch.eye(cells.shape[-1]).expand_as(cells))
    elif _is_number(edit.value):
        cells.fill_(float(edit.value))
    else:
        cells.copy_(_cells(named, edit.value))
    return weight
