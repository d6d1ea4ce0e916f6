"""Masks, dropout, blocks, stacks and the classifier, against themselves; `test_pytorch` holds them
against PyTorch's modules."""

import math
import statistics
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from strategies import setups

from core import Setup, run
from core.forward import batch, classifier
from core.forward.classifier import classify
from core.forward.encoder import compare_norms, encode, stack, standard_deviations
from core.forward.trace import compute_weights
from core.layers import block
from core.ops import attention, masks, norms
from core.training import init
from core.weights import weights
from tests.oracles import with_numbers


def test_a_row_with_nothing_to_attend_to_is_zero():
    """Defined, not NaN: its weights are 0, and so is what it takes from the values; slopes through
    it are 0 too."""
    masked = torch.tensor([[-torch.inf, -torch.inf], [0.0, -torch.inf]], requires_grad=True)
    shares = attention.softmax_or_zeros(masked)
    assert shares.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    shares[:, 0].sum().backward()
    assert masked.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    assert attention.mix(shares.detach(), torch.tensor([[3.0], [5.0]])).tolist() == [[0.0], [3.0]]


def test_left_padding_under_a_causal_mask_leaves_empty_rows():
    """Two words after three places of padding may look at nothing, at one key and at two: zeros
    there, shares of 1 everywhere else."""
    setup = Setup(text="a b c d e", others="f g", padding="left", mask="causal", dropout=0.4)
    made, trace = batch.run(setup), batch.run(setup).trace
    assert trace["weights"].call.function is attention.softmax_or_zeros
    no_mask = batch.run(replace(setup, mask="none")).trace
    assert no_mask["weights"].call.function is attention.softmax
    assert attention.row_sums(made.may_attend).tolist() == [[1, 2, 3, 4, 5], [0, 0, 0, 1, 2]]
    sums = attention.row_sums(trace.value("weights"))[1]
    assert torch.allclose(sums, torch.tensor([0.0, 0.0, 0.0, 1.0, 1.0]).expand(3, -1))
    assert torch.isfinite(trace.value("output")).all()


def test_half_the_way_is_the_same_way():
    """What goes no further than the weights has, to the last bit, the numbers of what goes on to
    the output."""
    fields = {"mask": "causal", "bias": "on", "positions": "learned", "dropout": 0.3}
    setup = Setup(text="a b c", others="d e", **fields)
    own = weights.projections(setup)
    for whole, half in (
        (run(setup), compute_weights(setup, own)),
        (batch.run(setup).trace, batch.compute_weights(setup, own).trace),
    ):
        assert {"v", "context", "output"}.isdisjoint(half)
        assert all(torch.equal(entry.value, whole.value(name)) for name, entry in half.items())


@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize(("positions", "mask"), [("none", "causal"), ("learned", "none")])
def test_batched_is_one_by_one(padding, positions, mask):
    """Each sentence of a padded batch has the numbers it has unpadded and by itself, wherever its
    words stand: positions count from its own first word."""
    fields = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "init": "normal", "bias": "on"}
    fields |= {"padding": padding, "positions": positions, "mask": mask, "layers": 1}
    setup = Setup(text="is short", others="eat is\nshort first is eat", **fields)
    made = batch.run(setup)
    x = made.trace.value("x")
    stacked = stack(setup, weights.layers(setup), x, made.may_attend)[0]
    for place, tokens in enumerate(setup.sentences):
        ours, is_word = made.sentence(place), made.is_word[place]
        alone = replace(setup, text=" ".join(tokens), others="")
        # The same table for all: every sentence must be looked up where the batch looks it up.
        again = encode(alone, x[place][is_word])[0]
        assert torch.allclose(stacked.value("out")[place][is_word], again.value("out"), atol=1e-5)
        shares = ours.value("weights")[:, is_word][:, :, is_word]
        assert torch.allclose(shares, again.value("weights"), atol=1e-6)
        if place == 0:
            first = run(alone)
            assert torch.equal(x[0][is_word], first.value("x"))
            output = ours.value("output")[is_word]
            assert torch.allclose(output, first.value("output"), rtol=1e-5, atol=1e-4)


def test_unmasked_padding_leaks():
    """What the padding mask is for: without it the shorter sentence's words give weight to padding,
    with it none."""
    closed, leaking = (batch.run(Setup(padding=kind)) for kind in ("right", "unmasked"))
    pad = ~closed.is_word[1]
    assert (closed.trace.value("weights")[1][..., pad] == 0).all()
    assert (leaking.trace.value("weights")[1][..., pad].sum(dim=-1) > 0).any()
    assert torch.equal(closed.trace.value("x"), leaking.trace.value("x"))


def test_dropout_keeps_the_mean():
    """Every weight is struck out or enlarged by 1 / (1 − rate); on average a row still sums to 1;
    its seed is its own."""
    words = " ".join("abcdefghijklmnopqrstuvwxyz")
    setup = Setup(text=words, heads=20, dropout=0.3, init="xavier", others="")
    trace = batch.run(setup).trace
    before, dropped = trace.value("weights"), trace.value("dropped")
    struck, sums = dropped == 0, dropped.sum(dim=-1)
    assert torch.allclose(dropped[~struck], before[~struck] / 0.7)
    assert 0.27 < struck.float().mean() < 0.33
    assert sums.std() > 0.05 and abs(sums.mean() - 1) < 0.02
    other = batch.run(replace(setup, dropout_seed=2)).trace
    assert torch.equal(other.value("weights"), before)
    assert not torch.equal(other.value("dropped"), dropped)
    assert "dropped" not in batch.run(replace(setup, dropout=0.0)).trace


def test_layer_norm_and_gelu_are_pytorchs():
    """To 1e-6, a row without spread included."""
    x = torch.cat([torch.randn(5, 7, generator=init.generator(1)) * 30, torch.full((1, 7), 3.0)])
    assert torch.allclose(norms.layer_norm(x), torch.nn.functional.layer_norm(x, (7,)), atol=1e-6)
    assert torch.allclose(block.gelu(x), torch.nn.functional.gelu(x), atol=1e-5)


def test_layers_have_weights_of_their_own():
    """Layer 1 attends with the weights of the seven pages; no other layer repeats them; more layers
    change none."""
    setup = Setup(layers=6, out="d_model")
    layers = encode(setup)
    assert torch.equal(layers[0].value("w_q"), run(setup).value("w_q"))
    for name in ("w_q", "w_1", "w_2"):
        values = [layer.value(name) for layer in layers]
        assert not any(torch.equal(a, b) for k, a in enumerate(values) for b in values[:k])
    assert torch.equal(encode(replace(setup, layers=2))[1].value("out"), layers[1].value("out"))


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_spreads_are_what_statistics_says(norm):
    """Each stage has the mean and the standard deviation of its own row, not of a sample, by
    Python's own statistics."""
    layer = encode(Setup(norm=norm, d_model=11, init="normal"))[0]
    rows = {name: layer.value(name)[2] for name in ("x", "output", "resid_mid", "out")}
    spreads = block.spreads(rows)
    assert list(spreads) == list(rows)
    for name, row in rows.items():
        mean, deviation = statistics.fmean(row.tolist()), statistics.pstdev(row.tolist())
        assert spreads[name] == pytest.approx((mean, deviation), rel=1e-5, abs=1e-5), name


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_either_norm_is_computed_from_the_same_weights(norm):
    """Whichever norm a setup has, post-norm stands before pre-norm, and each is that setup's own
    stack."""
    fields = {"layers": 3, "d_model": 7, "heads": 2, "bias": "on", "init": "xavier"}
    setup = Setup(norm=norm, mask="causal", **fields)
    outs = compare_norms(setup, weights.layers(setup), encode(setup), masks.causal(6))
    assert list(outs) == ["post", "pre"]
    for row, (kind, ours) in zip(standard_deviations(outs), outs.items(), strict=True):
        theirs = [layer.value("out") for layer in encode(replace(setup, norm=kind))]
        assert all(torch.equal(*pair) for pair in zip(ours, theirs, strict=True)), kind
        deviations = [statistics.pstdev(out.flatten().tolist()) for out in theirs]
        assert row.tolist() == pytest.approx(deviations, rel=1e-5), kind


def test_apart_from_alone_leaves_padding_out():
    """A weight between words that is 0.25 larger in the batch is seen; whatever padding gives or
    gets is not."""
    setup = Setup(text="a b", others="c d e")
    alone, made = run(setup), batch.run(setup)
    assert batch.apart_from_alone(made, alone) < 1e-6
    shares = made.trace.value("weights").clone()
    # The third place of the first sentence is padding; the second sentence is another.
    shares[0, 0, 2, 1] = shares[0, 0, 1, 2] = shares[1, 0, 0, 0] = 9.0
    changed = replace(made, trace=with_numbers(made.trace, "weights", shares))
    assert batch.apart_from_alone(changed, alone) < 1e-6
    shares[0, 0, 1, 0] += 0.25
    assert math.isclose(batch.apart_from_alone(changed, alone), 0.25, rel_tol=1e-5)
    assert batch.apart_from_alone(batch.run(replace(setup, padding="unmasked")), alone) > 1e-3


def test_apart_by_order_is_of_the_words_mean():
    """One of two words' logits moved by 3 moves their mean by 1.5; what padding has does not
    count."""
    made = classify(Setup(text="a b c", others="d e", classes=3, bias="on"))
    assert all(classifier.apart_by_order(made, place) < 1e-4 for place in (0, 1))
    each = made.trace.value("token_logits").clone()
    each[1, 2] = 99.0  # the second sentence's third place is padding
    changed = replace(made, trace=with_numbers(made.trace, "token_logits", each))
    assert classifier.apart_by_order(changed, 1) < 1e-4
    each[1, 0, 2] += 3
    assert math.isclose(classifier.apart_by_order(changed, 1), 1.5, rel_tol=1e-4)


def test_shapes_from_the_ids_to_the_classes():
    """Every tensor on the way in its order, by hand: two sentences, the longer of three words,
    sizes that differ."""
    sizes = {"d_model": 7, "heads": 5, "d_k": 11, "d_v": 13, "layers": 2, "classes": 4}
    found = classifier.shapes(classify(Setup(text="a b", others="c d e", **sizes)))
    on_the_way = dict.fromkeys(("x", "layer 1", "layer 2"), (2, 3, 7))
    at_the_end = {"pooled": (2, 7), "logits": (2, 4), "log_probabilities": (2, 4)}
    assert list(found.items()) == list(({"ids": (2, 3)} | on_the_way | at_the_end).items())


@settings(max_examples=40, deadline=None)
@given(setups(out="d_v"))
def test_the_seven_steps_of_a_layer_are_the_stacks(setup):
    """Whichever layer they are of, X is what it is given and each step from there is what the stack
    computes, edits and all. The output of a further layer has as many numbers as X."""
    if setup.layer > 1:
        trace, own = run(setup), encode(replace(setup, layer=1))[setup.layer - 1]
        for name in ("x", "q", "k", "v", "scores", "weights", "context", "output"):
            assert torch.equal(trace.value(name), own.value(name)), name
        assert trace.value("output").shape == trace.value("x").shape


def test_a_further_layers_weights_are_edited_as_the_stacks_are():
    """An edit of layer 2 counts in its seven steps as it does in the stack, and one of the first
    layer reaches X alone."""
    setup = Setup(layers=2, layer=2, edits="layer2.w_q.1.*.5=0")
    assert not run(setup).value("w_q")[0, :, 4].any()
    below, plain = (run(replace(setup, edits=edits)) for edits in ("w_q.1.*.5=0", ""))
    assert torch.equal(below.value("w_q"), plain.value("w_q"))
    assert not torch.equal(below.value("x"), plain.value("x"))
