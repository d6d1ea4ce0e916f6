"""Which matrix is which: what has no name, what has one name twice, what a library keeps in one
matrix."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from .desk import QKV, WEIGHTS, Desk, symbol, values
from .entries import Entry
from .naming import SOLUTIONS
from .nested import transposed

_OF_WORDS = (
    "x",
    *QKV,
    "context",
    "output",
)  # what has a row for each word, and something else at its columns


def name_the_unnamed(desk: Desk) -> None:
    """Take what has no name for what is missing, if only one thing is; else ask."""
    missing = _missing(desk)
    nameless = [entry for entry in desk.entries if not entry.name]
    for entry in nameless:
        if missing and missing[0] in QKV and len(nameless) == 1 and not desk.has(*QKV):
            missing = ["x"]
        fitting = [name for name in missing if len(entry.shape) == 2 or name not in ("x", "mask")]
        default = fitting[0] if fitting else None
        single = (len(nameless) == 1 and missing[:1] == ["x"]) or (
            len(missing) == 1 and len(nameless) == 1
        )
        if single and default and desk.has(*WEIGHTS, *QKV):
            _rename(
                desk,
                entry,
                default,
                f"line {entry.line} has no name, and {symbol(default)} is the one that is missing",
            )
            missing = missing[1:]
            continue
        size = " × ".join(map(str, entry.shape))
        says = f"Line {entry.line}: what is this matrix, {size}?"
        answers = [
            *dict.fromkeys([*fitting, "x", *WEIGHTS, *QKV, "w_o", "mask", *SOLUTIONS, "nothing"])
        ]
        answer = desk.ask(f"line_{entry.line}", says, answers, default or "nothing")
        missing = [name for name in missing if name != answer]
        if answer == "nothing":
            desk.drop(entry)
        elif answer:
            _rename(
                desk,
                entry,
                answer,
                f"line {entry.line} has no name; as {symbol(answer)} it comes next",
            )


def _missing(desk: Desk) -> list[str]:
    """Return what would make the text whole, in the order in which people write it."""
    if desk.has(*QKV) and not desk.has("x", "table", *WEIGHTS):
        return [name for name in QKV if not desk.has(name)]
    if (
        not desk.has("x", "table", *WEIGHTS)
        and len([entry for entry in desk.entries if not entry.name]) == 3
    ):
        return list(QKV)
    return [
        name
        for name in ("x", *WEIGHTS)
        if not desk.has(name) and not (name == "x" and desk.has("table"))
    ]


def _rename(desk: Desk, entry: Entry, name: str, why: str) -> None:
    desk.change(entry, name=name, said=entry.said or f"\0{why}")


def one_of_each_name(desk: Desk) -> None:
    """Ask which one counts where the text gives one name to two different matrices."""
    groups: dict[tuple[str, int | None], list[Entry]] = defaultdict(list)
    for entry in desk.entries:
        if entry.name not in SOLUTIONS and not (
            len(entry.shape) == 1 and entry.name in ("x", *QKV)
        ):
            groups[entry.name, desk.count(entry)].append(entry)
    _several_heads(desk, groups)
    for name, same in [(name, same) for (name, _), same in groups.items() if same]:
        different = [
            entry
            for i, entry in enumerate(same)
            if all(values(entry) != values(other) for other in same[:i])
        ]
        chosen = different[0]
        if len(different) > 1:
            says = (
                f"{symbol(name)} stands there {len(different)} times, with different numbers: which"
                " one?"
            )
            answer = desk.ask(name, says, [f"line {entry.line}" for entry in different], None)
            chosen = next((entry for entry in different if f"line {entry.line}" == answer), chosen)
        for entry in same:
            if entry is not chosen:
                desk.drop(entry)


def _several_heads(desk: Desk, groups: dict[tuple[str, int | None], list[Entry]]) -> None:
    """Number W_q, W_k and W_v that stand there as many times each, without numbers: one for each
    head, in their order."""
    times = {len(groups[name, None]) for name in WEIGHTS}
    shapes = [{entry.shape for entry in groups[name, None]} for name in WEIGHTS]
    if len(times) > 1 or min(times) < 2 or any(len(of_name) > 1 for of_name in shapes):
        return
    if all(len({values(entry) for entry in groups[name, None]}) == 1 for name in WEIGHTS):
        return  # printed again
    many = min(times)
    desk.messages.append(
        f"W_q, W_k and W_v stand there {many} times each: they are taken for {many} heads, in this"
        " order."
    )
    for name in WEIGHTS:
        for number, entry in enumerate(groups.pop((name, None)), start=1):
            desk.change(entry, number=number)


def split_joint(found: Sequence[Entry], messages: list[str]) -> list[Entry]:
    """Cut what a library keeps in one matrix, W_q above W_k above W_v, or side by side, into the
    three."""
    parted: list[Entry] = []
    for entry in found:
        if entry.name not in ("w_qkv", "b_qkv"):
            parted.append(entry)
            continue
        below = entry.name == "b_qkv" or entry.stored or entry.shape[0] == 3 * entry.shape[-1]
        whole = entry.numbers if below else transposed(entry.numbers)
        if len(whole) % 3:
            messages.append(
                f"Line {entry.line}: “{entry.said[:40]}” cannot be cut into three for Q, K and V."
            )
            continue
        size = len(whole) // 3
        for i, letter in enumerate("qkv"):
            part = whole[i * size : (i + 1) * size]
            numbers = part if below else transposed(part)
            parted.append(
                replace(
                    entry,
                    name=f"{entry.name[0]}_{letter}",
                    numbers=numbers,
                    stored=below and entry.name == "w_qkv",
                )
            )
    return parted


def in_the_order_of_words(desk: Desk, tokens: Sequence[str]) -> None:
    """Put rows to the words that stand beside them, where these are the sentence's in another
    order; of α and its like, which has them at its columns too, it is not known."""
    places = {token.lower(): place for place, token in enumerate(tokens)}
    for entry in [
        entry for entry in desk.entries if entry.name in _OF_WORDS and len(entry.shape) == 2
    ]:
        words = [word.lower() for word in entry.words]
        if len(places) != len(tokens) or sorted(words) != sorted(places) or words == list(places):
            continue
        order = sorted(range(len(words)), key=lambda row: places[words[row]])
        numbers, said = [entry.numbers[row] for row in order], [entry.words[row] for row in order]
        desk.change(entry, numbers=numbers, words=tuple(said))
        desk.messages.append(
            f"Line {entry.line}: {symbol(entry.name)} has its rows in another order; they are put"
            " to their words."
        )
