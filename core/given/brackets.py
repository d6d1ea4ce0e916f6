"""A bracket read: numbers in rows, rows in matrices, matrices in heads; with the words beside its
rows. Whole, or not at all."""

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from .exact import LONGEST_NUMBER, spelled
from .lexing import CLOSES, Piece

DEEPEST = 6
R_VECTORS = ("c", "rbind", "cbind")
_TYPESETTING = ("\\text", "\\mathrm", "\\mathbf", "\\textbf", "\\boldsymbol", "\\color")


class Broken(Exception):
    """Why a bracket cannot be read, in words, and in which line."""

    def __init__(self, line: int, says: str) -> None:
        super().__init__(says)
        self.line, self.says = line, says


class Inside:
    """What a bracket holds, all levels together: how many numbers, broken ones, words, signs such
    as =; and how deep it goes."""

    def __init__(self) -> None:
        self.numbers = self.broken = self.words = self.said = self.deep = 0

    def take(self, other: "Inside") -> None:
        """Count what a bracket in this one holds."""
        self.numbers, self.broken, self.words = (
            self.numbers + other.numbers,
            self.broken + other.broken,
            self.words + other.words,
        )
        self.said, self.deep = self.said + other.said, max(self.deep, other.deep + 1)


class Brackets:
    """The pieces of a text with its brackets: which closes which, and what each holds."""

    def __init__(self, text: str, pieces: list[Piece]) -> None:
        self.text, self.pieces = text, pieces
        self.partner: dict[int, int] = {}
        self.inside: dict[int, Inside] = {}
        self.alone: set[int] = set()
        self._match()

    def _match(self) -> None:
        stack: list[int] = []
        for i, piece in enumerate(self.pieces):
            here = self.inside[stack[-1]] if stack else Inside()
            match piece.kind:
                case "open" | "begin":
                    stack.append(i)
                    self.inside[i] = Inside()
                case "close" | "end":
                    self._close(i, stack)
                case "number":
                    here.numbers += 1
                case "broken":
                    here.broken += 1
                case "word" if piece.text not in R_VECTORS:
                    here.words += 1
                case "equals" | "colon" | "arrow":
                    here.said += 1
        self.alone |= set(stack)

    def _close(self, i: int, stack: list[int]) -> None:
        while stack:
            opened = stack.pop()
            if stack:
                self.inside[stack[-1]].take(self.inside[opened])
            piece = self.pieces[opened]
            if (
                self.pieces[i].kind == "end"
                if piece.kind == "begin"
                else CLOSES[piece.text] == self.pieces[i].text
            ):
                self.partner[opened] = i
                return
            self.alone.add(opened)
        self.alone.add(i)

    def read(self, i: int, depth: int = 0) -> tuple[Any, tuple[str, ...], bool]:
        """Return nested lists of the numbers in the bracket that opens here, the words beside its
        rows, and whether whole numbers end in a point. Raises Broken."""
        if depth > DEEPEST:
            raise Broken(self.pieces[i].line, "brackets stand in brackets too deep for a matrix.")
        held = _Held(self.pieces[i])
        k, end = i + 1, self.partner[i]
        cells = self.pieces[i].kind == "begin" and any(
            piece.kind == "amp" for piece in self.pieces[k:end]
        )
        while k < end:
            piece = self.pieces[k]
            if cells and (decimal := decimal_comma(self.pieces, k)):
                held.take(decimal)
                k += 3
                continue
            if k in self.alone:
                raise Broken(piece.line, f"“{piece.text}” has no partner.")
            if piece.kind in ("open", "begin"):
                if self.inside[k].numbers + self.inside[k].broken:
                    child, _, pointed = self.read(k, depth + 1)
                    held.child(child, pointed)
                else:
                    held.word(self.text[piece.end : self.pieces[self.partner[k]].start])
                k = self.partner[k]
            else:
                held.take(piece)
            k += 1
        return held.numbers(depth), held.words_in_order(), held.pointed


class _Held:
    """What was read of one bracket so far."""

    def __init__(self, opens: Piece) -> None:
        self.opens, self.latex = opens, opens.kind == "begin"
        self.rows: list[list[str]] = [[]]
        self.children: list[Any] = []
        self.words: dict[int, str] = {}
        self.lines: list[
            int
        ] = []  # how many numbers there were at each line's end; -1 where a comma ends it
        self.pointed, self.apart = False, True  # `apart`: nothing stands since the last comma

    def take(self, piece: Piece) -> None:
        match piece.kind:
            case "number":
                self.rows[-1].append(piece.text)
                self.pointed |= piece.pointed
                self.apart = False
            case "comma" | "amp" | "semi" | "rowend":
                self._separate(piece)
            case "newline":
                self.lines.append(-1 if self.apart else len(self.rows[-1]))
            case "comment":
                self.words.setdefault(
                    max(0, len(self.children or self.rows) - 1 - self._ended()),
                    first_word(piece.text),
                )
            case "word" if piece.text in R_VECTORS:
                pass
            case "word" | "string" if not self.rows[-1] and (
                self.latex or self.children or piece.kind == "string"
            ):
                self.word(piece.text)
            case "command" if piece.text in _TYPESETTING:
                pass
            case _:
                raise Broken(piece.line, why_no_number(piece))

    def child(self, numbers: Any, pointed: bool) -> None:
        self.children.append(numbers)
        self.pointed |= pointed
        self.apart = False

    def word(self, word: str) -> None:
        """Keep the word before a row's first number."""
        if not self.rows[-1]:
            self.words[len(self.children) or len(self.rows) - 1] = word

    def _ended(self) -> bool:
        return not self.children and not self.rows[-1] and len(self.rows) > 1

    def _separate(self, piece: Piece) -> None:
        if piece.kind in ("semi", "rowend"):
            self.rows += [[]] if self.rows[-1] else []
        elif self.apart and (piece.kind == "comma" or self.rows[-1]):
            raise Broken(
                piece.line,
                "a place between two commas is empty."
                if piece.kind == "comma"
                else "a cell is empty.",
            )
        self.apart = True

    def numbers(self, depth: int) -> Any:
        if self._ended():
            self.rows.pop()
        if self.children and self.rows != [[]]:
            raise Broken(self.opens.line, "numbers and rows stand side by side in one bracket.")
        parts = self.children or self.rows
        shapes = {even(part) for part in parts}
        if len(shapes) > 1 or None in shapes:
            raise Broken(self.opens.line, ragged(parts))
        if self.children or self.latex or len(parts) > 1:
            return parts
        return (self._by_line() if depth == 0 and self.opens.text == "[" else None) or parts[0]

    def _by_line(self) -> list[list[str]] | None:
        """Return rows of a bracket that has one on each line, without commas at their ends; None
        where it has not."""
        numbers = self.rows[0]
        rows = [numbers[a:b] for a, b in pairwise(sorted({0, *self.lines, len(numbers)} - {-1}))]
        return (
            rows
            if len(rows) > 1 and len({len(row) for row in rows}) == 1 and -1 not in self.lines[1:]
            else None
        )

    def words_in_order(self) -> tuple[str, ...]:
        return in_order(self.words, len(self.children or self.rows))


def in_order(words: dict[int, str], rows: int) -> tuple[str, ...]:
    """Return one word for each row; none at all where a row has none, or all have the same, as in
    “# Input 1”."""
    found = tuple(words.get(i, "") for i in range(rows))
    return found if all(found) and (rows == 1 or len(set(found)) > 1) else ()


def even(numbers: Any) -> tuple[int, ...] | None:
    """Return the shape of nested lists; None where they are ragged.

    >>> even([["1", "2"], ["3", "4"]]), even([["1"], ["2", "3"]])
    ((2, 2), None)
    """
    if not isinstance(numbers, list):
        return ()
    shapes = {even(part) for part in numbers}
    inner = next(iter(shapes)) if len(shapes) == 1 else None
    return None if inner is None else (len(numbers), *inner)


def ragged(rows: list[Any]) -> str:
    """Return in words that rows are not of one length."""
    lengths = list(dict.fromkeys(len(row) for row in rows if isinstance(row, list)))
    if len(lengths) < 2:
        return "its rows are not alike."
    return f"its rows are not of one length: one has {lengths[0]}, another {lengths[1]}."


def decimal_comma(pieces: Sequence[Piece], k: int) -> Piece | None:
    """Return the number that begins here, if a comma stands in it for the decimal point: 0,5."""
    whole, comma, behind = (*pieces[k : k + 3], *[None] * 3)[:3]
    if not (whole and comma and behind and comma.kind == "comma") or comma.spaced or behind.spaced:
        return None
    written = f"{whole.written}.{behind.written}"
    if (
        not (whole.written.lstrip("+-").isdigit() and behind.written.isdigit())
        or len(written) > LONGEST_NUMBER
    ):
        return None
    return whole._replace(text=spelled(written), end=behind.end, pointed=False)


def first_word(comment: str) -> str:
    """Return the word that a comment beside a row begins with.

    >>> first_word("# Your  (x^1)"), first_word("% token 1: cat")
    ('Your', 'cat')
    """
    said = comment.lstrip("#/% \t")[:80]
    said = re.sub(
        r"^(?:token|word|row|position|pos)?\s{0,3}[0-9]{0,3}\s{0,3}[:=–-]\s{0,3}",
        "",
        said,
        flags=re.IGNORECASE,
    )
    return next(
        (word.strip("\"',.:;()") for word in said.split() if any(map(str.isalnum, word))), ""
    )


def why_no_number(piece: Piece) -> str:
    """Return in words why something that stands among numbers is none."""
    written = piece.text if len(piece.text) <= 20 else f"{piece.text[:19]}…"
    if piece.kind == "ellipsis":
        return "an ellipsis stands for numbers that are missing; write them all."
    if "?" in written:
        return f"“{written}” is no number: it seems to have lost its signs."
    if re.fullmatch(r"-?[0-9]{1,9}/[0-9]{1,9}", written):
        return f"“{written}” is a fraction: write it with decimals, such as 0.5."
    return f"“{written}” is no number."
