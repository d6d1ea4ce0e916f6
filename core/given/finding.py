"""Matrices found in a pasted text: in brackets, in LaTeX, as rows of a table; with what stands
before them and beside their rows.

What cannot be read whole is left out and said in a sentence with its line. Nothing is read half.
"""

import re
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .brackets import R_VECTORS, Brackets, Broken, in_order, ragged, why_no_number
from .lexing import Piece, pieces
from .nested import shape
from .tables import Row, is_rule, row_of, without_index

# numbers, words and signs of one text; as many numbers, where a word stands for a matrix of them
MOST_PIECES = 60_000
MOST_FOUND = 200  # matrices of one text
MOST_BEFORE = 400  # letters before a matrix that may name it
_WRAPPER = re.compile(
    r"(?:np\.|numpy\.|torch\.|jnp\.|tf\.)?(?:float|int|double|tensor|array|mpf|bfloat|Decimal)[0-9]*"
)
_NO_MATRIX = re.compile(
    r"(?:.*\.)?(?:shape|size|Size|reshape|view|zeros|ones|rand|randn|figsize|range|arange|Linear|sum|dim|axis|Conv1D)"
)
_IDENTITY = re.compile(r"(?:np\.|numpy\.|torch\.|jnp\.|tf\.)?(?:eye|identity)")
_OPENS = ("open", "begin")


@dataclass(frozen=True)
class Block:
    """Numbers that stand together: nested lists of texts, 1 to 4 deep; where, what stands before
    them, words of their rows."""

    numbers: Any
    line: int
    start: int
    end: int
    before: str = ""
    after: str = ""  # a comment on its last line
    words: tuple[str, ...] = ()
    pointed: bool = False

    @property
    def shape(self) -> tuple[int, ...]:
        """How long it is along each axis."""
        return shape(self.numbers)


@dataclass(frozen=True)
class Fault:
    """Why something is left out, in words, and its line."""

    line: int
    says: str


def find(text: str) -> tuple[list[Block], list[Fault]]:
    """Return the matrices of a cleaned text in their order, and what is left out."""
    found = list(islice(pieces(text), MOST_PIECES + 1))
    if len(found) > MOST_PIECES:
        return [], [
            Fault(
                1,
                f"the text holds more than {MOST_PIECES:,} numbers and signs. Bring the matrices"
                " alone.",
            )
        ]
    finder = _Finder(text, _joined(found))
    finder.run()
    return finder.blocks, finder.faults


class _Finder:
    def __init__(self, text: str, found: list[Piece]) -> None:
        self.text, self.pieces = text, found
        self.brackets = Brackets(text, self.pieces)
        self.made = 0  # numbers for which a word stands
        self.blocks: list[Block] = []
        self.faults: list[Fault] = []
        self.line_ends = (0, -1)
        self.told = 0  # up to where the text belongs to something that was found or left out

    def run(self) -> None:
        i, fresh = 0, True
        while i < len(self.pieces) and len(self.blocks) <= MOST_FOUND:
            piece = self.pieces[i]
            if fresh:
                rows_end = self._rows(i)
                if rows_end > i:
                    i = rows_end
                    continue
            fresh = piece.kind == "newline"
            if piece.kind in _OPENS and i in self.brackets.partner:
                i = self._bracket(i)
            elif i in self.brackets.alone:
                i = self._unclosed(i)
            else:
                i += 1

    # ---------- in brackets ----------

    def _bracket(self, i: int) -> int:
        """Read the bracket that opens here, if it holds a matrix, and return where to go on."""
        j, called = self.brackets.partner[i], self._called(i)
        if called == "matrix" and self.brackets.inside[i].numbers > 1:
            return self._matrix_of_r(i, j)
        if (
            called
            and _IDENTITY.fullmatch(called)
            and j == i + 2
            and re.fullmatch(r"[1-9][0-9]?", self.pieces[i + 1].text)
        ):
            return self._identity(i, j, int(self.pieces[i + 1].text))
        if self._is_index(i, called):
            return j + 1
        if not self._holds_a_matrix(i, called):
            return i + 1
        try:
            numbers, words, pointed = self.brackets.read(i)
        except Broken as broken:
            self._leave_out(broken.line, broken.says, self.pieces[j].end)
            return j + 1
        if called == "cbind":
            numbers, words = [list(column) for column in zip(*numbers, strict=True)], ()
        self._keep(numbers, i - (called in R_VECTORS), j, words, pointed)
        return j + 1

    def _identity(self, i: int, j: int, n: int) -> int:
        """Write out the matrix that a word stands for, and return where to go on."""
        self.made += n * n
        if self.made > MOST_PIECES:
            self._leave_out(
                self.pieces[i].line,
                f"matrices such as eye({n}) come to too many numbers.",
                self.pieces[j].end,
            )
        else:
            self._keep([[str(int(a == b)) for b in range(n)] for a in range(n)], i - 1, j, ())
        return j + 1

    def _called(self, i: int) -> str:
        """Return the word that a bracket stands at, as that of a function does; "" where it stands
        alone."""
        before = self.pieces[i - 1] if i else None
        return (
            before.text
            if before and before.kind in ("word", "command") and not self.pieces[i].spaced
            else ""
        )

    def _is_index(self, i: int, called: str) -> bool:
        """Return whether a bracket says which cell, or which shape: x[0], shape=(3, 4), zeros(3,
        4)."""
        before, piece = self.pieces[max(0, i - 1)], self.pieces[i]
        behind = i > 0 and not piece.spaced and (bool(called) or before.kind == "close")
        if behind and piece.text == "[" and not self.brackets.inside[i].deep:
            return True
        named = i > 1 and before.kind == "equals" and _NO_MATRIX.fullmatch(self.pieces[i - 2].text)
        return bool(named or (called and _NO_MATRIX.fullmatch(called)))

    def _holds_a_matrix(self, i: int, called: str) -> bool:
        """Return whether a bracket is one of numbers, and not of words, of a function's arguments,
        or around more than one thing."""
        piece, inside = self.pieces[i], self.brackets.inside[i]
        figures, vector = inside.numbers + inside.broken, called in R_VECTORS and piece.text == "("
        if not figures or inside.said or (called and not vector and piece.text in ("(", "{")):
            return False
        if piece.text == "{" and i and self.pieces[i - 1].text.endswith(("_", "^")):
            return False
        if inside.deep or piece.kind == "begin" or vector:
            return True
        return inside.words < figures and (
            piece.text == "[" or (inside.numbers > 1 and not inside.words)
        )

    def _matrix_of_r(self, i: int, j: int) -> int:
        """Read R's matrix(c(…), nrow=2, byrow=TRUE), or another language's call of that name."""
        vector = next(
            (
                k
                for k in range(i + 1, min(i + 6, j))
                if self.pieces[k].text == "(" and self.pieces[k - 1].text == "c"
            ),
            None,
        )
        if vector is None or vector not in self.brackets.partner:
            return i + 1
        rest = self.text[self.pieces[self.brackets.partner[vector]].end : self.pieces[j].start][
            :200
        ].replace(" ", "")
        try:
            numbers, _, pointed = self.brackets.read(vector)
        except Broken as broken:
            self._leave_out(broken.line, broken.says, self.pieces[j].end)
            return j + 1
        wide, high = (
            re.search(r"ncol=([0-9]{1,4})", rest),
            re.search(r"nrow=([0-9]{1,4})|^,([0-9]{1,4})", rest),
        )
        rows = (
            int(high[1] or high[2])
            if high
            else len(numbers) // max(1, int(wide[1]))
            if wide
            else len(numbers)
        )
        if (
            rows < 1
            or not isinstance(numbers[0], str)
            or len(numbers) % rows
            or (wide and rows * int(wide[1]) != len(numbers))
        ):
            self._leave_out(
                self.pieces[i].line,
                f"{len(numbers)} numbers do not make {rows} rows.",
                self.pieces[j].end,
            )
            return j + 1
        columns = len(numbers) // rows
        by_row = [numbers[start : start + columns] for start in range(0, len(numbers), columns)]
        self._keep(
            by_row if "byrow=T" in rest else [numbers[row::rows] for row in range(rows)],
            i - 1,
            j,
            (),
            pointed,
        )
        return j + 1

    def _unclosed(self, i: int) -> int:
        """Say that a bracket is never closed, if numbers follow on its line, and go on behind the
        line."""
        end, last_number = self._ends_of_line(i)
        if self.pieces[i].kind in _OPENS and self.pieces[i].text not in "({" and last_number > i:
            self._leave_out(
                self.pieces[i].line,
                f"“{self.pieces[i].text}” is never closed.",
                self.pieces[end - 1].end,
            )
            return end
        return i + 1

    def _ends_of_line(self, i: int) -> tuple[int, int]:
        """Return where the line of a piece ends, and where its last number stands; remembered,
        since a line may open many brackets."""
        if i >= self.line_ends[0]:
            end, last = i, -1
            while end < len(self.pieces) and self.pieces[end].kind != "newline":
                last = end if self.pieces[end].kind in ("number", "broken") else last
                end += 1
            self.line_ends = (end, last)
        return self.line_ends

    # ---------- rows of a table ----------

    def _rows(self, i: int) -> int:
        """Read lines that hold rows of numbers and nothing else but a word before each, and return
        where to go on; `i` if none do."""
        rows: list[list[str]] = []
        words: dict[int, str] = {}
        read: list[Row] = []
        k, go_on = i, i
        while k < len(self.pieces):
            end = k
            while end < len(self.pieces) and self.pieces[end].kind != "newline":
                end += 1
            line = self.pieces[k:end]
            k = end + 1
            if rows and is_rule(line):
                continue
            row = row_of(line, width=len(rows[-1]) if rows else 0)
            if row is None or (rows and row.named):
                break
            words |= {len(rows): row.word} if row.word else {}
            rows += row.rows
            read.append(row)
            go_on = end
        if rows:
            self._keep_rows(rows, words, read)
        return go_on

    def _keep_rows(self, rows: list[list[str]], words: dict[int, str], read: list["Row"]) -> None:
        start, end = read[0].first, read[-1].last
        if len(rows) == len(rows[0]) == 1 and not read[0].named:
            return  # a number by itself, as in a sentence
        fault = next(
            (Fault(row.broken.line, why_no_number(row.broken)) for row in read if row.broken), None
        )
        if fault is None:
            rows, words = without_index(
                rows, words, self.text[max(self.told, start.start - 200) : start.start]
            )
            fault = Fault(start.line, ragged(rows)) if len({len(row) for row in rows}) > 1 else None
        if fault:
            self._leave_out(fault.line, fault.says, end.end)
            return
        pointed = any(row.pointed for row in read)
        numbers = rows if len(rows) > 1 else rows[0]
        self._add(numbers, start, end, in_order(words, len(rows)), pointed, "")

    # ---------- both ----------

    def _keep(
        self, numbers: Any, i: int, j: int, words: tuple[str, ...], pointed: bool = False
    ) -> None:
        after = ""
        for piece in self.pieces[j + 1 : j + 4]:
            if piece.kind == "comment":
                after = piece.text
            if piece.kind != "comma":
                break
        self._add(numbers, self.pieces[i], self.pieces[j], words, pointed, after)

    def _add(
        self,
        numbers: Any,
        first: Piece,
        last: Piece,
        words: tuple[str, ...],
        pointed: bool,
        after: str,
    ) -> None:
        before = self.text[max(self.told, first.start - MOST_BEFORE) : first.start]
        self.blocks.append(
            Block(numbers, first.line, first.start, last.end, before, after, words, pointed)
        )
        self.told = last.end

    def _leave_out(self, line: int, says: str, end: int) -> None:
        self.faults.append(Fault(line, says))
        self.told = end


def _joined(found: list[Piece]) -> list[Piece]:
    """Put a minus to the number that it stands before, and take np.float64(0.5) for its number."""
    joined: list[Piece] = []
    i = 0
    while i < len(found):
        piece, number = found[i], found[i + 1] if i + 1 < len(found) else None
        if _is_wrapped(found, i):
            joined.append(
                found[i + 2]._replace(start=piece.start, end=found[i + 3].end, spaced=piece.spaced)
            )
            i += 4
        elif (
            piece.text == "-"
            and number
            and number.kind == "number"
            and number.text[0] != "-"
            and _may_begin(joined)
        ):
            joined.append(
                number._replace(
                    text=f"-{number.text}",
                    written=f"-{number.written}",
                    start=piece.start,
                    spaced=piece.spaced,
                )
            )
            i += 2
        else:
            joined.append(piece)
            i += 1
    return joined


def _is_wrapped(found: list[Piece], i: int) -> bool:
    four = found[i : i + 4]
    return (
        [piece.kind for piece in four] == ["word", "open", "number", "close"]
        and bool(_WRAPPER.fullmatch(four[0].text))
        and four[1].text + four[3].text == "()"
    )


def _may_begin(before: list[Piece]) -> bool:
    """Return whether a sign may stand here."""
    return not before or before[-1].kind in (
        "open",
        "begin",
        "comma",
        "amp",
        "rowend",
        "semi",
        "newline",
        "pipe",
    )
