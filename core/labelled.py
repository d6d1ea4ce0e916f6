"""Labelled sentences, to learn from: what a reader typed or uploaded, read, and told in words where
it cannot be used.

A line is `label: sentence`. A table has a header with the columns `label` and `text`, in any order,
and commas or semicolons between them.
"""

import csv
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import Any, ClassVar

from . import files
from . import text as _text
from .fields import Control, Field, declare, last
from .sentences import MOST_CHARACTERS, MOST_TOKENS

MOST_LETTERS = 1500  # typed ones: they stand in the link
MOST_BYTES = 2**20  # of a file
MOST_ROWS = 2000
FEWEST_LABELS, MOST_LABELS = 2, 10
MOST_WORDS = 4000  # different ones: each has a row that learns
LONGEST_LABEL = 30
COLUMNS = ("label", "text")

GOOD, BAD = ("good", "great", "nice", "fine"), ("bad", "awful", "poor", "dull")
PLAIN = ("the {} was {}", "the {} was {} today", "the {} was very {}")
NEGATED = ("the {} was not {}", "the {} was not {} today")


@dataclass(frozen=True)
class Labelled(Field):
    """Labelled sentences, or the name of a file that holds them; empty for those that are built in.

    Any text is taken as it stands, so that nothing that was typed is lost: whether it can be
    learned from, `read` says.
    """

    most: ClassVar[int] = MOST_LETTERS
    expected: ClassVar[str] = (
        f"up to {MOST_LETTERS} letters, no control characters, no white space but plain spaces and"
        " ends of lines, and not blank"
    )

    def fit(self, value: Any, _: Mapping[str, Any]) -> tuple[str, tuple[str, ...]]:
        """Return its first lines as far as they fit, and what had to be changed, in words."""
        value = last(value)
        if not isinstance(value, str):
            return self.default, ()
        typed = value[: 4 * MOST_LETTERS].replace("\r\n", "\n").replace("\r", "\n")
        cleaned = "\n".join(_text.clean(line) for line in typed.split("\n"))
        fitted = cleaned
        while len(fitted) > MOST_LETTERS:
            whole_lines, end, _rest = fitted.rpartition("\n")
            fitted = (
                whole_lines
                if end
                else _text.fit(fitted[: 2 * MOST_LETTERS], "characters", MOST_LETTERS, MOST_LETTERS)
            )
        message = (
            f"only its beginning is used; up to {MOST_LETTERS} letters fit into a link. A file may"
            " hold more."
        )
        return fitted if fitted.strip() else self.default, (
            (message,) if len(fitted) < len(cleaned) else ()
        )


def labelled(control: Control) -> Any:
    """Declare labelled sentences, in a dataclass."""
    return declare(Labelled("", control))


@dataclass(frozen=True)
class Reading:
    """Sentences with their labels, and what could not be used, in words.

    Attributes:
        labels: each once, sorted.
        sentences: at most 32 tokens each.
        answers: for each sentence the place of its label among `labels`.
        messages: what is wrong, a sentence each.
        built_in: whether these are not the reader's own.
    """

    labels: tuple[str, ...]
    sentences: tuple[str, ...]
    answers: tuple[int, ...]
    messages: tuple[str, ...]
    built_in: bool


def read(source: str, split: str) -> Reading:
    """Return the sentences that a field `labelled` stands for. Where they cannot be learned from,
    those that are built in, and why.

    >>> read("good: the soup was not bad", "words").messages[0]
    'All sentences have the same label, good: a classifier needs two to tell apart.'
    """
    if not files.REFERENCE.fullmatch(source):
        return _read(source, split)
    text = files.find(source)
    if text is None:
        return _instead(
            split,
            "The link cannot hold a file, and it is not here, or no longer: it has to be uploaded"
            " again.",
        )
    return _read(text, split)


def read_file(content: bytes, split: str) -> tuple[Reading, str]:
    """Return a file's sentences, and the name under which they are kept. Where they cannot be used,
    nothing is, and it is empty."""
    if len(content) > MOST_BYTES:
        return (
            _instead(
                split, f"The file has {len(content):,} bytes; up to {MOST_BYTES:,} can be read."
            ),
            "",
        )
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return (
            _instead(
                split,
                "The file is no text in UTF-8. Save it as “CSV UTF-8”, or as plain text in UTF-8.",
            ),
            "",
        )
    if "\0" in text:
        return _instead(split, "The file is no text: it has bytes that stand for no letter."), ""
    if not text.strip():
        return _instead(split, "The file is empty."), ""
    reading = _read(text, split)
    return reading, "" if reading.built_in else files.keep(text)


def in_force(source: str, split: str) -> str:
    """Return the same field where its sentences can be learned from, else empty: two that give the
    same sentences are the same."""
    return "" if read(source, split).built_in else source


def built_in(split: str) -> Reading:
    """Return a hundred and sixty sentences on four subjects. *not* turns what they say, so it has
    to be looked at."""
    return _read("", split)


def as_lines(reading: Reading) -> str:
    """Return the sentences as a reader would type them, one a line."""
    pairs = zip(reading.answers, reading.sentences, strict=True)
    return "\n".join(f"{reading.labels[answer]}: {sentence}" for answer, sentence in pairs)


@lru_cache(maxsize=8)
def _read(text: str, split: str) -> Reading:
    is_typed = bool(text.strip())
    typed, messages = _pairs(text) if is_typed else (_built_in(), [])
    pairs, more = _usable(typed, split)
    labels = tuple(sorted({label for label, _ in pairs}))
    if wrong := _why_not(labels):
        return _instead(split, *messages, *more, wrong)
    sentences, answers = (
        tuple(sentence for _, sentence in pairs),
        tuple(labels.index(label) for label, _ in pairs),
    )
    return Reading(labels, sentences, answers, (*messages, *more), not is_typed)


def _instead(split: str, *why: str) -> Reading:
    return replace(built_in(split), messages=(*why, "The built-in sentences are used instead."))


def _why_not(labels: tuple[str, ...]) -> str | None:
    if not labels:
        return (
            "There is no labelled sentence: each line is a label, a colon and a sentence, such as"
            " “good: the soup was not bad”."
        )
    if len(labels) < FEWEST_LABELS:
        return (
            f"All sentences have the same label, {labels[0]}: a classifier needs two to tell apart."
        )
    if len(labels) > MOST_LABELS:
        return (
            f"There are {len(labels):,} labels; a classifier can tell up to {MOST_LABELS} apart"
            " here."
        )
    return None


Pair = tuple[str, str]
EMPTY = "Left out, since its label or its words are missing"
TWICE = "Counted once, since it stands there before, word for word"
CUT = f"Used as far as it can be shown, up to {MOST_TOKENS} tokens and {MOST_CHARACTERS} letters"


def _built_in() -> list[Pair]:
    pairs = []
    for thing, word in product(("soup", "film", "room", "train"), GOOD + BAD):
        says, other = ("good", "bad") if word in GOOD else ("bad", "good")
        pairs += [(says, line.format(thing, word)) for line in PLAIN] + [
            (other, line.format(thing, word)) for line in NEGATED
        ]
    return pairs


def _pairs(text: str) -> tuple[list[Pair], list[str]]:
    """Return labels and sentences as they stand, and what is wrong with the whole."""
    rows = text.splitlines()
    first = next(k for k, row in enumerate(rows) if row.strip())
    for delimiter in ",;":
        header = [name.strip().lower() for name in rows[first].split(delimiter)]
        if set(COLUMNS) <= set(header):
            return _of_table(rows[first + 1 :], delimiter, [header.index(name) for name in COLUMNS])
    pairs, without = [], []
    for number, row in enumerate(rows, start=1):
        label, colon, sentence = row.partition(":")
        if colon:
            pairs.append((label, sentence))
        elif row.strip():
            without.append(number)
    return pairs, _in_words(
        "Left out, since there is no colon between label and sentence", "line", without
    )


def _of_table(rows: list[str], delimiter: str, places: list[int]) -> tuple[list[Pair], list[str]]:
    pairs: list[Pair] = []
    short: list[int] = []
    try:
        for number, row in enumerate(
            csv.reader((f"{row}\n" for row in rows), delimiter=delimiter), start=1
        ):
            if len(row) > max(places):
                pairs.append((row[places[0]], row[places[1]]))
            elif row:
                short.append(number)
    except csv.Error:
        return pairs, [
            f"The table can be read up to its row {len(pairs):,} only; what follows is no CSV, or a"
            " row is too long."
        ]
    return pairs, _in_words(
        "Left out, since there are fewer columns than in the header", "row", short
    )


def _usable(pairs: Iterable[Pair], split: str) -> tuple[list[Pair], list[str]]:
    """Return what can be learned from, cut to size, and what was left out."""
    kept: dict[Pair, None] = {}
    words: set[str] = set()
    faults: dict[str, list[int]] = {EMPTY: [], TWICE: [], CUT: []}
    end = []
    for number, (typed_label, typed) in enumerate(pairs, start=1):
        label, sentence = _of_label(typed_label), _of_sentence(typed, split)
        tokens = set(_text.SPLITTERS[split](sentence))
        if not label or not tokens:
            faults[EMPTY].append(number)
        elif (label, sentence) in kept:
            faults[TWICE].append(number)
        elif len(kept) == MOST_ROWS or len(words | tokens) > MOST_WORDS:
            end = [
                f"Only the first {len(kept):,} sentences are used; up to {MOST_ROWS:,} with"
                f" {MOST_WORDS:,} different words fit."
            ]
            break
        else:
            words |= tokens
            kept[label, sentence] = None
            if len(sentence) < len(typed.strip()):
                faults[CUT].append(number)
    return (
        list(kept),
        [
            message
            for fault, numbers in faults.items()
            for message in _in_words(fault, "sentence", numbers)
        ]
        + end,
    )


def _of_label(typed: str) -> str:
    label = " ".join(_text.clean(typed[: 10 * LONGEST_LABEL]).split())
    return (
        label
        if len(label) <= LONGEST_LABEL
        else _text.shorten(label, LONGEST_LABEL).replace(_text.VISIBLE_SPACE, " ")
    )


def _of_sentence(typed: str, split: str) -> str:
    return _text.fit(
        _text.clean(typed[: 4 * MOST_CHARACTERS]).strip(), split, MOST_CHARACTERS, MOST_TOKENS
    ).strip()


def _in_words(fault: str, thing: str, numbers: list[int]) -> list[str]:
    """Return one sentence for all lines that share a fault.

    >>> _in_words("Left out", "line", [4, 7])
    ['Left out: line 4 and 1 more.']
    """
    if not numbers:
        return []
    more = f" and {len(numbers) - 1:,} more" if len(numbers) > 1 else ""
    return [f"{fault}: {thing} {numbers[0]:,}{more}."]
