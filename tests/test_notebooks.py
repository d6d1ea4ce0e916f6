"""The five notebooks: what they printed, carried here as numbers, and every mistake with both of
its faces."""

import itertools
import math

import pytest
import torch

from core import Setup, run
from core.notebooks import MISTAKES, SYSTEMS, find, n0, n1, n2, n3, n4
from core.notebooks.figure import Figure
from core.text.written import read

# Per notebook and figure: what was printed. Numbers as printed, or a shape. N4's digits stand in
# its module.
PRINTED = {
    ("N0", "X Xᵀ, both of the batch"): (
        "3.8774 -2.1985 0.0499 -2.1985 4.1004 -1.0393 0.0499 -1.0393 1.0270"
    ),
    ("N0", "softmax(X Xᵀ), as far as it is printed"): (
        "0.97650 0.0022437 0.021252 0.0018242 0.99236 0.0058146"
    ),
    ("N1", "output"): (8, 5, 10),
    ("N2", "weights"): (1, 2, 10, 10),
    ("N2", "encoder, with the axis of 1 that it carries along"): (1, 1, 10, 10),
    ("N2", "one prediction a token"): (1, 10, 2),
    ("N3", "output, all at once"): (10, 20, 4),
    ("N3", "output, token by token"): (10, 20, 4),
    ("N3", "weights"): (10, 20, 20),
    ("N4", "ids"): n4.PRINTED_IDS.tolist(),
    ("N4", "x of “Life”, first four"): n4.PRINTED_X.tolist(),
    ("N4", "ω₂, second word"): n4.PRINTED_SCORES.tolist(),
    ("N4", "α₂"): n4.PRINTED_WEIGHTS.tolist(),
    ("N4", "z₂"): n4.PRINTED_CONTEXT.tolist(),
    ("N4", "queries, laid on their side"): (3, 24, 6),
    ("N4", "scores"): (3, 6, 6),
    ("N4", "context, laid on its side"): (3, 28, 6),
    ("N4", "W_o"): (84, 28),
    ("N4", "output, on its side; numbers: see its mistakes"): (28, 6),
}


def figures():
    return {(system.notebook, made.what): made for system in SYSTEMS for made in system.figures()}


def test_every_system_gives_what_its_notebook_printed():
    """To the printed digits (2e-4 for N0, whose input itself is only printed), or the printed
    shape."""
    found = figures()
    for key, printed in PRINTED.items():
        ours = found[key].ours
        if isinstance(printed, tuple):
            assert tuple(ours.shape) == printed, key
            continue
        digits = [*map(float, printed.split())] if isinstance(printed, str) else printed
        first, close = ours.flatten()[: len(digits)].float(), 2e-4 if key[0] == "N0" else 5e-5
        assert torch.allclose(first, torch.tensor(digits).float(), atol=close, rtol=0), key
    assert {system.notebook for system in SYSTEMS} == {"N0", "N1", "N2", "N3", "N4"}
    for key, made in found.items():
        assert made.agrees, key
        assert torch.isfinite(made.ours.float()).all(), key


def test_a_wrong_number_would_be_seen():
    """A figure that is off by more than rounding does not agree, nor does one of another shape."""
    assert not Figure("x", torch.tensor([1.0]), torch.tensor([1.001])).agrees
    assert not Figure("x", torch.ones(2, 3), (3, 2)).agrees


def test_the_first_setup_is_n4s_single_head():
    """With N4's setup, which the default is today, head 1 has N4's printed x, ω₂, α₂ and z₂, to the
    last digit."""
    assert Setup() == n4.SETUP
    trace = run(n4.SETUP)
    for ours, printed in (
        (trace.value("x")[0, :4], n4.PRINTED_X),
        (trace.value("scores")[0, 1], n4.PRINTED_SCORES),
        (trace.value("weights")[0, 1], n4.PRINTED_WEIGHTS),
        (trace.value("context")[0, 1], n4.PRINTED_CONTEXT),
    ):
        assert [f"{n:.4f}" for n in ours.tolist()] == [f"{n:.4f}" for n in printed.tolist()]


def test_token_by_token_is_all_at_once():
    """N3's two ways have the same numbers."""
    at_once, one_by_one, _ = n3.two_ways()
    assert torch.allclose(at_once, one_by_one, atol=1e-6)


@pytest.mark.parametrize(
    ("faults", "first", "digits"),
    [
        ((), [88.3217, -23.5934, -100.0313, -99.9574, -89.3841, 88.7798], 1e-4),
        (("axis", "size"), n4.PRINTED_OUTPUT.tolist(), 6e-3),
        (("size",), [88.7730, -19.3642, -100.0353], 1e-4),
        (("axis",), [0.61634, -0.013764, -190.81], 5e-3),
    ],
)
def test_n4s_heads_with_each_fault(faults, first, digits):
    """The published wrong result from both faults, each fault alone, and the right one: the first
    number of each word."""
    weights, _, output = n4.output_of_heads(frozenset(faults))
    sums = [sum(row) for head in weights.tolist() for row in head]
    told = [float(read(text)) for text in n4.row_sums(frozenset(faults)).split(" to ")]
    assert [told[0], told[-1]] == pytest.approx([min(sums), max(sums)], rel=1e-3, abs=0.00005)
    assert torch.allclose(output[: len(first), 0], torch.tensor(first), atol=digits, rtol=5e-5)
    if not faults:
        second = torch.tensor([102.4110, -32.2132, -120.6155, -120.5224, -107.4044, 102.9501])
        assert torch.allclose(output[:, 1], second, atol=1e-4)
        assert output.abs().max() < 120.7
    if len(faults) == 2:
        assert math.isclose(output.abs().max(), 237.94, abs_tol=0.01)


@pytest.mark.parametrize("mistake", MISTAKES, ids=lambda m: m.key)
def test_every_mistake_breaks_its_invariant_and_its_repair_keeps_it(mistake):
    """Repaired it holds, with any of its faults on it does not; neither raises, and an error is
    told without a path."""
    assert mistake.run(frozenset()).holds
    for count in range(1, len(mistake.faults) + 1):
        for on in itertools.combinations(mistake.faults, count):
            outcome = mistake.run(frozenset(on))
            assert not outcome.holds, on
            assert "/" not in outcome.error.replace("k / h", "")
            assert outcome.measured


def measured(key, *faults):
    return find(key).run(frozenset(faults))


def test_the_errors_are_pythons_own():
    """What does not run in the notebook does not run here, with the same kind of error."""
    assert measured("N0 view", "fault").error.startswith(
        "RuntimeError: shape '[2, 3, 2, 4]' is invalid for input of size 96"
    )
    assert measured("N0 name", "fault").error.startswith("NameError")
    assert measured("N0 classifier", "keyword").error.startswith("TypeError")
    assert measured("N0 classifier", "indent").error.startswith("SyntaxError")
    assert measured("N4 output size", "fault").error.startswith("RuntimeError")
    assert measured("N4 vocabulary", "fault").error.startswith("IndexError")


def test_the_mistakes_do_to_the_numbers_what_is_said():
    """Folded heads, dropout, a scale too small by √h, W_q for the values: the figures that the
    exhibits rest on."""
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


def test_n4s_counting_speaks_of_the_printed_score():
    """The sentence that says what ω₂₅ is has the digits that stand in N4's module, and so has what
    its fault measures."""
    score = f"{n4.PRINTED_SCORES[4]:.4f}"
    assert score in find("N4 counting").invariant
    assert measured("N4 counting", "fault").measured.count(score) == 1


@pytest.mark.parametrize("module", [n0, n1, n2, n3, n4], ids=lambda m: m.NOTEBOOK.name)
def test_all_that_is_told_is_shown(module):
    """Each text in a notebook's file belongs to a system or mistake that the page has, in the same
    order, and none is empty."""
    notebook = module.NOTEBOOK
    systems, mistakes = notebook.told["systems"], notebook.told.get("mistakes", {})
    assert [texts["title"] for texts in systems.values()] == [
        s.title for s in SYSTEMS if s.notebook == notebook.name
    ]
    assert list(mistakes) == [m.key for m in MISTAKES if m.notebook == notebook.name]
    for texts in (*systems.values(), *mistakes.values()):
        assert all(str(text).strip() for text in texts.values()), texts


def test_what_is_told_of_a_fault_alone_names_one_of_the_mistakes_faults():
    """A reason under another name would stand nowhere."""
    assert all(mistake.alone.keys() <= {*mistake.faults} for mistake in MISTAKES)


def test_what_is_opened_has_the_notebooks_sizes():
    """“Open it” for N2's attention leads to two heads whose queries have 10 numbers, as its figures
    have."""
    system = next(
        system for system in SYSTEMS if system.notebook == "N2" and system.page == "weights"
    )
    setup, messages = Setup.nearest(system.link)
    weights = next(figure for figure in system.figures() if figure.what == "output").ours
    assert messages == []
    assert (setup.heads, setup.d_v) == (weights.shape[1], weights.shape[3])
    assert (setup.d_k, setup.d_v) == (10, 10)


def test_what_was_not_printed_is_not_published():
    """N0's printed lines end before y: nothing stands beside it as published."""
    y = figures()["N0", "y = softmax(X Xᵀ) X"]
    assert y.published is None
    assert y.ours.shape == (2, 3, 4)


def test_further_mistakes_do_what_is_said():
    """One letter for three vectors, one seed for two draws, a dropout that strikes nothing out, an
    axis that fits one head, an index that fits no sizes, a norm that stands elsewhere than its
    comment says."""
    assert "q has 28 numbers; nothing" in measured("N4 letters", "fault").measured
    assert "q has 24 numbers, k has 24 numbers, v has 28 numbers" in measured("N4 letters").measured
    assert "correlation of −0.3" in measured("N4 seed", "fault").measured
    assert " 0 of 100 numbers" in measured("N2 forgotten dropout", "fault").measured
    assert measured("N2 four axes", "fault").error.startswith(
        "RuntimeError: The size of tensor a (10)"
    )
    assert measured("N0 index", "fault").error.startswith("RuntimeError: The size of tensor a (3)")
    assert "at most 0" not in measured("N0 norm", "fault").measured
    assert "(batch, classes)" in find("N2 classifier").written
