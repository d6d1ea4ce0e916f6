"""Sentences about the cache of keys and values. No Streamlit here."""

from core import Setup
from core.analysis import kv_cache
from pages.shared.text.words import short

FAR = 1000  # the sentence length for the example


def far(setup: Setup) -> int:
    """Return the sentence length for the example: 1,000 words, or a model's maximum if shorter."""
    return FAR if setup.real is None else min(FAR, setup.real.sizes.places)


def describe_saving(setup: Setup) -> str:
    """Compare a late word's multiplications with the cache and without it."""
    tokens = far(setup)
    few, many = (
        kv_cache.count_with_cache(setup, tokens),
        kv_cache.count_without_cache(setup, tokens),
    )
    times = f"{many // few:,}" if many % few == 0 else short(many / few)
    return (
        f"Word {tokens:,} of a sentence costs **{few:,}** multiplications with the cache, and"
        f" {many:,} without it, {times} times as many; the cache of keys and values then holds"
        f" **{kv_cache.numbers_kept(setup, tokens):,}** numbers."
    )
