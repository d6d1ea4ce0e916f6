"""What the classifier answers, in words. No Streamlit here."""

from collections.abc import Sequence

from pages.shared.words import percent


def answer(shares: Sequence[float]) -> str:
    """The class with the largest share, and the share; several where it is the same to the last bit."""
    largest = max(shares)
    best = [str(k) for k, share in enumerate(shares, start=1) if share == largest]
    if len(best) == 1:
        return f"class {best[0]}, {percent(largest, 1)}"
    return f"classes {', '.join(best[:-1])} and {best[-1]}, {percent(largest, 1)} each"
