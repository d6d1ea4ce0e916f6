"""A cell written out: its terms, the numbers they are made of, and how an origin opens it."""

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from torch import Tensor

Index = tuple[int, ...]


@dataclass(frozen=True)
class Ref:
    """One number that went into a cell: which entry it stands in, where, and what it is."""

    name: str
    index: Index
    value: float


@dataclass(frozen=True)
class Term:
    """One summand of a cell: its factors and their product. A summand may have one factor."""

    factors: tuple[Ref, ...]
    value: float


@dataclass(frozen=True)
class Cell:
    """A cell written out. `rule` says in a few words how the terms make the value."""

    terms: tuple[Term, ...]
    value: float
    rule: str


class Explained(Protocol):
    """A tensor and how its cells are made."""

    @property
    def value(self) -> Tensor: ...

    @property
    def origin(self) -> "Origin | None": ...


class Values(Protocol):
    """What an origin needs of a trace: the tensors by name, the entries, the tokens and the
    vocabulary."""

    @property
    def tokens(self) -> tuple[str, ...]: ...

    @property
    def memory_tokens(self) -> tuple[str, ...]: ...

    @property
    def vocabulary(self) -> tuple[str, ...]: ...

    def value(self, name: str) -> Tensor: ...

    def values(self) -> Iterable[Explained]: ...


class Origin:
    """How the cells of one entry are made."""

    def open(self, trace: Values, index: Index) -> Cell:
        """Return the cell as it stands in the entry that this is the origin of, written out."""
        cell = self.recompute(trace, index)
        kept = next((entry.value for entry in trace.values() if entry.origin is self), None)
        return cell if kept is None else replace(cell, value=kept[index].item())

    def recompute(self, trace: Values, index: Index) -> Cell:
        """Return the cell from its terms alone."""
        raise NotImplementedError


def ref_of(trace: Values, name: str, index: Index) -> Ref:
    """Return one number of an entry, by name and index."""
    return Ref(name, index, trace.value(name)[index].item())


def float32(value: float) -> float:
    """Return the nearest number of the kind that tensors hold: a term is the same one in a picture
    and written out."""
    return ctypes.c_float(value).value


def single(ref: Ref, rule: str) -> Cell:
    """Return a cell that is one other number as it is."""
    return Cell((Term((ref,), ref.value),), ref.value, rule)
