"""The cache of keys and values: what it saves."""

from dataclasses import replace

from hypothesis import example, given, settings
from strategies import setups
from torch.utils.flop_counter import FlopCounterMode

from core import Setup
from core.analysis import kv_cache
from core.forward import encoder
from core.forward.trace import compute_embedding
from core.weights import weights

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
        encoder.result(setup, layers, x, setup.mask_function(n))
    assert counter.get_total_flops() == 2 * kv_cache.count_without_cache(setup, n)
    assert kv_cache.count_with_cache(setup, 1) == kv_cache.count_without_cache(setup, 1)
    more = kv_cache.count_with_cache(setup, n) - kv_cache.count_with_cache(setup, 1)
    assert more == kv_cache.count_meetings(setup, kv_cache.looks_at(setup, n) - 1)


def test_what_is_kept():
    """Keys and values of the two kv heads in all layers: under the window, of three words."""
    assert kv_cache.numbers_kept(CHOOSY, 6) == 3 * 2 * (3 + 5) * 3
