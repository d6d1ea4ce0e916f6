"""What pages claim to be equal: the second way is another way, and a difference is seen."""

import pytest
import torch

from core import Setup, run
from core.reference import checks

SETUP = Setup(text="the cat the mat", d_model=5, d_k=3, d_v=7, heads=2, bias="on")


def test_ids_give_the_words_back():
    """Ids, looked up again, give the words back; one wrong id is seen."""
    trace = run(SETUP)
    ids = trace.value("ids")
    assert checks.check_ids_give_tokens(("the", "cat", "the", "mat"), ("cat", "mat", "the"), ids)
    assert not checks.check_ids_give_tokens(trace.tokens, trace.vocabulary, ids.roll(1))


def test_one_row_needs_no_other():
    """A token's own row of the projection is that for its vector alone; another token's row is seen
    to differ, and so is one changed number."""
    trace = run(SETUP)
    x, w, b, v = trace.value("x"), trace.value("w_v")[1], trace.value("b_v")[1], trace.value("v")[1]
    for token in range(4):
        assert checks.compare_one_row(x, w, b, v, token) < 1e-5
        assert checks.compare_one_row(x, w, None, v, token) > 0.01
        moved = v.clone()
        moved[token, 6] += 1
        assert checks.compare_one_row(x, w, b, moved, token) == pytest.approx(1, abs=1e-5)


def test_results_of_two_shapes_are_not_compared():
    """A row against a column would stretch to a square and be compared cell by wrong cell: it is an
    error."""
    with pytest.raises(ValueError, match=r"\(2, 1\) and \(1, 2\)"):
        checks.largest_difference(torch.ones(2, 1), torch.ones(1, 2))
