"""From the entries of a text to one matrix for each head: rows written one by one are put together,
and where one name has different numbers it is asked which count."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Any

from ..fields.nested import flat, shape, without_batch
from ..fields.user_matrices import UserMatrices, numbers_of
from .matrices import Entry
from .names import BIASES, QKV, WEIGHTS, symbol
from .questions import InvalidInput, Question, Questions

CELLS = "cells_"  # what the answers are called that are a matrix's own numbers
A_HEAD_EACH = "one for each head"
SINGLE = ("x", "memory_x", "mask")  # of which there is one matrix, and not one for each head


def entries_of(entries: Iterable[Entry], name: str) -> list[Entry]:
    """Return what has this name, heads in their order."""
    there = [entry for entry in entries if entry.name == name]
    return sorted(there, key=lambda entry: _head_of(entry, there) or 0)


def _head_of(entry: Entry, alike: Sequence[Entry]) -> int | None:
    """Return the number of a head or a row: the entry's own, or that of the heading above it, where
    headings tell those of its name apart."""
    if entry.number is not None or len(entry.shape) == 1:
        return entry.number
    return entry.head if len({other.head for other in alike}) > 1 else None


def words_of(entries: Sequence[Entry], names: Sequence[str]) -> tuple[str, ...]:
    """Return the words beside the rows of the first of these names that has some."""
    for name in names:
        there = entries_of(entries, name)
        for entry in there:
            if len(entry.shape) > 1 and entry.words:
                return entry.words
        words = tuple(entry.word or "".join(entry.words[:1]) for entry in there)
        if words and all(words) and name in ("x", "q") and len(there[0].shape) == 1:
            return words
    return ()


# ---------- written more than once ----------


def choose_repeated(entries: list[Entry], name: str, questions: Questions) -> list[Entry]:
    """Ask which one counts where one name has different numbers; what stands whole in another one
    is no other."""
    there = entries_of(entries, name)
    rows = [entry for entry in there if len(entry.shape) == 1 and name not in BIASES]
    whole = [[entry] for entry in there if entry not in rows]
    heads: dict[int | None, list[list[Entry]]] = {}
    for way in whole + [[entry] for entry in rows if entry.number is not None and not whole]:
        heads.setdefault(_head_of(way[0], there), []).append(way)
    if rows and whole:
        heads[None] = [*heads.get(None, whole[:1]), rows]
    for ways in heads.values():
        entries = _keep_one(entries, name, ways, questions)
    return entries


def _keep_one(
    entries: list[Entry], name: str, ways: Sequence[list[Entry]], questions: Questions
) -> list[Entry]:
    """Return the entries with one of the ways in which a matrix is written, or all as heads."""
    different: dict[str, list[Entry]] = {}
    for way in ways:
        if not any(_says_the_same(way, other) for other in different.values()):
            different[f"line {way[0].line}"] = way
    chosen = first = next(iter(different))
    if len(different) > 1:
        says = f"{symbol(name)} stands there {len(different)} times, with different numbers:"
        answers = (*different, *((A_HEAD_EACH,) if name in WEIGHTS else ()))
        question = Question(name, f"{says} which one?", answers, None, first)
        chosen = questions.ask(question) or first
    kept = [different[chosen]] if chosen in different else list(different.values())
    ids = {id(entry): k for k, way in enumerate(kept, start=1) for entry in way}
    gone = {id(entry) for way in ways for entry in way} - ids.keys()
    left = [entry for entry in entries if id(entry) not in gone]
    if len(kept) < 2:
        return left
    return [replace(entry, number=ids.get(id(entry), entry.number)) for entry in left]


def _says_the_same(way: Sequence[Entry], other: Sequence[Entry]) -> bool:
    """Return whether the numbers are those of the other way, or rows of it."""
    written = [_values(entry.numbers) for entry in way]
    rows = [_values(row) for entry in other for matrix in matrices_of(entry) for row in matrix]
    are_rows = all(values in rows for values in written)
    return are_rows or written == [_values(entry.numbers) for entry in other]


def _values(numbers: Any) -> tuple[Any, ...]:
    """Return what is the same for numbers that are written in another way."""
    return (*shape(numbers), *(float(one) if one else None for one in flat(numbers)))


# ---------- put together ----------


def flatten_vectors(entries: Sequence[Entry]) -> list[Entry]:
    """Return the entries, with each matrix of one row or one column for a word as a row: those of
    X, or of Q, K and V all alike."""
    for names in (("x",), ("memory_x",), QKV):
        of = [entries_of(entries, name) for name in names]
        shapes = [{entry.shape for entry in alike} for alike in of]
        are_vectors = all(
            len(one) == 1 and len(size := next(iter(one))) == 2 and min(size) == 1 for one in shapes
        )
        if not are_vectors or sum(map(len, of)) <= len(names):
            continue
        if names == QKV and (shapes[0] != shapes[1] or len(of[1]) != len(of[2])):
            continue  # these are heads, of one row or of one column
        entries = [
            replace(entry, numbers=flat(entry.numbers)) if entry.name in names else entry
            for entry in entries
        ]
    return list(entries)


def gather(entries: Sequence[Entry], name: str, questions: Questions) -> list[Any]:
    """Return the matrices of a name, one for each head. What is typed into a grid stands for the
    text's; a cell that is no number is asked."""
    there = entries_of(entries, name)
    rows = _stack_rows(there, name)
    matrices = [rows] if rows else [one for entry in there for one in matrices_of(entry)]
    for k in range(max(1, len(matrices))):
        key = CELLS + (name if len(matrices) < 2 else f"{name}.{k + 1}")
        bad = flat(matrices[k]).count("") if matrices else 0
        if bad:
            line = there[min(k, len(there) - 1)].line
            cells = "a cell that is" if bad == 1 else f"{bad} cells that are"
            says = f"Line {line}: {symbol(name)} has {cells} no number: fill it in."
            questions.ask(Question(key, says))
        if key in questions.answers:
            matrices[k : k + 1] = [_parse_cells(questions.answers[key])]
    return matrices


def check_matrices(matrices: Sequence[Any], name: str, line: int) -> None:
    """Raise InvalidInput where these are not the heads of one matrix."""
    if len({shape(one) for one in matrices}) > 1 or any(len(shape(one)) != 2 for one in matrices):
        raise InvalidInput(f"{symbol(name)} is no matrix, or its heads have not one shape.")
    if name in SINGLE and len(matrices) > 1:
        raise InvalidInput(f"{symbol(name)} holds {len(matrices)} matrices: bring one sentence's.")
    if name != "mask" and any(number.endswith("inf") for number in flat(matrices)):
        raise InvalidInput(f"Line {line}: {symbol(name)} holds ∞, which only a mask may.")


def matrices_of(entry: Entry) -> list[Any]:
    """Return the matrices of an entry, those of a batch of one too."""
    numbers = without_batch(entry.numbers)
    deep = len(shape(numbers))
    return [numbers] if deep == 2 else [[numbers]] if deep == 1 else list(numbers)


def _stack_rows(there: Sequence[Entry], name: str) -> list[list[str]]:
    """Return the rows of what is written a row at a time: x_1, x_2; [] where it is not."""
    if not there or any(len(entry.shape) != 1 for entry in there):
        return []
    if len({entry.shape for entry in there}) > 1:
        raise InvalidInput(f"The rows of {symbol(name)} are not of one length.")
    if name in WEIGHTS and len(there) > 1:
        says = "is written row by row: write it as one matrix."
        raise InvalidInput(f"Line {there[0].line}: {symbol(name)} {says}")
    counted = [entry.number for entry in there if entry.number is not None]
    expected = list(range(counted[0], counted[0] + len(there))) if counted else []
    if len(there) > 1 and counted != expected:
        listed = ", ".join(map(str, counted))
        raise InvalidInput(f"Of {symbol(name)} there are the rows {listed}: one is missing.")
    return [entry.numbers for entry in there]


def _parse_cells(written: str) -> list[list[str]]:
    """Return a matrix of a link, rows with _ between, as lists. Raises InvalidInput."""
    try:
        return [list(row) for row in UserMatrices(x=numbers_of("x", written)).x]
    except ValueError as error:
        raise InvalidInput(str(error)) from None
