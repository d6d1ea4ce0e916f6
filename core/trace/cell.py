"""One cell written out: its terms, the numbers in them, and the origin that computes it."""

import ctypes
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Protocol

from torch import Tensor

Index = tuple[int, ...]


@dataclass(frozen=True)
class Ref:
    """One number used in a cell: its entry's name, its index and its value."""

    name: str
    index: Index
    value: float


@dataclass(frozen=True)
class Term:
    """One summand of a cell: its factors (one or more) and their product."""

    factors: tuple[Ref, ...]
    value: float


@dataclass(frozen=True)
class Cell:
    """A cell written out. `rule` describes how the terms give the value."""

    terms: tuple[Term, ...]
    value: float
    rule: str


class Explained(Protocol):
    """A tensor and the origin of its cells."""

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
    """How the cells of one entry are computed."""

    def open(self, trace: Values, index: Index) -> Cell:
        """Return the cell written out, with the value stored in this origin's entry."""
        cell = self.recompute(trace, index)
        kept = next((entry.value for entry in trace.values() if entry.origin is self), None)
        return cell if kept is None else replace(cell, value=kept[index].item())

    def recompute(self, trace: Values, index: Index) -> Cell:
        """Return the cell computed from its terms."""
        raise NotImplementedError


def ref_of(trace: Values, name: str, index: Index) -> Ref:
    """Return one number of an entry, by name and index."""
    return Ref(name, index, trace.value(name)[index].item())


def float32(value: float) -> float:
    """Round to float32, as in tensors, so that a term is the same everywhere."""
    return ctypes.c_float(value).value


def single(ref: Ref, rule: str, value: float | None = None) -> Cell:
    """Return a cell that is made of one other number: a copy unless it has a `value` of its own."""
    return Cell((Term((ref,), ref.value),), ref.value if value is None else value, rule)
