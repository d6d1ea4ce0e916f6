"""The five notebooks: what they printed, carried here as numbers, and every mistake with both of its faces."""

import itertools
import math

import pytest
import torch

from core import mistakes, notebooks
from core.mistakes import MISTAKES

# Per notebook and figure: what was printed. Numbers as printed, or a shape.
PRINTED = {
    ("N0", "X Xᵀ, both of the batch"): [3.8774, -2.1985, 0.0499, -2.1985, 4.1004, -1.0393, 0.0499, -1.0393, 1.0270],
    ("N0", "softmax(X Xᵀ), as far as it is printed"): [0.97650, 0.0022437, 0.021252, 0.0018242, 0.99236, 0.0058146],
    ("N1", "output"): (8, 5, 10),
    ("N2", "weights"): (1, 2, 10, 10),
    ("N2", "encoder, with the axis of 1 that it carries along"): (1, 1, 10, 10),
    ("N2", "one prediction a token"): (1, 10, 2),
    ("N3", "output, all at once"): (10, 20, 4),
    ("N3", "output, token by token"): (10, 20, 4),
    ("N3", "weights"): (10, 20, 20),
    ("N4", "ids"): [0, 4, 5, 2, 1, 3],
    ("N4", "x of “Life”, first four"): [0.3374, -0.1778, -0.3035, -0.5880],
    ("N4", "ω₂, second word"): [8.5808, -7.6597, 3.2558, 1.0395, 11.1466, -0.4800],
    ("N4", "α₂"): [0.2912, 0.0106, 0.0982, 0.0625, 0.4917, 0.0458],
    ("N4", "queries, laid on their side"): (3, 24, 6),
    ("N4", "scores"): (3, 6, 6),
    ("N4", "context, laid on its side"): (3, 28, 6),
    ("N4", "W_o"): (84, 28),
    ("N4", "output, on its side; numbers: see its mistakes"): (28, 6),
}


def figures():
    return {(system.notebook, made.what): made for system in notebooks.SYSTEMS for made in system.figures()}


def test_every_system_gives_what_its_notebook_printed():
    """To the printed digits (2e-4 for N0, whose input itself is only printed), or the printed shape."""
    found = figures()
    for key, printed in PRINTED.items():
        ours = found[key].ours
        if isinstance(printed, tuple):
            assert tuple(ours.shape) == printed, key
        else:
            close = 2e-4 if key[0] == "N0" else 5e-5
            assert torch.allclose(ours.flatten()[: len(printed)].float(), torch.tensor(printed).float(), atol=close, rtol=0)
    assert {system.notebook for system in notebooks.SYSTEMS} == {"N0", "N1", "N2", "N3", "N4"}
    for key, made in found.items():
        assert made.agrees, key
        assert torch.isfinite(made.ours.float()).all(), key


def test_a_wrong_number_would_be_seen():
    """A figure that is off by more than rounding does not agree, nor does one of another shape."""
    assert not notebooks.Figure("x", torch.tensor([1.0]), torch.tensor([1.001])).agrees
    assert not notebooks.Figure("x", torch.ones(2, 3), (3, 2)).agrees


def test_token_by_token_is_all_at_once():
    """N3's two ways have the same numbers."""
    at_once, one_by_one, _ = notebooks.n3_ways()
    assert torch.allclose(at_once, one_by_one, atol=1e-6)


@pytest.mark.parametrize(
    ("faults", "first", "digits"),
    [
        ((), [88.3217, -23.5934, -100.0313, -99.9574, -89.3841, 88.7798], 1e-4),
        (("axis", "size"), [4.0896e-02, -3.4264e-04, -1.9216e02, -4.2820e-02, -3.3769e-02, 1.1699e02], 6e-3),
        (("size",), [88.7730, -19.3642, -100.0353], 1e-4),
        (("axis",), [0.61634, -0.013764, -190.81], 5e-3),
    ],
)
def test_n4s_heads_with_each_fault(faults, first, digits):
    """The published wrong result from both faults, each fault alone, and the right one: the first number of each word."""
    _, _, output = mistakes.n4_output(frozenset(faults))
    assert torch.allclose(output[: len(first), 0], torch.tensor(first), atol=digits, rtol=5e-5)
    if not faults:
        second = torch.tensor([102.4110, -32.2132, -120.6155, -120.5224, -107.4044, 102.9501])
        assert torch.allclose(output[:, 1], second, atol=1e-4)
        assert output.abs().max() < 120.7
    if len(faults) == 2:
        assert math.isclose(output.abs().max(), 237.94, abs_tol=0.01)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.key)
def test_every_mistake_breaks_its_invariant_and_its_repair_keeps_it(mistake):
    """Repaired it holds, with any of its faults on it does not; neither raises, and an error is told without a path."""
    assert mistake.run(frozenset()).holds
    for count in range(1, len(mistake.faults) + 1):
        for on in itertools.combinations(mistake.faults, count):
            outcome = mistake.run(frozenset(on))
            assert not outcome.holds, on
            assert "/" not in outcome.error.replace("k / h", "")
            assert outcome.measured


def measured(key, *faults):
    return mistakes.find(key).run(frozenset(faults))


def test_the_errors_are_pythons_own():
    """What does not run in the notebook does not run here, with the same kind of error."""
    assert measured("N0 view", "fault").error.startswith("RuntimeError: shape '[2, 3, 2, 4]' is invalid for input of size 96")
    assert measured("N0 name", "fault").error.startswith("NameError")
    assert measured("N0 classifier", "keyword").error.startswith("TypeError")
    assert measured("N0 classifier", "indent").error.startswith("SyntaxError")
    assert measured("N4 output size", "fault").error.startswith("RuntimeError")
    assert measured("N4 vocabulary", "fault").error.startswith("IndexError")


def test_the_mistakes_do_to_the_numbers_what_is_said():
    """Folded heads, dropout, a scale too small by √h, W_q for the values: the figures that the exhibits rest on."""
    assert measured("N2 folded heads", "fault").matrix.shape == (20, 20)
    assert "output (1, 20, 10)" in measured("N2 folded heads", "fault").measured
    sums = measured("N2 dropout", "fault").matrix.sum(dim=-1)
    assert sums.min() < 0.95
    assert sums.max() > 1.05
    assert "0.50" in measured("N0 scale", "fault").measured
    assert "1.00" in measured("N0 scale").measured
    assert "at most 0" in measured("N3 values", "fault").measured
    assert measured("N0 mask", "fault").matrix.triu(1).sum() > 0
    assert "the same ones in another order" in measured("N2 classifier", "fault").measured
    assert measured("N3 size").matrix.shape == (5, 7)
    assert measured("N3 bias", "fault").holds is False
    assert "−141.6884" in measured("N4 counting", "fault").measured

