"""What was found in a text, each with the name that the text gives it: rows put together, names
read, words and settings taken."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from .around import settled
from .finding import MOST_FOUND, Block, Fault, find
from .lexing import cleaned
from .naming import Name, may_be_a_token, named, plain
from .nested import flat, shape, transposed

MOST_BYTES = 200_000
_HEADS = (
    r"\b(?:num_heads|n_heads|n_head|nhead|heads|num_attention_heads)[\"']?"
    r"\s{0,3}[=:]\s{0,3}([0-9]{1,2})\b(?!\.)"
)
_SCALE = (  # 1/8 divides by 8; 1.0 / math.sqrt(d_k) is what is divided by anyway
    r"\b(?:(?:scale|scaling|divisor)\b[\"']?\s{0,3}[=:]|divided"
    r" by\b)\s{0,3}(?:1(?:\.0{0,3})?\s{0,2}/\s{0,2})?"
    r"(none|sqrt|[0-9]{1,4}(?:\.[0-9]{1,8})?)\b(?![.\d]|\s{0,2}[*/])"
)
_SETTINGS = {
    "heads": re.compile(_HEADS),
    "scale": re.compile(_SCALE),
    "mask": re.compile(r"\bmask[\"']?\s{0,3}[=:]\s{0,3}[\"']?(causal|none)\b", re.IGNORECASE),
}
_TOKENS = re.compile(
    r"\b(?:tokens|words|sentence|text)\b[\"']?\s{0,3}[=:]\s{0,3}(\[[^\[\]\n]{1,600}\]|\"[^\"\n]{1,400}\"|'[^'\n]{1,400}')",
    re.IGNORECASE,
)
_ROW = re.compile(r"\brow\s{0,2}#?([0-9]{1,2})\b", re.IGNORECASE)
_HEAD = re.compile(r"\bhead[\s#_]{0,2}([0-9]{1,2})\b", re.IGNORECASE)
# X = {"cat": names X, and then its first row
_DICTIONARY = re.compile(r"([=:]\s{0,3})\{\s{0,9}(?=[\"'][^\"'\n]{1,40}[\"']\s{0,3}:\s{0,3}$)")
_ROW_LABEL = re.compile(  # a word, or a sign such as a comma or 🙂
    r"[\"'`*_(\[{|]{0,3}([^\W_][^\s=:,;|\[\](){}\"→]{0,40}|[^\w\s=:|\[\](){}\"'→-]{1,4}|##\w{1,20})[\"'`*_)\]}|]{0,3}\s{0,4}"
    r"(?:→|->|=>|⇒|↦|\\to|\\rightarrow|:=|=|:|<-|←)?\s{0,4}[\[({]?\s{0,4}"
)


@dataclass(frozen=True)
class Entry:
    """One matrix or row of the text: its name ("" where the text gives none), numbers as nested
    lists of texts, its line, and why.

    `number` is the text's own count of a head or a row, `words` are those beside its rows,
    `pointed` says that whole numbers end in a point as numpy prints them.
    """

    name: str
    numbers: Any
    line: int
    said: str = ""
    number: int | None = None
    head: int | None = None  # of the heading above
    word: str = ""
    words: tuple[str, ...] = ()
    stored: bool = False
    turned: bool = False
    pointed: bool = False

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
    """A text as it was found: its entries in their order, what was left out, its words, what it
    says of heads, scale and mask."""

    entries: tuple[Entry, ...] = ()
    messages: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    settings: dict[str, str] = field(default_factory=dict)


def taken(text: str) -> Text:
    """Return what stands in the text. Never raises: what cannot be read is left out and said."""
    return _taken(text) if isinstance(text, str) else Text(messages=("That is no text.",))


@lru_cache(maxsize=4)  # a text is read, answered and checked
def _taken(text: str) -> Text:
    if len(text) > MOST_BYTES or len(text.encode(errors="replace")) > MOST_BYTES:
        return Text(
            messages=(
                (
                    f"That is longer than {MOST_BYTES // 1000} kB; nothing of it is read. Bring the"
                    " matrices alone."
                ),
            )
        )
    plain = cleaned(text)
    found, faults = find(plain)
    blocks, parts = settled(plain, found[:MOST_FOUND])
    messages = [_in_words(fault) for fault in faults + parts]
    if len(found) > MOST_FOUND:
        messages.append(f"Only the first {MOST_FOUND} matrices are read.")
    blocks = [replace(block, before=_DICTIONARY.sub(r"\1\n", block.before)) for block in blocks]
    entries = [turned_about(entry) for entry in _named(_rows_together(blocks))]
    settings = {
        name: match[1].lower()
        for name, pattern in _SETTINGS.items()
        if (match := pattern.search(plain))
    }
    return Text(tuple(entries), tuple(messages[:9]), _tokens(plain), settings)


def _in_words(fault: Fault) -> str:
    return f"Line {fault.line}: a matrix is left out, since {fault.says}"


def _tokens(plain: str) -> tuple[str, ...]:
    """Return the words of a line such as tokens = ["the", "cat"]."""
    match = _TOKENS.search(plain)
    if not match:
        return ()
    written = match[1]
    if written.startswith("["):
        return tuple(word.strip() for word in re.findall(r"[\"']([^\"']{1,60})[\"']", written))
    return tuple(written[1:-1].split())


# ---------- rows that belong together ----------


@dataclass
class _Run:
    """Rows, one after the other, of one length."""

    blocks: list[Block]
    labels: list[str]


def _rows_together(blocks: Sequence[Block]) -> list[tuple[Block, str]]:
    """Put rows that stand alone below one another to one matrix, and return each block with what
    stands before it.

    Rows belong together where nothing stands between them, or only a word before each. q1, q2 stay
    apart: they have names.
    """
    together: list[tuple[Block, str]] = []
    run: _Run | None = None
    for block in blocks:
        label = row_label(block)
        if len(block.shape) == 1 and (run is not None) and _goes_on(run, block, label):
            run.blocks.append(block)
            run.labels.append(label)
            continue
        together += _closed(run)
        run = _Run([block], [label]) if len(block.shape) == 1 and _begins(block, label) else None
        if run is None:
            together.append((block, block.before))
    return together + _closed(run)


def row_label(block: Block) -> str:
    """Return the word that stands before a row on its own line, or behind it in a comment; "" where
    there is none."""
    line = plain(block.before).rpartition("\n")[2].lstrip(" \t,;[{").rstrip(" \t[")
    match = _ROW_LABEL.fullmatch(line) if line else None
    if match:
        return match[1].rstrip(".'\"`") or match[1]
    return _comment(block.after) if not line else ""


def _comment(after: str) -> str:
    words = after.lstrip("#/% \t").split()
    return words[0].strip("\"',.:;()") if words else ""


def _begins(block: Block, label: str) -> bool:
    """Return whether a row may be the first of several: it has a word before it that is no matrix's
    name, or nothing on its line."""
    line = block.before.rpartition("\n")[2]
    return (bool(label) and not _names_a_matrix(line)) or not line.strip(" \t,;[(")


def _goes_on(run: _Run, block: Block, label: str) -> bool:
    first = run.blocks[0]
    above, _, line = block.before.rpartition("\n")
    if block.shape != first.shape or re.search(r"\w", above) or block.before.count("\n") > 2:
        return False
    if not line.strip(" \t,;[("):
        return not run.labels[0] or bool(label)
    return bool(label and run.labels[0]) and (may_be_a_token(label) or not _names_a_matrix(line))


def _names_a_matrix(line: str) -> bool:
    return named(line) is not None and not re.search(r"→|->|=>|⇒|↦|\\to|\\rightarrow", line)


def _closed(run: _Run | None) -> list[tuple[Block, str]]:
    if run is None:
        return []
    first = run.blocks[0]
    above, _, line = first.before.rpartition("\n")
    if len(run.blocks) == 1 and not run.labels[0]:
        return [(first, first.before)]
    words = tuple(run.labels) if all(run.labels) else ()
    block = replace(
        first,
        numbers=[block.numbers for block in run.blocks],
        words=words,
        pointed=any(b.pointed for b in run.blocks),
    )
    if len(run.blocks) == 1:  # one row with a word before it: that may be its name
        block = replace(first, words=words)
        return [(block, first.before)]
    return [(block, above if line.strip(" \t,;[(") else first.before)]


# ---------- names ----------


def _named(blocks: Sequence[tuple[Block, str]]) -> list[Entry]:
    entries, head = [], None
    for block, before in blocks:
        above, _, line = before.rpartition("\n")
        own_word = (
            len(block.words) > 1 and line.strip(" \t|:→") == block.words[0]
        )  # that of the first row
        label = above if own_word else before
        heading = _HEAD.findall(label[-200:])
        head = int(heading[-1]) if heading else head
        name = named(label)
        lone = block.shape == (1,) and not re.search(r"[=:→]", line)
        if lone or (name is None and not _worth_asking(block)):
            continue
        found = name or Name("")
        row = _ROW.search(line) if len(block.shape) == 1 and found.number is None else None
        found = replace(found, number=int(row[1])) if row else found
        words = block.words if len(block.shape) > 1 or not name else ()
        entries.append(
            Entry(
                found.name,
                block.numbers,
                block.line,
                found.said,
                found.number,
                head,
                found.word,
                words,
                found.stored,
                found.turned,
                block.pointed,
            )
        )
    return entries


def _worth_asking(block: Block) -> bool:
    """Return whether numbers without a name may be a matrix at all; a number or two in a sentence
    are none."""
    return len(block.shape) > 1 and (block.shape[-1] > 1 or block.shape[-2] > 1)


def turned_about(entry: Entry) -> Entry:
    """Return an entry that is written as its transpose, K^⊤, the other way round."""
    return (
        replace(entry, numbers=transposed(entry.numbers), turned=False, words=())
        if entry.turned and len(entry.shape) > 1
        else entry
    )


def holds_infinity(entry: Entry) -> bool:
    """Return whether a number of it is infinite."""
    return any(number.endswith("inf") for number in flat(entry.numbers))
