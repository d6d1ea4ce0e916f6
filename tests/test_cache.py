"""The cache of keys and values: what it saves."""

from dataclasses import replace

from hypothesis import example, given, settings
from strategies import setups
from torch.utils.flop_counter import FlopCounterMode

from core import cache, encoder, masks, weights
from core.setup import Setup
from core.trace import compute_embedding

# Every choice that keys and values hang on, with sizes that are distinct primes but for the heads,
# which are shared.
SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 6, "kv_heads": 2, "d_ff": 11, "layers": 3}
CHOICES = {"init": "xavier", "positions": "rotary", "mask": "causal-window", "window": 2}
CHOICES |= {"bias": "on", "norm": "pre", "norm_kind": "rms", "activation": "swiglu"}
CHOOSY = Setup(text="the cat sat on the mat", **SIZES, **CHOICES)


@settings(max_examples=40)
@given(setups())
@example(CHOOSY)
def test_multiplications_are_those_that_pytorch_makes(setup):
    """What a sentence costs without the cache is what PyTorch counts while it runs: an addition to
    each multiplication. With it one row is left, of as many keys as the last word looks at: a
    sentence of one word costs the same."""
    setup = replace(setup, memory="", mask="causal-window" if "window" in setup.mask else "causal")
    n, layers, x = len(setup.tokens), weights.layers(setup), compute_embedding(setup).value("x")
    counter = FlopCounterMode(display=False)
    with counter:
        encoder.result(setup, layers, x, masks.make_mask(setup, n))
    assert counter.get_total_flops() == 2 * cache.count_without_cache(setup, n)
    assert cache.count_with_cache(setup, 1) == cache.count_without_cache(setup, 1)
    more = cache.count_with_cache(setup, n) - cache.count_with_cache(setup, 1)
    assert more == cache.count_meetings(setup, cache.looks_at(setup, n) - 1)


def test_what_is_kept():
    """Keys and values of the two kv heads in all layers: under the window, of three words."""
    assert cache.numbers_kept(CHOOSY, 6) == 3 * 2 * (3 + 5) * 3
