"""What stands beside the given matrices: somebody's own steps from Q to the output, each put to its
heads, rows and columns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .matrices import Entry
from .names import symbol
from .nested import shape, transposed

Place = tuple[int, ...]  # (head, row, column); of concat and output (row, column)
ASKED = ("token", "key")
STEPS: dict[str, tuple[str, ...]] = {
    "q": ("head", "token", "d_k"),
    "k": ("kv_head", "key", "d_k"),
    "v": ("kv_head", "key", "d_v"),
    **dict.fromkeys(("scores", "scaled", "masked", "weights"), ("head", "token", "key")),
    "context": ("head", "token", "d_v"),
    "concat": ("token", "head·d_v"),
    "output": ("token", "out"),
}
# What else may be meant by a name, where its shape does not fit: people call several things
# “attention” and “output”.
_ALSO = {
    "weights": ("context",),
    "context": ("concat", "output"),
    "output": ("context", "concat"),
    "concat": ("output",),
    "scores": (),
    "scaled": (),
    "masked": (),
    "q": (),
    "k": (),
    "v": (),
}


@dataclass(frozen=True)
class Pasted:
    """One step of a solution: the cells that were written, as they were typed; its first line; and
    why it was taken for that."""

    name: str
    cells: dict[Place, str]
    line: int
    why: str
    turned: bool = False


def placed(
    entries: Sequence[Entry], sizes: Mapping[str, int], tokens: Sequence[str], columns: bool
) -> tuple[dict[str, Pasted], list[str]]:
    """Return the steps of a solution by name, each cell at its place, and what could not be put
    anywhere, in sentences.

    `columns` says that the words are columns, so that every matrix is turned.
    """
    steps: dict[str, Pasted] = {}
    messages: list[str] = []
    start = _counted_from(entries)
    for entry in entries:
        where = _where(entry, _Axes(sizes, tuple(tokens), columns, start))
        if isinstance(where, str):
            messages.append(where)
            continue
        name, cells, turned = where
        why = f"{entry.why}{', and its shape fits turned' if turned else ''}"
        before = steps.get(name)
        if before and any(
            before.cells.get(place, number) != number for place, number in cells.items()
        ):
            messages.append(
                f"{symbol(name)} stands twice, in line {before.line} and in line {entry.line}; the"
                " first is checked."
            )
            continue
        first = before or Pasted(name, {}, entry.line, why)
        steps[name] = replace(first, cells=first.cells | cells, turned=first.turned or turned)
    return {name: steps[name] for name in STEPS if name in steps}, messages


def _counted_from(entries: Sequence[Entry]) -> int:
    """Return from where the numbers of heads and rows count: from 0 where one is 0, else from 1.
    All of a text count alike."""
    return 0 if 0 in {number for entry in entries for number in (entry.number, entry.head)} else 1


@dataclass(frozen=True)
class _Axes:
    """What decides where a cell belongs: how long each axis is, the words, whether they are
    columns, from where heads are counted."""

    sizes: Mapping[str, int]
    tokens: tuple[str, ...]
    columns: bool
    start: int

    def of(self, name: str) -> tuple[int, ...]:
        return tuple(self.sizes[axis] for axis in STEPS[name])


def _where(entry: Entry, axes: _Axes) -> tuple[str, dict[Place, str], bool] | str:
    """Return which step it is, its cells at their places, and whether it was turned to fit; or why
    it fits nowhere."""
    numbers = entry.numbers
    while len(shape(numbers)) > 3 and len(numbers) == 1:  # a batch of one
        numbers = numbers[0]
    for name in (entry.name, *_ALSO.get(entry.name, ())):
        if len(shape(numbers)) == 1:
            cells = _row(entry, numbers, axes.of(name), axes)
            if cells:
                return name, cells, False
            continue
        for about in (axes.columns, not axes.columns):
            cells = _matrix(entry, transposed(numbers) if about else numbers, name, axes)
            if cells:
                return name, cells, about != axes.columns
    size, called = axes.of(entry.name), symbol(entry.name)
    if len(entry.shape) == 1 and entry.shape[0] == size[-1]:
        return (
            f"Line {entry.line}: of which word is this row of {called}? Write it as {called}_1,"
            " counted from 1."
        )
    written, expected = (
        " × ".join(map(str, one))
        for one in (entry.shape, size[1:] if size[0] == 1 and len(size) == 3 else size)
    )
    return (
        f"Line {entry.line}: {called} is {written} here, and {expected} was expected; it is not"
        " checked."
    )


def _row(
    entry: Entry, numbers: list[str], size: tuple[int, ...], axes: _Axes
) -> dict[Place, str] | None:
    """Put one row to its word; with one head, or that of the heading."""
    *of_head, rows, width = size
    heads = of_head[0] if of_head else 1
    head = 0 if heads == 1 else -1 if entry.head is None else entry.head - axes.start
    word = (entry.word or (entry.words[0] if entry.words else "")).lower()
    if word:
        places = [i for i, token in enumerate(axes.tokens) if token.lower() == word]
        row = places[0] if len(places) == 1 else -1
    elif entry.number is not None:
        row = entry.number - axes.start
    else:
        row = 0 if rows == 1 else -1
    if len(numbers) != width or not 0 <= head < heads or not 0 <= row < rows:
        return None
    return {((head, row, i) if of_head else (row, i)): number for i, number in enumerate(numbers)}


def _matrix(entry: Entry, numbers: Any, name: str, axes: _Axes) -> dict[Place, str] | None:
    """Put a matrix to its head, or several to theirs; None where its shape is another."""
    size, written = axes.of(name), shape(numbers)
    if len(written) == 3 and len(numbers) == 1 and written != size:
        numbers, written = numbers[0], written[1:]
    if len(size) == 2:
        return _cells(numbers, ()) if written == size else None
    heads, rows, width = size
    if written == size:
        return {
            place: number
            for head, part in enumerate(numbers)
            for place, number in _cells(part, (head,)).items()
        }
    if written == (rows, width):
        count = entry.number if entry.number is not None else entry.head
        head = 0 if heads == 1 else -1 if count is None else count - axes.start
        return _cells(numbers, (head,)) if 0 <= head < heads else None
    if written == (rows, heads * width) and STEPS[name][-1] in ("d_k", "d_v"):  # heads side by side
        return {
            (i // width, row, i % width): number
            for row, line in enumerate(numbers)
            for i, number in enumerate(line)
        }
    return None


def _cells(numbers: Any, before: Place) -> dict[Place, str]:
    return {
        (*before, row, column): number
        for row, line in enumerate(numbers)
        for column, number in enumerate(line)
    }
