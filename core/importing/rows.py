"""Rows of numbers, in brackets or not, put together where they stand below one another: as one
matrix, or as several side by side, under a line of titles or beside a name each."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise

from ..fields.nested import flat, is_even, shape
from .brackets import Block, Brackets, all_or_none, label_of
from .cells import cell, split_cells
from .labels import find_names_before, may_be_a_word
from .names import QKV, WEIGHTS, parse_name

TITLES = ("x", *WEIGHTS, *QKV)  # names that may stand above columns
_CUT = re.compile(r"(?<![^\s|])(?=[^\W\d_][^\s=:,;|()]{0,24}[ \t]{0,4}[=:])|(?<=\t)(?= *\t)")
_SIGNED = re.compile(r".*(?:[=:→]|->)\s*(?=\S)")
_WORD = re.compile(r"([^\W\d_][^\s,;|]*|[^\w\s.,;|+-]{1,3})[\s,;|]+(?=\S)")
_NAME_AND_WORD = re.compile(r"(.*[=:])[ \t]*([^\W\d_]\w*)[ \t]*")
_ARROW = re.compile(r"→|->|=>|⇒|↦|\\to|\\rightarrow")
_COUNTED = re.compile(r"[A-Za-z]{1,9}[_.]?\d{1,3}")
_RULE = re.compile(r"[\s|:=+-]*-[\s|:=+-]*")
_NO_WORD = " \t,;[(|&"


def find_rows(text: str, taken: Iterable[Block]) -> Iterator[Block]:
    """Yield the numbers of lines without brackets: of all a line, or behind each name in it."""
    lines_of = ((text.count("\n", 0, one.start), text.count("\n", 0, one.end)) for one in taken)
    covered = {line for first, last in lines_of for line in range(first, last + 1)}
    start = 0
    for i, line in enumerate(text.split("\n")):
        bare = line.rstrip(" \t|;,\\")
        if i not in covered and len(bare) < 9000 and not re.search(r"[\[\]{}\"]", bare):
            starts = (match.start() for match in _CUT.finditer(bare))
            parts = [(a, bare[a:b]) for a, b in pairwise(sorted({0, *starts, len(bare)}))]
            rows = [_parse_row(part, start + a) for a, part in parts if part.strip()]
            yield from (row for row in rows if row and all(rows))
        start += len(line) + 1


def _parse_row(part: str, place: int) -> Block | None:
    """Return the numbers behind a name or a word; None where the text holds anything else."""
    lead = match.end() if (match := _SIGNED.match(part)) else 0
    lead = len(part) - len(part[lead:].lstrip(" \t|"))
    if (word := _WORD.match(part, lead)) and cell(word[1]) is None:
        lead = word.end()
    before, bare = part[:lead], part[lead:].rstrip(" \t|;,")
    if len(before.split()) > 5 or not re.search(r"\d", bare) or bare[-1] in "*×":
        return None
    rows = split_cells(bare.replace("|", " "), "")
    numbers = [[cell(one) or "" for one in row] for row in rows]
    cells = flat(numbers)
    few = len(cells) < 2 and bool(before.strip(" |\t"))
    if few or cells.count("") * 2 >= len(cells) or not is_even(numbers):
        return None
    return Block(numbers if len(rows) > 1 else numbers[0], place + lead, place + lead + len(bare))


@dataclass(frozen=True)
class _Row:
    """The rows of numbers of one line; what stands above the line, and in it before the first: a
    name, or a word. The word may stand in a comment behind it too."""

    blocks: Sequence[Block]
    above: str
    lead: str
    is_named: bool
    word: str
    is_bare: bool

    @property
    def sizes(self) -> list[tuple[int, ...]]:
        return [shape(block.numbers) for block in self.blocks]

    @property
    def is_alone(self) -> bool:
        """Whether it is more than a row."""
        return any(len(size) != 1 for size in self.sizes)

    @property
    def is_matrix(self) -> bool:
        """Whether a line of a table is a matrix: a name, then vectors."""
        name, gaps = (
            parse_name(label_of(self.lead)),
            {one.before.strip() for one in self.blocks[1:]},
        )
        is_table = gaps == {"|"} and len(set(self.sizes)) == 1
        return is_table and name is not None and name.name in TITLES

    @property
    def counts(self) -> bool:
        """Whether its numbers count, from 0 or from 1."""
        return _count(self.blocks[0].numbers)

    def follows(self, first: "_Row") -> bool:
        """Return whether nothing but a line break parts it from rows above."""
        is_next = self.blocks[0].before.count("\n") == 1 and not self.is_alone
        return (
            is_next and not first.is_alone and not (self.above + self.lead).strip(_NO_WORD + "])")
        )


class Rows:
    """Puts the rows of a text together; what cannot be is a fault of `found`."""

    def __init__(self, found: Brackets) -> None:
        self.found, self.lines = found, found.text.split("\n")

    def together(self, blocks: Iterable[Block]) -> Iterator[Block]:
        """Yield the matrices; q1, q2 with names of their own stay apart."""
        run: list[_Row] = []
        for row in (*self._by_line(blocks), None):
            fitting = self._fit(run, row) if run and row else None
            if fitting:
                run.append(fitting)
                continue
            is_ragged = bool(row and run and row.follows(run[0]))
            if run and (is_ragged or self._stops_odd(run)):
                start = run[0].blocks[0].start
                self.found.faults.append((start, "its rows are not of one length."))
            elif run:
                yield from self._close(run)
            run = [row] if row and not is_ragged else []

    def _by_line(self, blocks: Iterable[Block]) -> Iterator[_Row]:
        line: list[Block] = []
        for block in blocks:
            deepest = max(len(shape(one.numbers)) for one in (*line, block))
            if line and ("\n" in block.before or deepest > 1):
                yield self._row(line)
                line = []
            line.append(block)
        if line:
            yield self._row(line)

    def _row(self, blocks: Sequence[Block]) -> _Row:
        first, last = blocks[0], blocks[-1]
        above, _, lead = first.before.rpartition("\n")
        is_bare = self.found.text[first.start] not in "[({"
        split = _NAME_AND_WORD.fullmatch(lead)
        if split and find_names_before(split[1])[0] and not parse_name(split[2]):
            before = first.before[: len(first.before) - len(lead) + split.end(1)]
            blocks = [replace(first, before=before), *blocks[1:]]
            return _Row(blocks, above, split[1], True, split[2], is_bare)
        is_named = bool(find_names_before(lead)[0]) and not _ARROW.search(lead)
        is_word = lead.strip(_NO_WORD) and not is_named
        word = label_of(lead) if is_word else (first.words or (self.found.comment(last.end),))[0]
        return _Row(blocks, above, lead, is_named, word, is_bare)

    def _fit(self, run: Sequence[_Row], row: _Row) -> _Row | None:
        """Return a row as it goes on with those above it, cut as they are; None where it does
        not."""
        first, block = run[0], row.blocks[0]
        if first.is_alone or row.is_alone or first.is_matrix:
            return None
        ends = [0, *accumulate(size for (size,) in first.sizes)]
        if len(row.blocks) == 1 < len(first.sizes) and len(block.numbers) == ends[-1]:
            parts = [block.numbers[a:b] for a, b in pairwise(ends)]
            row = replace(row, blocks=[replace(block, numbers=part) for part in parts])
        elif re.search(r"\w", "".join(one.before for one in row.blocks[1:])):
            return None
        if row.sizes != first.sizes or row.is_matrix or re.search(r"\w", row.above):
            return None
        if row.is_bare and not re.fullmatch(rf"[^\n]*(?:\n{_RULE.pattern})?", row.above):
            return None
        if not row.lead.strip(_NO_WORD) or (row.word and not first.word and first.counts):
            return row
        word = label_of(row.lead)
        is_word = word and (not row.is_named or may_be_a_word(word))
        return replace(row, word=word) if is_word and (first.word or first.is_named) else None

    def _stops_odd(self, run: Sequence[_Row]) -> bool:
        """Return whether the next line has as many cells as these rows, and one is no number."""
        i = self.found.text.count("\n", 0, run[-1].blocks[-1].end) + 1
        if not run[0].is_bare or run[0].is_alone or i >= len(self.lines):
            return False
        cells = re.findall(r"[^\s,|;]+", self.lines[i])
        is_like = len(cells) == sum(size for (size,) in run[0].sizes) and any(map(cell, cells))
        is_said = re.search("[=:]", self.lines[i]) or _parse_row(self.lines[i], 0)
        return is_like and not is_said

    def _close(self, run: Sequence[_Row]) -> Iterator[Block]:
        """Yield the matrices of rows that go on."""
        first = run[0]
        if first.is_alone:
            yield from first.blocks
            return
        if len(run) > 1 and run[1].word and first.is_named and may_be_a_word(label_of(first.lead)):
            first = replace(first, is_named=False, word=label_of(first.lead))
        is_above = first.lead.strip(_NO_WORD) and not first.is_named
        before = first.above if is_above else first.blocks[0].before
        is_counted = len(run) > 1 and not first.word and run[1].word and first.counts
        run = run[1:] if is_counted else [first, *run[1:]]  # below the columns' numbers
        words = all_or_none([row.word for row in run])
        titles = self._titles(run[0], bool(words))
        if (
            words
            and titles
            and all(map(_COUNTED.fullmatch, titles))
            and not any(map(parse_name, titles))
        ):
            before = before.rstrip().rpartition("\n")[0]  # above titles that only count
        if len(run) == 1 and (first.is_matrix or not any(map(parse_name, titles))):
            yield from _one_row(run[0])
        else:
            yield from _columns(run, before, words, titles)

    def _titles(self, first: _Row, has_words: bool) -> list[str]:
        """Return the titles in the line above rows, one for each column, or for some columns side
        by side; none where it is another line."""
        i = self.found.text.count("\n", 0, first.blocks[0].start) - 1
        while i > 0 and (_RULE.fullmatch(self.lines[i]) or not self.lines[i].strip()):
            i -= 1
        line, whole = self.lines[i].strip(), parse_name(self.lines[i].strip(" \t*:=#"))
        is_table = "|" in line
        if i < 0 or len(line) > 900 or (whole and whole.plain and not is_table):
            return []
        parts = (
            line.strip("|").split("|") if is_table else re.split(r"[\s,=:]+", line.strip(" ,=:"))
        )
        titles = [title.strip(" *`") for title in parts]
        if re.search(r"[\[\](){}]|[=:]\s*[-\d]", line) or any(map(cell, titles)):
            return []
        many = len(first.sizes) if len(first.sizes) > 1 else first.sizes[0][0]
        return titles[1:] if len(titles) == many + 1 and (has_words or is_table) else titles


def _one_row(row: _Row) -> Iterator[Block]:
    """Yield the vectors of a line by themselves, each with its name or word; or the matrix that
    they are, in a table."""
    if row.is_matrix:
        numbers, end = [block.numbers for block in row.blocks], row.blocks[-1].end
        yield replace(row.blocks[0], numbers=numbers, end=end, before=label_of(row.lead))
        return
    for block in row.blocks:
        lead = block.before.rpartition("\n")[2]
        names = find_names_before(lead)[0] if not _ARROW.search(lead) else ()
        is_of_row = names and (names[0].word or names[0].number is not None)
        is_said = is_of_row or not lead.strip(_NO_WORD) or re.search(r"[=:→]\s*$", lead)
        word = label_of(lead) if lead.strip(_NO_WORD) else "".join(block.words[:1])
        if is_said or not row.is_bare:
            yield replace(block, words=(word,) if word and not names else ())


def _columns(
    run: Sequence[_Row], before: str, words: tuple[str, ...], titles: Sequence[str]
) -> Iterator[Block]:
    """Yield the matrices that stand side by side in rows, or the one that they are."""
    first, *others = run[0].blocks
    whole = replace(first, end=run[-1].blocks[-1].end, words=words, before=before)
    columns = [[row.blocks[k].numbers for row in run] for k in range(len(run[0].blocks))]
    if others:
        names = [each.name if (each := parse_name(title)) else "" for title in titles]
        if len(names) != len(columns):
            names = [name.name for name in find_names_before(before)[0]]
        if len(names) != len(columns):
            names = [""] * len(columns)
        befores = [before, *(block.before for block in others)]
        for numbers, gap, name in zip(columns, befores, names, strict=True):
            yield replace(whole, numbers=numbers, name=name, before=gap)
        return
    (numbers,) = columns
    if len(titles) == len(numbers[0]) - 1 and not words and _count([row[0] for row in numbers]):
        numbers = [row[1:] for row in numbers]  # without the rows' numbers
    elif places := _places(titles, len(numbers[0])):
        for name, own in places.items():
            yield replace(whole, numbers=[[row[k] for k in own] for row in numbers], name=name)
        return
    yield replace(whole, numbers=numbers)


def _places(titles: Sequence[str], wide: int) -> dict[str, list[int]]:
    """Return the places of the columns of each name, in rows so wide, where titles count them or
    stand above as many each.

    >>> _places(["Q1", "Q2", "K1", "K2"], 4), _places(["Q", "K"], 4), _places(["d1", "d2"], 2)
    ({'q': [0, 1], 'k': [2, 3]}, {'q': [0, 1], 'k': [2, 3]}, {})
    """
    names = [name for title in titles if (name := parse_name(title)) and name.name in TITLES]
    if len(names) != len(titles) or len(names) < 2 or wide % len(names):
        return {}
    is_counted = len(names) == wide and all(name.number is not None for name in names)
    places: dict[str, list[int]] = {}
    for k in range(wide):
        places.setdefault(names[k * len(names) // wide].name, []).append(k)
    return places if is_counted or len(places) == len(names) else {}


def _count(numbers: Sequence[str]) -> bool:
    """Return whether numbers count, from 0 or from 1."""
    return any(list(numbers) == [str(i + first) for i in range(len(numbers))] for first in (0, 1))
