"""The cost of generating the last word with and without a KV cache.

Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.4: all keys and
values are read again for each new word, so their number limits the speed.
"""

from dataclasses import replace

from ..setup.setup import Setup
from . import counts


def looks_at(setup: Setup, tokens: int) -> int:
    """Return how many of this many tokens the last one attends to under a causal mask, itself
    included: the keys and values in the cache.

    >>> looks_at(Setup(mask="causal"), 9), looks_at(Setup(mask="causal-window", window=2), 9)
    (9, 3)
    """
    return min(tokens, setup.window + 1) if setup.has_window else tokens


def numbers_kept(setup: Setup, tokens: int) -> int:
    """Return how many numbers the cache holds: a key and a value for each layer, kv head and cached
    word.

    >>> numbers_kept(Setup(layers=2, heads=4, kv_heads=2, d_k=3, d_v=5, mask="causal"), tokens=10)
    320
    """
    of_a_word = setup.layers * (setup.heads // setup.group) * (setup.d_k + setup.d_v)
    return of_a_word * looks_at(setup, tokens)


def count_per_row(setup: Setup) -> int:
    """Return the multiplications for one word's row in all layers, without attention scores and
    mixing: the projections, W_o and the feed-forward part.

    >>> count_per_row(Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7))
    60
    """
    of_attention = sum(counts.count_by_matrix(replace(setup, out="d_model")).values())
    return setup.layers * (
        of_attention + (3 if setup.activation == "swiglu" else 2) * setup.d_model * setup.d_ff
    )


def count_meetings(setup: Setup, keys: int) -> int:
    """Return the multiplications for one query's scores with this many keys and the mix of their
    values, in all layers.

    With ⁴√d_k on both sides, scores are computed twice: unscaled, for ω, and scaled, for ω′.

    >>> count_meetings(Setup(layers=2, heads=3, d_k=5, d_v=7), keys=10)
    720
    """
    meetings = 2 if setup.scale == "fourth-root" else 1
    return setup.layers * setup.heads * (meetings * setup.d_k + setup.d_v) * keys


def count_with_cache(setup: Setup, tokens: int) -> int:
    """Return the multiplications for the last word when earlier keys and values are cached: one
    row.

    >>> count_with_cache(
    ...     Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10
    ... )
    140
    """
    return count_per_row(setup) + count_meetings(setup, looks_at(setup, tokens))


def count_without_cache(setup: Setup, tokens: int) -> int:
    """Return the multiplications without a cache, as in `encoder.encode`: every row, and every
    query with every key, including masked ones.

    >>> count_without_cache(
    ...     Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10
    ... )
    1400
    """
    return tokens * (count_per_row(setup) + count_meetings(setup, tokens))
