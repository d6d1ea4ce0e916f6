"""What the last word of a sentence costs where keys and values of those before are kept, and where
they are not.

Shazeer 2019, "Fast Transformer Decoding: One Write-Head is All You Need", section 2.4: word by
word, all keys and values are read again for each word, so their number decides how fast that is.
"""

from dataclasses import replace

from . import counts
from .setup import Setup


def looks_at(setup: Setup, tokens: int) -> int:
    """How many words the last of so many looks at, itself included, under a causal mask: so many
    keys and values are kept.

    >>> looks_at(Setup(mask="causal"), 9), looks_at(Setup(mask="causal-window", window=2), 9)
    (9, 3)
    """
    return min(tokens, setup.window + 1) if setup.has_window else tokens


def numbers_kept(setup: Setup, tokens: int) -> int:
    """How many numbers the cache of so many words holds: a key and a value of each layer and kv
    head, of each word that the last one looks at.

    >>> numbers_kept(Setup(layers=2, heads=4, kv_heads=2, d_k=3, d_v=5, mask="causal"), tokens=10)
    320
    """
    of_a_word = setup.layers * (setup.heads // setup.group) * (setup.d_k + setup.d_v)
    return of_a_word * looks_at(setup, tokens)


def count_per_row(setup: Setup) -> int:
    """How many multiplications one word's row takes in all layers, but for those where it meets
    other words: the projections, W_o and the feed-forward part.

    >>> count_per_row(Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7))
    60
    """
    of_attention = sum(counts.count_by_matrix(replace(setup, out="d_model")).values())
    return setup.layers * (
        of_attention + (3 if setup.activation == "swiglu" else 2) * setup.d_model * setup.d_ff
    )


def count_meetings(setup: Setup, keys: int) -> int:
    """Return how many multiplications it takes in all layers that a query meets so many keys, and
    takes up their values.

    Scaled by ⁴√d_k on both sides they meet twice: as they are, for ω, and divided, for ω′.

    >>> count_meetings(Setup(layers=2, heads=3, d_k=5, d_v=7), keys=10)
    720
    """
    meetings = 2 if setup.scale == "fourth-root" else 1
    return setup.layers * setup.heads * (meetings * setup.d_k + setup.d_v) * keys


def count_with_cache(setup: Setup, tokens: int) -> int:
    """How many multiplications the last of so many words takes where keys and values of those
    before are kept: a row.

    >>> count_with_cache(
    ...     Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10
    ... )
    140
    """
    return count_per_row(setup) + count_meetings(setup, looks_at(setup, tokens))


def count_without_cache(setup: Setup, tokens: int) -> int:
    """The same where all of the sentence goes through the stack again: every row, and every query
    meets every key, also those that the mask then closes. That is what `encoder.encode` does.

    >>> count_without_cache(
    ...     Setup(layers=1, d_model=2, heads=1, d_k=3, d_v=5, d_ff=7, mask="causal"), tokens=10
    ... )
    1400
    """
    return tokens * (count_per_row(setup) + count_meetings(setup, tokens))
