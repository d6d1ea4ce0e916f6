"""What the pages say of their numbers: each claim is decided from the tensors. No Streamlit here."""

import itertools
import math
import re
from collections.abc import Callable, Mapping, Sequence

from torch import Tensor

from core import shuffle, spread
from core.notebooks import n4
from core.setup import Setup
from core.spread import Spread
from core.written import short
from pages.shared.steps import find
from pages.shared.words import number, percent, quoted

MOST_LAYERS = 6


def count(many: int, thing: str) -> str:
    """A number and what it counts.

    >>> count(1, "token"), count(6, "token")
    ('1 token', '6 tokens')
    """
    return f"{many:,} {thing}" if many == 1 else f"{many:,} {thing}s"


def in_tokens(setup: Setup) -> Callable[[str], str]:
    """Says “character” for “word” where the tokens are characters.

    >>> in_tokens(Setup(split="characters"))("Words look at words.")
    'Characters look at characters.'
    """
    if setup.split == "words":
        return str
    return lambda sentence: re.sub(r"\b(w)(ord)(s?)\b", _character, sentence, flags=re.IGNORECASE)


def _character(found: re.Match) -> str:
    return ("Character" if found[1] == "W" else "character") + found[3]


def headline(path: str, setup: Setup) -> str:
    """What happens on a page, in one sentence that is true of this setup."""
    special = {
        ("projection", True): "Queries, keys and values are the words' vectors themselves: nothing is projected.",
        ("heads", True): "Without projections there is one head and no W_o: what the head found is the output.",
    }
    sentence = special.get((path, setup.projections == "none"), find(path).sentence)
    if path == "heads" and setup.projections == "learned" and setup.heads == 1:
        sentence = "One head looks at the sentence in one way; W_o makes one vector for each word of what it found."
    return in_tokens(setup)(sentence)


# ---------- overview ----------


def sure(weights: Tensor, masked: Tensor) -> int:
    """How many rows give nearly all to one key though they had a choice: both (query, key)."""
    had_a_choice = masked.isfinite().sum(dim=-1) > 1
    return int(((weights.amax(dim=-1) > 0.99) & had_a_choice).sum())


def heads_and_output(setup: Setup) -> str:
    """The last step in a few words."""
    if setup.projections == "none":
        return "One head, no W_o."
    return "One head, and W_o." if setup.heads == 1 else f"{setup.heads} side by side. W_o mixes the heads."


# ---------- weights ----------


def largest_weight(weights: Tensor, masked: Tensor) -> str:
    """The largest weight of one row (key,), from it and the scores that went into the softmax.

    A weight that only prints as 1 is not said to be 1: the others have the rest.
    """
    printed = number(weights.max().item())
    if printed != "1.0000" or int(masked.isfinite().sum()) == 1:
        return printed
    apart = masked.double() - masked.double().max()
    exps = apart.exp()
    rest = exps.sum() - 1  # several that share the largest would not print as 1
    others = (exps[apart < 0].sum() / (1 + rest)).item()
    return f"nearly 1 (all others together have {number(others)})" if others else "nearly 1 (the others have next to nothing)"


def temperature(setup: Setup) -> str:
    """Where the temperature stands in the formula; nothing where it is 1."""
    if setup.temperature == 1:
        return ""
    return " The divisor is the temperature." if setup.scale == "none" else " The divisor's last factor is the temperature."


def division(name: str, raw: tuple[Tensor, Tensor], scaled: tuple[Tensor, Tensor], d_k: int) -> str:
    """One word's row (weights, masked scores) without the division by √d_k and with it."""
    told = (
        f"The row of {quoted(name)} without and with the division. Its largest weight is {largest_weight(*raw)} without and "
        f"{largest_weight(*scaled)} with it."
    )
    return told + (" √1 is 1, so that here the division changes nothing." if d_k == 1 else "")


def row_sums() -> str:
    """What N4's softmax along the wrong axis does to its row sums, with this fault alone and as it stands there."""
    alone, both = (n4.row_sums(frozenset(faults)) for faults in (("axis",), ("axis", "size")))
    return (
        f"One of the notebooks behind this explorer does just that: its rows sum to {alone} with this fault alone, and to {both} as "
        "it stands there, with √6 where √24 should be as well (see **Notebooks**)."
    )


def growth(measured: Sequence[Spread]) -> str:
    """How the spread of the scores goes with d_k; nothing where all scores are equal."""
    power = spread.growth(list(measured))
    if math.isnan(power):
        return ""
    if abs(power) < 0.005:
        return "From d_k = 8 on, the spread hardly changes with d_k."
    goes = "grows" if power > 0 else "falls"
    return f"From d_k = 8 on, the spread {goes} like d_k to the power {power:.2f}.".replace("-", "−")


def why_it_grows(measured: Sequence[Spread], drawn: str) -> str:
    """Why the spread goes as it does, for weights that are drawn in this way, or `none`."""
    power = spread.growth(list(measured))
    if math.isnan(power):
        return ""
    if drawn == "normal":
        return (
            "The paper's argument assumes queries and keys of mean 0 and independent parts: then the power is 0.5 on average, and "
            "√d_k is just right. Weights drawn from a normal distribution are like that; this draw "
            + ("comes close." if abs(power - 0.5) < 0.15 else "strays from it, as single draws do: try another **Seed**.")
        )
    if drawn == "uniform":
        return (
            "The paper's argument assumes parts of mean 0, which gives a power of 0.5. These weights lie between 0 and 1, "
            "mean 0.5: the parts of a query lean the same way, and the products add up instead of cancelling. "
            + (
                "So the power is nearer 1, and dividing by √d_k helps, but not enough."
                if power > 0.75
                else "As a rule that brings the power near 1; with this draw it does not."
            )
            + " Set **Weights drawn** to normal and compare."
        )
    if drawn == "xavier":
        peak = max(measured, key=lambda each: each.deviation)
        last = measured[-1]
        falls = (
            f"the spread is largest at d_k = {peak.d_k} and has fallen to {short(last.deviation, 2)} at {last.d_k}"
            if last.deviation < peak.deviation
            else "as a rule the spread falls for large d_k; with this draw it has not yet"
        )
        return f"Xavier's bound shrinks as d_k grows: {falls}. Dividing by √d_k makes the weights more even still."
    return (
        "Without projections the score of a word with itself is its squared length, which grows like d_k; those of different words "
        "grow only like √d_k, as a rule. Dividing by √d_k helps, but in the end each word gives all to itself and its repeats."
    )


def left_out(setup: Setup) -> str:
    """What the curves over d_k leave out of this setup."""
    given = (("mask", setup.mask != "none"), ("temperature", setup.temperature != 1), ("biases", setup.bias == "on"))
    names = [name for name, on in given if on]
    if setup.projections == "none":
        names = [name for name in names if name != "biases"] + ["positions"] * (setup.positions != "none")
    *most, last = names or [""]
    return f"Without {', '.join(most)}{' and ' if most else ''}{last}. ".capitalize() if names else ""


# ---------- context ----------


def mixture(column: int, values: Tensor, context: Tensor) -> str:
    """Where one column of the context lies, beside the values (key,) it is mixed from; `column` counts from 1."""
    low, high = values.min().item(), values.max().item()
    leaves = context.min().item() < low or context.max().item() > high
    but = ", but for rounding" if leaves else ""
    if low == high:
        return (
            f"A mixture never leaves what it is mixed from: in column {column} all values are {number(low)}, and so is every "
            f"word's context{but}."
        )
    return (
        f"A mixture never leaves what it is mixed from: in column {column} the values lie between {number(low)} and "
        f"{number(high)}, and so does every word's context{but}."
    )


# ---------- heads ----------


def way_back(setup: Setup) -> str:
    """What goes wrong where heads are not cut apart as they were put together."""
    if setup.heads == 1 or len(setup.tokens) == 1:
        return ""
    return (
        " Heads are rows of their own before they stand side by side: viewing (token, head · d_v) directly as (head, token, d_v) "
        "would mix words with heads."
    )


def one_line(setup: Setup) -> str:
    """What the one formula of everything has in it."""
    inside = ["scores"]
    if setup.scale != "none" or setup.temperature != 1:
        inside.append("scaling")
    if setup.mask != "none":
        inside.append("mask")
    inside = f"{', '.join([*inside, 'softmax'])} and mixture".capitalize()
    if setup.projections == "none":
        return f"{inside}: every page so far has taken a part of it."
    each = "inside the brackets, once for each head; side by side; " if setup.heads > 1 else "inside the brackets; "
    after = "through W_o, and b_o added." if setup.bias == "on" else "through W_o."
    many = "multi-head attention" if setup.heads > 1 else "multi-head attention, here with one head"
    return f"{inside} {each}{after} That is what the paper calls {many}, and what every page so far has taken apart."


# ---------- masks ----------


def batch(lengths: Sequence[int]) -> str:
    """The sentences of a batch, and how long each is."""
    longest = max(lengths)
    if len(lengths) == 1:
        return f"One sentence, one row of {count(longest, 'place')}; type further ones in the sidebar."
    return (
        f"One row a sentence, {len(lengths)} in all, each as long as the longest: {count(longest, 'place')}. Words in each: "
        f"{', '.join(map(str, lengths))}."
    )


def padding(setup: Setup, real: Tensor) -> str:
    """Where padding stands and who may look at it; `real` (sentence, token) is True where a word stands."""
    causal = setup.mask == "causal"
    if real.all():
        told = "There is no padding: all sentences are equally long." if len(real) > 1 else "There is no padding."
    elif setup.padding == "left":
        told = "Padding stands at the beginning, as models that write text need it, and its columns are closed."
    elif setup.padding == "right":
        told = (
            "Padding stands at the end, and its columns are closed: no word looks at it. Its own rows are computed too, but "
            "nobody reads them."
        )
    elif causal:
        told = "Padding stands at the end, and only the causal mask keeps words from looking at it."
    else:
        told = "Padding stands at the end and nothing hides it: every column is open."
    return told + (" The causal mask closes everything to the right of the diagonal." if causal else "")


def empty_rows(allowed: Tensor) -> str:
    """What is said of queries that may look nowhere: allowed (sentence, query, key); nothing where there are none."""
    empty = int((~allowed.any(dim=-1)).sum())
    if not empty:
        return ""
    return (
        f"**{count(empty, 'row')} may look nowhere** (padding before a sentence's first word, under a causal mask). The softmax of "
        "nothing would be 0 / 0; here such a row is defined as zeros, and nothing flows into it. PyTorch's "
        "`nn.MultiheadAttention` gives NaN there."
    )


def leak(weights: Tensor, real: Tensor) -> str:
    """How much words give to padding: weights of one head (sentence, query, key), real (sentence, token)."""
    if real.all():
        return "**There is no padding** that a word could look at."
    given = weights.masked_fill(real[:, None, :], 0).sum(dim=-1)[real]
    if not given.any():
        return "**No word gives anything to padding.**"
    most = percent(given.max().item())
    if not most.startswith("less"):
        most = "as much as 99% and more" if most.startswith("more") else f"up to {most}"
    return (
        f"**Words give {most} of their attention to padding**: a sentence's numbers now depend on how "
        "long its neighbours in the batch are."
    )


def dropout(kept: Tensor, dropped: Tensor, rate: float) -> str:
    """What dropout does to one head's weights: before and after, (query, key)."""
    given = int((kept > 0).sum())
    struck = int(((dropped == 0) & (kept > 0)).sum())
    return (
        f"{struck} of {count(given, 'weight')} {'is' if struck == 1 else 'are'} struck out, the others divided by 1 − {rate:g}. A "
        "row then need not sum to 1; it does so on average over many draws. That is why weights are shown with training switched "
        "off. The pages after this one run without dropout."
    )


# ---------- classifier ----------


def answer(shares: Sequence[float]) -> str:
    """The class with the largest share, and the share; several where it is the same to the last bit."""
    largest = max(shares)
    best = [str(k) for k, share in enumerate(shares, start=1) if share == largest]
    if len(best) == 1:
        return f"class {best[0]}, {percent(largest, 1)}"
    return f"classes {', '.join(best[:-1])} and {best[-1]}, {percent(largest, 1)} each"


# ---------- block ----------

# What float32 leaves of a sum that should be nothing, in units of what was added up.
ROUNDING = 1e-6


def times_as_long(part: Tensor, base: Tensor, made_of: Tensor) -> float | None:
    """How many times as long one row is as another; None where that is nothing, or only rounding of what it was `made_of`."""
    length = base.norm().item()
    if length <= ROUNDING * made_of.norm().item():
        return None
    return part.norm().item() / length


def lengths(rows: Mapping[str, Tensor], norm: str) -> str:
    """How long attention's part and the feed-forward part are beside what they are added to; rows of one token by stage."""
    attended = times_as_long(rows["output"], rows["x"], rows["x"])
    if norm == "pre":
        before = rows["x"].abs() + rows["output"].abs()
        fed = times_as_long(rows["fed"], rows["added"], before)
    else:
        # A row of equal numbers has no spread: what a norm makes of it is nothing, or rounding made large.
        added = rows["added"]
        even = (added - added.mean()).norm() <= ROUNDING * added.norm()
        fed = None if even else times_as_long(rows["fed"], rows["normed"], rows["normed"])
    told = [
        f"{name} part is {short(times)} times as long as what it is added to"
        if times is not None
        else f"{name} part is added to zeros: there is nothing to compare its length with"
        for name, times in (("Attention's", attended), ("the feed-forward", fed))
    ]
    return ", ".join(told) + "."


def post_norm(outs: Sequence[Tensor]) -> str:
    """What a stack with post-norm hands on: each layer's result (token, d_model)."""
    spreads = [out.std(dim=-1, correction=0) for out in outs]
    least = min(each.min().item() for each in spreads)
    if least > 0.99:
        return "every layer hands on rows of standard deviation 1"
    if all(not each.any() for each in spreads) and outs[0].shape[-1] == 1:
        return "here every layer hands on zeros, since a row of a single number has no spread"
    return f"layers hand on rows of standard deviation 1, less where the numbers of a row were nearly equal ({short(least, 2)} here)"


def pre_norm(deviations: Sequence[float]) -> str:
    """Whether a stack with pre-norm grows: the standard deviation after each layer."""
    first, last = deviations[0], deviations[-1]
    if len(deviations) == 1:
        return "so that as a rule it grows from layer to layer"
    steps = f"from {short(first)} after the first layer to {short(last)} after the last"
    if all(after > before for before, after in itertools.pairwise(deviations)):
        return f"so it grows: {steps}"
    if last > first:
        return f"so it grows, if not in every layer: {steps}"
    return f"so that as a rule it grows; here it does not: {steps}"


def norms(outs: Sequence[Tensor], deviations: Sequence[float]) -> str:
    """Post-norm and pre-norm beside each other: results of the first, deviations after each layer of the second."""
    more = " More **Layers** in the sidebar show it better." if len(outs) < MOST_LAYERS else ""
    return (
        f"**Post-norm** (the paper, and the notebooks) norms the stream itself: {post_norm(outs)}. **Pre-norm** norms only what goes "
        f"into each part; the stream is added to and never touched, {pre_norm(deviations)}. A number that came in at the bottom is "
        f"still a summand at the top. Deep models are easier to train that way (Xiong et al. 2020).{more}"
    )


def bend(activation: str) -> str:
    """What the feed-forward part's bend does to negative numbers."""
    return {"relu": "everything negative dropped", "gelu": "what is negative pressed towards 0"}[activation]


# ---------- encoder ----------


def shuffled(found: shuffle.Shuffled) -> str:
    """What the shuffle shows of this stack."""
    setup, verdict = found.setup, shuffle.verdict(found)
    if verdict == "typed":
        if len(setup.tokens) == 1:
            return "A single word has only one order: there is nothing to shuffle."
        told = "Nothing is shuffled" if setup.shuffle == 0 else "This shuffle changes nothing"
        return f"{told}: the order is the one that was typed. Move **Shuffle** in the sidebar."
    still, share = found.largest("none"), found.share("none")
    moves = f"moves by at most **{number(still)}**" if still else "does not move at all"
    carry = "The words carry their results with them; to the stack, a sentence is a bag of words."
    if share > shuffle.SEEN:
        rounding = f", {percent(share, 2)} of the largest number there: rounding, which large scores enlarge. But for that, "
        rounded = rounding + carry[0].lower() + carry[1:]
    else:
        rounded = f"{': rounding' if still else ''}. {carry}"
    told = {
        "bag": rounded,
        "alike": f"{': rounding' if still else ''}. All words are the same, so the **causal mask** has nothing to give away.",
        "mask": ": here the **causal mask** gives the order away, since it decides who is before whom.",
        "hidden": ". The **causal mask** decides who is before whom, but here the results do not show it.",
    }[verdict]
    return f"Without positions, a word's result {moves}{told} {_with_positions(found)}"


def _with_positions(found: shuffle.Shuffled) -> str:
    seen = shuffle.seen(found)
    moved = (
        f"With sinusoidal positions it moves by up to **{short(found.largest('sinusoidal'), 2)}**, with learned ones by up to "
        f"**{short(found.largest('learned'), 2)}**. "
    )
    if not any(found.sizes):
        return moved + "All results are 0, since a norm leaves nothing of a row with a single number."
    if len(seen) == 2:
        return moved + "That is what positions are for."
    if seen:
        return moved + f"Here only {seen[0]} positions show the order."
    return moved + "Here not even positions show the order."
