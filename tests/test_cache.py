"""The cache: what one word more leaves as it was, a path that keeps keys and values, and what that saves."""

from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import WORDS, setups
from torch.utils.flop_counter import FlopCounterMode

from core import cache, encoder, weights
from core.setup import Setup
from core.trace import embedded

# Every choice that keys and values hang on, with sizes that are distinct primes but for the heads, which are shared.
CHOOSY = Setup(
    text="the cat sat on the mat", d_model=7, d_k=3, d_v=5, heads=6, kv_heads=2, init="xavier", positions="rotary", d_ff=11,
    layers=3, mask="causal-window", window=2, bias="on", norm="pre", norm_kind="rms", activation="swiglu",
)  # fmt: skip


def causal(setup: Setup) -> Setup:
    return setup if setup.is_causal else replace(setup, mask="causal-window" if setup.has_window else "causal")


def one_by_one(setup: Setup, x: torch.Tensor) -> tuple[cache.Kept, torch.Tensor]:
    kept, layers, outs = cache.nothing(setup), weights.layers(setup), []
    for row in x.split(1):
        kept, out = cache.step(setup, layers, kept, row)
        outs.append(out)
    return kept, torch.cat(outs)


@settings(max_examples=100)
@given(setups())
def test_word_by_word_is_the_whole_stack(setup):
    """A sentence that goes through the stack word by word, with keys and values kept, ends as the one that goes through at once: in
    float64, where rounding does not hide a mistake, for norms, shared heads, positions, windows, biases, and no projections."""
    setup = causal(setup)
    x = embedded(setup).value("x").double()
    layers = tuple({name: each.double() for name, each in layer.items()} for layer in weights.layers(setup))
    kept, outs = cache.nothing(setup), []
    for row in x.split(1):
        kept, out = cache.step(setup, layers, kept, row)
        outs.append(out)
    from core import masks

    whole = encoder.result(setup, layers, x, masks.of(setup, len(x)))
    size = whole.abs().max().item()
    assert torch.allclose(torch.cat(outs), whole, rtol=0, atol=1e-6 * size)
    assert kept.words == len(x)
    assert kept.numbers == cache.numbers_kept(setup, len(x))
    traces = encoder.stack(setup, layers, x, masks.of(setup, len(x)))
    at_once = cache.kept_of(setup, traces)
    for one, other in zip((*kept.keys, *kept.values), (*at_once.keys, *at_once.values), strict=True):
        assert one.shape == other.shape
        assert torch.allclose(one, other, rtol=0, atol=1e-6 * max(other.abs().max().item(), 1e-9))


@settings(max_examples=60)
@given(setups(), st.data())
def test_under_a_causal_mask_nothing_old_changes(setup, data):
    """One word more leaves all old rows of all steps as they were, but for rounding; a mask that lets words look ahead does not hide
    that they do."""
    setup = causal(setup)
    found = cache.grown(setup, data.draw(st.sampled_from(setup.vocabulary)))
    for layer in found.old:
        for name, old in layer.items():
            assert not any(old.moved), name
            assert len(old.same) == len(setup.tokens)
    kept, out, whole = cache.stepped(found)
    assert kept.numbers == cache.numbers_kept(setup, len(setup.tokens) + 1)
