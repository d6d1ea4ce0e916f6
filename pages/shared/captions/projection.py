"""Sentences about matching sizes and rotary positions. No Streamlit here."""

from collections.abc import Mapping

from core import Setup
from pages.shared.text.words import number, quote

GIVEN_AT_ONCE = (
    "**Q, K and V are given.** No X and no W_q, W_k, W_v are known that would make them, so the"
    " rows on the pages before are drawn at random. From the scores on, every number follows from"
    " Q, K and V."
)
HEADS_NORMED = (
    "The model norms queries and keys before they meet: each is divided by the root of its mean"
    " square, and column by column taken times a gain γ, which was trained and is the same for"
    " every head. So a score hangs on where the two point and on the gains, not on how long the"
    " projections made them. **Values stay as they are.**"
)
PAIRS_TURNED = (
    "Nothing was added for the place. Instead numbers 1 and 2 of each query and key are an arrow, 3"
    " and 4 the next, and each arrow is turned by an angle that grows with the place: the first"
    " pair by 1 radian (57°) a word, each further one by less. A last number without a partner"
    " stays, and **values stay as they are.**"
)


def fit(setup: Setup, d_q: int) -> str:
    """State whether queries of size d_q can be multiplied with this setup's keys."""
    n, m, d_k = len(setup.tokens), len(setup.memory_tokens or setup.tokens), setup.d_k
    if d_q == d_k:
        return f"**It fits.** The scores are {n} × {m}. Move d_q by one, and there are no scores."
    return (
        f"**It does not fit.** The two sizes that meet must be equal, and {d_q} is not {d_k}. That"
        " is why one slider sets the size of both, d_k."
    )


def across(setup: Setup) -> str:
    """Explain the rows and columns of cross-attention, "" for self-attention."""
    if not setup.memory:
        return ""
    return (
        " Rows are the words of the first sentence, columns those of the sentence of the keys:"
        " cross-attention (Vaswani et al. 2017, section 3.2.3)."
    )


def describe_rotation(setup: Setup) -> str:
    """Describe the norm and rotation of queries and keys, "" if there are none."""
    normed = " The model norms each row of Q and K first." if setup.norms_heads else ""
    if not setup.turns:
        return normed
    return f"{normed} $Q_r$ and $K_r$ are turned by their places: on Projection stands how."


def one_turned(name: str, place: int, symbol: str, pair: int, angle: float) -> str:
    """State the rotation angle of one pair of a word's dimensions (place and pair from 0)."""
    whose = "query" if symbol == "q" else "key"
    return (
        f"{quote(name)} stands at place {place + 1}: pair {pair + 1} of its {whose} is turned by"
        f" {number(angle)} radians and keeps its length."
    )


def only_distance(apart: Mapping[int, float], largest: float) -> str:
    """State the largest difference of the scores for each shift of the sentence."""
    told = ", ".join(f"{number(each)} at {by + 1}" for by, each in apart.items())
    return (
        "Both words of a pair are turned on by the same angle, so what is between their arrows"
        " stays: wherever a sentence begins, its scores are the same but for rounding. Largest"
        f" difference where it begins at place … {told}; the largest score is {number(largest)} in"
        " size."
    )
