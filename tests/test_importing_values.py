"""What somebody brings is kept as it was typed, goes through a link and back, and is refused in a
sentence where it does not fit."""

import re
from decimal import Decimal

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from pasted_texts import NUMBERS, brought

from core.fields.user_matrices import AXES, UserMatrices
from core.text.exact_decimals import normalize_number


@settings(max_examples=100, deadline=None)
@given(brought())
def test_what_is_given_goes_through_a_link_and_back_to_the_last_typed_decimal(mine):
    assert UserMatrices.from_text(mine.to_text()) == mine
    assert hash(UserMatrices.from_text(mine.to_text())) == hash(mine)
    for name in mine.names:
        sizes = tuple(mine.sizes[{"memory": "key"}.get(axis, axis)] for axis in AXES[name])
        assert mine.tensor(name).shape == torch.Size(sizes)


@given(NUMBERS, st.sampled_from(("", "+")), st.sampled_from(("-", "−", "–")))
def test_a_number_keeps_its_value_and_its_decimals_however_its_sign_is_typed(number, plus, minus):
    kept = normalize_number(number.replace("-", minus) if number.startswith("-") else plus + number)
    assert Decimal(kept) == Decimal(number)
    assert Decimal(kept).as_tuple().exponent == Decimal(number).as_tuple().exponent


SQUARE = [[1, 0], [0, 1]]


@pytest.mark.parametrize(
    ("parts", "says"),
    [
        ({}, "Nothing to start from"),
        ({"x": [[1, 2], [3]]}, "rows of x are not of one length"),
        ({"x": [["1?2"]]}, "“1?2” is no number"),
        ({"x": [[1e300]]}, "larger than a billion"),
        ({"x": SQUARE, "w_q": SQUARE}, "w_q is given, and w_k and w_v missing"),
        (
            {"x": SQUARE, "w_q": [[1]], "w_k": SQUARE, "w_v": SQUARE},
            "w_q does not fit x: its d_model is 1, and x has 2",
        ),
        ({"x": SQUARE, "q": SQUARE, "k": SQUARE, "v": SQUARE}, "one of them has to go"),
        ({"q": SQUARE, "k": SQUARE, "v": [[1]]}, "v does not fit k: its key is 1"),
        ({"x": SQUARE, "w_o": [[1]]}, "w_o does not fit the heads side by side"),
        ({"x": SQUARE, "b_q": [[1, 2]]}, "b_q is given without its w_q"),
        ({"x": SQUARE, "mask": [[1]]}, "mask does not fit x"),
        ({"x": SQUARE, "scale": "0"}, "divided by a number above 0"),
        ({"table": SQUARE, "words": ("cat",)}, "2 rows, and 1 words"),
        (
            {"q": [SQUARE] * 3, "k": [SQUARE] * 2, "v": [SQUARE] * 2},
            "3 heads of queries cannot share 2",
        ),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(parts, says):
    with pytest.raises(ValueError, match=re.escape(says)):
        UserMatrices(**parts)


@settings(max_examples=300)
@given(st.text("xqkvw_ 0123.,~-Emask"))
def test_any_line_is_read_or_refused_with_a_value_error(text):
    for line in (text, f"x {text}", f"x 1,2 {text}"):
        try:
            UserMatrices.from_text(line)
        except ValueError as error:
            assert str(error)
