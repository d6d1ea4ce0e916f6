"""What stands beside the given matrices: somebody's own steps from Q to the output, each cell put
to its head, row and column."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..fields.nested import flat, shape, transpose, without_batch
from .matrices import Entry
from .names import symbol

Place = tuple[int, ...]  # (head, row, column); of concat and output (row, column)
STEPS: dict[str, tuple[str, ...]] = {
    "q": ("head", "token", "d_k"),
    "k": ("kv_head", "key", "d_k"),
    "v": ("kv_head", "key", "d_v"),
    **dict.fromkeys(("scores", "scaled", "masked", "weights"), ("head", "token", "key")),
    "context": ("head", "token", "d_v"),
    "concat": ("token", "head·d_v"),
    "output": ("token", "out"),
}
# People call several things “attention” and “output”: what else may be meant where a shape does not
# fit.
_ALSO = {
    "weights": ("context",),
    "context": ("concat", "output"),
    "output": ("context", "concat"),
    "concat": ("output",),
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


def place_steps(
    entries: Sequence[Entry], sizes: Mapping[str, int], tokens: Sequence[str], columns: bool
) -> tuple[dict[str, Pasted], list[str]]:
    """Return the steps of a solution by name, each cell at its place, and what could not be put
    anywhere, in sentences. `columns` says that the words are columns, so that every matrix is
    turned."""
    placer = _Placer(entries, sizes, tokens, columns)
    steps: dict[str, Pasted] = {}
    messages: list[str] = []
    for entry in entries:
        if "" in flat(entry.numbers):
            says = f"{symbol(entry.name)} has a cell that is no number; it is not checked."
            messages.append(f"Line {entry.line}: {says}")
            continue
        step = placer.place(entry)
        if step is None:
            messages.append(placer.explain_misfit(entry))
            continue
        first = steps.setdefault(step.name, step)
        if any(first.cells.get(place, number) != number for place, number in step.cells.items()):
            messages.append(
                f"{symbol(step.name)} stands twice, in line {first.line} and in line {entry.line};"
                " the first is checked."
            )
            continue
        both, turned = first.cells | step.cells, first.turned or step.turned
        steps[step.name] = replace(first, cells=both, turned=turned)
    return {name: steps[name] for name in STEPS if name in steps}, messages


class _Placer:
    """Finds where a cell belongs, by how long each axis is and by the words. Heads and rows are
    counted from 0 where one of the text is 0, else from 1."""

    def __init__(
        self,
        entries: Sequence[Entry],
        sizes: Mapping[str, int],
        tokens: Sequence[str],
        columns: bool,
    ) -> None:
        self.sizes, self.columns = sizes, columns
        self.tokens = [token.lower() for token in tokens]
        counts = {number for entry in entries for number in (entry.number, entry.head)}
        self.start = 0 if 0 in counts else 1

    def place(self, entry: Entry) -> Pasted | None:
        """Return the step that an entry is, as it lies or turned; None where it fits nowhere."""
        numbers = without_batch(entry.numbers)
        is_row = len(shape(numbers)) == 1
        for name in (entry.name, *_ALSO.get(entry.name, ())):
            for about in (False,) if is_row else (self.columns, not self.columns):
                if cells := self._cells(entry, transpose(numbers) if about else numbers, name):
                    turned = not is_row and about != self.columns
                    why = f"{entry.why}{', and its shape fits turned' if turned else ''}"
                    return Pasted(name, cells, entry.line, why, turned)
        return None

    def _cells(self, entry: Entry, numbers: Any, name: str) -> dict[Place, str]:
        """Return the cells of a step at their places; {} where its shape is another."""
        *of_heads, rows, width = (self.sizes[axis] for axis in STEPS[name])
        heads = of_heads[0] if of_heads else 1
        written = shape(numbers)
        if len(written) == 3 and len(numbers) == 1 and heads > 1:
            numbers, written = numbers[0], written[1:]
        head, row = self._head(entry, heads), 0
        if written == (heads, rows, width):
            blocks = dict(enumerate(numbers))
        elif written == (rows, heads * width) and heads > 1 and STEPS[name][-1] in ("d_k", "d_v"):
            starts = enumerate(range(0, heads * width, width))
            blocks = {k: [line[start : start + width] for line in numbers] for k, start in starts}
        elif written == (rows, width):
            blocks = {head: numbers}
        elif written == (width,):
            row, blocks = self._row(entry, rows), {head: [numbers]}
        else:
            return {}
        if not 0 <= row < rows or not all(0 <= head < heads for head in blocks):
            return {}
        return {
            ((head, row + i, j) if of_heads else (row + i, j)): number
            for head, block in blocks.items()
            for i, line in enumerate(block)
            for j, number in enumerate(line)
        }

    def _head(self, entry: Entry, heads: int) -> int:
        """Return the head of an entry, from 0: a matrix's own number, else that of the heading
        above; -1 where nobody says it."""
        own = entry.number if len(entry.shape) > 1 else None
        count = entry.head if own is None else own
        return 0 if heads == 1 else -1 if count is None else count - self.start

    def _row(self, entry: Entry, rows: int) -> int:
        """Return of which word an entry is the row, from 0; -1 where nobody says it."""
        if word := (entry.word or "".join(entry.words[:1])).lower():
            return self.tokens.index(word) if self.tokens.count(word) == 1 else -1
        if entry.number is not None:
            return entry.number - self.start
        return 0 if rows == 1 else -1

    def explain_misfit(self, entry: Entry) -> str:
        """Say why an entry fits nowhere."""
        size, called = tuple(self.sizes[axis] for axis in STEPS[entry.name]), symbol(entry.name)
        if entry.shape == size[-1:]:
            says = f"of which word is this row of {called}? Write it as {called}_1, counted from 1."
            return f"Line {entry.line}: {says}"
        expected = size[1:] if size[0] == 1 and len(size) == 3 else size
        written, wanted = (" × ".join(map(str, one)) for one in (entry.shape, expected))
        says = f"{called} is {written} here, and {wanted} was expected; it is not checked."
        return f"Line {entry.line}: {says}"
