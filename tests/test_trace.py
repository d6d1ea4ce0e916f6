"""The trace: every tensor by name, with the right axes, each cell explained by its origin alone."""

import dataclasses
import math
import random
import subprocess
import sys

import pytest
import torch
from hypothesis import given, settings
from strategies import setups

from core import batch, makers
from core.block import WEIGHTS
from core.classifier import classify
from core.encoder import encode
from core.setup import Setup
from core.trace import embedded, run

DIMS = {
    "ids": ("token",),
    "memory_ids": ("memory",),
    "embedding_table": ("word", "d_model"),
    "embedded": ("token", "d_model"),
    "positions": ("token", "d_model"),
    "x": ("token", "d_model"),
    "memory_embedded": ("memory", "d_model"),
    "memory_positions": ("memory", "d_model"),
    "memory_x": ("memory", "d_model"),
    "w_q": ("head", "d_model", "d_k"),
    "w_k": ("head", "d_model", "d_k"),
    "w_v": ("head", "d_model", "d_v"),
    "b_q": ("head", "d_k"),
    "b_k": ("head", "d_k"),
    "b_v": ("head", "d_v"),
    "q": ("head", "token", "d_k"),
    "k": ("head", "token", "d_k"),
    "v": ("head", "token", "d_v"),
    "k_t": ("head", "d_k", "token"),
    "scores": ("head", "query", "key"),
    "scaled": ("head", "query", "key"),
    "masked": ("head", "query", "key"),
    "weights": ("head", "query", "key"),
    "context": ("head", "query", "d_v"),
    "concat": ("query", "head·d_v"),
    "w_o": ("head·d_v", "out"),
    "b_o": ("out",),
    "output": ("query", "out"),
}
TURNED = {
    "angles": ("token", "pair"),
    "q_rotated": ("head", "token", "d_k"),
    "k_rotated": ("head", "token", "d_k"),
}
AFTER = {
    "q": ("angles", "q_rotated"),
    "k": ("k_rotated",),
}  # what positions that turn put behind queries and keys
OF_MEMORY = {"memory_angles": ("memory", "pair")}
ASKED = ("k", "v", "k_t", "k_rotated")  # what belongs to the sentence that is asked
DRAWN = {"embedding_table", "w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"}


def expected_names(setup: Setup) -> list[str]:
    absent = (
        set() if setup.positions in ("sinusoidal", "learned") else {"positions", "memory_positions"}
    )
    if not setup.memory:
        absent |= {"memory_ids", "memory_embedded", "memory_positions", "memory_x"}
    if setup.projections == "none":
        absent |= DRAWN - {"embedding_table"}
    elif setup.bias == "off":
        absent |= {"b_q", "b_k", "b_v", "b_o"}
    turns = setup.positions == "rotary" and setup.d_k > 1
    after = AFTER | ({"k": ("memory_angles", "k_rotated")} if setup.memory else {})
    names = [(name, *(after.get(name, ()) if turns else ())) for name in DIMS if name not in absent]
    return [name for together in names for name in together]


@given(setups(layer=1) | setups(layer=1, projections="none"))
def test_names_dims_and_sizes(setup):
    """Exactly these entries in this order; each axis is as long as its name says; float32 or
    int64."""
    trace = run(setup)
    assert list(trace) == expected_names(setup)
    tokens = len(setup.tokens)
    sizes = {
        "word": len(setup.vocabulary),
        "head": setup.heads,
        "d_model": setup.d_model,
        "d_k": setup.d_k,
        "d_v": setup.d_v,
        "head·d_v": setup.heads * setup.d_v,
        "out": setup.out_size,
    } | dict.fromkeys(("token", "query", "key"), tokens)
    kv_heads = setup.kv_heads or setup.heads
    sizes |= {"kv_head": kv_heads, "pair": setup.d_k // 2}
    if setup.memory:
        sizes["memory"] = sizes["key"] = len(setup.memory_tokens)
    for name, entry in trace.items():
        shared = kv_heads < setup.heads and name in (
            "w_k",
            "w_v",
            "b_k",
            "b_v",
            "k",
            "v",
            "k_t",
            "k_rotated",
        )
        dims = (DIMS | TURNED | OF_MEMORY)[name]
        if setup.memory and name in ASKED:
            dims = tuple("memory" if dim == "token" else dim for dim in dims)
        assert entry.dims == (("kv_head", *dims[1:]) if shared else dims)
        assert tuple(entry.value.shape) == tuple(sizes[dim] for dim in entry.dims)
        assert entry.value.dtype == (
            torch.int64 if name in ("ids", "memory_ids") else torch.float32
        )
        assert entry.symbol
        drawn = name in DRAWN or (
            name in ("positions", "memory_positions") and setup.positions == "learned"
        )
        assert (entry.origin is None) == drawn


def test_it_is_read_only():
    """Nobody can put another tensor under a name."""
    trace = run(Setup())
    with pytest.raises(TypeError):
        trace["q"] = None
    with pytest.raises(dataclasses.FrozenInstanceError):
        trace["q"].value = None


@settings(max_examples=60)
@given(setups(layer=1))
def test_the_first_steps_alone_give_the_same_x(setup):
    """A stack takes in what the seven steps began with, though only that much was computed for
    it."""
    whole, first = run(setup), embedded(setup)
    assert list(first) == list(whole)[: len(first)]
    assert list(first)[-1] == ("memory_x" if setup.memory else "x")
    assert all(torch.equal(first.value(name), whole.value(name)) for name in first)


@given(setups() | setups(projections="none"))
def test_every_cell_from_its_origin_alone(setup):
    """Opened by its origin, a cell of any entry comes out as it stands in the entry."""
    trace, pick = run(setup), random.Random(setup.seed)
    for name, entry in trace.items():
        if entry.origin is None:
            continue
        cells = [tuple(index) for index in torch.ones(entry.value.shape).nonzero().tolist()]
        for index in pick.sample(cells, min(len(cells), 12)):
            cell, stands = entry.origin.recompute(trace, index), entry.value[index].item()
            size = max(
                [abs(term.value) for term in cell.terms if math.isfinite(term.value)], default=1.0
            )
            assert cell.value == stands or math.isclose(
                cell.value,
                stands,
                rel_tol=1e-5,
                abs_tol=1e-5 * max(size, 1e-3) * (1 + len(cell.terms)) ** 0.5,
            ), (name, index)
            for term in cell.terms:
                for ref in term.factors:
                    assert trace.value(ref.name)[ref.index].item() == ref.value


def test_every_cell_of_every_entry_of_the_default():
    """Not a sample: all 8,000 cells of the default setup."""
    trace = run(Setup())
    for name, entry in trace.items():
        if entry.origin is not None:
            for index in torch.ones(entry.value.shape).nonzero().tolist():
                cell = entry.origin.recompute(trace, tuple(index))
                assert math.isclose(
                    cell.value, entry.value[tuple(index)].item(), rel_tol=1e-4, abs_tol=2e-5
                ), (
                    name,
                    index,
                )


@given(setups(heads=3, layer=1, kv_heads=0))
def test_another_head_leaves_the_earlier_ones(setup):
    """Adding a head changes nothing in the heads before it."""
    few, more = run(setup), run(dataclasses.replace(setup, heads=4))
    for name in ("w_q", "w_k", "w_v", "q", "k", "v", "weights", "context"):
        assert torch.equal(few.value(name), more.value(name)[:3])


@given(setups(bias="off", positions="none"))
def test_biases_and_positions_change_no_weight(setup):
    """Switching them on adds entries and leaves every drawn weight as it was."""
    plain = run(setup)
    both = run(dataclasses.replace(setup, bias="on", positions="learned"))
    for name in ("embedding_table", "w_q", "w_k", "w_v", "w_o"):
        assert torch.equal(plain.value(name), both.value(name))
    assert not torch.equal(plain.value("q"), both.value("q"))


@pytest.mark.parametrize("init", ["uniform", "normal"])
def test_biases_have_a_generator_of_their_own(init):
    """No bias repeats a number that a weight has: they are not drawn twice from the same seed."""
    trace = run(Setup(bias="on", positions="learned", init=init))
    weights = {
        v
        for name in ("w_q", "w_k", "w_v", "w_o", "embedding_table")
        for v in trace.value(name).flatten().tolist()
    }
    for name in ("b_q", "b_k", "b_v", "b_o", "positions"):
        assert weights.isdisjoint(trace.value(name).flatten().tolist())


def test_the_same_numbers_in_every_process():
    """A second process, with torch's own generator disturbed, gives the same output to the last
    bit."""
    code = (
        "import torch; torch.set_num_threads(1); torch.manual_seed(5); torch.rand(7)\n"
        "from core.setup import Setup; from core.trace import run\n"
        "print(run(Setup(bias='on', positions='learned')).value('output').numpy().tobytes().hex())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    torch.rand(3)
    here = run(Setup(bias="on", positions="learned")).value("output").numpy().tobytes().hex()
    assert done.stdout.strip() == here


@given(setups())
def test_rows_of_weights_are_shares_of_one(setup):
    """Every row of weights sums to 1, and a causal row gives nothing to later words."""
    weights = run(setup).value("weights")
    assert torch.allclose(weights.sum(dim=-1), torch.ones(weights.shape[:-1]), atol=1e-5)
    if setup.mask == "causal":
        assert weights.triu(1).abs().max() == 0


def without_call(trace) -> set[str]:
    return {name for name, entry in trace.items() if entry.call is None}


@given(setups() | setups(projections="none") | setups(mask="none", scale="none"))
@settings(max_examples=60)
def test_an_entry_knows_what_made_it(setup):
    """The function that an entry names, called with the entries that it names, gives it again to
    the last bit."""
    layer = encode(setup)[-1]
    for trace in (run(setup), layer, batch.run(setup).trace):
        for name, entry in trace.items():
            if entry.call is not None:
                assert torch.equal(entry.call.again(trace), entry.value), name
                assert list(trace).index(name) > max(
                    (list(trace).index(source) for source in entry.call.inputs), default=-1
                )
        taken = {"ids", "embedding_table", "positions", "angles", "x", "masked", "output", *WEIGHTS}
        taken |= {"memory_ids", "memory_positions", "memory_x"}
        assert without_call(trace) <= taken | {n for n in trace if n.startswith(("w_", "b_"))}


@pytest.mark.parametrize("changes", [{}, {"init": "trained", "steps": 3}], ids=["drawn", "trained"])
def test_what_a_page_says_made_an_entry_did(changes):
    """A page names a function for each entry of every kind of trace: the one that was called or,
    for weights and ids, one that gives the same numbers."""
    setup = Setup(
        others="the cat", bias="on", positions="learned", mask="causal", layers=2, **changes
    )
    layers, batched = encode(setup), batch.run(setup)
    traces = [
        run(setup),
        run(Setup(projections="none")),
        *layers,
        batched.trace,
        batched.sentence(1),
    ]
    for trace in (*traces, classify(setup).trace, classify(setup).sentence(1)):
        for name, entry in trace.items():
            made = makers.maker(trace, name)
            assert (made is None) == (name == "x" and any(trace is layer for layer in layers)), name
            assert entry.call is None or made.function is entry.call.function, name
    own = traces[0]
    for name in ("embedding_table", "positions", "w_q", "w_o", "b_v", "b_o"):
        sizes = (len(setup.tokens),) if name == "positions" else ()
        made = makers.maker(own, name).function(setup, *sizes)
        assert torch.equal(
            made if isinstance(made, torch.Tensor) else made[name], own.value(name)
        ), name
    assert torch.equal(
        makers.maker(own, "ids").function(own.tokens, own.vocabulary), own.value("ids")
    )
    assert torch.equal(
        makers.maker(layers[1], "w_q", layer=2).function(setup, 2)["w_q"], layers[1].value("w_q")
    )


def test_an_entrys_cells_come_from_what_made_it():
    """What an opened cell refers to is among the inputs of the function that made the whole
    tensor."""
    trace = run(Setup(d_model=5, d_k=3, d_v=7, heads=2, bias="on", mask="causal"))
    for name, entry in trace.items():
        if entry.call is None or name == "positions":
            continue
        cell = entry.origin.open(trace, (0,) * entry.value.ndim)
        assert {ref.name for term in cell.terms for ref in term.factors} <= set(
            entry.call.inputs
        ), name


def test_one_sentence_of_a_batch_knows_what_made_it():
    """Cut out of a batch, with dropout and padding, an entry's function gives that sentence's own
    numbers."""
    one = batch.run(Setup(text="a b c", others="d e", dropout=0.5, mask="causal")).sentence(1)
    for name in ("scores", "scaled", "masked", "weights", "dropped", "context", "concat", "output"):
        assert torch.allclose(one[name].call.again(one), one.value(name), equal_nan=True), name
    classified = classify(Setup(text="a b c", others="d e")).sentence(1)
    for name in ("pooled", "logits", "log_probabilities", "token_logits"):
        assert torch.allclose(classified[name].call.again(classified), classified.value(name)), name
        assert classified[name].call.again(classified).shape == classified.value(name).shape, name


def test_a_frame_is_the_tensor_with_its_words():
    """Each entry's frame has the tensor's own numbers of the head that is asked for, the sentence's
    words on its axes, and a repeated word twice, by its place; other axes count from 1."""
    setup = Setup(text="the cat the", others="a mat", d_model=7, d_k=3, d_v=5, heads=4, kv_heads=2)
    trace, words = run(setup), ["the₁", "cat", "the₃"]
    for name, entry in trace.items():
        of_head, _ = entry.matrix(trace.places(3))
        found = entry.frame(head=3)
        assert (found.to_numpy() == of_head.numpy()).all(), name
    weights, q = trace["weights"].frame(head=3), trace["q"].frame()
    assert (weights.index.name, weights.columns.name) == ("query", "key")
    assert list(weights.index) == list(weights.columns) == list(q.index) == words
    assert (q.columns.name, list(q.columns)) == ("d_k", [1, 2, 3])
    assert weights.loc["cat", "the₃"] == trace.value("weights")[3, 1, 2].item()
    second = batch.run(setup).sentence(1)["weights"].frame()
    assert list(second.index)[:2] == ["a", "mat"]
    with pytest.raises(ValueError, match="more than two axes"):
        batch.run(setup).trace["weights"].frame()
