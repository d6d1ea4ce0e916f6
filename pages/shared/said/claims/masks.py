"""What the masks' page says of a batch, its padding and dropout. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core.setup import Setup
from core.written import count
from pages.shared.said.words import percent, quoted


def batch(lengths: Sequence[int]) -> str:
    """Tell how many sentences a batch has, and how long each is."""
    longest = max(lengths)
    if len(lengths) == 1:
        return (
            f"One sentence, one row of {count(longest, 'place')}. Type further ones under More,"
            " above the figure."
        )
    return (
        f"Each of {len(lengths)} rows is as long as the longest sentence:"
        f" {count(longest, 'place')}."
    )


def padding(setup: Setup, is_word: Tensor) -> str:
    """Say where padding stands and who may look at it; `is_word` (sentence, token) is True where a
    word stands."""
    causal = setup.is_causal
    if is_word.all():
        sentence = (
            "There is no padding: all sentences are equally long."
            if len(is_word) > 1
            else "There is no padding."
        )
    elif setup.padding == "left":
        sentence = (
            "Padding stands at the beginning, as models that write text need it, and its columns"
            " are closed."
        )
    elif setup.padding == "right":
        sentence = (
            "Padding stands at the end, and its columns are closed: no word looks at it. Nobody"
            " reads its own rows."
        )
    elif causal:
        sentence = (
            "Padding stands at the end, and only the causal mask keeps words from looking at it."
        )
    else:
        sentence = "Padding stands at the end and nothing hides it: every column is open."
        if setup.has_window:
            sentence = "Padding stands at the end, and nothing but the window hides it."
    sentence += " The causal mask closes everything to the right of the diagonal." if causal else ""
    if setup.has_window:
        sentence += (
            f" The window closes everything more than {count(setup.window, 'place')} away from the"
            " diagonal."
        )
    return sentence


def closed(setup: Setup, query: tuple[int, str], key: tuple[int, str]) -> str:
    """Say why a word may not look at another one, each with its place: it comes later, or stands
    too far away.

    >>> print(closed(Setup(mask="window", window=1), (2, "cat"), (0, "the")).replace(": ", ":\\n"))
    “cat” may not look at “the”, which stands more than 1 place away:
    the window makes that score −∞ and its weight 0.
    """
    (i, asks), (j, asked) = query, key
    later = setup.is_causal and j > i
    why = (
        "which comes later"
        if later
        else f"which stands more than {count(setup.window, 'place')} away"
    )
    by = "the causal mask" if later else "the window"
    return (
        f"{quoted(asks)} may not look at {quoted(asked)}, {why}: {by} makes that score −∞ and its"
        " weight 0."
    )


def nothing_closed(chosen: int, shown: int) -> str:
    """Say why another sentence is shown than the chosen one, both counted from 0."""
    return f"In sentence {chosen + 1} every place is open, so sentence {shown + 1} is shown here."


def others(many: int) -> str:
    """Name the fold with the weights of all sentences of a batch but one."""
    return (
        "The other sentence’s weights" if many == 2 else f"The other {many - 1} sentences’ weights"
    )


def empty_rows(may_attend: Tensor) -> str:
    """Say what becomes of queries that may look nowhere: may_attend (sentence, query, key); nothing
    where there are none."""
    empty = int((~may_attend.any(dim=-1)).sum())
    if not empty:
        return ""
    return (
        f"**{count(empty, 'row')} may look nowhere** (padding to which the masks leave no word)."
        " The softmax of nothing would be 0 / 0; here such a row is defined as zeros, and nothing"
        " flows into it. PyTorch's `nn.MultiheadAttention` gives NaN there."
    )


def leak(weights: Tensor, is_word: Tensor) -> str:
    """Say how much words give to padding: weights of one head (sentence, query, key), is_word
    (sentence, token)."""
    if is_word.all():
        return "**There is no padding** that a word could look at."
    to_padding = weights.masked_fill(is_word[:, None, :], 0).sum(dim=-1)[is_word]
    if not to_padding.any():
        return "**No word gives anything to padding.**"
    most = percent(to_padding.max().item())
    if not most.startswith("less"):
        most = "as much as 99% and more" if most.startswith("more") else f"up to {most}"
    return (
        f"**Words give {most} of their attention to padding**: a sentence's numbers now depend on"
        " how long its neighbours in the batch are."
    )


def causal(before: Tensor, names: Sequence[str], query: int) -> str:
    """Say what a causal mask takes from a query (from 0): its weights (query, key) without a
    mask."""
    later = len(names) - query - 1
    if not later:
        return (
            f"{quoted(names[query])} is the last word and may look at every word: its row stays as"
            " it is."
        )
    taken = before[query, query + 1 :].sum().item()
    get, had = "They get" if query else "It gets", percent(taken) if taken else "nothing"
    begin = f"{quoted(names[query])} may look at {query + 1} of {count(len(names), 'word')}."
    return f"{begin} {get} what the {count(later, 'word')} after it had: {had}."


def why_causal(setup: Setup) -> str:
    """Say what a causal mask is for, and whether it is on."""
    on = (
        "It is on in this setup."
        if setup.is_causal
        else "It is off in this setup: **More** in the panel has it."
    )
    return (
        "The first row has one place only, so its weight is 1; each further row has one place"
        " more. Models that write text need this: the next word must not be known before it is"
        f" written. {on}"
    )


def dropout(weights: Tensor, dropped: Tensor, rate: float, example: bool = False) -> str:
    """Say what dropout does to one head's weights: before and after, (query, key). `example`: the
    setup itself has none."""
    positive = int((weights > 0).sum())
    zeros = int(((dropped == 0) & (weights > 0)).sum())
    begin = "**An example: dropout is off in this setup.** " if example else ""
    struck = f"{zeros} of {count(positive, 'weight')} {'is' if zeros == 1 else 'are'} struck out"
    return (
        f"{begin}At a rate of {rate:g}, {struck}, the others divided by 1 − {rate:g}: a row need"
        " not sum to 1."
    )


def why_dropout() -> str:
    """Say what dropout is for, and where it is off."""
    return (
        "In training some weights are struck out at random, so that no word relies on a single"
        " other. The rest are enlarged to make up for it: on average over many draws, a row still"
        " sums to 1. When a model is used, nothing is struck out: on all other pages dropout is"
        " off."
    )
