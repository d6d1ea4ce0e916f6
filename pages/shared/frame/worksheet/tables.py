"""Which tables a worksheet has: whole ones if they fit on the paper, else only what is asked for
and what it is made of."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import product

from core.cell import Index
from core.origin import Concat, Copy, Lookup, Transpose
from core.trace import Entry, Trace
from pages.shared import board
from pages.shared.board import entries, paper
from pages.shared.said import words

MOST_NUMBERS = 1500  # on a sheet: more are too small to be read
FIRST = (64, 12, 8, 6, 4, 3, 2, 1)  # how many numbers of a vector can be asked for, the most first
Cells = dict[str, set[Index]]  # by the entry's name


@dataclass(frozen=True)
class Sheet:
    """The tables that are given and those to fill in; `first` is how many numbers of a vector are
    asked for, None all."""

    given: list[paper.Table]
    asked: list[paper.Table]
    first: int | None

    @property
    def height(self) -> float:
        """Return how high the tables are that ask. Their answers take less."""
        return paper.height(self.given) + paper.height(self.asked)


def sheets(trace: Trace, made: list[Entry], head: int, query: int) -> Iterator[Sheet]:
    """Yield what can be asked of the token `query` (from 0), the largest first: of whole tables, of
    what these numbers are made of alone, and of fewer and fewer numbers."""
    names = [*given(trace, made), *(entry.name for entry in made)]
    if sum(trace.value(name).numel() for name in names) <= MOST_NUMBERS:
        yield _sheet(trace, made, head, query, _all_cells(trace, made, names, head), None)
    longest = max(len(followed(trace, entry, head, query)) for entry in made)
    for first in (FIRST[0], *(each for each in FIRST[1:] if each < longest)):
        cells = _needed(trace, made, head, query, first)
        yield _sheet(trace, made, head, query, cells, first if first < longest else None)


def is_made(entry: Entry) -> bool:
    """Return whether it can be filled in: it is made of others, neither taken over as it is, side
    by side, nor written down the other way."""
    return (
        entry.call is not None and not isinstance(entry.origin, Concat | Transpose)
    ) or entry.name in ("ids", "memory_ids")


def is_copy(entry: Entry, made: list[Entry]) -> bool:
    """Return whether it is the same as one of these that are filled in: the scores without a mask
    are the scaled ones."""
    return isinstance(entry.origin, Copy) and entry.origin.source in {other.name for other in made}


def given(trace: Trace, made: list[Entry]) -> list[str]:
    """Return what these are made of, each once, in order; what is filled in before is none of it,
    nor what is the same as that."""
    names = [name for entry in made if entry.call for name in entry.call.inputs]
    asked = {entry.name for entry in made}
    return [
        name
        for name in dict.fromkeys(names)
        if name not in asked and not is_copy(trace[name], made)
    ]


def followed(trace: Trace, entry: Entry, head: int, query: int) -> list[Index]:
    """Return this token's cells: its row; of keys laid down, its column. Of a sentence that is
    asked, those of the token at the same place, or of its last."""
    if "memory" in entry.dims:
        query = min(query, len(trace.memory_tokens) - 1)
    if entry.value.ndim == 1:
        return [(query,)]
    lead = trace.head_index(entry.name, head)
    down, along = entry.value.shape[-2:]
    if entry.dims[-2] in ("token", "memory", "query"):
        return [(*lead, query, j) for j in range(along)]
    return [(*lead, i, query) for i in range(down)]


def _all_cells(trace: Trace, made: list[Entry], names: list[str], head: int) -> Cells:
    """Return all cells of these; of heads those of the one, unless something is made of all of
    them."""
    of_all = {
        name
        for entry in made
        if entry.call and entry.dims[0] not in words.HEADS
        for name in entry.call.inputs
    }
    cells: Cells = {}
    for name in names:
        ranges = [range(size) for size in trace.value(name).shape]
        if name not in of_all:
            ranges[: trace[name].dims[0] in words.HEADS] = [
                range(place, place + 1) for place in trace.head_index(name, head)
            ]
        cells[name] = set(product(*ranges))
    return cells


def _needed(trace: Trace, made: list[Entry], head: int, query: int, first: int) -> Cells:
    """Return the first of the followed cells of each, and what they are made of."""
    cells: Cells = {}
    for entry in reversed(made):
        asked = followed(trace, entry, head, query)[:first]
        cells.setdefault(entry.name, set()).update(asked)
        for name, index in (source for cell in asked for source in _sources(trace, entry, cell)):
            origin = trace[name].origin
            as_made = isinstance(origin, Copy) and is_copy(trace[name], made)
            cells.setdefault(origin.source if as_made else name, set()).add(index)
    return cells


def _sources(trace: Trace, entry: Entry, index: Index) -> Iterator[tuple[str, Index]]:
    """Yield the cells that this one is made of. Of a table all rows stay, or what is looked up
    would be told."""
    if isinstance(entry.origin, Lookup):
        yield entry.origin.ids, index[:1]
        yield from (
            (entry.origin.table, (row, index[1]))
            for row in range(len(trace.value(entry.origin.table)))
        )
    elif entry.origin is not None:
        terms = entry.origin.recompute(trace, index).terms
        yield from ((factor.name, factor.index) for term in terms for factor in term.factors)


def _sheet(
    trace: Trace, made: list[Entry], head: int, query: int, cells: Cells, first: int | None
) -> Sheet:
    of_all_heads = not any(entry.dims[0] in words.HEADS for entry in made)
    names = [name for name in given(trace, made) if name in cells]
    tables = [
        table
        for name in names
        for table in _tables(trace, trace[name], cells[name], of_all_heads=of_all_heads)
    ]
    blanks = {entry.name: followed(trace, entry, head, query)[:first] for entry in made}
    asked = [
        table
        for entry in made
        for table in _tables(trace, entry, cells[entry.name], blanks[entry.name])
    ]
    # The low ones first: beside each other they take less.
    low_first = sorted(map(paper.cut, tables), key=lambda table: table.height)
    return Sheet(low_first, [paper.cut(table) for table in asked], first)


def _tables(
    trace: Trace,
    entry: Entry,
    cells: set[Index],
    blank: list[Index] | None = None,
    of_all_heads: bool = False,
) -> Iterator[board.Matrix]:
    """Yield an entry as tables that have these cells, one for each head of it; `blank` are those
    that are asked for. Something made `of_all_heads` needs to know which head each is."""
    by_head: dict[int | None, set[Index]] = {}
    kind = words.HEADS.get(entry.dims[0]) if entry.value.ndim > 1 else None
    heads = trace.setup.group if entry.dims[0] == "kv_head" else 1
    for cell in cells:
        by_head.setdefault(cell[0] if kind else None, set()).add(cell[1:] if kind else cell)
    for place in sorted(by_head, key=lambda each: each or 0):
        rows, columns = _range(by_head[place], -2), _range(by_head[place], -1)
        head = None if place is None else place * heads
        shown = entries.matrix(trace, entry.name, head, rows=rows, columns=columns)
        whole = entries.matrix(trace, entry.name, head)
        part = "" if shown.values.shape == whole.values.shape else "of "
        of_head = f" of {kind} {place + 1}" if place is not None and of_all_heads else ""
        frame = None
        if blank:
            down, along = _range(set(blank), -2), _range(set(blank), -1)
            frame = (
                down.start - rows.start,
                down.stop - rows.start,
                along.start - columns.start,
                along.stop - columns.start,
            )
        title = f"{part}{shown.title}{of_head}, {whole.shape}"
        yield replace(
            shown,
            title=title,
            frame=frame,
            whole=not shown.values.is_floating_point(),
            editable=None,
            marks=None,
        )


def _range(cells: set[Index], axis: int) -> slice:
    """Return the slice from the first to the last of these along an axis; a vector is one row."""
    places = [cell[axis] if len(cell) >= -axis else 0 for cell in cells]
    return slice(min(places), max(places) + 1)
