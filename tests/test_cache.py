"""The cache: a path that keeps keys and values, and what that saves."""

from dataclasses import replace

import torch
from hypothesis import example, given, settings
from strategies import setups
from torch.utils.flop_counter import FlopCounterMode

from core import cache, encoder, masks, weights
from core.setup import Setup
from core.trace import embedded

# Every choice that keys and values hang on, with sizes that are distinct primes but for the heads,
# which are shared.
CHOOSY = Setup(
    text="the cat sat on the mat",
    d_model=7,
    d_k=3,
    d_v=5,
    heads=6,
    kv_heads=2,
    init="xavier",
    positions="rotary",
    d_ff=11,
    layers=3,
    mask="causal-window",
    window=2,
    bias="on",
    norm="pre",
    norm_kind="rms",
    activation="swiglu",
)


def causal(setup: Setup) -> Setup:
    return replace(setup, memory="", mask="causal-window" if "window" in setup.mask else "causal")


def in_float64(setup: Setup) -> tuple[tuple[dict[str, torch.Tensor], ...], torch.Tensor]:
    """The weights of every layer, and X."""
    layers = tuple(
        {name: each.double() for name, each in layer.items()} for layer in weights.layers(setup)
    )
    return layers, embedded(setup).value("x").double()


@settings(max_examples=100)
@given(setups())
@example(CHOOSY)
@example(replace(CHOOSY, projections="none", mask="causal"))
def test_word_by_word_is_the_whole_stack(setup):
    """A sentence that goes through the stack word by word, with keys and values kept, ends as the
    one that goes through at once: in float64, where rounding hides no mistake, for both norms,
    shared heads, positions, windows, biases, and without projections."""
    setup = causal(setup)
    layers, x = in_float64(setup)
    kept, outs = cache.nothing(setup), []
    for row in x.split(1):
        kept, out = cache.step(setup, layers, kept, row)
        outs.append(out)
    traces = encoder.stack(setup, layers, x, masks.of(setup, len(x)))
    at_once = cache.kept_of(setup, traces)
    assert kept.words == at_once.words == len(x)
    assert kept.numbers == at_once.numbers == cache.numbers_kept(setup, len(x))
    pairs = zip(
        (torch.cat(outs), *kept.keys, *kept.values),
        (traces[-1].value("out"), *at_once.keys, *at_once.values),
        strict=True,
    )
    for ours, whole in pairs:
        assert ours.shape == whole.shape
        assert (
            (ours - whole).abs().max() <= 1e-6 * whole.abs().max()
        )  # angles are float32, and large scores enlarge that


def multiplied(run) -> int:
    """How many multiplications PyTorch made, by its own count: it counts an addition to each."""
    counter = FlopCounterMode(display=False)
    with counter:
        run()
    flops = counter.get_total_flops()
    assert flops % 2 == 0
    return flops // 2


@settings(max_examples=40)
@given(setups())
@example(CHOOSY)
def test_multiplications_are_those_that_pytorch_makes(setup):
    """What one word more costs with the cache and without it is what PyTorch counts while it
    runs."""
    setup = causal(setup)
    n, layers, x = len(setup.tokens), weights.layers(setup), embedded(setup).value("x")
    *_, last = x.split(1)
    kept = cache.kept_of(setup, encoder.encode(setup, x[:-1])) if n > 1 else cache.nothing(setup)
    one_row = multiplied(lambda: cache.step(setup, layers, kept, last))
    assert one_row == cache.with_cache(setup, n)
    may_attend = masks.of(setup, n)
    whole = multiplied(lambda: encoder.result(setup, layers, x, may_attend))
    assert whole == cache.without_cache(setup, n)
    assert (
        kept.numbers
        == sum(each.numel() for each in (*kept.keys, *kept.values))
        == cache.numbers_kept(setup, n - 1)
    )
