"""The one source of weights: what it gives is what is computed with, and nobody draws beside it."""

import math
from dataclasses import replace
from functools import partial

import pytest
import torch
from helpers import derived
from hypothesis import given
from strategies import setups
from test_core import ROOT, imports

from core import Setup, run
from core.forward import batch
from core.forward.classifier import classify
from core.forward.encoder import encode
from core.forward.next_word import predict
from core.forward.producers import maker
from core.forward.trace import compute_embedding
from core.ops.weight_names import OF_THE_STEPS
from core.reference.checks import largest_difference
from core.reference.reference import check, check_layer
from core.setup.edits import Edit
from core.training import init
from core.weights import sources, weights

MAY_DRAW = {"training", "sources", "producers", "sampled_scores", "std", "export", "notebooks"}
NO_WEIGHTS = ("core.training.init.dropout_mask", "core.training.init.next_number")


def test_nothing_draws_beside_the_one_source():
    """Weights come from core/weights/sources alone; others take no more from core/training/init.py
    than dropout's mask or the number that draws the next word, which are none."""
    for path in (*(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py")):
        of_draws = {name for name in imports(path) if name.startswith("core.training.init")}
        if not MAY_DRAW & {*path.relative_to(ROOT).with_suffix("").parts}:
            assert of_draws <= {"core.training.init", *NO_WEIGHTS}, path
            assert of_draws != {"core.training.init"}, path  # all of it


@given(setups(layer=1, memory="") | setups(layer=1, memory="", projections="none"))
def test_every_weight_has_a_name_of_its_own(setup):
    """All that any trace holds without an origin stands under its flat name, among all and alone,
    the same to the last bit, and nothing else does."""

    def without_origin(trace, *names):
        left = {name: entry.value for name, entry in trace.items() if entry.origin is None}
        return {name: left[name] for name in names or left if name in left and name != "x"}

    named, drawn = weights.name_weights(setup), without_origin(run(setup))
    for n, layer in enumerate(encode(setup), start=1):
        short = ("w_q", "w_k", "w_v", "b_q", "b_k", "b_v") if n == 1 else ()
        for name, value in without_origin(layer).items():
            drawn[name if name in short else f"layer{n}.{name}"] = value
    drawn |= without_origin(classify(setup).trace, "w_c", "b_c")
    drawn |= without_origin(predict(setup), "unembedding")
    assert named.keys() == drawn.keys()
    for name, value in drawn.items():
        assert torch.equal(named[name], value), name
        assert torch.equal(weights.get_weight(setup, name), value), name


def test_the_names_by_hand():
    """Names are a contract: those of the smallest stack of two layers with biases and learned
    positions."""
    attends = "w_q w_k w_v w_o b_q b_k b_v b_o"
    first, second = "w_o b_o w_1 b_1 w_2 b_2", f"{attends} w_1 b_1 w_2 b_2"
    layers = [f"layer1.{name}" for name in first.split()]
    layers += [f"layer2.{name}" for name in second.split()]
    expected = [*f"embedding_table positions {attends} w_c b_c".split(), *layers]
    assert list(weights.name_weights(Setup(layers=2, bias="on", positions="learned"))) == expected


@given(setups(layer=1))
def test_layer_1_attends_with_the_weights_of_the_steps(setup):
    """Its projections to queries, keys and values are the same tensors, and so is W_o where both
    lead to d_model."""
    own, steps = weights.layer(setup, 1), weights.attention(replace(setup, out="d_model"))
    for name in steps.keys() & {*OF_THE_STEPS, "w_o"}:
        assert torch.equal(own[name], steps[name]), name


@pytest.mark.parametrize("positions", ["none", "learned"])
def test_a_batch_has_the_sentences_own_rows_first(positions):
    """The sentence's table and positions are the beginning of those that a batch uses, whose
    further rows are others."""
    setup = Setup(text="a b", others="c d e", positions=positions)
    own, table = weights.attention(setup), batch.run(setup).trace.value("embedding_table")
    assert torch.equal(table[:2], own["embedding_table"])
    assert len({tuple(row) for row in table.tolist()}) == len(table) == 6
    if positions == "learned":
        assert torch.equal(weights.positions(setup, 5)[:2], own["positions"])


def test_dropouts_mask_is_no_weight():
    """Which weights are struck out has a seed of its own: it is not among the weights, and changes
    none."""
    setup = Setup(dropout=0.5)
    other = replace(setup, dropout_seed=7)
    for name, weight in weights.name_weights(setup).items():
        assert torch.equal(weight, weights.name_weights(other)[name]), name
    assert not torch.equal(init.dropout_mask(setup, 6, 6), init.dropout_mask(other, 6, 6))


class Counted(sources.WeightSource):
    """Numbers that nobody drew, trained or read: each weight is the sine of its place."""

    def table(self):
        return counted(len(self.words), self.setup.d_model)

    def further_words(self, words):
        return counted(len(words), self.setup.d_model)

    def positions(self, tokens):
        return counted(tokens, self.setup.d_model)

    def layer(self, n):
        return {
            name: counted(*weight.shape)
            for name, weight in init.layer(replace(self.setup, init="xavier"), n).items()
        }

    def classifier(self):
        return {"w_c": counted(self.setup.d_model, self.setup.classes)}


class Whole(Counted):
    """The same, with X by place, queries, keys and values of layer 1, and a mask that are given at
    once."""

    def x(self, tokens):
        return counted(len(tokens), self.setup.d_model) + 3

    def projected(self, n):
        sizes = {"q": self.setup.d_k, "k": self.setup.d_k, "v": self.setup.d_v} if n == 1 else {}
        return {
            name: counted(self.setup.heads, len(self.setup.tokens), size) - 1
            for name, size in sizes.items()
        }

    def mask(self):
        return partial(but_for, row=1)


def but_for(tokens, row):
    """Everyone may look at everyone, but for one row that sees its own word alone: (query, key)."""
    seen = torch.ones(tokens, tokens, dtype=torch.bool)
    seen[row] = torch.arange(tokens) == row
    return seen


def counted(*shape):
    return (
        torch.arange(math.prod(shape)).reshape(shape).div(7).sin()
    )  # of straight rows a norm would leave nothing but rounding


def test_a_source_more_is_one_class_and_one_line(monkeypatch):
    """Whatever computes with weights takes those of a further source, edits over them; a script is
    given the numbers."""
    monkeypatch.setitem(sources.SOURCES, "uniform", Counted)
    fields = {"layers": 2, "positions": "learned", "out": "d_model", "others": "the cat"}
    setup = Setup(**fields, edits="w_k.1.2.3=7,layer2.w_1.1=0")
    assert run(setup).value("embedding_table")[0, 1] == counted(2)[1]
    assert run(setup).value("w_k")[0, 1, 2] == 7
    w_1 = encode(setup)[1].value("w_1")
    assert w_1[0].abs().max() == 0 and w_1[1, 1] > 0
    assert batch.run(setup).trace.value("output").isfinite().all()
    assert classify(setup).trace.value("w_c")[0, 1] == counted(2)[1]
    assert weights.edits_that_do_not_fit(replace(setup, edits="b_q=1")).keys() == {Edit("b_q", "1")}


@pytest.mark.parametrize("layer", [1, 2])
def test_a_source_may_give_x_and_queries_keys_values_and_a_mask(monkeypatch, layer):
    """What a source gives at once is taken as it is, by one sentence, a batch, a stack, PyTorch's
    check and a script; nothing is made in its place, and what follows is made as ever."""
    monkeypatch.setitem(sources.SOURCES, "uniform", Whole)
    setup = Setup(text="the cat the", layers=2, layer=layer, positions="learned", out="d_model")
    trace, own, closed = run(setup), Whole(setup), but_for(3, row=1)
    batched, stack = batch.run(setup).trace, encode(setup)
    assert torch.equal(compute_embedding(setup).value("x"), own.x(setup.tokens))
    assert torch.equal(stack[0].value("x"), own.x(setup.tokens))
    assert "embedding_table" not in trace
    assert largest_difference(batched.value("x")[0], trace.value("x")) < 1e-3
    padded = batch.embed(replace(setup, others="cat")).trace.value("x")[1]
    assert torch.equal(padded[:1], own.x(["cat"])) and not padded[1:].any()
    for name, given_at_once in own.projected(1).items():
        assert torch.equal(stack[0].value(name), given_at_once)
        assert f"w_{name}" in stack[1] and (f"w_{name}" in trace) == (layer == 2)
        for value in (trace.value(name), batched.value(name)[0]) if layer == 1 else ():
            assert torch.equal(value, given_at_once)
    of_stack = (one.value("weights") for one in stack)
    for weights_of in (trace.value("weights"), batched.value("weights")[0], *of_stack):
        assert torch.equal(weights_of > 0, closed.expand(len(weights_of), -1, -1))
    assert check(trace, "scores").relative < 1e-5 and check_layer(stack[0], closed).relative < 1e-4
    assert maker(trace, "q").function.__name__ == ("projections" if layer == 1 else "project")
    script = derived(setup)
    assert torch.equal(script["output"], trace.value("output"))
    assert layer == 2 or torch.equal(script["layer2"].out, stack[1].value("out"))
