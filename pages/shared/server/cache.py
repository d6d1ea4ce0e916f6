"""A cache of function results for all visitors, limited by results of each function and by total
bytes."""

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, fields, is_dataclass
from functools import update_wrapper
from itertools import count
from operator import itemgetter
from threading import Lock
from typing import Any

from torch import Tensor

from core import Setup
from core.trace.record import Entry, TraceBuilder

MAX_BYTES = 64_000_000  # the page with the most data needs 50 million for two of the largest setups
Inputs = tuple[Hashable, ...]
_functions: "list[Cache]" = []
_asks, _lock = count(), Lock()


@dataclass(slots=True)
class One:
    """A result, its size in bytes, and its last use."""

    result: Any
    bytes: int
    asked: int


class Cache:
    """A function with a cache of its latest results; `computed` counts the cache misses."""

    def __init__(self, compute: Callable[..., Any], most: int) -> None:
        update_wrapper(self, compute)  # a page may name the function of a number
        self.compute, self.most = compute, most
        self.results: dict[Inputs, One] = {}
        self.bytes = self.computed = 0
        _functions.append(self)

    def __call__(self, *inputs: Hashable) -> Any:
        found = self.results.get(inputs)
        if found is None:
            result = self.compute(*inputs)
            is_read = any(isinstance(each, Setup) and each.real is not None for each in inputs)
            found = One(result, bytes_in(result, is_read), next(_asks))
            with _lock:
                self._forget(inputs)
                self.results[inputs] = found
                self.bytes, self.computed = self.bytes + found.bytes, self.computed + 1
                self._make_room(inputs)
        found.asked = next(_asks)
        return found.result

    def _make_room(self, inputs: Inputs) -> None:
        """Drop the least recently used result of this function; of all, if they are too large
        together, except those of the same setup: without its lowest layer a stack would be
        recomputed for each layer."""
        if len(self.results) > self.most:
            self._forget(
                min(self.results.items(), key=_asked)[0]
            )  # does not compute a setup's slow hash
        if sum(each.bytes for each in _functions) <= MAX_BYTES:
            return
        all_of_them = (
            (one.asked, each, of) for each in _functions for of, one in each.results.items()
        )
        for _, each, of in sorted(
            (one for one in all_of_them if one[2][:1] != inputs[:1]), key=itemgetter(0)
        ):
            each._forget(of)
            if sum(each.bytes for each in _functions) <= MAX_BYTES:
                return

    def _forget(self, inputs: Inputs) -> None:
        if known := self.results.pop(inputs, None):
            self.bytes -= known.bytes

    def forget(self) -> None:
        """Clear the cache."""
        with _lock:
            self.results.clear()
            self.bytes = self.computed = 0


def _asked(item: tuple[Inputs, One]) -> int:
    return item[1].asked


def bytes_in(result: Any, is_read: bool) -> int:
    """Return the bytes of a result's tensors, without a pretrained model's weights (`is_read`),
    which are memory-mapped."""
    sizes, left = dict[int, int](), [result]
    while left:
        value = left.pop()
        if isinstance(value, Tensor):
            sizes[value.untyped_storage().data_ptr()] = value.untyped_storage().nbytes()
        elif isinstance(value, Entry):
            left += [value.stored] if value.call or not is_read else []
        elif isinstance(value, TraceBuilder):
            left.append(value.entries)
        elif isinstance(value, Mapping):
            left += [each for each in value.values() if not (is_read and isinstance(each, Tensor))]
        elif isinstance(value, tuple | list):
            left += value
        elif is_dataclass(value) and not isinstance(value, Setup | type):
            left += [getattr(value, each.name) for each in fields(value)]
    return sum(sizes.values())
