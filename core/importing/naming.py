"""What each matrix of a text is: the name beside it says it, else it is asked."""

from collections.abc import Iterator, Sequence, Set
from dataclasses import replace

from ..fields.nested import transpose
from .matrices import Entry
from .names import QKV, WEIGHTS, parse_name, symbol
from .questions import Question, Questions

NOTHING = "nothing"
ORDER = ("x", *WEIGHTS, *QKV, "scores", "scaled", "weights", "context", "w_o", "output")
ROLES = (*ORDER, "mask", NOTHING)  # what a matrix without a name can be


def split_joint(entry: Entry, questions: Questions) -> Iterator[Entry]:
    """Yield the three matrices that a library keeps in one, W_q above W_k above W_v or side by
    side; any other as it is."""
    if entry.name not in ("w_qkv", "b_qkv"):
        yield entry
        return
    is_above = entry.name == "b_qkv" or entry.stored or entry.shape[0] == 3 * entry.shape[-1]
    whole = entry.numbers if is_above else transpose(entry.numbers)
    size, rest = divmod(len(whole), 3)
    if rest:
        says = f"“{entry.said[:40]}” cannot be cut into three for Q, K and V."
        questions.messages.append(f"Line {entry.line}: {says}")
        return
    for i, letter in enumerate("qkv"):
        part, name = whole[i * size : (i + 1) * size], f"{entry.name[0]}_{letter}"
        numbers = part if is_above else transpose(part)
        yield replace(entry, name=name, numbers=numbers, stored=is_above and name[0] == "w")


def name_entries(
    entries: Sequence[Entry], typed: Set[str], questions: Questions
) -> tuple[list[Entry], list[Entry]]:
    """Return the entries with a name, and those of which nobody has said what they are: each of
    these is asked. Of the names in `typed` the numbers are typed into a grid."""
    names = {entry.name for entry in entries if entry.name} | typed
    x = _find_worded(entries, names)
    names |= {"x"} if x else set()
    is_whole = names >= {"x", *WEIGHTS} or names >= {*QKV}
    named: list[Entry] = []
    unnamed: list[Entry] = []
    for k, entry in enumerate(entries):
        answer: str | None = "x" if entry is x else entry.name
        if not answer:
            called = f"line_{entry.line}"
            called = f"{called}.{k}" if called in questions.asked else called
            says = f"Line {entry.line}: what is this, {' × '.join(map(str, entry.shape))}?"
            guess = _guess_role(entry, names)
            answer = questions.ask(Question(called, says, ROLES, None, guess, not is_whole))
            names.add(answer or guess)
        if answer is None:
            unnamed.append(entry)
        elif answer != NOTHING:
            said = ", ".join(entry.words[:3]) if entry is x else entry.said
            named.append(replace(entry, name=answer, said=said))
    return named, unnamed


def _find_worded(entries: Sequence[Entry], names: Set[str]) -> Entry | None:
    """Return the one matrix without a name that has a word beside each of its rows, where X alone
    is missing."""
    worded = [
        entry
        for entry in entries
        if not entry.name and len(entry.shape) == 2 and len(entry.words) == entry.shape[0]
        if not any(parse_name(word) or word.isdigit() for word in entry.words)
    ]
    sides = {side for entry in entries if entry.name == "w_q" for side in entry.shape}
    if len(worded) != 1 or "x" in names:
        return None
    fits = names >= {*WEIGHTS} and worded[0].shape[1] in sides
    return worded[0] if len(entries) == 1 or fits else None


def _guess_role(entry: Entry, names: Set[str]) -> str:
    """Return what a matrix most likely is: the first that is missing, else a step of a solution."""
    is_projected = names & {*QKV} and not names & {*WEIGHTS}
    for name in QKV if is_projected else ("x", *WEIGHTS):
        if name not in names:
            return name
    return "scores" if entry.shape[-1] == entry.shape[-2] else "context"


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
