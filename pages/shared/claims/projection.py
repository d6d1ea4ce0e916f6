"""What the projection page says of sizes that fit and sizes that do not. No Streamlit here."""

from core.setup import Setup


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
