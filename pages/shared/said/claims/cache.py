"""What is said of the cache: what one word more leaves as it was, and what is saved by that. No
Streamlit here."""

from core import cache, grown
from core.setup import Setup
from core.text import quoted, shorten
from core.written import count, short
from pages.shared.said.words import number

FAR = 1000  # words: how long a sentence is that the saving is said of
KINDS_OF_MASK = {"none": "no mask", "window": "a window that reaches both ways"}


def far(setup: Setup) -> int:
    """Return the length that the saving is told of: 1,000 words, of a model that is read as many as
    it has places for at most."""
    return FAR if setup.real is None else min(FAR, setup.real.sizes.places)


def one_more(found: grown.Grown) -> str:
    """Say what one word more leaves as it was, as plain text."""
    new = f"One word more, {quoted(shorten(found.after[0].tokens[-1]))}"
    if found.gone:
        new += ", and no room for it, so the first has to go"
    if not found.is_rounding:
        return f"{new}: {_other(found)}."
    furthest = found.furthest
    among = f"at most {number(furthest.apart)}, among numbers up to {short(furthest.size)}"
    stays = f"but for rounding: {among}" if furthest.apart else "to the last bit"
    return (
        f"{new}: Q, K, V and ω get one new row in each head and layer. Every old row stays the same"
        f" {stays}."
    )


def _other(found: grown.Grown) -> str:
    """Say what changes of old rows, half a sentence: how many results, and in which layers what a
    cache would keep."""
    if not found.other_results and not found.other_keys:
        return (
            "here no number shows it"
            if found.is_rounding
            else "some old numbers change, though no result does"
        )
    results = f"the result changes for {found.other_results} of {count(found.words, 'old word')}"
    layers = [str(n) for n in found.other_keys]
    if not layers:
        return f"{results}, while all keys and values stay"
    return f"{results}, and keys or values change in {_listed(layers)}"


def _listed(layers: list[str]) -> str:
    """List layers by their numbers.

    >>> _listed(["2"]), _listed(["1", "3"]), _listed(["2", "3", "4"])
    ('layer 2', 'layers 1 and 3', 'layers 2 to 4')
    """
    first, last = int(layers[0]), int(layers[-1])
    if len(layers) == 1:
        return f"layer {first}"
    if len(layers) > 2 and last - first == len(layers) - 1:
        return f"layers {first} to {last}"
    return f"layers {', '.join(layers[:-1])} and {last}"


def ahead(found: grown.Grown) -> str:
    """Say what a mask makes of old rows under which words look ahead: whether anything could be
    kept."""
    mask = KINDS_OF_MASK[found.setup.mask]
    return (
        f"With {mask}, old words look at the new one too: {_other(found)}. So nothing of them can"
        " be kept for sure, and the whole sentence is computed again for each word. That is why"
        " the next word is said under a causal mask."
    )


def full(found: grown.Grown) -> str:
    """Say what becomes of old rows where there is no room, so that the first word has to go."""
    reasons = {
        "none": (
            "Nothing says where a word stands. But results hold something of the word that is gone,"
            " and so do keys and values above layer 1."
        ),
        "sinusoidal": (
            "Each word now has the wave of the place before. Waves never end: one may go on"
            " counting instead."
        ),
        "learned": (
            "Each word now has the row of the place before. Learned positions end somewhere, so"
            " words have to move up."
        ),
        "rotary": (
            "Each key is now turned by the angle of the place before. A score hangs on the distance"
            " alone, so one may go on counting, and keep the keys."
        ),
    }
    stay = (
        "here no old number changes by more than rounding" if found.is_rounding else _other(found)
    )
    positions = (
        "none"
        if found.setup.positions == "rotary" and not found.setup.turns
        else found.setup.positions
    )
    return (
        f"The first word has to go, and each other one stands a place earlier: {stay}."
        f" {reasons[positions]}"
    )


def saving(setup: Setup) -> str:
    """Say what a word costs far on in a sentence, with the cache and without it."""
    tokens = far(setup)
    few, many = cache.with_cache(setup, tokens), cache.without_cache(setup, tokens)
    times = f"{many // few:,}" if many % few == 0 else short(many / few)
    return (
        f"Word {tokens:,} of a sentence costs **{few:,}** multiplications with the cache, and"
        f" {many:,} without it: {times} times as many. The cache then holds"
        f" **{cache.numbers_kept(setup, tokens):,}** numbers."
    )


def kept(setup: Setup) -> str:
    """Say what decides how many numbers are kept: heads that share, and a window."""
    tokens, heads = far(setup), setup.heads
    kv_heads = heads // setup.group
    looked_at = cache.looks_at(setup, tokens)
    said = [
        "Without the cache all rows are made again, and every query meets every key, also where"
        " the mask then closes. For each word it looks at, the cache keeps"
        f" {cache.numbers_of_a_word(setup):,} numbers: {count(setup.layers, 'layer')} ×"
        f" {count(kv_heads, 'kv head')} × (d_k {setup.d_k} + d_v {setup.d_v})."
    ]
    if kv_heads < heads:
        own = cache.numbers_of_a_word(setup, heads) * looked_at
        said.append(
            f"If each of the {heads} heads had keys and values of its own, the cache would hold"
            f" {own:,}."
        )
    if kv_heads > 1:
        one = cache.numbers_of_a_word(setup, 1) * looked_at
        said.append(f"If all heads shared one, it would hold {one:,}.")
    if setup.has_window:
        words = (
            "itself and the word before"
            if setup.window == 1
            else f"itself and the {setup.window} words before"
        )
        said.append(
            f"A word looks at {words}, so from word {setup.window + 1} on the cache no longer"
            " grows."
        )
    return " ".join(said)


def by_itself(apart: float) -> str:
    """Say how far the new word's result by itself is from the one that the whole sentence's way
    has."""
    if apart == 0:
        return "Computed by itself, the new word's result is **equal to the last bit**."
    return (
        f"Computed by itself, the new word's result differs by at most **{number(apart)}**:"
        " rounding, since a product with a single row may add its terms in another order."
    )
