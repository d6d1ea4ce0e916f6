"""The trace: every tensor by name, with the right axes, each cell explained by its origin alone."""

import dataclasses
import math
import random
from dataclasses import replace

import pytest
import torch
from hypothesis import given, settings
from strategies import setups

from core import Setup, run
from core.forward import batch, producers
from core.forward.classifier import classify
from core.forward.encoder import encode
from core.forward.trace import compute_embedding
from core.layers.block import WEIGHTS
from core.trace.record import Trace
from core.weights import weights

DIMS = {
    "ids": "token",
    "memory_ids": "memory",
    "embedding_table": "word d_model",
    "embedded": "token d_model",
    "positions": "token d_model",
    "x": "token d_model",
    "memory_embedded": "memory d_model",
    "memory_positions": "memory d_model",
    "memory_x": "memory d_model",
    "w_q": "head d_model d_k",
    "w_k": "kv_head d_model d_k",
    "w_v": "kv_head d_model d_v",
    "b_q": "head d_k",
    "b_k": "kv_head d_k",
    "b_v": "kv_head d_v",
    "q": "head token d_k",
    "angles": "token pair",
    "q_rotated": "head token d_k",
    "k": "kv_head key d_k",
    "memory_angles": "memory pair",
    "k_rotated": "kv_head key d_k",
    "v": "kv_head key d_v",
    "k_t": "kv_head d_k key",
    "scores": "head query key",
    "scaled": "head query key",
    "alibi": "head query key",
    "biased": "head query key",
    "masked": "head query key",
    "weights": "head query key",
    "context": "head query d_v",
    "concat": "query head·d_v",
    "w_o": "head·d_v out",
    "b_o": "out",
    "output": "query out",
}
DRAWN = {"embedding_table", "w_q", "w_k", "w_v", "w_o", "b_q", "b_k", "b_v", "b_o"}


def expected_names(setup: Setup) -> list[str]:
    """The names of DIMS that a trace of this setup has."""
    absent: set[str] = set()
    if not setup.adds_positions:
        absent |= {"positions", "memory_positions"}
    if not setup.memory:
        absent |= {name for name in DIMS if name.startswith("memory")}
    if setup.projections == "none":
        absent |= DRAWN - {"embedding_table"}
    if setup.bias == "off":
        absent |= {"b_q", "b_k", "b_v", "b_o"}
    if setup.positions != "rotary" or setup.d_k == 1:
        absent |= {"angles", "memory_angles", "q_rotated", "k_rotated"}
    if setup.positions != "alibi":
        absent |= {"alibi", "biased"}
    return [name for name in DIMS if name not in absent]


@given(setups(layer=1) | setups(layer=1, projections="none"))
def test_names_dims_and_sizes(setup):
    """Exactly these entries in this order; each axis is as long as its name says; float32 or
    int64."""
    trace = run(setup)
    assert list(trace) == expected_names(setup)
    tokens, keys = len(setup.tokens), len(setup.memory_tokens) or len(setup.tokens)
    kv_heads = setup.kv_heads or setup.heads
    sizes = {name: getattr(setup, name) for name in ("d_model", "d_k", "d_v")}
    sizes |= dict.fromkeys(("token", "query"), tokens) | dict.fromkeys(("memory", "key"), keys)
    sizes |= {"head": setup.heads, "head·d_v": setup.heads * setup.d_v, "out": setup.out_size}
    sizes |= {"word": len(setup.vocabulary), "kv_head": kv_heads, "pair": setup.d_k // 2}
    for name, entry in trace.items():
        dims = DIMS[name]
        if name in ("k", "v", "k_t", "k_rotated"):  # they belong to the sentence that is asked
            dims = dims.replace("key", "memory" if setup.memory else "token")
        if kv_heads == setup.heads:
            dims = dims.replace("kv_head", "head")
        assert entry.dims == tuple(dims.split())
        assert tuple(entry.value.shape) == tuple(sizes[dim] for dim in entry.dims)
        assert entry.value.dtype == (torch.int64 if name.endswith("ids") else torch.float32)
        assert entry.symbol
        is_row = name in ("positions", "memory_positions") and setup.positions == "learned"
        assert (entry.origin is None) == (name in DRAWN or is_row)


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
    whole, first = run(setup), compute_embedding(setup)
    assert list(first) == list(whole)[: len(first)]
    assert list(first)[-1] == ("memory_x" if setup.memory else "x")
    assert all(torch.equal(first.value(name), whole.value(name)) for name in first)


# ---------- how a cell is made ----------


def check_cells(trace: Trace, most: int, pick: random.Random) -> None:
    """Opened by its origin, a cell of any entry comes out as it stands in the entry; of the larger
    ones so many cells are picked."""
    for name, entry in trace.items():
        if entry.origin is None:
            continue
        cells = [tuple(index) for index in torch.ones(entry.value.shape).nonzero().tolist()]
        largest = max([1e-3, *entry.value[entry.value.isfinite()].abs().flatten().tolist()])
        for index in cells if len(cells) <= most else pick.sample(cells, most):
            cell, stands = entry.origin.recompute(trace, index), entry.value[index].item()
            terms = [abs(term.value) for term in cell.terms if math.isfinite(term.value)]
            room = 1e-5 * max([*terms, 1e-3]) * (1 + len(cell.terms)) ** 0.5
            if "norm" in name or name == "out":  # rounding of nearly equal numbers, made large
                room = max(room, 1e-4 * largest)
            is_near = math.isclose(cell.value, stands, rel_tol=1e-5, abs_tol=room)
            assert cell.value == stands or is_near, (name, index, cell.value, stands)
            for ref in (ref for term in cell.terms for ref in term.factors):
                assert trace.value(ref.name)[ref.index].item() == ref.value


@given(setups() | setups(projections="none"))
def test_every_cell_from_its_origin_alone(setup):
    """Of the seven steps and of each layer of the stack, in every kind of setup."""
    pick = random.Random(setup.seed)
    check_cells(run(setup), 12, pick)
    for layer in encode(replace(setup, d_ff=min(setup.d_ff, 11))):
        check_cells(layer, 3, pick)


@pytest.mark.parametrize("padding", ["right", "left", "unmasked"])
def test_every_cell_of_a_batch_and_of_the_default(padding):
    """Not a sample: all cells of each sentence of a batch, with masks, dropout, mean and
    log-softmax, and all 8,000 of the default setup."""
    sizes = {"d_model": 5, "d_k": 3, "d_v": 7, "heads": 2, "d_ff": 11, "classes": 3}
    fields = {"mask": "causal", "dropout": 0.4, "bias": "on", "init": "normal", **sizes}
    made = classify(Setup(text="a b c d e", others="f g\na", padding=padding, **fields))
    traces = [of.sentence(place) for place in range(3) for of in (made.batch, made)]
    for trace in (*traces, *([run(Setup())] if padding == "right" else [])):
        check_cells(trace, 10**6, random.Random(1))


@given(setups() | setups(projections="none") | setups(mask="none", scale="none"))
@settings(max_examples=60)
def test_an_entry_knows_what_made_it(setup):
    """The function that an entry names, called with the entries that it names, gives it again to
    the last bit; and what an opened cell refers to is among these."""
    taken = {"ids", "embedding_table", "positions", "angles", "x", "masked", "output", *WEIGHTS}
    taken |= {"memory_ids", "memory_positions", "memory_x"}
    for trace in (run(setup), encode(setup)[-1], batch.run(setup).trace):
        order = list(trace)
        for name, entry in trace.items():
            if entry.call is None:
                assert name in taken or name.startswith(("w_", "b_")), name
                continue
            assert torch.equal(entry.call.again(trace), entry.value), name
            before = [order.index(source) for source in entry.call.inputs]
            assert order.index(name) > max(before, default=-1)
            if entry.origin is not None and "sentence" not in entry.dims:
                cell = entry.origin.open(trace, (0,) * entry.value.ndim)
                named = {ref.name for term in cell.terms for ref in term.factors}
                assert named <= set(entry.call.inputs), name


@pytest.mark.parametrize("changes", [{}, {"init": "trained", "steps": 3}], ids=["drawn", "trained"])
def test_what_a_page_says_made_an_entry_did(changes):
    """A page names a function for each entry of every kind of trace: the one that was called or,
    for weights and ids, one that gives the same numbers."""
    fields = {"bias": "on", "positions": "learned", "mask": "causal", "layers": 2, **changes}
    setup = Setup(others="the cat", **fields)
    layers, batched, classified = encode(setup), batch.run(setup), classify(setup)
    own, sentences = run(setup), (batched.sentence(1), classified.sentence(1))
    plain = run(Setup(projections="none"))
    for trace in (own, plain, *layers, batched.trace, classified.trace, *sentences):
        for name, entry in trace.items():
            made = producers.maker(trace, name)
            assert (made is None) == (name == "x" and any(trace is layer for layer in layers)), name
            assert entry.call is None or made.function is entry.call.function, name
    for name in ("embedding_table", "positions", "w_q", "w_o", "b_v", "b_o"):
        sizes = (len(setup.tokens),) if name == "positions" else ()
        made = producers.maker(own, name).function(setup, *sizes)
        found = made if isinstance(made, torch.Tensor) else made[name]
        assert torch.equal(found, own.value(name)), name
    ids = producers.maker(own, "ids").function(own.tokens, own.vocabulary)
    assert torch.equal(ids, own.value("ids"))
    w_q = producers.maker(layers[1], "w_q", layer=2).function(setup, 2)["w_q"]
    assert torch.equal(w_q, layers[1].value("w_q"))


def test_one_sentence_of_a_batch_knows_what_made_it():
    """Cut out of a batch, with dropout and padding, an entry's function gives that sentence's own
    numbers."""
    setup = Setup(text="a b c", others="d e", dropout=0.5, mask="causal")
    steps = "scores", "scaled", "masked", "weights", "dropped", "context", "concat", "output"
    classified = "pooled", "logits", "log_probabilities", "token_logits"
    for of, names in ((batch.run(setup), steps), (classify(setup), classified)):
        one = of.sentence(1)
        for name in names:
            again = one[name].call.again(one)
            assert again.shape == one.value(name).shape, name
            assert torch.allclose(again, one.value(name), equal_nan=True), name


# ---------- what one choice leaves as it was ----------


@given(setups(heads=3, layer=1, kv_heads=0))
def test_another_head_leaves_the_earlier_ones(setup):
    """Adding a head changes nothing in the heads before it, but for slopes: ALiBi spreads them over
    all heads."""
    few, more = run(setup), run(replace(setup, heads=4))
    weighed = () if setup.positions == "alibi" else ("weights", "context")
    for name in ("w_q", "w_k", "w_v", "q", "k", "v", *weighed):
        assert torch.equal(few.value(name), more.value(name)[:3])


@given(setups(bias="off", positions="none"))
def test_biases_and_positions_change_no_weight(setup):
    """Switching them on adds entries and leaves every drawn weight as it was."""
    plain, both = run(setup), run(replace(setup, bias="on", positions="learned"))
    for name in ("embedding_table", "w_q", "w_k", "w_v", "w_o"):
        assert torch.equal(plain.value(name), both.value(name))
    assert not torch.equal(plain.value("q"), both.value("q"))


def test_new_fields_leave_the_drawn_weights():
    """Shared keys are those of each group's first head; a gate is drawn last; turns need no weight.
    All else is as it was."""
    plain = Setup(heads=6, bias="on", layers=2)
    before = weights.name_weights(plain)
    for field, value in (
        *(("kv_heads", 2), ("kv_heads", 1)),
        *(("activation", "swiglu"), ("positions", "rotary")),
    ):
        after = weights.name_weights(replace(plain, **{field: value}))
        for name, weight in before.items():
            is_shared = field == "kv_heads" and name[-3:] in ("w_k", "w_v", "b_k", "b_v")
            assert torch.equal(after[name], weight[:: 6 // value] if is_shared else weight), name
        gates = {"w_gate", "b_gate"} if field == "activation" else set()
        assert {name.split(".")[-1] for name in after.keys() - before.keys()} == gates


@pytest.mark.parametrize("init", ["uniform", "normal"])
def test_biases_have_a_generator_of_their_own(init):
    """No bias repeats a number that a weight has: they are not drawn twice from the same seed."""
    trace = run(Setup(bias="on", positions="learned", init=init))
    drawn = ("w_q", "w_k", "w_v", "w_o", "embedding_table")
    numbers = {number for name in drawn for number in trace.value(name).flatten().tolist()}
    for name in ("b_q", "b_k", "b_v", "b_o", "positions"):
        assert numbers.isdisjoint(trace.value(name).flatten().tolist())


def test_a_part_of_a_trace_keeps_nothing_else():
    """An entry knows what it was computed from, but of a trace's part only what is in it: a part
    is cached in place of the whole."""
    trace = run(Setup())
    assert {*trace["scores"].around} == {"q", "k_t", "scores"}
    assert {*trace.only({"scores", "weights"})["scores"].around} == {"scores"}


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
