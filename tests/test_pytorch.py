"""Our tensors against PyTorch's own attention on the same weights."""

import itertools
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from oracles import turned
from strategies import HEADS, setups

from core import encoder, gradient, lessons, reference, training_store, weights
from core.masks import MASKS
from core.setup import Setup
from core.trace import Trace, run

ROOT = Path(__file__).parents[1]


def close(ours: torch.Tensor, theirs: torch.Tensor) -> bool:
    return (ours - theirs).abs().max() <= 1e-5 * theirs.abs().max().clamp_min(1e-30)


@settings(max_examples=200)
@given(setups() | setups(projections="none"))
def test_context_and_output_agree_with_sdpa(setup):
    """Context and output are those of F.scaled_dot_product_attention, to 1e-5 of the largest
    number."""
    trace = run(setup)
    factor = 1.0 if setup.scale == "none" else setup.d_k**-0.5
    places = range(len(setup.tokens))
    theirs = F.scaled_dot_product_attention(
        turned(setup, trace.value("q")),
        turned(setup, trace.value("k")),
        trace.value("v").double(),
        attn_mask=torch.tensor(
            [
                [
                    (j <= i or "causal" not in setup.mask)
                    and (abs(i - j) <= setup.window or "window" not in setup.mask)
                    for j in range(len(trace.key_tokens))
                ]
                for i in places
            ]
        ),
        scale=factor / setup.temperature,
        enable_gqa=True,
    )
    # Where scores are huge, rounding them to float32 moves the weights: e to a score of s knows s
    # only to s·2⁻²⁴.
    largest = trace.value("scores").abs().max().item() * factor / setup.temperature
    allowance = max(1.0, largest / 25)
    assert (trace.value("context") - theirs).abs().max() <= 1e-5 * allowance * trace.value(
        "v"
    ).abs().max()
    if setup.projections == "learned":
        joined = torch.cat(list(theirs), dim=-1) @ trace.value("w_o").double()
        joined += trace.value("b_o").double() if setup.bias == "on" else 0
        size = (
            torch.cat(list(trace.value("v").abs()), dim=-1).max()
            * trace.value("w_o").abs().sum(dim=0).max()
        )
        assert (trace.value("output") - joined).abs().max() <= 1e-5 * allowance * size


CASES = list(itertools.product(HEADS, ("sqrt", "fourth-root", "none"), tuple(MASKS), ("off", "on")))


@pytest.mark.parametrize(("heads", "scale", "mask", "bias"), CASES)
def test_every_kind_of_setup_to_1e5(heads, scale, mask, bias):
    """1, 2, 3, 5, 7 and 20 heads, each scale, mask and bias: agreement to 1e-5 relative."""
    setup = Setup(
        d_model=11, d_k=7, d_v=13, heads=heads, scale=scale, mask=mask, bias=bias, init="xavier"
    )
    trace = run(setup)
    for name in ("weights", "context", "output"):
        assert reference.check(trace, name).relative <= 1e-5


@pytest.mark.parametrize("heads", HEADS)
@pytest.mark.parametrize("bias", ["off", "on"])
@pytest.mark.parametrize("mask", MASKS)
def test_multihead_attention(heads, bias, mask):
    """Where its shape allows, nn.MultiheadAttention with our weights gives our output."""
    setup = Setup(
        d_model=heads * (3 if heads > 7 else 7),
        heads=heads,
        sizes="narrow",
        out="d_model",
        bias=bias,
        mask=mask,
    )
    found = reference.check(run(setup), "output")
    assert found.function == "nn.MultiheadAttention"
    assert found.relative <= 1e-5


@given(setups())
def test_every_check_on_the_pages_is_small(setup):
    """What the pages show as the difference from PyTorch is rounding, in every kind of setup and
    for every entry: of its own size, and of the softmax's arguments, whose rounding the weights
    multiply (0.1 as temperature, no scale: arguments in the thousands)."""
    trace = run(setup)
    arguments = max(1.0, trace.value("scaled").abs().max().item())
    for name in ("embedded", "q", "k", "v", "scores", "weights", "context", "output"):
        found = reference.check(trace, name)
        assert found.largest <= 2e-6 * arguments * max(1.0, trace.value(name).abs().max().item()), (
            name
        )


def test_the_check_can_fail():
    """A trace with one wrong weight is found out."""
    trace = run(Setup())
    entry = trace["weights"]
    wrong = entry.value.clone()
    wrong[0, 1, 2] += 0.01
    disturbed = Trace(trace.setup, {**trace, "weights": replace(entry, stored=wrong)})
    assert reference.check(disturbed, "weights").largest > 0.009
    assert reference.check(trace, "weights").largest < 1e-6


def test_a_check_imports_nothing():
    """PyTorch's modules answer at once: what one imports when it is first called would stop a whole
    server for that time."""
    code = (
        "import sys; from core import encoder, masks, reference, trace; from core.setup import"
        " Setup; setup = Setup(d_model=15, heads=3, sizes='narrow', scale='sqrt', out='d_model',"
        " d_ff=7); tokens = len(setup.tokens); attended, block = trace.run(setup),"
        " encoder.encode(setup)[0]; before = set(sys.modules); print(reference.check(attended,"
        " 'output').function); print(reference.check_layer(block,"
        " masks.MASKS['none'](tokens)).function); print(*set(sys.modules) - before)"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.splitlines()
    assert said == ["nn.MultiheadAttention", "nn.TransformerEncoderLayer", ""]


@settings(max_examples=60)
@given(setups(layer=1) | setups(layer=1, projections="none"))
def test_every_kind_of_block(setup):
    """Both norms, each activation, each mask, shared keys and turns: a layer of the stack is that
    of PyTorch's functions."""
    layer = encoder.encode(replace(setup, layers=1))[0]
    places = torch.arange(len(setup.tokens))
    far = (places[:, None] - places).abs() > setup.window
    closed = (far if "window" in setup.mask else far & False) | (
        places > places[:, None] if "causal" in setup.mask else far & False
    )
    found = reference.check_layer(layer, ~closed)
    # A norm of nearly equal numbers is rounding made large.
    spread = min(
        layer.value(name).std(dim=-1, correction=0).min().item() for name in ("x", "resid_mid")
    )
    assert spread < 0.01 or found.relative <= 1e-3, found


@pytest.mark.parametrize(
    "changes",
    [{"kv_heads": 2}, {"kv_heads": 1}, {"activation": "swiglu"}, {"positions": "rotary"}],
    ids=str,
)
def test_new_fields_leave_the_drawn_weights(changes):
    """Shared keys are those of each group's first head; a gate is drawn last; turns need no weight.
    All else is as it was."""
    plain = Setup(heads=6, bias="on", layers=2)
    before, after = weights.named(plain), weights.named(replace(plain, **changes))
    for name, weight in before.items():
        kept = (
            weight[:: 6 // changes["kv_heads"]]
            if "kv_heads" in changes and name[-3:] in ("w_k", "w_v", "b_k", "b_v")
            else weight
        )
        assert torch.equal(after[name], kept), name
    assert {name.split(".")[-1] for name in after.keys() - before.keys()} == (
        {"w_gate", "b_gate"} if "activation" in changes else set()
    )


def test_the_gradient_goes_back_through_turns_and_groups():
    """W_q's gradient, carried back by hand through rotary positions and shared keys, is
    autograd's."""
    setup = Setup(
        init="trained", positions="rotary", heads=4, kv_heads=2, d_model=7, d_k=5, d_v=3, steps=11
    )
    opened = training_store.get(setup, "attention").opened
    ours = gradient.of_queries(setup, opened.weights, opened.examples).value
    assert reference.check_gradient(lessons.attention(setup), opened, ours).relative < 1e-9
