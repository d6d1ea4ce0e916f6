"""Weights changed by hand: what a link may say, what it does, and what waits until it fits."""

import math
from dataclasses import replace

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from core import Setup, run
from core.forward.batch import run as run_batch
from core.forward.encoder import encode
from core.weights import weights

SIZES = {"d_model": 7, "d_k": 3, "d_v": 5, "heads": 2, "layers": 2, "d_ff": 11}
PRIMES = Setup(**SIZES, bias="on", positions="learned", init="normal")


def test_cells_rows_columns_and_copies():
    """Each form of an edit does what it says to the cells it names, and nothing to the others."""
    cases = (
        ("w_q.2.7.3=-3", lambda w: w["w_q"][1, 6, 2], lambda _: torch.tensor(-3.0)),
        ("w_q.2=0", lambda w: w["w_q"][1], lambda w: torch.zeros(7, 3)),
        ("w_k.1.*.2=0", lambda w: w["w_k"][0, :, 1], lambda w: torch.zeros(7)),
        ("w_o.6-10=0", lambda w: w["w_o"][5:10], lambda w: torch.zeros(5, 5)),
        ("w_k.1.2-3=w_k.1.4-5", lambda w: w["w_k"][0, 1:3], lambda w: w["w_k"][0, 3:5]),
        ("w_q.1=w_k.2", lambda w: w["w_q"][0], lambda w: w["w_k"][1]),
    )
    before = weights.name_weights(PRIMES)
    for text, cells, wanted in cases:
        expected = {name: weight.clone() for name, weight in before.items()}
        cells(expected)[...] = wanted(before)
        after = weights.name_weights(replace(PRIMES, edits=text))
        assert all(torch.equal(after[name], expected[name]) for name in before), text


def test_the_steps_and_layer_1_share_an_edit():
    """W_q of the seven steps is layer 1's too; W_o of layer 1 and weights of layer 2 have names of
    their own."""
    edited = replace(
        PRIMES, edits="w_q.1.1.1=9,layer1.w_o.1.1=8,layer2.w_q.1.1.1=7,layer2.w_1.2.3=6"
    )
    first, second = encode(edited)
    assert run(edited).value("w_q")[0, 0, 0] == first.value("w_q")[0, 0, 0] == 9
    assert first.value("w_o")[0, 0] == 8
    assert run(edited).value("w_o")[0, 0] != 8
    assert (second.value("w_q")[0, 0, 0], second.value("w_1")[1, 2]) == (7, 6)
    batch = run_batch(replace(edited, edits="embedding_table.1.1=5")).trace
    assert batch.value("embedding_table")[0, 0] == 5


def test_what_does_not_fit_waits():
    """A cell that a smaller matrix does not have is kept in the link, said with its reason, and
    counts again when it fits."""
    setup = replace(
        PRIMES, edits="w_q.2.7.3=1,w_q.1=w_v.1,layer2.w_1.1.1=1,w_o.9-12=0,w_o.4-3=0,w_k=w_c"
    )
    assert weights.edits_that_do_not_fit(replace(setup, edits="w_q.2.7.3=1")) == {}
    smaller = replace(setup, d_model=5, layers=1)
    reasons = {str(edit): reason for edit, reason in weights.edits_that_do_not_fit(smaller).items()}
    assert reasons == {
        "w_q.2.7.3=1": "w_q has 5 where w_q.2.7.3 asks for 7",
        "w_q.1=w_v.1": "w_v.1 has another shape",
        "layer2.w_1.1.1=1": "there is no layer2.w_1 in this setup",
        "w_o.9-12=0": "w_o has 10 where w_o.9-12 asks for 12",
        "w_o.4-3=0": "w_o.4-3 ends before it begins",
        "w_k=w_c": "w_k cannot be copied from w_c",
    }
    assert smaller.edits == setup.edits
    assert torch.equal(run(smaller).value("w_q"), run(replace(smaller, edits="")).value("w_q"))
    assert run(setup).value("w_q")[1, 6, 2] == 1


def test_what_a_link_says():
    """Read as it stands, or put right and said so; nothing that is no edit of a learned weight gets
    in."""
    for typed, kept, said in (
        ("w_q.1.3.5=0.7", "w_q.1.3.5=0.7", None),
        (" w_q.1.3.5=0.70000 ,, ", "w_q.1.3.5=0.7", None),
        ("w_q.1.1.1=1,w_k.1.1.1=2,w_q.1.1.1=3", "w_k.1.1.1=2,w_q.1.1.1=3", None),
        ("w_q.1.1.1=1e400", "w_q.1.1.1=1000", "became 1000"),
        ("w_q.1.1.1=0.123456", "w_q.1.1.1=0.1235", "became 0.1235"),
        ("w_q.1.1.1=nan", "", "not a number"),
        ("scores.1.1.1=1", "", "no edit"),
        ("w_q.0.1.1=1", "", "no edit"),
        ("<script>=1", "", "no edit"),
    ):
        setup, messages = Setup.nearest({"edits": typed})
        assert setup.edits == kept == Setup(edits=kept).edits
        if said is None:
            assert messages == []
        else:
            assert said in messages[0]
            with pytest.raises(ValueError, match="edits"):
                Setup(edits=typed)
    many = ",".join(f"w_q.1.1.{k}=1" for k in range(1, 70))
    setup, messages = Setup.nearest({"edits": many, "d_k": "64"})
    assert len(setup.changes) == 64 and "only the first 64 of 69" in messages[0]


PIECES = ("w_q", ".1", "=", "=identity", ",", "*", "-2", "0.5", "layer2.", "w_o", "e9")


@given(st.text(max_size=200) | st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_anything_may_be_typed(typed):
    """Whatever stands in a link gives a setup, the same one again, whose weights are all finite."""
    setup, _ = Setup.nearest(
        {"edits": typed, "d_model": "3", "d_k": "2", "d_v": "2", "heads": "1", "text": "a b"}
    )
    again, messages = Setup.nearest(setup.as_link())
    assert (again, messages) == (setup, [])
    assert all(math.isfinite(weight.sum()) for weight in weights.name_weights(setup).values())
    weights.edits_that_do_not_fit(setup)
