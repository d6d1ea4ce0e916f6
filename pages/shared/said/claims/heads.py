"""What the heads' page says of the way from Z to Y. No Streamlit here."""

from collections.abc import Sequence
from dataclasses import replace

from torch import Tensor

from core import counts
from core.agreement import largest_difference
from core.setup import Setup
from core.trace import Trace
from core.written import number
from pages.shared.said.words import percent, quoted

SPOKEN = 6  # heads that have a line each; of more, those that look at the same word share one


def looked_at(weights: Tensor, query: str, row: int, asked: Sequence[str]) -> list[str]:
    """Say which word each head has one query give most to, and how much: weights (head, query,
    key), the query's `row` from 0.

    >>> from torch import tensor
    >>> looked_at(tensor([[[0.2, 0.8]], [[1.0, 0.0]]]), "is", 0, ["Life", "is"])
    ['head 1: “is” → “is”, 80%', 'head 2: “is” → “Life”, 100%']
    """
    most, at = weights[:, row].max(dim=-1)
    of_word: dict[int, list[int]] = {}
    for k, place in enumerate(at.tolist()):
        of_word.setdefault(-1 if most[k] == 0 else place, []).append(k)
    groups = (
        of_word.items()
        if len(at) > SPOKEN
        else sorted((place, [k]) for place, of in of_word.items() for k in of)
    )
    said = []
    for place, of in sorted(groups, key=lambda group: group[1]):
        low, high = (percent(share) for share in (most[of].min().item(), most[of].max().item()))
        shares = low if low == high else f"{low} to {high}"
        looks = (
            f"{quoted(query)} → {quoted(asked[place])}, {shares}"
            if place >= 0
            else f"{quoted(query)} looks nowhere"
        )
        said.append(f"{_named(of)}: {looks}")
    return said


def way_back(setup: Setup) -> str:
    """Say what goes wrong where concat is cut into heads the wrong way."""
    if setup.heads == 1 or len(setup.tokens) == 1:
        return ""
    return (
        "First each row is cut into heads, then the axes change places. To read the same numbers at"
        " once as (head, token, d_v) would mix words with heads: each row would be filled with the"
        " next numbers, whosever they are."
    )


def specialised(setup: Setup) -> str:
    """Say how far it holds of the heads on screen that trained heads specialise: the end of that
    sentence."""
    if setup.projections == "none":
        return "."
    if setup.real:
        return ", and **Real model** says what each of these does."
    if setup.init == "trained":
        return (
            " in large models; these are trained on a small language, and the pictures above show"
            " whether they did."
        )
    return (
        "; what these look at, the given numbers decide."
        if setup.numbers is not None
        else "; these are drawn at random."
    )


def no_w_o(setup: Setup) -> str:
    """Say why nothing mixes what the heads found, and how to get what does."""
    if setup.projections == "learned":
        return (
            "**No W_o is given.** What the heads found stands side by side in concat, and that is"
            " the output."
        )
    return (
        "**This setup has no W_o.** Without projections there is one head, and its context is the"
        " output. Choose **Projections: learned** in the sidebar for several heads and W_o."
    )


def one_line(setup: Setup) -> str:
    """Say what the formula of all seven steps in one line contains."""
    inside = ["scores"]
    if setup.scale != "none" or setup.temperature != 1:
        inside.append("scaling")
    if setup.mask != "none":
        inside.append("mask")
    inside = f"{', '.join([*inside, 'softmax'])} and mixture".capitalize()
    if setup.projections == "none":
        return f"{inside}: every page so far has taken a part of it."
    each = (
        "inside the brackets, once for each head, then side by side"
        if setup.heads > 1
        else "inside the brackets"
    )
    after = ", then times W_o, plus b_o." if setup.bias == "on" else ", then times W_o."
    many = "multi-head attention" if setup.heads > 1 else "multi-head attention, here with one head"
    return (
        f"{inside} {each}{after} That is what the paper calls {many}, and what every page so far"
        " has taken apart."
    )


def parameters(setup: Setup) -> str:
    """Say how many numbers each matrix has as it is set now, and how they are counted."""
    h, d_model, d_k, d_v = setup.heads, setup.d_model, setup.d_k, setup.d_v
    each = counts.by_matrix(setup)
    kv = h // setup.group
    of_keys = "as many" if setup.group == 1 else f"{kv} · {d_model} · {d_k} = {each['W_k']:,}"
    told = (
        f"W_q {h} · {d_model} · {d_k} = {each['W_q']:,}, W_k {of_keys}, W_v {kv} · {d_model} ·"
        f" {d_v} = {each['W_v']:,}, W_o {h * d_v} · {setup.out_size} = {each['W_o']:,}"
    )
    biases = f" Biases are {counts.biases(setup):,} more." if setup.bias == "on" else ""
    words = len(setup.vocabulary)
    return (
        f"As set now: {told}; {sum(each.values()):,} in all.{biases} The embedding table has"
        f" {words} · {d_model} = {words * d_model:,} beside them."
    )


def one_big_head(setup: Setup) -> str:
    """Say what one head of d_model numbers is beside the same numbers shared out among all heads;
    nothing where they do not divide."""
    h, d_model = setup.heads, setup.d_model
    if h == 1 or d_model % h or setup.group > 1 or setup.projections == "none":
        return ""
    return (
        f"**One big head or {h} small ones?** Where W_o leads back to d_model, one head of"
        f" {d_model} numbers and {h} heads of {d_model // h} have equally many weights: 4 ·"
        f" {d_model}² = {4 * d_model**2:,}. What differs is what they can say: one head gives each"
        f" word one row of shares, {h} heads give it {h}."
    )


def shared(setup: Setup) -> str:
    """Say which heads share keys and values, and how many numbers that saves; nothing where each
    has its own."""
    h, size, kv_heads = setup.heads, setup.group, setup.heads // setup.group
    if size == 1:
        return ""
    if kv_heads == 1:
        begin = (
            f"**All {h} heads share one set of keys and values** (multi-query attention, Shazeer"
            " 2019)."
        )
    else:
        groups = "; ".join(
            f"{_named(range(k * size, (k + 1) * size))} share kv head {k + 1}"
            for k in range(min(kv_heads, 3))
        )
        more = f"; and so on, {kv_heads} in all" if kv_heads > 3 else ""
        begin = (
            f"**Heads share keys and values in groups of {size}** (Ainslie et al. 2023):"
            f" {groups}{more}."
        )
    of_a_place, whole = kv_heads * (setup.d_k + setup.d_v), h * (setup.d_k + setup.d_v)
    return (
        f"{begin} W_k and W_v have {counts.saved(setup):,} numbers fewer, biases apart. K and V"
        f" have {of_a_place:,} numbers for each token in place of {whole:,}: what a model that"
        " writes has to keep of all that it wrote."
    )


def one_head_fewer(setup: Setup) -> Setup | None:
    """Return the same setup with one head fewer; None where there is none, or where that would
    change every head."""
    is_drawn_anew = (
        setup.sizes == "narrow"
        or setup.group > 1
        or setup.init in ("trained", "real")
        or setup.layer > 1
    )
    if setup.heads == 1 or is_drawn_anew:
        return None
    return replace(setup, heads=setup.heads - 1, kv_heads=0)


def what_a_head_changes(trace: Trace, fewer: Trace | None) -> str:
    """Say what one head more leaves as it was, and what it changes; `fewer` is the trace of
    `one_head_fewer`. Nothing for one head."""
    setup = trace.setup
    h = setup.heads
    if h == 1:
        return ""
    if setup.numbers is not None:
        return "These heads are given: with one more, nobody knows its numbers."
    if setup.real:
        return (
            f"{setup.real.name} has {h} heads in each layer, which were trained together: none can"
            " be added here."
        )
    if fewer is None:
        return _why_every_head_changes(setup)
    moved = _moved_heads(trace, fewer)
    kept = [k for k in range(h - 1) if k not in moved]
    apart = _apart(trace, fewer, kept)
    stay = (
        "to the last bit" if apart == 0 else f"but for rounding, which is {number(apart)} at most"
    )
    begin = f"From {h - 1} to {h} heads, "
    if kept:
        begin += f"**α and Z of {_named(kept)} stay as they were**, {stay}"
        begin += ": the matrices of each head are drawn after those of the heads before it. "
    if moved:
        begin += (
            f"{'But ' if kept else ''}**α and Z of {_named(moved)} change**, by up to"
            f" {number(_apart(trace, fewer, moved))}: an edit that names head {h} counts only where"
            f" there is a head {h}. "
        )
    output = largest_difference(trace.value("output"), fewer.value("output"))
    return (
        f"{begin}Head {h} is new. **W_o is drawn anew**, since it has {h * setup.d_v} rows in place"
        f" of {(h - 1) * setup.d_v}"
        + (", and b_o after it" if setup.bias == "on" else "")
        + (
            f". So the numbers of Y differ by up to {number(output)}."
            if output
            else ". Y stays as it was."
        )
    )


def _why_every_head_changes(setup: Setup) -> str:
    """Say why no head is as it was, where the number of heads is another."""
    h = setup.heads
    if setup.init == "trained":
        return (
            "Heads are trained together: with another number of heads training begins anew, and"
            " **every head changes**."
        )
    if setup.layer > 1:
        return (
            f"The layers below have {h} heads, too: with another number of them X itself is"
            " another, and **every head changes**."
        )
    if setup.group > 1:
        return (
            f"The {h} heads share keys and values in groups of {setup.group}: with another number"
            " of them the groups are others. With **kv_heads** at 0 each head has its own."
        )
    return (
        f"Narrow heads share d_model = {setup.d_model} out among themselves: with another number of"
        " them each has another size, and **every head changes**. With free or wide sizes the"
        " earlier heads stay."
    )


def _moved_heads(trace: Trace, fewer: Trace) -> list[int]:
    """Return the heads (from 0) that both have and whose matrices differ: edits may take them from
    the head that is new."""
    names = [name for name in ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v") if name in fewer]
    return [
        k
        for k in range(fewer.setup.heads)
        if any(not trace.value(n)[k].equal(fewer.value(n)[k]) for n in names)
    ]


def _apart(trace: Trace, fewer: Trace, which: Sequence[int]) -> float:
    """Return how far α and Z of these heads (from 0) are apart at most."""
    pairs = [
        (trace.value(name)[k], fewer.value(name)[k])
        for name in ("weights", "context")
        for k in which
    ]
    return max((largest_difference(*pair) for pair in pairs), default=0.0)


def _named(which: Sequence[int]) -> str:
    """Name heads by their numbers, from 1.

    >>> _named([0]), _named([0, 1]), _named([0, 2]), _named([0, 1, 2, 3])
    ('head 1', 'heads 1 and 2', 'heads 1 and 3', 'heads 1 to 4')
    """
    first, *others = (k + 1 for k in which)
    if not others:
        return f"head {first}"
    if len(others) > 1 and others[-1] - first == len(others):
        return f"heads {first} to {others[-1]}"
    return f"heads {', '.join(map(str, (first, *others[:-1])))} and {others[-1]}"
