"""Questions for users to answer before a step is shown, with a sentence for every option and the
numbers behind it.

Numbers that print alike count as equal: all options with the largest printed number are right.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from torch import Tensor

from ..analysis import geometry
from ..forward.trace import Trace
from ..ops import attention, heads
from ..text.text import labels, quote
from ..text.written import number, percent
from ..weights.weights import may_attend_in_steps
from .question import Question, WrongResult

MAX_BARS = 12  # with more words, users select one instead of guessing all weights


def best_key(trace: Trace, head: int, query: int) -> Question | None:
    """Ask which key fits the query best: the largest of its scores."""
    names = labels(trace.key_tokens)
    asks = f"which word's key will fit the query of {quote(labels(trace.tokens)[query])} best?"
    scores = trace.value("scores")[head, query]
    return _largest(
        "scores",
        _add_head(trace, head, asks),
        names,
        scores,
        ("fits", "fit"),
        "best, with a score of",
    )


def largest_share(trace: Trace, head: int, query: int) -> Question | None:
    """Ask how a query distributes its attention over the keys: its row of weights."""
    at, names = _seen(trace, query)
    weights = trace.value("weights")[head, query, at]
    whose = quote(labels(trace.tokens)[query])
    asks = f"which word will get most of the attention of {whose}?"
    told = ("gets", "get"), "most, with a weight of"
    asked = _largest("weights", _add_head(trace, head, asks), names, weights, *told, write=_share)
    if asked is None or len(names) > MAX_BARS:
        return asked
    all_at_once = _add_head(trace, head, f"how will {whose} divide its attention?")
    return replace(asked, kind="shares", asks=all_at_once, asks_one=asked.asks)


def without_and_with_root(trace: Trace) -> tuple[Trace, Trace]:
    """Return the trace computed without division by √d_k, and with it."""
    setup, scores = trace.setup, trace.value("scores")
    return (
        trace.instead("scaled", attention.divide_by_temperature(scores, setup.temperature)),
        trace.instead("scaled", attention.scale(scores, setup.d_k, setup.temperature)),
    )


def ask_without_root(trace: Trace, head: int, query: int) -> Question | None:
    """Ask whether a row's largest weight rises or falls without division by √d_k."""
    at, names = _seen(trace, query)
    if len(names) < 2:
        return None
    setup, ready = trace.setup, trace.stages("weights")[-2]
    raw, divided = (each.value(ready)[head, query, at] for each in without_and_with_root(trace))
    after, before = (attention.softmax(each).max().item() for each in (raw, divided))
    exactly = [attention.softmax(each.double()).max().item() for each in (raw, divided)]
    alike = number(after) == number(before)
    right = {1 if alike else 0 if after > before else 2, *([0] if exactly[0] > exactly[1] else [])}
    asks = (
        f"without √d_k, will the largest weight of {quote(labels(trace.tokens)[query])} be larger?"
    )
    says = _change(after, before, "√1 is 1" if setup.d_k == 1 else "")
    bars, options = (
        (("with √d_k", before), ("without", after)),
        ("Yes, larger", "It stays", "No, smaller"),
    )
    told = tuple(WrongResult(says, place) for place in range(3))
    return Question(
        "root",
        "choice",
        _add_head(trace, head, asks),
        tuple(sorted(right)),
        told,
        says,
        options,
        bars=bars,
    )


def strongest_pull(trace: Trace, head: int, query: int) -> Question | None:
    """Ask which word's value times its weight is longest; the largest weight may be elsewhere."""
    at, names = _seen(trace, query)
    weights, values = trace.value("weights")[head, query, at], trace.select_head("v", head)[at]
    parts = geometry.lengths(attention.weighted_values(weights[None], values)[0])
    asks = (
        f"whose value, times its weight, will pull z of {quote(labels(trace.tokens)[query])} most?"
    )
    told = ("pulls", "pull"), "most: weight times the value's length is"
    asked = _largest("context", _add_head(trace, head, asks), names, parts, *told)
    if asked is None:
        return None
    heaviest = _tops([number(weight) for weight in weights.tolist()], weights)
    if set(heaviest) & set(asked.answers):
        return asked
    first = heaviest[0]
    heavy = (
        f" The largest weight, {_share(weights[first].item())}, goes to {quote(names[first])}: a"
        " weight alone is no pull."
    )
    slips = tuple(replace(slip, says=slip.says + heavy) for slip in asked.slips)
    return replace(asked, slips=slips, solution=asked.solution + heavy)


def head_most_missed(trace: Trace, head: int, query: int) -> Question | None:
    """Ask which head's ablation (rows of W_o set to 0) changes a word's output most: the longest
    contribution. The head argument is not used."""
    if "w_o" not in trace:
        return None
    parts = heads.contributions(trace.value("context"), trace.value("w_o"))[:, query]
    names = [f"head {k}" for k in range(1, len(parts) + 1)]
    asks = (
        "If one head went, whose loss would move the output of"
        f" {quote(labels(trace.tokens)[query])} furthest?"
    )
    told = ("moves", "move"), "it furthest when gone, by a length of"
    return _largest("heads", asks, names, geometry.lengths(parts), *told, call=str)


# By name. The browser stores the names of answered questions, to ask each only once.
MAKERS: dict[str, Callable[[Trace, int, int], Question | None]] = {
    "scores": best_key,
    "weights": largest_share,
    "root": ask_without_root,
    "context": strongest_pull,
    "heads": head_most_missed,
}


def ask(name: str, trace: Trace, head: int, query: int) -> Question | None:
    """Return the question of this name about a head and a query (from 0); None if there is no
    choice."""
    return MAKERS[name](trace, head, query)


def _add_head(trace: Trace, head: int, asks: str) -> str:
    """Return the question as a sentence, naming the head if there are several."""
    return _begun(f"in head {head + 1}, {asks}" if trace.setup.heads > 1 else asks)


def _seen(trace: Trace, query: int) -> tuple[Tensor, list[str]]:
    """Return the indices and names of the words that a query may attend to."""
    names = labels(trace.key_tokens)
    places = may_attend_in_steps(trace.setup)[query].nonzero()[:, 0]
    return places, [names[place] for place in places.tolist()]


def _largest(
    name: str,
    asks: str,
    names: Sequence[str],
    values: Tensor,
    verb: tuple[str, str],
    measure: str,
    call: Callable[[str], str] = quote,
    write: Callable[[float], str] = number,
) -> Question | None:
    """Ask for the largest of some values (choice,), each with its name; None for a single value."""
    if len(names) < 2:
        return None
    numbers = values.tolist()
    printed = [write(value) for value in numbers]
    right = _tops(printed, values)
    who = _name_largest([call(names[k]) for k in right], len(names))
    truth = _begun(f"{who} {verb[len(right) > 1]} {measure} {printed[right[0]]}.")
    told = [
        truth if k in right else f"{truth} For {call(name)} it is {printed[k]}."
        for k, name in enumerate(names)
    ]
    slips, bars = (
        tuple(WrongResult(says, k) for k, says in enumerate(told)),
        tuple(zip(names, numbers, strict=True)),
    )
    return Question(name, "choice", asks, right, slips, truth, tuple(names), bars=bars)


def _tops(printed: Sequence[str], values: Tensor) -> tuple[int, ...]:
    """Return the indices of all values that print like the largest."""
    top = printed[int(values.argmax())]
    return tuple(k for k, each in enumerate(printed) if each == top)


def _begun(text: str) -> str:
    """Return the text with an initial capital."""
    return text[0].upper() + text[1:]


def _share(weight: float) -> str:
    """Print a weight in per cent, with as many digits as tell two of them apart on a board."""
    return percent(weight, 2)


def _name_largest(names: Sequence[str], of: int) -> str:
    """Name the options that share the largest value.

    >>> _name_largest(["“a”"], 3), _name_largest(["“a”", "“b”"], 3), _name_largest(["a", "b"], 2)
    ('“a”', '“a” and “b”', 'all 2 alike')
    """
    if len(names) == of:
        return f"all {of} alike"
    if len(names) > 3:
        return f"{names[0]} and {len(names) - 1} others"
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))


def _change(after: float, before: float, why: str) -> str:
    if number(after) == number(before):
        return (
            f"It stays, to a hundredth of 1%: {_share(after)} without √d_k and with"
            f" it{why and f', since {why}'}."
        )
    what = "larger" if after > before else "smaller"
    return (
        f"It is {what}: {_share(after)} without √d_k, {_share(before)} with it. Undivided, the"
        " scores lie further apart, and the softmax gives more to the largest."
    )
