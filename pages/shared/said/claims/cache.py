"""What is said of the cache: what is saved by keeping keys and values. No Streamlit here."""

from core import cache
from core.setup import Setup
from core.written import short

FAR = 1000  # words: how long a sentence is that the saving is said of


def far(setup: Setup) -> int:
    """Return the length that the saving is told of: 1,000 words, of a model that is read as many as
    it has places for at most."""
    return FAR if setup.real is None else min(FAR, setup.real.sizes.places)


def describe_saving(setup: Setup) -> str:
    """Say what a word costs far on in a sentence, with the cache and without it."""
    tokens = far(setup)
    few, many = cache.count_with_cache(setup, tokens), cache.count_without_cache(setup, tokens)
    times = f"{many // few:,}" if many % few == 0 else short(many / few)
    return (
        f"Word {tokens:,} of a sentence costs **{few:,}** multiplications with the cache, and"
        f" {many:,} without it, {times} times as many; the cache of keys and values then holds"
        f" **{cache.numbers_kept(setup, tokens):,}** numbers."
    )
