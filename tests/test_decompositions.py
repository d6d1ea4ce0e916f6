"""What is taken apart for a reader, against what runs: halves of the softmax, summands of a mixture
and of the output, counts."""

import dataclasses

import pytest
import torch
import torch.nn.functional as F
from helpers import app, codes
from hypothesis import given
from strategies import setups
from torch import nn

from core import Setup, run
from core.analysis import contributions, counts
from core.ops import attention, heads
from core.weights import weights
from pages.shared.layout import show


@given(setups())
def test_exponentials_are_halfway_to_the_softmax(setup):
    """Divided by their row's sum they are the weights that ran, to the last bit, and PyTorch's
    softmax; the largest is 1."""
    trace = run(setup)
    exps = attention.exponentials(trace.value("masked"))
    shares = exps / exps.sum(dim=-1, keepdim=True)
    assert torch.equal(shares, trace.value("weights"))
    assert torch.allclose(shares, F.softmax(trace.value("masked"), dim=-1), atol=1e-6)
    assert torch.equal(exps.amax(dim=-1), torch.ones(exps.shape[:-1]))


@given(setups())
def test_weighted_values_add_up_to_the_context(setup):
    """For every head and query, the weighted values are einsum's, and their sum is PyTorch's
    context and ours."""
    trace = run(setup)
    weights, context = trace.value("weights"), trace.value("context")
    v = heads.share(trace.value("v"), setup.heads)
    weighted = attention.weighted_values(weights, v)
    assert torch.equal(weighted, torch.einsum("hqk,hkd->hqkd", weights, v))
    assert torch.equal(weighted[0, -1], attention.weighted_values(weights[0], v[0])[-1])
    assert torch.allclose(
        weighted.sum(dim=-2), context, rtol=1e-4, atol=1e-5 * v.abs().max().item()
    )


@pytest.mark.parametrize("kind", ["sqrt", "fourth-root", "none"])
def test_the_scale_that_is_shown_is_the_one_that_ran(kind):
    """The weights page prints the function that the trace's scaled scores were made by, and no
    other way of scaling."""
    ran = run(Setup(scale=kind))["scaled"].call.function
    code = codes(app("pages/5_weights.py", scale=kind, open="formula"))[0]
    ways = {
        "sqrt": attention.scale,
        "fourth-root": attention.scale_both_sides,
        "none": attention.divide_by_temperature,
    }
    assert [name for name, way in ways.items() if show.source(way) in code] == [kind]
    assert ran is ways[kind]


def test_the_output_by_hand():
    """Two heads of one number each, z = 2 and 3, rows of W_o (1, 10) and (4, 5), bias (100,
    200)."""
    context, w_o, b_o = (
        torch.tensor([[[2.0]], [[3.0]]]),
        torch.tensor([[1.0, 10.0], [4.0, 5.0]]),
        torch.tensor([100.0, 200.0]),
    )
    parts = heads.contributions(context, w_o)
    assert contributions.summands(parts, b_o).tolist() == [
        [[2.0, 20.0]],
        [[12.0, 15.0]],
        [[100.0, 200.0]],
    ]
    assert contributions.add_up(parts, b_o).tolist() == [[114.0, 235.0]]
    cell = contributions.open_cell(parts, b_o, torch.tensor([[114.0, 235.0]]), query=0, column=1)
    assert [(term.factors[0].name, term.factors[0].index, term.value) for term in cell.terms] == [
        ("contribution", (0, 0, 1), 20.0),
        ("contribution", (1, 0, 1), 15.0),
        ("b_o", (1,), 200.0),
    ]
    assert cell.value == 235.0


@given(setups())
def test_the_output_is_the_sum_of_its_summands(setup):
    """Summands added up are PyTorch's linear layer on the heads side by side, and an opened cell's
    terms are its column of them."""
    trace = run(setup)
    concat, w_o, output = (trace.value(name) for name in ("concat", "w_o", "output"))
    b_o = trace.value("b_o") if setup.bias == "on" else None
    parts = heads.contributions(trace.value("context"), w_o)
    theirs = F.linear(concat.double(), w_o.T.double(), None if b_o is None else b_o.double())
    room = 1e-5 * max(1.0, parts.abs().max().item()) * setup.heads
    for ours in (contributions.add_up(parts, b_o), contributions.summands(parts, b_o).sum(dim=0)):
        assert (ours - theirs).abs().max() <= room
    cell = contributions.open_cell(parts, b_o, output, len(output) - 1, output.shape[1] - 1)
    assert [term.value for term in cell.terms] == contributions.summands(parts, b_o)[
        :, -1, -1
    ].tolist()
    assert cell.value == output[-1, -1].item()


def test_the_papers_heads_are_counted():
    """As in the paper, 8 narrow heads with W_o back to d_model: by hand, four matrices of 64 × 64;
    8 wide ones are 8 times as many."""
    paper = Setup(d_model=64, heads=8, sizes="narrow", out="d_model")
    assert (
        counts.narrow(paper) == counts.get_heads(paper) == counts.HeadSizes(8, 8, 64, 4 * 64 * 64)
    )
    assert counts.wide(paper) == counts.HeadSizes(64, 64, 8 * 64, 8 * 4 * 64 * 64)


@given(setups())
def test_the_heads_have_as_many_weights_as_are_drawn(setup):
    """The count of the present heads is that of the numbers drawn; of narrow and wide ones, what
    those setups would draw."""

    def drawn(other: Setup) -> int:
        return sum(
            w.numel() for name, w in weights.projections(other).items() if name.startswith("w_")
        )

    assert counts.get_heads(setup).parameters == drawn(setup)
    assert counts.wide(setup).parameters == drawn(dataclasses.replace(setup, sizes="wide"))
    narrow = counts.narrow(setup)
    assert (narrow is None) == (setup.d_model % setup.heads != 0)
    if narrow:
        assert narrow.parameters == drawn(dataclasses.replace(setup, sizes="narrow"))


def test_narrow_heads_are_as_many_weights_as_pytorchs():
    """nn.MultiheadAttention, which has narrow heads only, holds as many numbers, whatever the
    number of heads."""
    for count in (1, 2, 3, 6):
        module = nn.MultiheadAttention(12, count, bias=False)
        made = counts.narrow(Setup(d_model=12, heads=count, out="d_model"))
        assert made.parameters == sum(weight.numel() for weight in module.parameters())


@given(setups())
def test_what_words_bring_adds_up_to_what_their_head_does(setup):
    """The lengths are those of the vectors α · v · W_o, one by one, and these add up to the head's
    part of the output."""
    trace = run(setup)
    w_o = trace.value("w_o") if "w_o" in trace else None
    weights, v = trace.value("weights").double(), trace.value("v").double()
    v_of_head = v[(setup.heads - 1) // setup.group]
    lengths = contributions.compute_norms(weights, v, None if w_o is None else w_o.double())
    head, query = setup.heads - 1, len(setup.tokens) - 1
    of_head = (
        torch.eye(setup.d_v).double()
        if w_o is None
        else w_o.double()[head * setup.d_v : (head + 1) * setup.d_v]
    )
    vectors = torch.stack(
        [
            weights[head, query, key] * (v_of_head[key] @ of_head)
            for key in range(len(trace.key_tokens))
        ]
    )
    assert torch.allclose(lengths[head, query], vectors.norm(dim=-1), atol=1e-9)
    part = trace.value("context")[head, query].double() @ of_head
    assert torch.allclose(vectors.sum(dim=0), part, atol=1e-4 * (1 + part.abs().max().item()))
