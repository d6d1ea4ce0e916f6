"""Matrices found in a pasted text, in brackets, as rows below one another, in tables, each with the
name beside it. What has none keeps an empty one, and is asked about."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import islice
from typing import Any

from ..fields.nested import shape, transpose
from .brackets import MAX_BEFORE, Block, Brackets
from .labels import find_listed_names, find_names_before, is_empty
from .names import SOLUTIONS, TURN, Name, symbol
from .notation import plain
from .rows import Rows, find_rows

MAX_BYTES = 200_000
MAX_FOUND, MAX_ROWS = 200, 4000  # matrices of one text, and rows that stand by themselves
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
_EQUALS = r"(?:=(?!>)|≈|\\approx)"


@dataclass(frozen=True)
class Entry:
    """One matrix or row of the text: its name ("" where none stands beside it), numbers as nested
    lists of texts, its line, and what the text calls it.

    A cell that is no number is "". `number` is the text's own count of a head or a row, `head` that
    of the heading above, `word` of which token it is a row, `words` are those beside its rows.
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


@lru_cache(maxsize=8)  # a text is read, answered and checked
def find_matrices(text: str) -> Text:
    """Return what stands in a text of at most 200 kB. Never raises."""
    if not isinstance(text, str):
        return Text(messages=("That is no text.",))
    if len(text) > MAX_BYTES or len(text.encode(errors="replace")) > MAX_BYTES:
        says = f"That is longer than {MAX_BYTES // 1000} kB; nothing of it is read."
        return Text(messages=(f"{says} Bring the matrices alone.",))
    finder = _Finder(text)
    entries = finder.entries()
    settings = {
        name: match[1].lower()
        for name, pattern in _SETTINGS.items()
        if (match := pattern.search(finder.text))
    }
    messages = tuple(dict.fromkeys(finder.messages()))[:9]
    return Text(entries, messages, _tokens(finder.text), settings)


def _tokens(text: str) -> tuple[str, ...]:
    """Return the words of a line such as tokens = ["the", "cat"]."""
    match = _TOKENS.search(text)
    if not match:
        return ()
    if match[1].startswith("["):
        return tuple(word.strip() for word in re.findall(r"[\"']([^\"']{1,60})[\"']", match[1]))
    return tuple(match[1][1:-1].split())


class _Finder:
    """Names the matrices of a text; `faults` are the places of what is not read, and why."""

    def __init__(self, text: str) -> None:
        self.made = plain(text)
        self.text = self.made.text
        self.brackets = Brackets(self.made)
        self.faults = self.brackets.faults
        self.said: list[str] = []
        blocks = list(islice(self.brackets.find(), MAX_ROWS + 1))
        blocks += islice(find_rows(self.text, list(blocks)), MAX_ROWS + 1)
        self.blocks = sorted(blocks, key=lambda block: block.start)

    def line(self, place: int) -> int:
        """Return in which line a place stands, from 1."""
        return self.text.count("\n", 0, place) + 1

    def messages(self) -> list[str]:
        """Return a sentence for each matrix with a name that is not read."""
        for place, why in self.faults:
            names, _ = find_names_before(self.text[max(0, place - MAX_BEFORE) : place])
            if names:
                self._leave_out(place, symbol(names[0].name), why)
        return self.said

    def _leave_out(self, place: int, what: str, why: str) -> None:
        self.said.append(f"Line {self.line(place)}: {what} is not read: {why}")

    def entries(self) -> tuple[Entry, ...]:
        """Return all matrices with their names."""
        found: list[Entry] = []
        waiting: list[Name] = []
        head = None
        blocks = Rows(self.brackets).together(self._results(self.blocks[:MAX_ROWS]))
        for block in islice(blocks, MAX_FOUND):
            headings = re.findall(r"(?i)\bhead\s*[#_]?\s*(\d{1,2})\b", block.before[-200:])
            head = int(headings[-1]) if headings else head
            together = bool(waiting) and is_empty(block.before)
            waiting = waiting[1:] if together else list(find_listed_names(block.before))
            names, is_part = find_names_before(block.before)
            if waiting or block.name:
                names, is_part = (waiting[0] if waiting else Name(block.name),), False
            if is_part:
                self._is_a_part(block, "a matrix")
            else:
                found += self._entries_of(block, names, head)
        if len(self.blocks) > MAX_ROWS or next(blocks, None):
            self.said.append(f"Only the first {MAX_FOUND} matrices, and {MAX_ROWS} rows, are read.")
        return tuple(found)

    def _entries_of(self, block: Block, names: Sequence[Name], head: int | None) -> Iterator[Entry]:
        size, line = shape(block.numbers), self.line(block.start)
        first = names[0] if names else Name("")
        if size == (1,) and first.number is None and not first.word and first.name[:2] != "b_":
            if names:
                why = "it is one number alone: a size, or cells that have run together."
                self._leave_out(block.start, symbol(first.name), why)
            return
        if not names and (len(size) < 2 or max(size[-2:]) < 2):
            return
        if first.word and len(size) > 1 and min(size) > 1:  # Q_grad is no row of Q
            names = ()
        for name in names or (Name(""),):
            is_row, turned = len(size) == 1, name.turned and len(size) > 1
            yield Entry(
                name.name,
                transpose(block.numbers) if turned else block.numbers,
                line,
                name.said,
                name.number,
                head,
                name.word or (block.words[0] if is_row and len(block.words) == 1 else ""),
                () if turned or (is_row and names) else block.words,
                name.stored,
            )

    # ---------- calculations ----------

    def _results(self, blocks: Sequence[Block]) -> Iterator[Block]:
        """Yield each matrix with what stands before it; of a calculation what comes out, turned
        where its transpose is written, and no factor."""
        at, before_end = 0, 0
        while at < len(blocks):
            end, has_result = at + 1, True
            while end < len(blocks) and (link := self._link(blocks[end - 1], blocks[end])):
                has_result = link == "result"
                end += 1
            first, last = blocks[at], blocks[end - 1]
            before = self.text[max(before_end, first.start - MAX_BEFORE) : first.start]
            before_end, at = last.end, end
            behind = self.text[last.end : last.end + 60].partition("\n")[0].lstrip(" \t)]$")
            turned = re.match(TURN, behind)
            if turned and len(shape(last.numbers)) > 1:
                last = replace(last, numbers=transpose(last.numbers), words=())
                behind = behind[turned.end() :]
            goes_on = re.match(
                rf"[\s)\]]*(?:{_OPERATOR}\s*(?:[\d.√(\[\\]|np\.|torch\.|math\.|sqrt)|@)", behind
            )
            if has_result and not goes_on:
                yield replace(last, before=before)
            elif len(shape(last.numbers)) > 1:
                names, _ = find_names_before(before)
                if names and names[0].name not in SOLUTIONS:
                    self._is_a_part(first, symbol(names[0].name))

    def _is_a_part(self, block: Block, what: str) -> None:
        why = "it is a part of a calculation: write what comes out."
        self._leave_out(block.start, what, why)

    def _link(self, one: Block, other: Block) -> str:
        """Return how two matrices are one calculation: the other is its "result" or a "factor"; ""
        where they are not."""
        gap = self.text[one.end : other.start] if other.start - one.end < 120 else ";"
        bare = gap.lstrip(" \t\n)]$").strip(" ([$&")
        if re.search(r"[;,|]|\b(?:and|then|where)\b", bare) or gap.count("\n") > 1:
            return ""
        below = gap.partition("\n")[2].strip(" ([$&")
        if "\n" in gap and not re.match(rf"{_OPERATOR}(?!\s+\W*[A-Za-z])|{_EQUALS}", below):
            return ""
        if not re.sub(TURN, "", bare).strip():
            both = max(len(shape(one.numbers)), len(shape(other.numbers))) > 1
            return "factor" if both else ""
        if not re.match(rf"(?:{TURN})?\s*(?:{_OPERATOR}|{_EQUALS})", bare):
            return ""
        return "result" if re.search(rf"{_EQUALS}\s*&?\s*$", bare) else "factor"
