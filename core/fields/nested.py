"""Nested lists, of numbers as texts or of verdicts: how long they are along each axis, one after
the other, turned about."""

from typing import Any


def shape(numbers: Any) -> tuple[int, ...]:
    """Return how long nested lists are; their first ones are taken for all."""
    return (
        (len(numbers), *shape(numbers[0])) if isinstance(numbers, list | tuple) and numbers else ()
    )


def flat(numbers: Any) -> list[str]:
    """Return all that nested lists hold, one after the other."""
    return (
        [one for part in numbers for one in flat(part)]
        if isinstance(numbers, list | tuple)
        else [numbers]
    )


def is_even(numbers: Any) -> bool:
    """Return whether nested lists are of one length along each axis, and none is empty."""
    if not isinstance(numbers, list | tuple):
        return True
    alike = all(map(is_even, numbers)) and len({shape(one) for one in numbers}) == 1
    return bool(numbers) and alike


def transpose(numbers: Any) -> Any:
    """Return nested lists with their last two axes exchanged."""
    if isinstance(numbers[0][0], list):
        return [transpose(part) for part in numbers]
    return [list(column) for column in zip(*numbers, strict=True)]


def without_batch(numbers: Any) -> Any:
    """Return what a batch of one holds: at most heads, rows and columns."""
    while len(shape(numbers)) > 3 and len(numbers) == 1:
        numbers = numbers[0]
    return numbers
