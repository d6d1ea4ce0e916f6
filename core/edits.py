"""Weights changed by hand: `w_q.1.3.5=0.7` puts 0.7 into head 1, row 3, column 5 of W_q, counted
from 1.

Fewer numbers after the name, or a `*` in place of one, mean all of them: `w_q.1.3=0` empties a row,
`w_q.1.*.5=0` a column. `w_o.4-6=0` empties rows 4 to 6. In place of a number may stand `identity`,
or weights of the same shape: `w_q.1=w_k.1`. They come from among those that are made together: W_q,
W_k and W_v with their biases, W_o with its own, all of one layer. What an edit means is decided
when it is put in: where the present sizes have no such cell it waits, and counts again when they
do.
"""

import math
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from .fields import Field, last, quote
from .names import Weights, full

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
    """One change: what it changes, and to what: a number, `identity`, or other weights of the same
    shape."""

    target: str
    value: str

    def __str__(self) -> str:
        return f"{self.target}={self.value}"

    @property
    def name(self) -> str:
        """Whose weights it changes: `w_q`, or `layer2.w_q`."""
        return _split(self.target)[0]


@dataclass(frozen=True)
class Edits(Field):
    """Changes of weights with commas between, none by default."""

    most: ClassVar[int] = MAX_LETTERS
    expected: ClassVar[str] = f"up to {MAX_EDITS} edits like w_q.1.3.5=0.7, with commas between"

    def fit(self, value: Any) -> tuple[str, tuple[str, ...]]:
        """Return those that can be read, the last one of each target; and what had to be changed,
        in words."""
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
                edits.pop(
                    edit.target, None
                )  # what is changed again stands last: edits are put in one after the other
                edits[edit.target] = edit
        if len(edits) > MAX_EDITS:
            messages.append(f"only the first {MAX_EDITS} of {len(edits)} are used.")
        if isinstance(value, str) and len(value) > MAX_LETTERS:
            messages.append(f"only the first {MAX_LETTERS} letters are read.")
        return ",".join(map(str, list(edits.values())[:MAX_EDITS])), tuple(messages[:5])


def read(text: str) -> tuple[Edit, ...]:
    """Return the edits of a setup, which are well formed.

    >>> read("w_q.1.3.5=0.7,w_o=identity")
    (Edit(target='w_q.1.3.5', value='0.7'), Edit(target='w_o', value='identity'))
    """
    return tuple(Edit(*one.split("=")) for one in text.split(",")) if text else ()


def put_in(weights: Weights, changes: tuple[Edit, ...], prefix: str = "") -> Weights:
    """Return the weights with every edit that is about them and fits, one after the other; those of
    others are left alone.

    `prefix` is what the edits call them by: `layer2.` for the weights of layer 2.
    """
    named = {prefix + name: weight for name, weight in weights.items()}
    edited = dict(weights)
    for edit in changes:
        if edit.name in named and explain_refusal(edit, named) is None:
            named[edit.name] = _apply(named[edit.name], edit, named)
            edited[edit.name.removeprefix(prefix)] = named[edit.name]
    return edited


def explain_refusal(edit: Edit, named: Mapping[str, Tensor]) -> str | None:
    """Return why an edit does not count among these weights, in words; None where it does."""
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
    """Return whether a tensor of this name is learned, so that an edit may be about it."""
    return re.fullmatch(_NAME, name) is not None


def flag_edited_cells(changes: Iterable[Edit], name: str, shape: tuple[int, ...]) -> Tensor:
    """Return which cells of one weight these edits are about, as flags of its shape. Only edits
    that fit may be among them.

    >>> flag_edited_cells(read("w_c.2=0,w_o.1.1=3"), "w_c", (2, 3)).tolist()
    [[False, False, False], [True, True, True]]
    """
    flags = torch.zeros(shape, dtype=torch.bool)
    for edit in changes:
        if edit.name == name:
            flags[_index(edit.target)] = True
    return flags


def _read(text: str) -> tuple[Edit | None, str | None]:
    match = _EDIT.fullmatch(text)
    if match is None:
        return (
            None,
            (
                f"{quote(text)} is no edit like w_q.1.3.5=0.7 of a weight that there is; it was"
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
    """Return what weights have in common that are made together. W_o stands apart: that of layer 1
    is not that of the seven steps."""
    if name in ("w_k", "w_v", "b_q", "b_k", "b_v"):
        return "w_q"
    return {"b_o": "w_o", "b_c": "w_c"}.get(name, name.partition(".")[0])


def _split(target: str) -> tuple[str, list[tuple[int, int] | None]]:
    """Return the name, and on each axis the first place and the last one, from 1; None is all."""
    match = re.fullmatch(r"((?:layer\d+\.)?\w+)((?:\.[\d*-]+)*)", target)
    assert match is not None
    return match[1], [_ends(text) for text in match[2].split(".")[1:]]


def _ends(text: str) -> tuple[int, int] | None:
    first, _, last = text.partition("-")
    return None if text == "*" else (int(first), int(last or first))


def _index(target: str) -> tuple[slice | int, ...]:
    """Return where in its weight a target is."""
    return tuple(map(_make_index, _split(target)[1]))


def _make_index(ends: tuple[int, int] | None) -> slice | int:
    """Return the first place on an axis and the last one, as an index; a single place takes its
    axis away."""
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
    cells = _cells(
        {edit.name: weight}, edit.target
    )  # a view: what is written into it stands in the weight
    if edit.value == "identity":
        cells.copy_(torch.eye(cells.shape[-1]).expand_as(cells))
    elif _is_number(edit.value):
        cells.fill_(float(edit.value))
    else:
        cells.copy_(_cells(named, edit.value))
    return weight
