"""Sentences about a batch, its padding and dropout. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core import Setup
from core.text.written import count
from pages.shared.text.words import percent, quote

PADDING = {
    "left": "Padding stands at the beginning, as models that write text need it; its columns are"
    " closed.",
    "right": "Padding stands at the end; its columns are closed, and nobody reads its rows.",
    "unmasked": "Padding stands at the end and counts as words do: no mask of its own hides it.",
}
WHY_CAUSAL = (
    "The first row has one place only, so its weight is 1; each further row has one place more."
    " Models that write text need this: the next word must not be known before it is written."
)
WHY_DROPOUT = (
    "In training some weights are struck out at random, so that no word relies on a single other."
    " The rest are enlarged to make up for it: on average over many draws, a row still sums to 1."
    " When a model is used, nothing is struck out: on all other pages dropout is off."
)


def batch(lengths: Sequence[int]) -> str:
    """State the number of sentences in a batch and their common length."""
    return (
        f"{count(len(lengths), 'sentence')}, each as long as the longest:"
        f" {count(max(lengths), 'place')}."
    )


def describe_padding(setup: Setup) -> str:
    """Describe the padding and the masks."""
    said = PADDING[setup.padding]
    if setup.is_causal:
        said += " The causal mask closes everything to the right of the diagonal."
    if setup.has_window:
        window = count(setup.window, "place")
        said += f" The window closes everything more than {window} away from the diagonal."
    return said


def describe_masked_pair(query: str, key: str) -> str:
    """Explain a masked pair.

    >>> describe_masked_pair("cat", "the")
    '“cat” may not look at “the”: the mask makes that score −∞ and its weight 0.'
    """
    return (
        f"{quote(query)} may not look at {quote(key)}: the mask makes that score −∞ and its"
        " weight 0."
    )


def point_to_another_sentence(chosen: int, closed: int) -> str:
    """Say that the chosen sentence has no closed place, and which one has (both from 0)."""
    return f"In sentence {chosen + 1} every place is open; in sentence {closed + 1} some are not."


def empty_rows(may_attend: Tensor) -> str:
    """Describe queries without any unmasked key in may_attend (sentence, query, key), "" if there
    are none."""
    empty = int((~may_attend.any(dim=-1)).sum())
    if not empty:
        return ""
    return (
        f"**{count(empty, 'row')} may look nowhere** (padding to which the masks leave no word)."
        " The softmax of nothing would be 0 / 0; here such a row is defined as zeros, and nothing"
        " flows into it. PyTorch's `nn.MultiheadAttention` gives NaN there."
    )


def leak(weights: Tensor, is_word: Tensor) -> str:
    """State the most weight that a word gives to all padding: weights of one head (sentence, query,
    key), is_word (sentence, token)."""
    to_padding = weights.masked_fill(is_word[:, None, :], 0).sum(dim=-1)[is_word]
    return (
        f"The most that a word gives to padding is **{percent(to_padding.max().item())}** of its"
        " attention. Where that is not 0%, a sentence's numbers depend on how long its neighbours"
        " in the batch are."
    )


def causal(before: Tensor, names: Sequence[str], query: int) -> str:
    """State the weight that a causal mask removes from a query (from 0): weights (query, key)
    without a mask."""
    taken = before[query, query + 1 :].sum().item()
    return (
        f"Under a causal mask {quote(names[query])} may look at {query + 1} of"
        f" {count(len(names), 'word')}. It loses what it gave to words after it:"
        f" {percent(taken)} of its attention."
    )


def dropout(weights: Tensor, dropped: Tensor, rate: float, example: bool = False) -> str:
    """Describe the effect of dropout on one head's weights, before and after (query, key).
    `example`: the setup itself has none."""
    positive = int((weights > 0).sum())
    zeros = int(((dropped == 0) & (weights > 0)).sum())
    begin = "**An example: dropout is off in this setup.** " if example else ""
    return (
        f"{begin}Struck out at a rate of {rate:g}: {zeros} of {count(positive, 'weight')}. The"
        f" others are divided by 1 − {rate:g}: a row need not sum to 1."
    )
