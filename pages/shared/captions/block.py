"""Sentences about the block: vector lengths and the two norms. No Streamlit here."""

from collections.abc import Mapping, Sequence

from torch import Tensor

from core import Setup
from core.text.written import count
from pages.shared.text.words import short

# The meaning of norm in the formula.
NORMS = {
    "rms": "norm divides each row by the root of its mean square, then takes it times a gain, 1"
    " unless a model brings its own. ",
    "layer": "norm brings each row to mean 0 and standard deviation 1, then takes it times a gain"
    " and adds a shift, 1 and 0 unless a model brings its own. ",
}
# What the feed-forward activation does to negative numbers.
NEGATIVES_BECOME = {
    "relu": "sets the negative ones to 0",
    **dict.fromkeys(("gelu", "gelu_tanh"), "presses the negative ones towards 0"),
    "swiglu": "multiplies them by a gate, which a second matrix makes of the same row",
}


def lengths(rows: Mapping[str, Tensor], norm: str) -> str:
    """Compare the lengths of attention's and the feed-forward part's outputs with those of the
    vectors they are added to; `rows` of one token by stage."""
    base = "resid_mid" if norm == "pre" else "normed_1"
    x, attended, to, fed = (
        short(rows[name].norm().item()) for name in ("x", "output", base, "ffn_out")
    )
    return (
        f"Attention adds a vector of length {attended} to one of length {x}. The feed-forward part"
        f" adds one of length {fed} to one of length {to}."
    )


def back_to_d_model(setup: Setup) -> str:
    """Explain why a block's W_o has d_model columns for any output size."""
    return (
        f"A sum needs as many numbers on both sides, and X has {count(setup.d_model, 'number')} a"
        " row: so in a block W_o leads back to d_model, whatever **Output size** is. Where that is"
        " another size, Y here is not the Y of Heads."
    )


def norms(of_each: Mapping[str, Sequence[float]]) -> str:
    """Compare post-norm and pre-norm by the standard deviations after each layer."""
    post, pre = (
        f"from {short(of_each[norm][0])} to {short(of_each[norm][-1])}" for norm in ("post", "pre")
    )
    return (
        "**Post-norm** (the paper, and the notebooks) norms the stream itself: its standard"
        f" deviation goes {post}, from the first layer to the last. **Pre-norm** norms only what"
        f" goes into each part; the stream is added to and never touched: {pre}. The first layer's"
        " input is still a summand of what the last hands on. Deep models are easier to train that"
        " way (Xiong et al. 2020)."
    )
