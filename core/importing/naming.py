"""What each matrix of a text is: the name beside it says it, else it is asked."""

from collections.abc import Iterable, Sequence, Set
from dataclasses import replace

from .matrices import Entry
from .names import QKV, WEIGHTS, parse_name, symbol
from .nested import transpose
from .questions import Question, Questions

NOTHING = "nothing"
ORDER = ("x", *WEIGHTS, *QKV, "scores", "scaled", "weights", "context", "w_o", "output")
ROLES = (*ORDER, "mask", NOTHING)  # what a matrix without a name can be


def split_joint(entry: Entry, questions: Questions) -> list[Entry]:
    """Cut what a library keeps in one matrix, W_q above W_k above W_v or side by side, into the
    three."""
    if entry.name not in ("w_qkv", "b_qkv"):
        return [entry]
    is_above = entry.name == "b_qkv" or entry.stored or entry.shape[0] == 3 * entry.shape[-1]
    whole = entry.numbers if is_above else transpose(entry.numbers)
    if len(whole) % 3:
        questions.messages.append(
            f"Line {entry.line}: “{entry.said[:40]}” cannot be cut into three for Q, K and V."
        )
        return []
    size = len(whole) // 3
    parts = [whole[i * size : (i + 1) * size] for i in range(3)]
    return [
        replace(
            entry,
            name=f"{entry.name[0]}_{letter}",
            numbers=part if is_above else transpose(part),
            stored=is_above and entry.name == "w_qkv",
        )
        for letter, part in zip("qkv", parts, strict=True)
    ]


def name_entries(
    entries: Sequence[Entry], typed: Set[str], questions: Questions
) -> tuple[list[Entry], list[Entry]]:
    """Return the entries with a name, and those of which nobody has said what they are: each of
    these is asked. Of the names in `typed` the numbers are typed into a grid."""
    entries = _name_worded(entries, typed)
    names = {entry.name for entry in entries if entry.name} | typed
    is_whole = names >= {"x", *WEIGHTS} or names >= {*QKV}
    with_name: list[Entry] = []
    without: list[Entry] = []
    for k, entry in enumerate(entries):
        if entry.name:
            with_name.append(entry)
            continue
        called = f"line_{entry.line}"
        called = f"{called}.{k}" if called in questions.asked else called
        says = f"Line {entry.line}: what is this, {' × '.join(map(str, entry.shape))}?"
        guess = guess_role(entry, names)
        answer = questions.ask(Question(called, says, ROLES, None, guess, not is_whole))
        names.add(answer or guess)
        if answer is None:
            without.append(entry)
        elif answer != NOTHING:
            with_name.append(replace(entry, name=answer))
    return with_name, without


def _name_worded(entries: Sequence[Entry], typed: Set[str]) -> list[Entry]:
    """Take for X the one matrix that has a word beside each of its rows, where X alone is
    missing."""
    names = {entry.name for entry in entries} | typed
    worded = [
        entry
        for entry in entries
        if not entry.name and len(entry.shape) == 2 and len(entry.words) == entry.shape[0]
        if not any(parse_name(word) or word.isdigit() for word in entry.words)
    ]
    if len(worded) != 1 or "x" in names:
        return list(entries)
    sides = {side for entry in entries if entry.name == "w_q" for side in entry.shape}
    fits = names >= {*WEIGHTS} and worded[0].shape[1] in sides
    if len(entries) > 1 and not fits:
        return list(entries)
    x = replace(worded[0], name="x", said=", ".join(worded[0].words[:3]))
    return [x if entry is worded[0] else entry for entry in entries]


def guess_role(entry: Entry, names: Set[str]) -> str:
    """Return what a matrix most likely is: the first that is missing, else a step of a solution by
    its look."""
    is_projected = names & {*QKV} and not names & {*WEIGHTS}
    for name in QKV if is_projected else ("x", *WEIGHTS):
        if name not in names:
            return name
    rows = entry.numbers if len(entry.shape) == 2 else entry.numbers[0]
    try:
        sums = [sum(map(float, row)) for row in rows]
    except (ValueError, TypeError):
        return "scores"
    if all(abs(one - 1) < 0.06 for one in sums):
        return "weights"
    return "scores" if entry.shape[-1] == entry.shape[-2] else "context"


def turn_entries(entries: Iterable[Entry], names: Set[str]) -> list[Entry]:
    """Return the entries, with the matrices of these names transposed.

    >>> turn_entries([Entry("x", [["1", "2"]], 1)], {"x"})[0].numbers
    [['1'], ['2']]
    """
    return [
        replace(entry, numbers=transpose(entry.numbers), words=())
        if entry.name in names and len(entry.shape) > 1
        else entry
        for entry in entries
    ]


def say_what_is_missing(there: Set[str], is_asking: bool) -> str:
    """Say what has to stand beside what is there; "" where it is whole. X alone is attention
    without projections."""
    parts = there & {"x", *WEIGHTS, *QKV}
    if parts == {"x"} or parts >= {"x", *WEIGHTS} or parts >= {*QKV}:
        return ""
    if parts:
        wanted = ("x", *WEIGHTS) if parts & {"x", *WEIGHTS} else QKV
        missing = [symbol(name) for name in wanted if name not in parts]
        return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing."
    if there or is_asking:
        return "Nothing can be made of it alone: X with its matrices is missing, or Q, K and V."
    return "No matrix was found: numbers in brackets, or rows of numbers below one another."
