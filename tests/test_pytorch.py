"""Our tensors against PyTorch's own functions and modules on the same weights."""

import itertools
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import torch
from hypothesis import given, settings
from strategies import HEADS, setups

from core import Setup, run
from core.forward import batch
from core.forward.classifier import classify
from core.forward.encoder import encode, stack
from core.ops import classes, masks
from core.reference import reference
from core.trace.record import Trace
from core.weights import weights
from tests.oracles import alibi, with_numbers

ROOT = Path(__file__).parents[1]
OTHERS = "the cat\nLife is short\na"
SEVEN = "a quick dog saw the cat run"
NARROW = {"sizes": "narrow", "out": "d_model", "init": "xavier"}
STEPS = ("embedded", "q", "k", "v", "scores", "weights", "context", "concat", "output")


def checked(trace: Trace) -> list[str]:
    """The entries that PyTorch has something to compare with."""
    calls = {name: trace[name].call for name in trace}
    return [name for name, call in calls.items() if call and call.step and call.step.reference]


@settings(max_examples=200)
@given(
    setups() | setups(projections="none") | setups(layer=1, memory=SEVEN) | setups(layer=1, heads=6)
)
def test_every_entry_is_pytorchs(setup):
    """What the pages show as the difference from PyTorch is rounding, in every kind of setup and
    for every entry: of its own size, and of the softmax's arguments, whose rounding the weights
    multiply (0.1 as temperature, no scale: arguments in the thousands)."""
    trace = run(setup)
    arguments = max(1.0, trace.value("scaled").abs().max().item())
    for name in {*STEPS, *checked(trace)}:
        found = reference.check(trace, name)
        room = 2e-6 * arguments * max(1.0, trace.value(name).abs().max().item())
        assert found.largest <= room, name


def test_every_entry_of_small_weights_to_1e5():
    """Each number of heads, scale, mask and bias, with weights that leave the softmax its digits:
    agreement to 1e-5 relative, a padded batch's weights too."""
    scales, biases = ("sqrt", "fourth-root", "none"), ("off", "on")
    for heads, scale, mask, bias in itertools.product(HEADS, scales, masks.MASKS, biases):
        if mask == "given":
            continue
        sizes = {"d_model": 11, "d_k": 7, "d_v": 13, "heads": heads, "init": "xavier"}
        setup = Setup(**sizes, scale=scale, mask=mask, bias=bias, others=OTHERS)
        trace, made = run(setup), batch.run(setup)
        found = [reference.check(trace, name) for name in STEPS]
        found.append(reference.check_batch(made.trace, made.may_attend))
        assert max(check.relative for check in found) <= 1e-5, setup


def test_alibi_is_the_papers():
    """The bias is what the authors' code makes, for powers of 2 and other numbers of heads, and
    with it as a mask that is added PyTorch gives our context."""
    for heads, mask in itertools.product((1, 2, 3, 5, 8, 20), ("none", "causal")):
        sizes = {"d_model": 11, "d_k": 7, "d_v": 13, "heads": heads, "init": "xavier"}
        trace = run(Setup(**sizes, positions="alibi", mask=mask))
        bias = alibi(trace.setup, 6)
        assert torch.equal(trace.value("alibi"), bias.float())
        seen = bias.float().masked_fill(trace.value("masked").isneginf(), -torch.inf)
        q, k, v = (trace.value(name) for name in "qkv")
        theirs = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=seen)
        assert torch.allclose(trace.value("context"), theirs, atol=1e-6)


def test_multihead_attention():
    """Where its shape allows, nn.MultiheadAttention with our weights gives our output, keys and
    values of another sentence included."""
    words = ({"memory": SEVEN}, {"mask": "none"}, {"mask": "causal"}, {"mask": "window"})
    for heads, bias, changes in itertools.product(HEADS, ("off", "on"), words):
        setup = Setup(d_model=heads * (3 if heads > 7 else 7), heads=heads, bias=bias, **NARROW)
        found = reference.check(run(replace(setup, **changes)), "output")
        assert found.function == "nn.MultiheadAttention"
        assert found.relative <= 1e-5


def test_a_disturbed_entry_is_noticed():
    """One wrong number in any entry that is compared is found out, in a batch, a block, a
    classifier and shares of the next word as well."""
    setup = Setup(**NARROW, d_model=15, heads=3, d_ff=7, layers=1, classes=3, others=OTHERS)

    def wrong(trace: Trace, name: str) -> Trace:
        value = trace.value(name).clone()
        value.view(-1)[0] += 0.01
        return with_numbers(trace, name, value)

    trace, made, answer, (layer,) = run(setup), batch.run(setup), classify(setup), encode(setup)
    x = layer.value("x")
    for name in checked(trace):
        assert reference.check(trace, name).largest < 1e-6
        assert reference.check(wrong(trace, name), name).largest > 0.009
    for check, of, name, *more in (
        (reference.check_batch, made.trace, "weights", made.may_attend),
        (reference.check_layer, layer, "out", masks.everyone(6)),
        (reference.check_classes, answer.sentence(0), "log_probabilities", answer.weights, x),
    ):
        assert check(of, *more).largest < 1e-5, name
        assert check(wrong(of, name), *more).largest > 0.009, name


def test_a_check_imports_nothing():
    """PyTorch's modules answer at once: what one imports when it is first called would stop a whole
    server for that time."""
    code = (
        "import sys; from core.forward import encoder, trace;"
        " from core.ops import masks; from core.reference import reference;"
        " from core import Setup; setup = Setup(d_model=15, heads=3, sizes='narrow', scale='sqrt',"
        " out='d_model',"
        " d_ff=7); attended, block = trace.run(setup), encoder.encode(setup)[0];"
        " may_attend = masks.everyone(len(setup.tokens)); before = set(sys.modules);"
        " print(reference.check(attended, 'output').function);"
        " print(reference.check_layer(block, may_attend).function);"
        " print(*set(sys.modules) - before)"
    )
    command = [sys.executable, "-c", code]
    said = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    modules = ["nn.MultiheadAttention", "nn.TransformerEncoderLayer", ""]
    assert said.stdout.splitlines() == modules


@settings(max_examples=80)
@given(setups(layer=1) | setups(layer=1, projections="none"))
def test_every_kind_of_block(setup):
    """Any sizes, both norms, each activation, each mask, shared keys and turns: each layer of a
    stack is what PyTorch's functions make of its input."""
    may_attend = setup.mask_function(len(setup.tokens))
    for layer in encode(replace(setup, d_ff=min(setup.d_ff, 11))):
        assert torch.isfinite(layer.value("out")).all()
        found = reference.check_layer(layer, may_attend)
        # A norm of nearly equal numbers is rounding made large.
        spreads = (layer.value(n).std(dim=-1, correction=0).min() for n in ("x", "resid_mid"))
        assert min(spreads) < 0.01 or found.relative <= 1e-3, found


def test_the_stack_is_pytorchs():
    """nn.TransformerEncoder of three layers, each with our weights, gives our numbers for every
    real word of a padded batch; each layer by itself is nn.TransformerEncoderLayer's."""
    kinds = ("post", "pre"), ("relu", "gelu"), ("none", "causal"), ("off", "on")
    for norm, activation, mask, bias in itertools.product(*kinds):
        fields = {"norm": norm, "activation": activation, "mask": mask, "bias": bias}
        setup = Setup(**NARROW, d_model=15, heads=3, d_ff=7, layers=3, others=OTHERS, **fields)
        made = batch.run(setup)
        x, is_word = made.trace.value("x"), made.is_word
        layers = stack(setup, weights.layers(setup), x, made.may_attend)
        for layer in layers:
            found = reference.check_layer(layer, made.may_attend)
            assert found.function == "nn.TransformerEncoderLayer"
            assert found.largest < 1e-5
        options = {"batch_first": True, "norm_first": norm == "pre", "bias": bias == "on"}
        block = torch.nn.TransformerEncoderLayer(15, 3, 7, 0.0, activation, **options)
        whole = torch.nn.TransformerEncoder(block, 3, enable_nested_tensor=False).eval()
        with torch.no_grad():
            for theirs, ours in zip(whole.layers, layers, strict=True):
                theirs.load_state_dict(reference.layer_weights(ours))
            causal = ~masks.causal(is_word.shape[1]) if mask == "causal" else None
            out = whole(x, mask=causal, src_key_padding_mask=~is_word)
        assert torch.allclose(out[is_word], layers[-1].value("out")[is_word], atol=1e-5), fields


def test_the_classifier_is_pytorchs_on_each_sentence_alone():
    """Padding changes nothing: each sentence, unpadded through PyTorch's functions, has the same
    log-probabilities; their exponentials are shares, and the mean of words' logits is the
    sentence's."""
    for padding, mask in (("right", "none"), ("left", "causal")):
        sizes = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "d_ff": 11, "classes": 3}
        fields = {"bias": "on", "positions": "learned", "padding": padding, "mask": mask}
        answer = classify(Setup(**sizes, **fields, init="xavier", others=OTHERS, layers=2))
        x, is_word = answer.batch.trace.value("x"), answer.batch.is_word
        for place in range(4):
            of_words = x[place][is_word[place]]
            check = reference.check_classes(answer.sentence(place), answer.weights, of_words)
            assert check.largest < 1e-5
        trace, mean = answer.trace, is_word / is_word.sum(dim=1, keepdim=True)
        shares = torch.softmax(trace.value("logits"), dim=-1)
        ours = classes.probabilities(trace.value("log_probabilities"))
        assert torch.allclose(ours, shares, atol=1e-6)
        each = torch.einsum("st,stc->sc", mean, trace.value("token_logits"))
        assert torch.allclose(each, trace.value("logits"), atol=1e-5)
