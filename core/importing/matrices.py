"""Matrices found in a pasted text, in brackets, as rows below one another, in tables, each with the
name beside it. What has none keeps an empty one, and is asked about."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .names import (
    SOLUTIONS,
    TURN,
    Name,
    find_listed_names,
    find_names_before,
    is_empty,
    may_be_a_word,
    number_columns,
    parse_name,
    symbol,
)
from .nested import flat, shape, transpose
from .notation import GLUED, Plain, cell, plain
from .side_by_side import one_after_the_other

MAX_BYTES = 200_000
MAX_FOUND = 200  # matrices of one text
MAX_BEFORE = 400  # letters before a matrix that may name it
DEEPEST = 6
_CLOSES = {"[": "]", "(": ")", "{": "}", "⟦": "⟧"}
_NO_MATRIX = re.compile(
    r"(?:.*\.)?(?:shape|size|Size|reshape|view|zeros|ones|rand|randn|figsize|range|arange|Linear|dim|axis|Conv1D)"
)
_LABEL = re.compile(  # a word beside a row, or a sign such as a comma or 🙂
    r"[\"'`*_(\[{|-]{0,3}([^\W_][^\s=:,;|&\\\[\](){}\"→]{0,40}|[^\w\s=:|\[\](){}\"'→-]{1,4}|##\w{1,20})[\"'`*_)\]}|]{0,3}"
    r"\s{0,4}(?:→|->|=>|⇒|↦|\\to|\\rightarrow|:=|=|:|<-|←)?\s*"
)
_CALL_OF_ROW = re.compile(r"(?:\b(?:np|torch)\.)?\b(?:array|tensor|vec!|Vector)?\s*[(\[{]*\s*$")
_SETTINGS = {
    name: re.compile(
        rf"^[\s#\"']*(?:{words})[\"']?\s*[=:]\s*[\"']?({values})[\"']?\s*,?$",
        re.MULTILINE | re.IGNORECASE,
    )
    for name, words, values in (
        ("heads", "num_heads|n_heads?|nhead|heads", r"\d{1,2}"),
        ("scale", "scale|divisor", r"none|sqrt|\d{1,4}(?:\.\d{1,8})?"),
        ("mask", "mask", "causal|none"),
    )
}
_TOKENS = re.compile(
    r"\b(?:tokens|words|sentence|text)\b[\"']?\s{0,3}[=:]\s{0,3}(\[[^\[\]\n]{1,600}\]|\"[^\"\n]{1,400}\"|'[^'\n]{1,400}')"
)
_OPERATOR = r"(?:[-+*@·×⋅/]|\\cdot|\\times)"
_RESHAPED = re.compile(r"[\s)]*\.(?:reshape|view)\(\s*\(?(\d{1,3}),\s*(\d{1,3})\)?\s*\)")


@dataclass(frozen=True)
class Entry:
    """One matrix or row of the text: its name ("" where none stands beside it), numbers as nested
    lists of texts, its line, and what the text calls it.

    A cell that is no number is "". `number` is the text's own count of a head or a row, `head` that
    of the heading above, `word` of which token it is a row, `words` are those beside its rows.
    `either` says that its commas may be decimal ones.
    """

    name: str
    numbers: Any
    line: int
    said: str = ""
    number: int | None = None
    head: int | None = None
    word: str = ""
    words: tuple[str, ...] = ()
    stored: bool = False
    either: bool = False
    comment: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """How long it is along each axis."""
        return shape(self.numbers)

    @property
    def why(self) -> str:
        """Why it was taken for what it is."""
        return f"line {self.line} calls it “{self.said[:40]}”" if self.said else f"line {self.line}"


@dataclass(frozen=True)
class Text:
    """A text as it was found: its entries in their order, what could not be read, the words that it
    names, and what lines of their own set: heads, scale, mask."""

    entries: tuple[Entry, ...] = ()
    messages: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class _Block:
    numbers: Any
    start: int
    end: int
    words: tuple[str, ...] = ()
    names: tuple[Name, ...] = ()
    either: bool = False


class _Unreadable(Exception):
    """Why a bracket is no matrix."""


def find_matrices(text: str, commas: str = "") -> Text:
    """Return what stands in a text of at most 200 kB. Never raises. `commas` is "decimal" where
    0,5 is one number."""
    if not isinstance(text, str):
        return Text(messages=("That is no text.",))
    return _find_matrices(text, commas)


@lru_cache(maxsize=8)  # a text is read, answered and checked
def _find_matrices(text: str, commas: str) -> Text:
    if len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
        says = f"That is longer than {MAX_BYTES // 1000} kB; nothing of it is read."
        return Text(messages=(f"{says} Bring the matrices alone.",))
    made = plain(text)
    parser = _Parser(replace(made, text=one_after_the_other(made.text)), commas == "decimal")
    entries = parser.entries()
    settings = {
        name: match[1].lower()
        for name, pattern in _SETTINGS.items()
        if (match := pattern.search(made.text))
    }
    return Text(entries, tuple(dict.fromkeys(parser.faults))[:9], _tokens(made.text), settings)


def _tokens(text: str) -> tuple[str, ...]:
    """Return the words of a line such as tokens = ["the", "cat"]."""
    match = _TOKENS.search(text)
    if not match:
        return ()
    if match[1].startswith("["):
        return tuple(word.strip() for word in re.findall(r"[\"']([^\"']{1,60})[\"']", match[1]))
    return tuple(match[1][1:-1].split())


class _Parser:
    def __init__(self, made: Plain, decimal: bool) -> None:
        self.made, self.text, self.decimal = made, made.text, decimal
        self.faults: list[str] = []
        self.starts = [0, *(match.end() for match in re.finditer("\n", self.text))]
        self.partner: dict[int, int] = {}
        self.kids: dict[int, list[int]] = {}
        self.height: dict[int, int] = {}
        self.either = False
        self._match()

    def line(self, place: int) -> int:
        """Return in which line a place stands, from 1."""
        low, high = 0, len(self.starts)
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if self.starts[middle] <= place else (low, middle)
        return low + 1

    def _match(self) -> None:
        stack: list[int] = []
        for match in re.finditer(r"[\[\](){}⟦⟧]", self.text):
            place, sign = match.start(), match[0]
            if sign in _CLOSES:
                stack.append(place)
                self.kids[place], self.height[place] = [], 0
            elif any(_CLOSES[self.text[each]] == sign for each in stack[-3:]):
                while _CLOSES[self.text[stack[-1]]] != sign:
                    stack.pop()
                opened = stack.pop()
                self.partner[opened] = place
                if stack:
                    self.kids[stack[-1]].append(opened)
                    self.height[stack[-1]] = max(self.height[stack[-1]], self.height[opened] + 1)

    # ---------- in brackets ----------

    def blocks(self) -> list[_Block]:
        """Return all matrices in their order."""
        found, told, tables = list[_Block](), 0, self._tables()
        spans = iter([*tables, _Block([], len(self.text) + 1, len(self.text) + 1)])
        table = next(spans)
        for start in sorted(self.kids):
            while start >= table.end:
                table = next(spans)
            if start < told or start >= table.start or len(found) > MAX_FOUND:
                continue
            if start not in self.partner:
                told = self._skip_unclosed(start)
            elif self._is_skipped(start):
                told = self.partner[start]
            elif self._may_hold(start):
                told_before = len(self.faults)
                if block := self._block(start):
                    found.append(block)
                    told = block.end
                elif len(self.faults) > told_before:  # nothing inside it is the matrix either
                    told = self.partner[start]
        return sorted([*found, *tables, *self._rows([*found, *tables])], key=lambda one: one.start)

    def _word_before(self, start: int) -> str:
        """Return the word that a bracket stands at, as that of a function does."""
        match = re.search(r"[\w.]{1,40}!?$", self.text[max(0, start - 40) : start])
        return match[0] if match else ""

    def _is_skipped(self, start: int) -> bool:
        """Return whether a bracket says which cell, or which shape: x[0], shape=(3, 4), ^{2}."""
        sign, before = self.text[start], self.text[max(0, start - 60) : start]
        called, inside = self._word_before(start), self.text[start + 1 : self.partner[start]]
        if called and _NO_MATRIX.fullmatch(called):
            return True
        named_size = re.search(r"([\w.]+)\s*=\s*$", before)
        if named_size and _NO_MATRIX.fullmatch(named_size[1]):
            return True
        behind_name = re.search(r"=\s*(\w{1,20})[ \t]+$", before)  # Q = X  [3, 4]: its shape
        if behind_name and parse_name(behind_name[1]) and re.fullmatch(r"[\d\s,]+", inside):
            return True
        if sign == "[" and ((called and called[-1] != "!") or before[-1:] in ("]", ")")):
            return not re.search(r"[\[;\n]", inside) and (bool(called) or inside.count(",") < 1)
        return sign == "{" and before[-1:] in ("_", "^") and not self.kids[start]

    def _may_hold(self, start: int) -> bool:
        """Return whether a bracket may be one of numbers, and is not around a call's arguments."""
        sign, called = self.text[start], self._word_before(start)
        if self.height[start] > DEEPEST:
            return False
        if sign == "{":  # a list of C's or Java's, and no argument of LaTeX
            before, inside = (
                self.text[max(0, start - 1) : start],
                self.text[start : self.partner[start]],
            )
            glued = re.fullmatch(r"[\\\w}^_]", before) and not inside.startswith("{{")
            return not glued and "\\" not in inside
        if sign != "(":
            return True
        if find_listed_names(self.text[max(0, start - MAX_BEFORE) : start]):
            return False
        if called:
            return called in ("rbind", "cbind") or bool(re.fullmatch(r"vec!|Vector", called))
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start].rstrip()
        alone = (
            not line
            or line[-1] in "=:→>,&|(;←"
            or (re.fullmatch(r"\s*\S{1,40}", line) and self._ends_line(self.partner[start] + 1))
        )
        return bool(alone or self.kids[start])

    def _ends_line(self, place: int) -> bool:
        return not re.match(
            r"[ \t]*[^\s,;]", self.text[place : place + 40].partition("\n")[0] + " "
        )

    def _block(self, start: int) -> _Block | None:
        end, self.either = self.partner[start], False
        try:
            numbers, words = self._read(start)
        except _Unreadable as why:
            self._left_out(start, str(why))
            return None
        sizes = {shape(part) for part in numbers}
        cells = flat(numbers)
        if self.text[start] == "(" and len(cells) < 2:
            return None
        if cells.count("") * 2 >= len(cells):
            if cells.count("") == len(cells) and GLUED in self.text[start:end]:
                self._left_out(start, "its digits have run together: write what parts the cells.")
            return None
        if len(sizes) > 1 or not _is_even(numbers):
            self._left_out(start, _describe_lengths(numbers))
            return None
        if self._word_before(start) == "cbind":
            numbers, words = transpose(numbers), ()
        shaped = _RESHAPED.match(self.text[end + 1 : end + 40])
        if shaped and isinstance(numbers[0], str) and int(shaped[1]) * int(shaped[2]) == len(cells):
            wide = int(shaped[2])
            numbers = [cells[k : k + wide] for k in range(0, len(cells), wide)]
        return _Block(numbers, start, end + 1, words, (), self.either)

    def _left_out(self, start: int, why: str) -> None:
        """Say that a matrix is not read, where its name stands beside it."""
        names, _ = find_names_before(self.text[max(0, start - MAX_BEFORE) : start])
        if names:
            self.faults.append(
                f"Line {self.line(start)}: {symbol(names[0].name)} is not read: {why}"
            )

    def _skip_unclosed(self, start: int) -> int:
        """Say that a bracket is never closed, and return where to go on: nothing of its line is
        read."""
        end = self.text.find("\n", start)
        end = len(self.text) if end < 0 else end
        if self.text[start] not in "[⟦" or not re.search(r"\d", self.text[start : start + 200]):
            return start
        self._left_out(start, "its bracket is never closed.")
        return end

    def _read(self, start: int, depth: int = 0) -> tuple[Any, tuple[str, ...]]:
        """Return nested lists of the cells in a bracket, and the words beside its rows. A cell that
        is no number is "". Raises _Unreadable."""
        end, kids = self.partner[start], self.kids[start]
        body = self.text[start + 1 : end]
        if "..." in body or re.search(r"\\[cvld]?dots", body):
            raise _Unreadable("an ellipsis stands for numbers; write them all.")
        words = self._labels(start) if kids and depth < DEEPEST else None
        if words is not None:
            parts = [self._read(kid, depth + 1) for kid in kids]
            return [part[0] for part in parts], _all_or_none(words)
        nested = any(self.text[kid] in "[⟦" for kid in kids)
        if nested or ":" in body or not re.search(r"\d|inf|∞|[Tt]rue|[Ff]alse", body):
            return [""], ()
        rows, either = cells_of(body, self.text[start], self.decimal)
        self.either |= either
        said = [row.pop(0) if self.text[start] == "⟦" and _is_word(row) else "" for row in rows]
        numbers = [[cell(one) or "" for one in row] for row in rows]
        flat_row = len(numbers) == 1 and self.text[start] != "⟦"
        return (numbers[0] if flat_row else numbers), _all_or_none(_remove_styles(said))

    def _labels(self, start: int) -> list[str] | None:
        """Return the word beside each bracket in this one, "" for none; None where this one is no
        list of rows."""
        place, words = start + 1, []
        for kid in self.kids[start]:
            gap = self.text[place:kid]
            bare = _CALL_OF_ROW.sub("", gap.lstrip(" ,;\n\t"))
            match = _LABEL.fullmatch(bare) if bare else None
            is_name = match and parse_name(match[1]) and not may_be_a_word(match[1])
            if bare and (not match or is_name or self.kids[kid]):
                return None
            place = self.partner[kid] + 1
            words.append(match[1] if match else self._comment(place))
        behind = re.sub(r"//.*", "", self.text[place : self.partner[start]])
        return words if not behind.strip(" ,;\n\t)") else None

    def _comment(self, place: int) -> str:
        return self.made.words.get(self.line(place) - 1, "") if self._ends_line(place) else ""

    # ---------- rows of a table ----------

    def _tables(self) -> list[_Block]:
        """Return the matrices of tables that are drawn with |: columns of vectors under their
        names, or all columns of numbers."""
        found: list[_Block] = []
        lines, i = self.text.split("\n"), 0
        while i < len(lines):
            first = i
            while i < len(lines) and lines[i].count("|") > 1:
                i += 1
            rows = [
                (k, [one.strip(" *`") for one in lines[k].strip().strip("|").split("|")])
                for k in range(first, i)
                if not re.fullmatch(r"[\s|:=+-]*", lines[k])
            ]
            if len(rows) > 1 and min(len(row) for _, row in rows) > 1:
                found += self._read_table(rows)
            i = max(i, first + 1)
        return found

    def _read_table(self, rows: list[tuple[int, list[str]]]) -> list[_Block]:
        start, end = self.starts[rows[0][0]], self.starts[rows[-1][0]] + 1
        end = (self.text.find("\n", end) + 1 or len(self.text) + 1) - 1
        head, body = rows[0][1], [row for _, row in rows[1:]]
        if any(len(row) != len(head) for row in body):
            return []
        columns = [[_vector(row[k]) for row in body] for k in range(len(head))]
        wordy = not any(columns[0]) or (not head[0] and len(head) > 1 and _counts(columns[0]))
        words = tuple(row[0] for row in body) if wordy and not any(columns[0]) else ()
        mine = [parse_name(title) for title in head]
        of_rows = [parse_name(row[0]) for row in body]
        if all(of_rows):  # a matrix in each row, a word in each column
            return [
                _Block([_vector(one) or [""] for one in row[1:]], start, end, (), (name,))
                for name, row in zip(of_rows, body, strict=True)
                if name and _is_even([_vector(one) or [""] for one in row[1:]])
            ]
        rest = range(bool(wordy), len(head))
        if all(len(one or ()) == 1 for k in rest for one in columns[k]) and (
            counted := number_columns([head[k] for k in rest])
        ):
            numbers = [[one[0] for k in rest if (one := columns[k][i])] for i in range(len(body))]
            return self._split_columns(_Block(numbers, start, end, words), counted)
        of_names = [
            _Block(list(column), start, end, words, (name,))
            for name, column in zip(mine, columns, strict=True)
            if name and all(column) and len({len(one or ()) for one in column}) == 1
        ]
        if of_names and (len(of_names) > 1 or len(of_names[0].numbers[0]) > 1):
            return of_names
        numeric = columns[1:] if wordy else columns
        heads = head[1:] if wordy else head
        if any(not any(column) for column in numeric):
            return []
        table = [
            [one for part in row for one in (part or [""])] for row in zip(*numeric, strict=True)
        ]
        if all(cell(title) is not None for title in heads) and not _counts(
            [[each] for each in heads]
        ):
            table, words = [list(heads), *table], (head[0], *words) if words else ()
        corner = () if not wordy or mine[0] is None else (mine[0],)
        return [_Block(table, start, end, words, corner)] if _is_even(table) else []

    def _rows(self, taken_: Sequence[_Block]) -> Iterator[_Block]:
        """Return the matrices whose rows stand below one another without brackets, a word or a name
        before each."""
        covered = {
            line
            for one in taken_
            for line in range(self.line(one.start) - 1, self.line(max(one.start, one.end - 1)))
        }
        run: list[tuple[int, str, str, list[list[str]]]] = []
        lines = self.text.split("\n")
        for i, line in enumerate([*lines, ""]):
            row = None if i in covered or i == len(lines) else self._row(line, run)
            goes_on = bool(
                row
                and run
                and (not row[1] or _may_go_on(row[0]))
                and len(row[2][0]) == len(run[0][3][0])
            )
            if run and not goes_on and (row or not re.fullmatch(r"[\s|:=+-]*-[\s|:=+-]*", line)):
                same_run = row and not row[1] and run[-1][0] == i - 1 and not row[0]
                yield from self._read_rows(run, ragged=bool(same_run))
                run = []
                if same_run:
                    continue
            if row:
                run.append((i, *row))

    def _row(self, line: str, run: Sequence[Any]) -> tuple[str, str, list[list[str]]] | None:
        """Return the words before the numbers of a line, the sign behind them, and the numbers;
        None where it holds anything else."""
        bare = line.strip().rstrip(";\\").rstrip().strip("|")
        if not re.search(r"\d", bare) or len(bare) > 9000 or re.search(r"[\[\]{}⟦⟧\"]", bare):
            return None
        match = re.match(r"(.*[=:→|]|.*->)\s*(?=\S)", bare) if "|" not in bare else None
        label, sign = ("", "")
        if match:
            label, sign, bare = match[1].rstrip("=:→|-> "), match[1][-1], bare[match.end() :]
        word = re.match(r"\s*([^\W\d_][^\s,;|]*|[^\w\s.,;|+-]{1,3})[\s,;|]+(?=\S)", bare)
        if word and cell(word[1]) is None:
            label, bare = f"{label}{sign} {word[1]}".strip(), bare[word.end() :]
        rows, _ = cells_of(bare, "", self.decimal)
        numbers = [[cell(one) or "" for one in row] for row in rows]
        cells = flat(numbers)
        bad = cells.count("")
        if not cells or (
            bad and not (run and len(cells) == len(run[0][3][0]) and bad * 2 < len(cells))
        ):
            return None
        if (label and len(cells) < 2) or len(label.split()) > 4 or not _is_even(numbers):
            return None
        return label, (sign if sign in "=:" else ""), numbers

    def _read_rows(
        self, run: Sequence[tuple[int, str, str, list[list[str]]]], ragged: bool
    ) -> Iterator[_Block]:
        header = [[each] for each in flat(run[0][3])]
        if not run[0][1] and _counts(header) and len(run) > 1 and all(one[1] for one in run[1:]):
            run = [
                (run[0][0], *run[1][1:]),
                *run[2:],
            ]  # the columns' numbers, as pandas prints them
        first, label, sign, _ = run[0]
        numbers = [row for _, _, _, rows in run for row in rows]
        start = self.starts[first]
        line = self.text[self.starts[first] :].partition("\n")[0]
        words = [(one[1].split() or [""])[-1] for one in run]
        head, _, word = label.partition(sign) if sign else (label, "", "")
        if sign and not word and len(run) > 1 and (may_be_a_word(head) or not parse_name(head)):
            sign = ""  # the word of the first row
        if sign:
            start += line.find(sign) + 1
            words[0] = word.strip()
        if ragged:
            self._left_out(start, "its rows are not of one length.")
            return
        if len(numbers) == 1 and (len(numbers[0]) < 2 or not (sign or not label)):
            return
        words = [one or self.made.words.get(run[k][0], "") for k, one in enumerate(words)]
        end = self.starts[run[-1][0]] + len(self.text[self.starts[run[-1][0]] :].partition("\n")[0])
        kept = numbers if len(numbers) > 1 else numbers[0]
        told = _all_or_none(words) if len(run) == len(numbers) else ()
        above = self.text.split("\n")[first - 1].split() if first else []
        titles = above[1:] if told and len(above) > len(numbers[0]) else above
        columns = number_columns(titles) if len(titles) == len(numbers[0]) else {}
        yield from self._split_columns(_Block(kept, start, end, told), columns)

    def _split_columns(self, block: _Block, places: Mapping[str, list[int]]) -> list[_Block]:
        """Return the matrices that stand side by side in one, by name; itself where there are
        none."""
        parts = [
            replace(
                block, numbers=[[row[k] for k in own] for row in block.numbers], names=(Name(name),)
            )
            for name, own in places.items()
        ]
        return parts or [block]

    # ---------- put together ----------

    def entries(self) -> tuple[Entry, ...]:
        """Return all matrices with their names."""
        blocks = self.blocks()
        if len(blocks) > MAX_FOUND:
            self.faults.append(f"Only the first {MAX_FOUND} matrices are read.")
        found: list[Entry] = []
        waiting: list[Name] = []
        head = None
        for block, before in self._rows_together(list(self._results(blocks[:MAX_FOUND]))):
            headings = re.findall(r"(?i)\bhead\s*[#_]?\s*(\d{1,2})\b", before[-200:])
            head = int(headings[-1]) if headings else head
            together = bool(waiting) and is_empty(before)
            waiting = waiting[1:] if together else list(find_listed_names(before))
            names, is_part = ((waiting[0],), False) if waiting else (block.names, False)
            if not names:
                names, is_part = find_names_before(before)
            if is_part:
                self._is_a_part(block, "a matrix")
                continue
            found += self._name_block(block, names, head)
        outside = {entry.name for entry in found if not entry.comment}
        return tuple(entry for entry in found if not (entry.comment and entry.name in outside))

    def _name_block(
        self, block: _Block, names: Sequence[Name], head: int | None
    ) -> Iterator[Entry]:
        line = self.line(block.start)
        if shape(block.numbers) == (1,):  # a size, or cells that have run together
            first = names[0] if names else Name("")
            if first.number is None and not first.word and first.name[:2] != "b_":
                if names:
                    says = "it is one number alone: a size, or cells that have run together."
                    self.faults.append(f"Line {line}: {symbol(first.name)} is not read: {says}")
                return
        size = shape(block.numbers)
        if not names and (len(size) < 2 or max(size[-2:]) < 2):
            return
        if names and names[0].word and len(size) > 1 and min(size) > 1:  # Q_grad is no row of Q
            names = ()
        for name in names or (Name(""),):
            words = block.words if len(size) > 1 or not names else ()
            turned = name.turned and len(size) > 1
            yield Entry(
                name.name,
                transpose(block.numbers) if turned else block.numbers,
                line,
                name.said,
                name.number,
                head,
                name.word or (block.words[0] if len(size) == 1 and len(block.words) == 1 else ""),
                () if turned else words,
                name.stored,
                block.either,
                line - 1 in self.made.comments,
            )

    def _results(self, blocks: Sequence[_Block]) -> Iterator[tuple[_Block, str]]:
        """Return each matrix with what stands before it; of a calculation what comes out, turned
        where its transpose is written, and no factor."""
        at, before_end = 0, 0
        while at < len(blocks):
            end, results = at + 1, [at]
            while end < len(blocks) and (link := self._link(blocks[end - 1], blocks[end])):
                results = [end] if link == "result" else []
                end += 1
            first, last = blocks[at], blocks[end - 1]
            before = self.text[max(before_end, first.start - MAX_BEFORE) : first.start]
            before_end = last.end
            behind = re.sub(
                r"^[\s)\]$]*?(?=\S)", "", self.text[last.end : last.end + 60].partition("\n")[0]
            )
            turned = re.match(TURN, behind.lstrip(")] "))
            if turned and len(shape(last.numbers)) > 1 and not last.names:
                last = replace(last, numbers=transpose(last.numbers), words=())
                behind = behind.lstrip(")] ")[turned.end() :]
            goes_on = re.match(
                rf"[\s)\]]*(?:{_OPERATOR}\s*(?:[\d.√(\[\\]|np\.|torch\.|math\.|sqrt)|@)", behind
            )
            if results and not goes_on:
                yield last, before
            elif len(shape(last.numbers)) > 1:
                names, _ = find_names_before(before)
                if names and names[0].name not in SOLUTIONS:
                    self._is_a_part(first, symbol(names[0].name))
            at = end

    def _is_a_part(self, block: _Block, what: str) -> None:
        says = "it is a part of a calculation: write what comes out."
        self.faults.append(f"Line {self.line(block.start)}: {what} is not read: {says}")

    def _link(self, one: _Block, other: _Block) -> str:
        """Return how two matrices are one calculation: the other is its "result" or a "factor"; ""
        where they are not."""
        gap = self.text[one.end : other.start] if other.start - one.end < 120 else ";"
        bare = re.sub(r"^[\s)\]$]+", "", gap).strip(" ([$&")
        if (
            one.names
            or other.names
            or re.search(r"[;,]|\b(?:and|then|where)\b", bare)
            or gap.count("\n") > 1
        ):
            return ""
        below = gap.partition("\n")[2].strip(" ([$&")
        if "\n" in gap and below and not re.match(rf"{_OPERATOR}|=|≈|\\approx", below):
            return ""
        signed = re.match(rf"(?:{TURN})?\s*(?:{_OPERATOR}|=(?!>)|≈|\\approx)", bare)
        if not bare.strip() or re.fullmatch(TURN, bare.strip()):
            both = max(len(shape(one.numbers)), len(shape(other.numbers))) > 1
            return "factor" if both and "\n" not in gap else ""
        if not signed or ("\n" in gap and re.search(r"\n\s*[-*+]\s+\W*[A-Za-z]", gap)):
            return ""
        return "result" if re.search(r"(?:=|≈|\\approx)\s*&?\s*$", bare) else "factor"

    def _rows_together(self, blocks: Sequence[tuple[_Block, str]]) -> Iterator[tuple[_Block, str]]:
        """Put rows that stand alone below one another to one matrix: nothing stands between them,
        or only a word before each. q1, q2 stay apart: they have names."""
        run: list[tuple[_Block, str, str]] = []
        for block, before in blocks:
            lead = before.rpartition("\n")[2]
            label = self._label(lead, block)
            one_row = len(shape(block.numbers)) == 1 and not block.names
            if one_row and run and self._goes_on(run, block, before, lead, label):
                run.append((block, before, label))
                continue
            yield from self._close_run(run)
            run = [(block, before, label)] if one_row else []
            if not one_row:
                yield block, before
        yield from self._close_run(run)

    def _label(self, lead: str, block: _Block) -> str:
        bare = _CALL_OF_ROW.sub("", lead.strip(" \t,;[{("))
        match = _LABEL.fullmatch(bare) if bare else None
        if match:
            return match[1].rstrip(".'\"`") or match[1]
        return "" if bare else (block.words or (self._comment(block.end),))[0]

    def _goes_on(
        self,
        run: Sequence[tuple[_Block, str, str]],
        block: _Block,
        before: str,
        lead: str,
        label: str,
    ) -> bool:
        first, _, first_label = run[0]
        above = before.rpartition("\n")[0]
        if (
            shape(block.numbers) != shape(first.numbers)
            or re.search(r"\w", above)
            or not 0 < before.count("\n") < 3
        ):
            return False
        if not lead.strip(" \t,;[("):
            return True
        return bool(label and first_label) and (
            _is_arrow(lead) or may_be_a_word(label) or not find_names_before(lead)[0]
        )

    def _close_run(self, run: Sequence[tuple[_Block, str, str]]) -> Iterator[tuple[_Block, str]]:
        if not run:
            return
        block, before, label = run[0]
        above, _, lead = before.rpartition("\n")
        is_named = bool(find_names_before(lead)[0]) and not _is_arrow(lead)
        if len(run) == 1:
            yield replace(block, words=(label,) if label and not is_named else ()), before
            return
        labels = [
            "" if is_named and lead.strip() and not block.words else label,
            *(one[2] for one in run[1:]),
        ]
        if is_named:
            labels[0] = (block.words or (self._comment(block.end),))[0]
        numbers = [one[0].numbers for one in run]
        whole = replace(block, numbers=numbers, end=run[-1][0].end, words=_all_or_none(labels))
        yield whole, (before if is_named or not lead.strip(" \t,;[(") else above)


# ---------- rows and cells ----------


Cells = list[list[str]]


def cells_of(body: str, kind: str, decimal: bool = False) -> tuple[Cells, bool]:
    """Return the rows of a bracket's text, or of a line, each with its cells' texts; and whether a
    comma in them may be a decimal one as well.

    >>> cells_of("1 0; 0 1", "["), cells_of("0,5; 0,1", "(")
    (([['1', '0'], ['0', '1']], False), ([['0.5', '0.1']], False))
    """
    if kind == "⟦" or "&" in body:
        rows = re.split(r"\\\\(?:\[[^\]]*\])?|\\cr\b", body)
        parted = [
            [_use_decimal_points(one.strip()) for one in row.split("&")]
            for row in rows
            if row.strip()
        ]
        return [_split_at_spaces(row[0]) if len(row) == 1 else row for row in parted], False
    parts = [str(part).strip() for part in re.split(r";|\\\\", body) if part.strip()]
    is_decimal, either = _decimal_commas(parts, kind, decimal)
    if is_decimal:
        parts = [_use_decimal_points(part) for part in parts]
        if len(parts) > 1 and all(len(re.split(r"[\s|]+", part)) == 1 for part in parts):
            return [parts], False
        return [part.replace("|", " ").split() for part in parts], False
    lines = [line.strip() for line in body.strip().split("\n") if line.strip()]
    if len(parts) == 1 and len(lines) > 1 and not any("," in line[-1] for line in lines):
        parts = lines
    found = [_cells(part) for part in parts]
    if kind in ("", "(") and len(found) > 1 and all(len(row) == 1 for row in found):
        return [[row[0] for row in found]], either
    return found, either


def _cells(row: str) -> list[str]:
    for separator in ("|", "\t", ","):
        if separator in row:
            whole = row.strip().rstrip(",|").lstrip("|") if separator != "\t" else row.strip()
            found = [one.strip() for one in whole.split(separator)]
            return [one for one in found if one] if separator == "\t" else found
    return _split_at_spaces(row.strip())


def _split_at_spaces(row: str) -> list[str]:
    """Return what white space parts, or the one cell that it all is."""
    return [row] if cell(row) is not None or "=" in row else row.split()


def _decimal_commas(parts: Sequence[str], kind: str, decimal: bool) -> tuple[bool, bool]:
    """Return whether commas are decimal ones, and whether both may be."""
    commas = [part.count(",") for part in parts]
    glued = sum(len(re.findall(r"(?<=\d),(?=\d)", part)) for part in parts)
    pointed = any(re.search(r"\d\.|\.\d", part) for part in parts)
    if not sum(commas) or glued != sum(commas) or pointed:
        return False, False
    pieces = [piece for part in parts for piece in re.split(r"[\s|]+", part.strip("| "))]
    if any(piece.count(",") > 1 for piece in pieces):
        return False, False
    if len(pieces) > len(parts):  # 0,5 1,2 or with tabs
        return True, False
    if len(parts) < 2:
        return decimal and kind != "", False
    sure = kind in ("", "(") or decimal or 0 in commas
    return sure, not sure


def _use_decimal_points(written: str) -> str:
    return re.sub(r"(?<=\d),(?=\d)", ".", written)


def _vector(written: str) -> list[str] | None:
    """Return the numbers of a table's cell, one or several; None where it holds anything else."""
    bare = written.strip()
    inner = bare[1:-1] if re.fullmatch(r"[\[(].*[\])]", bare) else bare
    if (
        number := cell(_use_decimal_points(bare) if re.fullmatch(r"-?\d+,\d+", bare) else bare)
    ) is not None:
        return [number]
    if bare == inner and "," not in bare and not re.fullmatch(r"[-\d.\s]+", bare):
        return None
    rows, _ = cells_of(inner, "(" if ";" in inner else "")
    numbers = [cell(one) for one in rows[0]] if len(rows) == 1 else [None]
    return None if None in numbers else [number for number in numbers if number is not None]


def _is_word(row: Sequence[str]) -> bool:
    return len(row) > 1 and cell(row[0]) is None and bool(re.search(r"[^\W\d]", row[0]))


def _remove_styles(said: Sequence[str]) -> list[str]:
    return [re.sub(r"\\[a-z]+\{([^{}]*)\}", r"\1", word).strip(" {}") for word in said]


def _all_or_none(words: Sequence[str]) -> tuple[str, ...]:
    """Return one word for each row; none where a row has none, or all have the same."""
    return tuple(words) if all(words) and (len(words) == 1 or len(set(words)) > 1) else ()


def _may_go_on(label: str) -> bool:
    word = (label.split() or [""])[-1]
    return not label or may_be_a_word(word) or parse_name(label) is None


def _is_arrow(lead: str) -> bool:
    return bool(re.search(r"→|->|=>|⇒|↦|\\to|\\rightarrow", lead))


def _counts(column: Sequence[Any]) -> bool:
    """Return whether numbers count, from 0 or from 1."""
    values = [str(one[0]) if one else "" for one in column]
    return any(values == [str(i + start) for i in range(len(values))] for start in (0, 1))


def _is_even(numbers: Any) -> bool:
    if not isinstance(numbers, list):
        return True
    return (
        bool(numbers) and all(map(_is_even, numbers)) and len({shape(one) for one in numbers}) == 1
    )


def _describe_lengths(numbers: Any) -> str:
    lengths = list(dict.fromkeys(len(row) for row in numbers if isinstance(row, list)))
    if len(lengths) < 2:
        return "its rows are not alike."
    return f"its rows are not of one length: one has {lengths[0]}, another {lengths[1]}."
