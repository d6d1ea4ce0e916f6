"""Sentences about the heads, from Z to Y. No Streamlit here."""

from collections.abc import Sequence

from torch import Tensor

from core import Setup
from core.analysis import counts
from pages.shared.text.words import percent, quote

TWO_STEPS = (
    "First each row is cut into heads, then the axes change places. To read the same numbers at"
    " once as (head, token, d_v) would mix words with heads, where there are several of both: each"
    " row would be filled with the next numbers, whosever they are."
)
NO_W_O = (
    "**This setup has no W_o.** What the heads found stands side by side in concat, and that is the"
    " output."
)
ONE_LINE = (
    "The scores, their softmax and the mixture, of which every page so far has taken a part. Once"
    " for each head, side by side and times W_o, the paper calls it multi-head attention."
)


def describe_largest_weights(
    weights: Tensor, query: str, row: int, asked: Sequence[str]
) -> list[str]:
    """State one query's largest weight and its key in each head: weights (head, query, key), the
    query's `row` from 0.

    >>> from torch import tensor
    >>> describe_largest_weights(tensor([[[0.2, 0.8]], [[1.0, 0.0]]]), "is", 0, ["Life", "is"])
    ['head 1: “is” → “is”, 80%', 'head 2: “is” → “Life”, 100%']
    """
    return [
        f"head {k}: {quote(query)} → {quote(asked[int(of.argmax())])}, {percent(of.max().item())}"
        for k, of in enumerate(weights[:, row], start=1)
    ]


def sizes(setup: Setup) -> str:
    """Compare narrow, wide and free heads for these sizes: d_k, d_v and number of weights.

    Notebook N2 has narrow heads, N1 wide ones, N4 free ones.
    """
    narrow, wide, now = counts.narrow(setup), counts.wide(setup), counts.get_heads(setup)
    of_narrow = (
        f"{narrow.d_k}, {narrow.parameters:,} parameters in all"
        if narrow
        else f"not here, since {setup.heads} does not divide {setup.d_model}"
    )
    said = (
        f"**Narrow** (N2): d_k = d_v = d_model / heads: {of_narrow}. **Wide** (N1): d_k = d_v ="
        f" d_model: {wide.d_k}, {wide.parameters:,} parameters. **Free** (N4): any d_k and d_v. Now"
        f" heads are **{setup.sizes}**, d_k = {now.d_k}, d_v = {now.d_v}: {now.parameters:,}"
        " parameters."
    )
    return f"{said}\n\n{_shared(setup)}" if setup.group > 1 else said


def _shared(setup: Setup) -> str:
    """State how many heads share keys and values, and how many numbers that saves."""
    h, size, kv_heads = setup.heads, setup.group, setup.heads // setup.group
    of_a_place, whole = kv_heads * (setup.d_k + setup.d_v), h * (setup.d_k + setup.d_v)
    return (
        f"**Each set of keys and values is shared by {size} of {h} heads** (Shazeer 2019; Ainslie"
        f" et al. 2023). W_k and W_v have {counts.count_saved(setup):,} numbers fewer, biases"
        f" apart. K and V have {of_a_place:,} numbers for each token in place of {whole:,}: what a"
        " model that writes has to keep of all that it wrote."
    )
