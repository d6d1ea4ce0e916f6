"""What the projection page says of sizes that fit and sizes that do not. No Streamlit here."""

from torch import Tensor

from core.geometry import Stretch, share_within
from core.setup import Setup
from pages.shared.said.words import number, percent, quoted


def stretched(stretch: Stretch, symbol: str, name: str, x: Tensor, made: Tensor) -> str:
    """What a projection does to the plane that it stretches most, and how much of one word lies in it, as plain text.

    `symbol` is q, k or v, `x` the word's own vector (d_model,) and `made` what W makes of it (d_k or d_v,), without a bias.
    """
    first, second = stretch.sizes.tolist()
    if first == 0:
        return f"W_{symbol} is zero: it takes every direction to a single point."
    most = (
        f"A matrix turns and stretches. W_{symbol} stretches one direction of x the most, {number(first)} times, and of those at a "
        f"right angle to it another one, {number(second)} times: its two largest singular values σ₁ and σ₂. So the circle of radius 1 "
        "in the plane of the two becomes an ellipse. "
        if second
        else f"A matrix turns and stretches. W_{symbol} leaves one direction only: it stretches that {number(first)} times, σ₁, and "
        "takes all that stands at a right angle to it to zero. "
    )
    return most + (
        f"The arrow is the part of {quoted(name)} that lies there: {_share(x, stretch.before)} of the squared length of x, "
        f"{_share(made, stretch.after)} of that of {symbol}."
    )


def _share(row: Tensor, axes: Tensor) -> str:
    share = share_within(row, axes)
    return "all" if share > 1 - 1e-9 else percent(share)


def fit(setup: Setup, d_q: int) -> str:
    """Whether queries of d_q numbers can be multiplied with this setup's keys, and what would have to change."""
    n, d_k = len(setup.tokens), setup.d_k
    if d_q == d_k:
        numbers = "The one number" if d_k == 1 else f"Each of the {d_k} numbers"
        return (
            f"**It fits.** {numbers} of a query has a number of a key to be multiplied with, and the scores are {n} × {n}. Move d_q "
            "by one, and there are no scores."
        )
    return (
        f"**It does not fit.** The two sizes that meet must be equal, and {d_q} is not {d_k}: "
        + (f"{d_q - d_k} of a query's numbers" if d_q > d_k else f"{d_k - d_q} of a key's numbers")
        + f" would be left over. With d_q = {d_k} or d_k = {d_q} the scores would be {n} × {n}. That is why one slider sets the size "
        "of both, d_k."
    )
