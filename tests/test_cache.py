"""The cache: what one word more leaves as it was, a path that keeps keys and values, and what that
saves."""

from dataclasses import replace

import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import setups
from torch.utils.flop_counter import FlopCounterMode

from core import cache, encoder, grown, masks, weights
from core.sentences import MOST_TOKENS
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


@settings(max_examples=60)
@given(setups(), st.data())
def test_under_a_causal_mask_nothing_old_changes(setup, data):
    """One word more leaves every old row of every step as it was, but for rounding, and as many
    numbers are kept as are counted."""
    setup = causal(setup)
    found = grown.grown(setup, data.draw(st.sampled_from(setup.vocabulary)))
    assert [list(layer) for layer in found.old] == [list(grown.steps(setup))] * setup.layers
    for old in (old for layer in found.old for old in layer.values()):
        assert old.moved == (False,) * len(setup.tokens)
        assert len(old.same) == len(setup.tokens)
    kept, out, whole = grown.stepped(found)
    assert kept.numbers == cache.numbers_kept(setup, len(setup.tokens) + 1)
    assert out.shape == whole.shape == (1, setup.d_model)


def test_a_mask_that_looks_ahead_changes_old_rows():
    """Without a causal mask old words look at the new one: layer 1 keeps queries, keys, values and
    scores, and has other weights; above it nothing stays."""
    setup = replace(CHOOSY, mask="none", positions="sinusoidal")
    found = grown.grown(setup, "cat")
    first, second, third = (
        {name: all(old.moved) for name, old in layer.items()} for layer in found.old
    )
    assert first == dict.fromkeys(("x", "q", "k", "v", "scores"), False) | dict.fromkeys(
        ("weights", "context", "out"), True
    )
    assert all(second.values())
    assert all(third.values())
    assert not any(any(found.old[0][name].moved) for name in ("x", "q", "k", "v", "scores"))
    with pytest.raises(ValueError, match="old rows change"):
        grown.stepped(found)


def test_a_window_that_looks_ahead_changes_few_rows():
    """A window that reaches two words ahead leaves in layer 1 all but the last two old rows as they
    were, in layer 2 all but four."""
    setup = replace(CHOOSY, mask="window", positions="none")
    moved = [layer["context"].moved for layer in grown.grown(setup, "cat").old]
    assert moved[0] == (False,) * 4 + (True,) * 2
    assert moved[1] == (False,) * 2 + (True,) * 4
    assert moved[2] == (True,) * 6


@pytest.mark.parametrize(
    ("positions", "moves"),
    [
        ("none", set()),
        ("sinusoidal", {"x", "q", "k", "v"}),
        ("learned", {"x", "q", "k", "v"}),
        ("rotary", {"q_rotated", "k_rotated"}),
    ],
)
def test_where_the_first_word_has_to_go(positions, moves):
    """Each word then stands a place earlier. What was added for its place changes in layer 1, or
    its turned key; without positions its key and value stay there, but not above, where they held
    something of the word that is gone."""
    setup = replace(CHOOSY, positions=positions, mask="causal")
    layers = grown.grown(setup, "cat", gone=1).old
    names = [
        name
        for name in grown.steps(setup)
        if name in ("x", "q", "k", "v", "q_rotated", "k_rotated")
    ]
    assert {name for name in names if any(layers[0][name].moved)} == moves
    assert all(all(layers[1][name].moved) for name in names)
    assert len(layers[0]["x"].same) == len(setup.tokens) - 1
    with pytest.raises(ValueError, match="old rows change"):
        grown.stepped(grown.grown(setup, "cat", gone=1))


def test_what_cannot_be_compared_is_refused():
    """A word that the vocabulary does not have has no row, and of a sentence that goes altogether
    nothing is left to compare."""
    with pytest.raises(ValueError, match="'dog' is not in the vocabulary"):
        grown.grown(CHOOSY, "dog")
    with pytest.raises(ValueError, match="gone=6: expected 0 to 5"):
        grown.grown(CHOOSY, "cat", gone=6)
    assert grown.has_room(CHOOSY)
    assert not grown.has_room(replace(CHOOSY, text=" ".join(["a"] * MOST_TOKENS)))


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
