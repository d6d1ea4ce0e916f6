"""Masks, dropout, blocks, stacks and the classifier, against PyTorch's modules and against
themselves."""

import math
import statistics
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import setups

from core import (
    attention,
    batch,
    block,
    classes,
    classifier,
    draws,
    masks,
    norms,
    reference,
    weights,
)
from core.classifier import classify
from core.encoder import encode, stack, standard_deviations, under_both_norms
from core.setup import Setup
from core.trace import Trace, run, weighed
from pages.shared.server import computed

NARROW = {
    "d_model": 15,
    "heads": 3,
    "sizes": "narrow",
    "init": "xavier",
    "out": "d_model",
    "d_ff": 7,
}
OTHERS = "the cat\nLife is short\na"


def test_a_row_with_nothing_to_attend_to_is_zero():
    """Defined, not NaN: its weights are 0, and so is what it takes from the values; slopes through
    it are 0 too."""
    masked = torch.tensor([[-torch.inf, -torch.inf], [0.0, -torch.inf]], requires_grad=True)
    weights = attention.softmax_or_zeros(masked)
    assert weights.tolist() == [[0.0, 0.0], [1.0, 0.0]]
    weights[:, 0].sum().backward()
    assert masked.grad.tolist() == [[0.0, 0.0], [0.0, 0.0]]
    weights = weights.detach()
    assert attention.mix(weights, torch.tensor([[3.0], [5.0]])).tolist() == [[0.0], [3.0]]


def test_left_padding_under_a_causal_mask_leaves_empty_rows():
    """The padding before a sentence's first word may look nowhere: zeros there, shares of 1
    everywhere else."""
    made = batch.run(Setup(text="a b c d e", others="f g", padding="left", mask="causal"))
    assert made.trace["weights"].call.function is attention.softmax_or_zeros
    assert (
        batch.run(Setup(others="f g", padding="left")).trace["weights"].call.function
        is attention.softmax
    )
    sums = made.trace.value("weights")[1].sum(dim=-1)
    assert torch.equal(sums[:, :3], torch.zeros(3, 3))
    assert torch.allclose(sums[:, 3:], torch.ones(3, 2))
    assert torch.isfinite(made.trace.value("output")).all()


@pytest.mark.parametrize("dropout", [0.0, 0.3])
def test_half_the_way_is_the_same_way(dropout):
    """What goes no further than the weights has, to the last bit, the numbers of what goes on to
    the output."""
    setup = Setup(
        text="a b c", others="d e", mask="causal", bias="on", positions="learned", dropout=dropout
    )
    own = weights.projections(setup)
    for whole, half in (
        (run(setup), weighed(setup, own)),
        (batch.run(setup).trace, batch.weighed(setup, own).trace),
    ):
        assert list(half) == [name for name in whole if name in half]
        assert {"v", "context", "output"}.isdisjoint(half)
        assert whole["context"].origin.left == ("dropped" if "dropped" in half else "weights")
        assert all(torch.equal(entry.value, whole.value(name)) for name, entry in half.items())


@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_batched_is_one_by_one(padding, positions, mask):
    """Each sentence of a padded batch has the numbers it has unpadded and by itself, wherever its
    words stand."""
    setup = Setup(
        text="is eat short Life first",
        others="eat is\nshort first Life",
        padding=padding,
        positions=positions,
        mask=mask,
        d_model=7,
        d_k=3,
        d_v=5,
        heads=2,
        init="normal",
        bias="on",
    )
    made = batch.run(setup)
    # The same table for all: every sentence must be looked up where the batch looks it up.
    table, words = made.trace.value("embedding_table"), made.words
    for place, tokens in enumerate(setup.sentences):
        alone = run(replace(setup, text=" ".join(tokens), others=""))
        assert set(tokens) <= set(words)
        if place == 0:
            assert torch.equal(table[: len(alone.vocabulary)], alone.value("embedding_table"))
        ours = made.sentence(place)
        is_word = made.is_word[place]
        x = ours.value("x")[is_word]
        again = encode(replace(setup, layers=1, text=" ".join(tokens), others=""), x)[0]
        one = replace(setup, layers=1)
        stacked = stack(one, weights.layers(one), made.trace.value("x"), made.may_attend)[0]
        assert torch.allclose(stacked.value("out")[place][is_word], again.value("out"), atol=1e-5)
        assert torch.allclose(
            ours.value("weights")[:, is_word][:, :, is_word], again.value("weights"), atol=1e-6
        )


def test_the_first_sentence_keeps_its_numbers():
    """In a batch the sentence of the seven pages has the numbers that it has there, to the last bit
    but one."""
    setup = Setup()
    alone, made = run(setup), batch.run(setup).sentence(0)
    for name in ("x", "scores", "weights", "context", "output"):
        assert torch.allclose(made.value(name), alone.value(name), rtol=1e-5, atol=1e-5), name


def test_unmasked_padding_leaks():
    """What the padding mask is for: without it the shorter sentence's words give weight to padding,
    with it none."""
    kept, leaking = (batch.run(Setup(padding=kind)) for kind in ("right", "unmasked"))
    pad = ~kept.is_word[1]
    assert (kept.trace.value("weights")[1][..., pad] == 0).all()
    assert (leaking.trace.value("weights")[1][..., pad].sum(dim=-1) > 0).any()
    assert torch.equal(kept.trace.value("x"), leaking.trace.value("x"))


def test_padding_says_true_for_may_attend():
    """Word or not decides the column, for every row."""
    assert (
        masks.padding(torch.tensor([[True, True, False]]))[0].tolist() == [[True, True, False]] * 3
    )


def test_dropout_keeps_the_mean():
    """Every weight is struck out or enlarged by 1 / (1 − rate); on average a row still sums to 1;
    its seed is its own."""
    setup = Setup(
        text=" ".join("abcdefghijklmnopqrstuvwxyz"), heads=20, dropout=0.3, init="xavier", others=""
    )
    trace = batch.run(setup).trace
    weights, dropped = trace.value("weights"), trace.value("dropped")
    struck = dropped == 0
    assert torch.allclose(dropped[~struck], weights[~struck] / 0.7)
    assert 0.27 < struck.float().mean() < 0.33
    sums = dropped.sum(dim=-1)
    assert sums.std() > 0.05
    assert abs(sums.mean() - 1) < 0.02
    other = batch.run(replace(setup, dropout_seed=2)).trace
    assert torch.equal(other.value("weights"), weights)
    assert not torch.equal(other.value("dropped"), dropped)
    assert "dropped" not in batch.run(replace(setup, dropout=0.0)).trace


def test_layer_norm_and_gelu_are_pytorchs():
    """To 1e-6, a row without spread included."""
    x = torch.cat([torch.randn(5, 7, generator=draws.generator(1)) * 30, torch.full((1, 7), 3.0)])
    assert torch.allclose(norms.layer_norm(x), torch.nn.functional.layer_norm(x, (7,)), atol=1e-6)
    assert torch.allclose(block.gelu(x), torch.nn.functional.gelu(x), atol=1e-5)


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("bias", ["off", "on"])
def test_the_block_is_pytorchs(norm, activation, mask, bias):
    """nn.TransformerEncoderLayer with our weights gives our numbers, batch and padding mask
    included."""
    setup = Setup(
        **NARROW, others=OTHERS, norm=norm, activation=activation, mask=mask, bias=bias, layers=1
    )
    made = batch.run(setup)
    layer = stack(setup, weights.layers(setup), made.trace.value("x"), made.may_attend)[0]
    found = reference.check_layer(layer, made.may_attend)
    assert found.function == "nn.TransformerEncoderLayer"
    assert found.largest < 1e-5
    single = encode(setup)[0]
    assert reference.check_layer(single, masks.MASKS[mask](len(setup.tokens))).largest < 1e-5


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("activation", ["relu", "gelu"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_the_stack_is_pytorchs(norm, activation, mask):
    """nn.TransformerEncoder of three layers, each with our weights, gives our numbers for every
    real word."""
    setup = Setup(
        **NARROW, others=OTHERS, norm=norm, activation=activation, mask=mask, bias="on", layers=3
    )
    made = batch.run(setup)
    layers = stack(setup, weights.layers(setup), made.trace.value("x"), made.may_attend)
    module = torch.nn.TransformerEncoderLayer(
        15, 3, 7, 0.0, activation, batch_first=True, norm_first=norm == "pre"
    )
    theirs_all = torch.nn.TransformerEncoder(module, 3, enable_nested_tensor=False).eval()
    with torch.no_grad():
        for theirs, ours in zip(theirs_all.layers, layers, strict=True):
            theirs.load_state_dict(reference.layer_weights(ours))
        causal = ~masks.causal(made.is_word.shape[1]) if mask == "causal" else None
        out = theirs_all(made.trace.value("x"), mask=causal, src_key_padding_mask=~made.is_word)
    assert torch.allclose(out[made.is_word], layers[-1].value("out")[made.is_word], atol=1e-5)


@settings(max_examples=40)
@given(
    setups(layer=1),
    st.sampled_from(("post", "pre")),
    st.sampled_from(("relu", "gelu")),
    st.integers(1, 6),
)
def test_every_block_agrees_with_pytorchs_parts(setup, norm, activation, layers):
    """Any sizes, any number of heads, either norm: each layer is what PyTorch's functions make of
    its input."""
    setup = replace(
        setup, norm=norm, activation=activation, layers=layers, d_ff=min(11, 4 * setup.d_model)
    )
    may_attend = masks.of(setup, len(setup.tokens))
    for layer in encode(setup):
        assert torch.isfinite(layer.value("out")).all()
        assert reference.check_layer(layer, may_attend).relative < 2e-4


@settings(max_examples=25)
@given(setups(), st.sampled_from(("post", "pre")), st.sampled_from(("relu", "gelu")), st.data())
def test_every_cell_of_a_layer_follows_from_its_origin(setup, norm, activation, data):
    """Opened anywhere, a stage's terms give its value."""
    setup = replace(setup, norm=norm, activation=activation, d_ff=min(11, 4 * setup.d_model))
    for layer in encode(setup):
        for name, entry in layer.items():
            if entry.origin is None:
                continue
            index = tuple(data.draw(st.integers(0, size - 1)) for size in entry.value.shape)
            value = entry.value[index].item()
            opened = entry.origin.recompute(layer, index).value
            scale = max(1.0, entry.value[entry.value.isfinite()].abs().max().item())
            assert opened == value or math.isclose(
                opened, value, rel_tol=1e-3, abs_tol=1e-4 * scale
            ), (name, index)


@pytest.mark.parametrize("padding", ["right", "left", "unmasked"])
def test_every_cell_of_a_batch_follows_from_its_origin(padding):
    """Each sentence of a batch can be opened, masks, dropout, mean and log-softmax included."""
    setup = Setup(
        text="a b c d e",
        others="f g\na",
        padding=padding,
        mask="causal",
        dropout=0.4,
        d_model=5,
        d_k=3,
        d_v=7,
        bias="on",
        init="normal",
        heads=2,
        d_ff=11,
        classes=3,
    )
    made = classify(setup)
    for place in range(3):
        for trace in (made.batch.sentence(place), made.sentence(place)):
            for name, entry in trace.items():
                if entry.origin is None:
                    continue
                for index in torch.cartesian_prod(
                    *(torch.arange(n) for n in entry.value.shape)
                ).reshape(-1, entry.value.ndim):
                    at = tuple(index.tolist())
                    opened, value = entry.origin.recompute(trace, at).value, entry.value[at].item()
                    assert opened == value or math.isclose(
                        opened, value, rel_tol=1e-4, abs_tol=1e-4
                    ), (name, at)


def test_permuting_words_permutes_the_outputs():
    """Without positions a stack does not know the order; with positions or a causal mask it
    does."""
    order = [3, 0, 4, 1, 2]
    words = ["is", "eat", "short", "Life", "first"]
    shuffled = " ".join(words[k] for k in order)

    def outputs(text, **more):
        return encode(Setup(text=text, layers=3, init="xavier", **more))[-1].value("out")

    for more, knows in (
        ({}, False),
        ({"positions": "sinusoidal"}, True),
        ({"mask": "causal"}, True),
    ):
        same = torch.allclose(
            outputs(" ".join(words), **more)[order], outputs(shuffled, **more), atol=1e-5
        )
        assert same != knows


def test_the_classifier_by_pytorch_on_each_sentence_alone():
    """Padding changes nothing: each sentence, unpadded through nn.TransformerEncoderLayer's parts,
    has the same classes."""
    setup = Setup(**NARROW, others=OTHERS, bias="on", positions="learned", classes=3, layers=2)
    made = classify(setup)
    w, b = made.trace.value("w_c"), made.trace.value("b_c")
    for place in range(len(setup.sentences)):
        x = made.batch.trace.value("x")[place][made.batch.is_word[place]]
        for layer in encode(setup, x):
            x = layer.value("out")
        theirs = torch.nn.functional.log_softmax(
            torch.nn.functional.linear(x.mean(dim=0), w.T, b), dim=0
        )
        assert torch.allclose(made.trace.value("log_probabilities")[place], theirs, atol=1e-5)
    assert torch.allclose(made.trace.value("log_probabilities").exp().sum(dim=-1), torch.ones(4))
    per_token = made.trace.value("token_logits")
    assert per_token.shape == (4, 6, 3)
    is_word = made.batch.is_word[..., None]
    assert torch.allclose(
        (per_token * is_word).sum(dim=1) / is_word.sum(dim=1), made.trace.value("logits"), atol=1e-5
    )


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


@pytest.mark.parametrize("padding", ["right", "left"])
@pytest.mark.parametrize("positions", ["none", "sinusoidal", "learned"])
def test_positions_count_from_a_sentences_own_first_word(padding, positions):
    """Padded on either side, a short first sentence has the vectors and the output that it has by
    itself."""
    setup = Setup(
        text="is short", others="eat dessert first Life", padding=padding, positions=positions
    )
    alone, made = run(setup), batch.run(setup)
    own, is_word = made.sentence(0), made.is_word[0]
    assert is_word.sum() == 2
    assert torch.equal(own.value("x")[is_word], alone.value("x"))
    assert torch.allclose(own.value("output")[is_word], alone.value("output"), rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("norm", ["post", "pre"])
def test_spreads_are_what_statistics_says(norm):
    """Each stage has the mean and the standard deviation of its own row, not of a sample, by
    Python's own statistics."""
    layer = encode(Setup(norm=norm, d_model=11, init="normal"))[0]
    rows = {name: layer.value(name)[2] for name in ("x", "output", "resid_mid", "out")}
    spreads = block.spreads(rows)
    assert list(spreads) == list(rows)
    for name, row in rows.items():
        mean, standard_deviation = spreads[name]
        assert math.isclose(mean, statistics.fmean(row.tolist()), rel_tol=1e-5, abs_tol=1e-5), name
        assert math.isclose(standard_deviation, statistics.pstdev(row.tolist()), rel_tol=1e-5), name


@pytest.mark.parametrize("norm", ["post", "pre"])
@pytest.mark.parametrize("mask", ["none", "causal"])
def test_either_norm_is_computed_from_the_same_weights(norm, mask):
    """Whichever norm a setup has, post-norm stands before pre-norm, and each is that setup's own
    stack."""
    setup = Setup(norm=norm, mask=mask, layers=3, d_model=7, heads=2, bias="on", init="xavier")
    may_attend = masks.MASKS[mask](len(setup.tokens))
    outs = under_both_norms(setup, weights.layers(setup), encode(setup), may_attend)
    assert list(outs) == ["post", "pre"]
    spread = standard_deviations(outs)
    assert spread.shape == (2, 3)
    for row, (kind, of_layers) in zip(spread, outs.items(), strict=True):
        for standard_deviation, out, layer in zip(
            row, of_layers, encode(replace(setup, norm=kind)), strict=True
        ):
            assert torch.equal(out, layer.value("out")), kind
            numbers = layer.value("out").flatten().tolist()
            assert math.isclose(
                standard_deviation.item(), statistics.pstdev(numbers), rel_tol=1e-5
            ), kind


def test_row_sums_count_the_keys_of_a_mask_and_add_up_weights():
    """Two words after three places of padding under a causal mask may look at nothing, at one key
    and at two."""
    made = batch.run(
        Setup(text="a b c d e", others="f g", padding="left", mask="causal", dropout=0.4)
    )
    assert attention.row_sums(made.may_attend).tolist() == [[1, 2, 3, 4, 5], [0, 0, 0, 1, 2]]
    for name in ("weights", "dropped"):
        rows = made.trace.value(name)
        sums = [math.fsum(row) for row in rows.reshape(-1, 5).tolist()]
        assert torch.allclose(attention.row_sums(rows).flatten(), torch.tensor(sums), atol=1e-6), (
            name
        )


def with_numbers(trace, name, value):
    """The same trace, but for one entry's numbers."""
    return Trace(trace.setup, dict(trace) | {name: replace(trace[name], stored=value)})


def test_apart_from_alone_leaves_padding_out():
    """A weight between words that is 0.25 larger in the batch is seen; whatever padding gives or
    gets is not."""
    setup = Setup(text="a b", others="c d e")
    alone, made = run(setup), batch.run(setup)
    assert batch.apart_from_alone(made, alone) < 1e-6
    weights = made.trace.value("weights").clone()
    weights[0, 0, 2, 1] = weights[0, 0, 1, 2] = (
        9.0  # the third place of the first sentence is padding
    )
    weights[1, 0, 0, 0] = 9.0  # another sentence
    changed = replace(made, trace=with_numbers(made.trace, "weights", weights))
    assert batch.apart_from_alone(changed, alone) < 1e-6
    weights[0, 0, 1, 0] += 0.25
    assert math.isclose(batch.apart_from_alone(changed, alone), 0.25, rel_tol=1e-5)
    assert batch.apart_from_alone(batch.run(replace(setup, padding="unmasked")), alone) > 1e-3


def test_probabilities_are_pytorchs():
    """Shares of the classes, back from their logarithms, are the softmax of the logits."""
    trace = classify(Setup(others=OTHERS, classes=5)).trace
    shares = classes.probabilities(trace.value("log_probabilities"))
    assert torch.allclose(shares, torch.softmax(trace.value("logits"), dim=-1), atol=1e-6)


def test_shapes_from_the_ids_to_the_classes():
    """Every tensor on the way in its order, by hand: two sentences, the longer of three words,
    sizes that differ."""
    made = classify(
        Setup(text="a b", others="c d e", d_model=7, heads=5, d_k=11, d_v=13, layers=2, classes=4)
    )
    assert list(classifier.shapes(made).items()) == [
        ("ids", (2, 3)),
        ("x", (2, 3, 7)),
        ("layer 1", (2, 3, 7)),
        ("layer 2", (2, 3, 7)),
        ("pooled", (2, 7)),
        ("logits", (2, 4)),
        ("log_probabilities", (2, 4)),
    ]


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


def test_a_page_of_one_layer_makes_none_above(monkeypatch):
    """One layer by itself is the stack's own to the last bit, and layers above it are not even
    drawn."""
    setup, drawn = Setup(layers=5, seed=977), []
    of_stack = encode(setup)
    draw = weights.layer
    monkeypatch.setattr(weights, "layer", lambda setup, n: drawn.append(n) or draw(setup, n))
    second = computed.layer(setup, 2)
    assert sorted(drawn) == [1, 2]
    assert all(torch.equal(second.value(name), entry.value) for name, entry in of_stack[1].items())


@settings(max_examples=40, deadline=None)
@given(setups(out="d_v"))
def test_the_seven_steps_of_a_layer_are_the_stacks(setup):
    """Whichever layer they are of, X is what it is given and each step from there is what the stack
    computes, edits and all. The output of a further layer has as many numbers as X."""
    if setup.layer == 1:
        return
    trace, own = run(setup), encode(replace(setup, layer=1))[setup.layer - 1]
    for name in ("x", "q", "k", "v", "scores", "weights", "context", "output"):
        assert torch.equal(trace.value(name), own.value(name)), name
    assert trace.value("output").shape == trace.value("x").shape


def test_a_further_layers_weights_are_edited_as_the_stacks_are():
    """An edit of layer 2 counts in its seven steps as it does in the stack, and one of the first
    layer reaches X alone."""
    setup = Setup(layers=2, layer=2, edits="layer2.w_q.1.*.5=0")
    assert not run(setup).value("w_q")[0, :, 4].any()
    other = Setup(layers=2, layer=2, edits="w_q.1.*.5=0")
    assert torch.equal(run(other).value("w_q"), run(replace(other, edits="")).value("w_q"))
    assert not torch.equal(run(other).value("x"), run(replace(other, edits="")).value("x"))
