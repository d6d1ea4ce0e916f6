"""What the heads' page says of the way from Z to Y. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core import counts
from core.setup import Setup
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


def sizes(setup: Setup) -> str:
    """Say what narrow, wide and free heads are on these sizes: each rule, its d_k and d_v, and how
    many weights that makes.

    Notebook N2 has narrow heads, N1 wide ones, N4 free ones.
    """
    heads, d_model, narrow = setup.heads, setup.d_model, counts.narrow(setup)
    of_narrow = (
        f"{d_model} / {heads} = {narrow.d_k}, {narrow.parameters:,} weights in all"
        if narrow
        else f"not here, since {heads} does not divide {d_model}"
    )
    wide, now = counts.wide(setup), counts.as_set(setup)
    said = (
        f"**Narrow** (N2): d_k = d_v = d_model / heads: {of_narrow}. **Wide** (N1): d_k = d_v ="
        f" d_model: {wide.d_k}, {wide.parameters:,} weights. **Free** (N4): any d_k and d_v. Now"
        f" heads are **{setup.sizes}**, d_k = {now.d_k}, d_v = {now.d_v}: {now.parameters:,}"
        " weights."
    )
    return f"{said}\n\n{shared(setup)}" if setup.group > 1 else said


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
