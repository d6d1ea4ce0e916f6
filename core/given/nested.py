"""Numbers as nested lists of texts: how long they are along each axis, one after the other, turned about."""

from collections.abc import Iterable
from typing import Any


def shape(numbers: Any) -> tuple[int, ...]:
    """Return how long nested lists are; their first ones are taken for all."""
    return (len(numbers), *shape(numbers[0])) if isinstance(numbers, list) and numbers else ()


def flat(numbers: Any) -> Iterable[str]:
    """Return every number of nested lists, one after the other."""
    if isinstance(numbers, list | tuple):
        for part in numbers:
            yield from flat(part)
    else:
        yield numbers


def transposed(numbers: Any) -> Any:
    """Return nested lists with their last two axes exchanged."""
    if isinstance(numbers[0][0], list):
        return [transposed(part) for part in numbers]
    return [list(column) for column in zip(*numbers, strict=True)]
