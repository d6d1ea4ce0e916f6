"""What pages claim to be equal: the second way is another way, and a difference is seen."""

import pytest
import torch
import torch.nn.functional as F

from core import agreement, embedding
from core.setup import Setup
from core.trace import run

PRIMES = {"text": "the cat the mat", "d_model": 5, "d_k": 3, "d_v": 7, "heads": 2, "bias": "on"}


def test_the_product_with_one_hot_rows_by_hand():
    """Ids 2 and 0 pick the third and the first of three rows, as (0 0 1) and (1 0 0) times the
    table do."""
    table = torch.tensor([[1.0, -2.0], [3.0, 4.0], [-5.0, 6.0]])
    assert embedding.one_hot(torch.tensor([2, 0]), 3).tolist() == [[0, 0, 1], [1, 0, 0]]
    assert embedding.embed_by_product(table, torch.tensor([2, 0])).tolist() == [[-5, 6], [1, -2]]


def test_the_product_is_pytorchs_lookup():
    """One-hot · table gives what F.embedding looks up, for words that repeat and in sizes that are
    not equal."""
    trace = run(Setup(**PRIMES))
    table, ids = trace.value("embedding_table"), trace.value("ids")
    assert torch.equal(embedding.embed_by_product(table, ids), F.embedding(ids, table))
    assert agreement.of_the_lookup(table, ids, trace.value("embedded")) == 0


def test_a_wrong_lookup_is_seen():
    """Rows in another order are not said to be the product's."""
    trace = run(Setup(**PRIMES))
    table, ids, embedded = (trace.value(name) for name in ("embedding_table", "ids", "embedded"))
    assert agreement.of_the_lookup(table, ids, embedded.roll(1, 0)) > 0.1


def test_ids_give_back_the_sentence():
    """Ids of a sentence with a repeated word lead back to its words in their order, and one wrong
    id is seen."""
    trace = run(Setup(**PRIMES))
    ids = trace.value("ids")
    assert agreement.of_the_ids(("the", "cat", "the", "mat"), ("cat", "mat", "the"), ids)
    assert not agreement.of_the_ids(trace.tokens, trace.vocabulary, ids.roll(1))


@pytest.mark.parametrize("token", range(4))
def test_one_row_needs_no_other(token):
    """A token's own row of the projection is PyTorch's for its vector alone; another token's row is
    seen to differ."""
    trace = run(Setup(**PRIMES))
    x, w, b, v = trace.value("x"), trace.value("w_v")[1], trace.value("b_v")[1], trace.value("v")[1]
    torch.testing.assert_close(v[token], F.linear(x[token], w.T, b))
    assert agreement.of_one_row(x, w, b, v, token) < 1e-5
    assert agreement.of_one_row(x, w, None, v, token) > 0.01
    moved = v.clone()
    moved[token, 6] += 1
    assert agreement.of_one_row(x, w, b, moved, token) == pytest.approx(1, abs=1e-5)


def test_results_of_two_shapes_are_not_compared():
    """A row against a column would stretch to a square and be compared cell by wrong cell: it is an
    error."""
    with pytest.raises(ValueError, match=r"\(2, 1\) and \(1, 2\)"):
        agreement.largest_difference(torch.ones(2, 1), torch.ones(1, 2))
