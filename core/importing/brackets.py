"""Matrices that a text in one notation holds in brackets: nested, or rows parted by ; or lines."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..fields.nested import flat, is_even
from .cells import UnreadableError, cell, split_cells
from .labels import find_listed_names, may_be_a_word
from .names import parse_name
from .notation import GLUED, Plain

DEEPEST = 6
MAX_BEFORE = 400  # letters before a matrix that may name it
_CLOSES = {"[": "]", "(": ")", "{": "}"}
_LABEL = re.compile(  # a word beside a row, or a sign such as a comma or 🙂
    r"[\"'`*_(\[{|-]{0,3}([^\W_][^\s=:,;|&\\\[\](){}\"→]{0,40}|[^\w\s=:|\[\](){}\"'→-]{1,4}|##\w{1,20})[\"'`*_)\]}|]{0,3}"
    r"\s{0,4}(?:→|->|=>|⇒|↦|\\to|\\rightarrow|:=|=|:|<-|←)?\s*"
)
_PARAGRAPH = re.compile(r"\n(?=[^\W\d]|[ \t]*\n)")
_RESHAPED = re.compile(r"[\s)]*\.(?:reshape|view)\(\s*\(?(\d{1,3}),\s*(\d{1,3})\)?\s*\)")


@dataclass(frozen=True)
class Block:
    """Numbers that stand together, as nested lists of texts ("" for a cell that is none), their
    place, the words beside their rows, and the text between the block before and this one."""

    numbers: Any
    start: int
    end: int
    words: tuple[str, ...] = ()
    name: str = ""  # a title above tells it
    before: str = ""


@dataclass
class _Bracket:
    sign: str
    start: int
    end: int = -1
    inner: list["_Bracket"] = field(default_factory=list)
    height: int = 0


class Brackets:
    """The matrices in brackets of a text; `faults` are the places of those that cannot be read, and
    why."""

    def __init__(self, made: Plain) -> None:
        self.made, self.text = made, made.text
        self.faults: list[tuple[int, str]] = []

    def find(self) -> Iterator[Block]:
        """Yield them in their order; a row in brackets is one too."""
        waiting = self._match()[::-1]
        while waiting:
            bracket = waiting.pop()
            if bracket.end < 0:
                end = self._skip_unclosed(bracket)
                inner = reversed(bracket.inner)
                waiting += [one for one in inner if one.end < 0 or one.start >= end]
                continue
            if self._is_index(bracket):
                continue
            try:
                block = self._read_block(bracket) if self._may_hold(bracket) else None
            except UnreadableError as why:
                self.faults.append((bracket.start, str(why)))
                continue
            if block:
                yield block
            else:
                waiting += reversed(bracket.inner)

    def _match(self) -> list[_Bracket]:
        """Return the outermost brackets, with those inside them. Round ones around a single bracket
        are none."""
        stack = [_Bracket("", -1)]
        for match in re.finditer(r"[\[\](){}]", self.text):
            if match[0] in _CLOSES:
                stack[-1].inner.append(_Bracket(match[0], match.start()))
                stack.append(stack[-1].inner[-1])
            elif any(_CLOSES.get(one.sign) == match[0] for one in stack[-3:]):
                while _CLOSES[stack[-1].sign] != match[0]:
                    stack.pop()
                closed = stack.pop()
                closed.end, outer = match.start(), stack[-1]
                for one in closed.inner if closed.sign == "(" else ():
                    if (
                        self._skip_gap(closed.start) == one.start
                        and self._skip_gap(one.end) == closed.end
                    ):
                        closed = outer.inner[-1] = one
                outer.height = max(outer.height, closed.height + 1)
        return stack[0].inner

    def _skip_gap(self, place: int) -> int:
        """Return where anything but white space and commas stands behind a place."""
        behind = self.text[place + 1 : place + 200]
        return place + 1 + len(behind) - len(behind.lstrip(" ,\n\t"))

    # ---------- which of them hold numbers ----------

    def _is_index(self, bracket: _Bracket) -> bool:
        """Return whether a bracket says which cell: x[0], ^{2}."""
        before, inside = (
            self.text[: bracket.start][-1:],
            self.text[bracket.start + 1 : bracket.end][:60],
        )
        if bracket.sign == "[" and re.match(r"[\w)\]]", before):
            return not re.search(r"[\[;\n]", inside) and (before not in ")]" or "," not in inside)
        return bracket.sign == "{" and before in ("_", "^") and not bracket.inner

    def _may_hold(self, bracket: _Bracket) -> bool:
        """Return whether a bracket may be one of numbers, and is not around a call's arguments."""
        start, end = bracket.start, bracket.end
        if bracket.height > DEEPEST:
            return False
        if bracket.sign == "{":  # a list of C's or Java's, and no argument of LaTeX
            glued = re.match(r"[\\\w}^_]", self.text[max(0, start - 1) : start])
            inside = self.text[start:end]
            return not (glued and not inside.startswith("{{")) and "\\" not in inside
        if bracket.sign == "[":
            return True
        if find_listed_names(self.text[max(0, start - MAX_BEFORE) : start]):
            return False
        line = self.text[self.text.rfind("\n", 0, start) + 1 : start]
        if re.search(r"\w$", line):
            return False
        rest = self.text[end + 1 : end + 41].partition("\n")[0]
        alone = re.search(r"(?:^|[=:→>,&|(;←])\s*$", line) or (
            re.fullmatch(r"\s*\S{1,40}\s*", line) and not rest.strip(" \t,;")
        )
        return bool(alone or bracket.inner)

    def _skip_unclosed(self, bracket: _Bracket) -> int:
        """Note that a bracket is never closed, and return where to go on: at a line that begins
        with a letter, or behind an empty one."""
        start = bracket.start
        if bracket.sign != "[" or not re.search(r"\d", self.text[start : start + 200]):
            return start
        self.faults.append((start, "its bracket is never closed."))
        end = _PARAGRAPH.search(self.text, start)
        return end.start() if end else len(self.text)

    # ---------- what they hold ----------

    def _read_block(self, bracket: _Bracket) -> Block | None:
        """Return the numbers of a bracket; None where most are none. Raises UnreadableError."""
        start, end = bracket.start, bracket.end
        numbers, words = self._read(bracket)
        cells = flat(numbers)
        if not any(cells) and GLUED in self.text[start:end]:
            raise UnreadableError("its digits have run together: write what parts the cells.")
        is_list = bracket.sign == "[" and "," in self.text[start:end]
        few = bracket.sign == "(" and len(cells) < 2
        if few or cells.count("") * 2 >= len(cells) + is_list:
            return None
        if not is_even(numbers):
            lengths = {len(row): None for row in numbers if isinstance(row, list)}
            listed = ", another ".join(map(str, lengths))
            raise UnreadableError(f"its rows are not of one length: one has {listed}.")
        shaped = _RESHAPED.match(self.text[end + 1 : end + 40])
        if shaped and isinstance(numbers[0], str) and int(shaped[1]) * int(shaped[2]) == len(cells):
            wide = int(shaped[2])
            numbers = [cells[k : k + wide] for k in range(0, len(cells), wide)]
        return Block(numbers, start, end + 1, words)

    def _read(self, bracket: _Bracket) -> tuple[Any, tuple[str, ...]]:
        """Return nested lists of the cells in a bracket, and the words beside its rows. Raises
        UnreadableError."""
        body = self.text[bracket.start + 1 : bracket.end]
        if "..." in body or re.search(r"\\[cvld]?dots", body):
            raise UnreadableError("an ellipsis stands for numbers; write them all.")
        labels = self._labels(bracket) if bracket.inner else None
        if labels is not None:
            return [self._read(one)[0] for one in bracket.inner], all_or_none(labels)
        is_list = any(one.sign == "[" for one in bracket.inner)
        if is_list or ":" in body or not re.search(r"\d|inf|∞|[Tt]rue|[Ff]alse", body):
            return [""], ()
        rows = split_cells(body, bracket.sign)
        said = [row.pop(0) if len(rows) > 1 and _is_word(row) else "" for row in rows]
        numbers = [[cell(one) or "" for one in row] for row in rows]
        words = all_or_none([re.sub(r"[{}]", "", one).strip() for one in said])
        return (numbers[0] if len(numbers) == 1 else numbers), words

    def _labels(self, bracket: _Bracket) -> list[str] | None:
        """Return the word beside each bracket in this one, "" for none; None where this one is no
        list of rows."""
        place, words = bracket.start + 1, []
        for one in bracket.inner:
            bare = self.text[place : one.start].lstrip(" ,;\n\t)").rstrip(" (")
            match = _LABEL.fullmatch(bare) if bare else None
            is_name = match and parse_name(match[1]) and not may_be_a_word(match[1])
            if bracket.sign == "[" and re.search(r"\w\s*=", bare):
                raise UnreadableError("its bracket is never closed.")
            if one.end < 0 or (bare and (not match or is_name or one.inner)):
                return None
            place = one.end + 1
            words.append(match[1] if match else self.comment(place))
        behind = re.sub(r"//.*", "", self.text[place : bracket.end])
        return None if behind.strip(" ,;\n\t)") else words

    def comment(self, place: int) -> str:
        """Return the word that a comment says behind a place, where nothing else stands there."""
        rest = self.text[place : place + 40].partition("\n")[0]
        is_last = not re.search(r"[^\s,;)\]]", rest)
        return self.made.words.get(self.text.count("\n", 0, place), "") if is_last else ""


def label_of(lead: str) -> str:
    """Return the word that stands before a row; "" where there is none.

    >>> label_of("please → "), label_of("| cat | "), label_of("[1, 2] · W = ")
    ('please', 'cat', '')
    """
    bare = lead.strip(" \t,;[{(|")
    match = _LABEL.fullmatch(re.sub(r"^(?:[^\W\d_]\w*[ \t]+){1,3}", "", bare)) or _LABEL.fullmatch(
        bare
    )
    return (match[1].rstrip(".'\"`") or match[1]) if match else ""


def _is_word(row: Sequence[str]) -> bool:
    return len(row) > 1 and cell(row[0]) is None and bool(re.search(r"[^\W\d]", row[0]))


def all_or_none(words: Sequence[str]) -> tuple[str, ...]:
    """Return one word for each row; none where a row has none, or all have the same."""
    return tuple(words) if all(words) and (len(words) == 1 or len(set(words)) > 1) else ()
