"""A setup of a reader's own numbers: what follows from them is what NumPy has, and nothing that is
typed breaks a page."""

import math
from dataclasses import replace
from random import Random

import numpy as np
import pytest
from helpers import derived
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import WORDS, given_numbers

from core import Setup, run
from core.fields import files
from core.fields.matrices_field import read, to_field_value
from core.fields.user_matrices import UserMatrices
from core.forward import batch
from core.forward.encoder import encode
from core.importing.opening import make_setup
from core.importing.parsing import parse
from core.reference.reference import check
from core.weights import weights

BOOK = "x 1,0_0,1_1,1 w_q 1,0_0,1 w_k 1,0_0,1 w_v 1,0,2_0,1,3"


def by_hand(numbers: UserMatrices, tokens: tuple[str, ...]) -> np.ndarray:
    """The output in double precision, by NumPy alone."""
    has = {name: numbers.tensor(name).double().numpy() for name in numbers.names}
    if numbers.projected:
        q, k, v = has["q"], has["k"], has["v"]
    else:
        x = (
            has["x"]
            if numbers.x
            else has["table"][[numbers.words.index(token) for token in tokens]]
        )
        of = {name: has.get(f"w_{name}", np.eye(x.shape[1])[None]) for name in "qkv"}
        asked = has.get("memory_x", x)
        q, k, v = x @ of["q"], asked @ of["k"], asked @ of["v"]
        q = q + has["b_q"][:, None] if "b_q" in has else q
    group = len(q) // len(k)
    k, v = np.repeat(k, group, axis=0), np.repeat(v, group, axis=0)
    scores = q @ k.transpose(0, 2, 1) / numbers.sizes["d_k"] ** 0.5
    may = np.array(numbers.mask) if numbers.mask else np.ones(scores.shape[1:], dtype=bool)
    e = np.where(may, np.exp(scores - scores.max(axis=-1, keepdims=True)), 0)
    context = e / e.sum(axis=-1, keepdims=True) @ v
    concat = context.transpose(1, 0, 2).reshape(context.shape[1], -1)
    return concat @ has["w_o"] if "w_o" in has else concat


@settings(max_examples=120, deadline=None)
@given(st.integers(0, 2**32))
def test_what_follows_from_given_numbers_is_what_numpy_has(seed):
    """X, a table or Q, K, V, another sentence, heads that share, biases, W_o, a mask: the output to
    float32, PyTorch's check, and the link back."""
    text = given_numbers(Random(seed))
    numbers = UserMatrices.from_text(text)
    words = WORDS[: numbers.sizes.get("token", len(numbers.words))]
    others = " ".join(f"asked{k}" for k in range(numbers.sizes.get("memory", 0)))
    setup, messages = Setup.nearest(
        {"init": "given", "given": text, "text": " ".join(words), "memory": others}
    )
    assert not messages and setup.numbers == numbers
    trace = run(setup)
    assert np.allclose(
        trace.value("output").numpy(), by_hand(numbers, setup.tokens), rtol=2e-4, atol=2e-4
    )
    assert check(trace, "weights").largest < 1e-4 and check(trace, "output").largest < 1e-3
    assert Setup.nearest(setup.as_link()) == (setup, [])


def test_a_worked_example_by_hand():
    """“please study man” with unit matrices: a score, a weight and an output, worked out on
    paper."""
    trace = run(Setup(init="given", given=BOOK, text="please study man", mask="causal"))
    assert trace.value("scores")[0].tolist() == [[1, 0, 1], [0, 1, 1], [1, 1, 2]]
    share = math.exp(1 / math.sqrt(2)) / (math.exp(1 / math.sqrt(2)) + 1)
    assert trace.value("weights")[0, 1].tolist() == pytest.approx([1 - share, share, 0])
    assert trace.value("output")[1].tolist() == pytest.approx(
        [1 - share, share, 2 * (1 - share) + 3 * share]
    )


def test_scores_are_divided_by_any_number():
    """A source that divides by 8: the temperature takes it, where nothing else scales."""
    setup = Setup(init="given", given=BOOK, text="please study man", scale="none", temperature=8.0)
    assert run(setup).value("scaled")[0, 2].tolist() == [0.125, 0.125, 0.25]


@pytest.mark.parametrize(
    ("wishes", "init", "text", "told"),
    [
        ({"given": ""}, "uniform", "a b", "No numbers are given"),
        ({"given": "x 1,2_3"}, "uniform", "a b", "not of one length"),
        ({"given": "q 1 k 1"}, "uniform", "a b", "v missing"),
        ({"given": "x " + "_".join(["1"] * 40)}, "uniform", "a b", "at most 32 fit"),
        ({"given": "q 1 k 1_2 v 1_2", "text": "a", "memory": "b"}, "given", "a", "b other2"),
        ({"given": BOOK}, "given", "a b word3", "a sentence of 3 words"),
        (
            {"given": "x 1_2_1", "text": "the the the"},
            "given",
            "the the2 the",
            "another one for another row",
        ),
        (
            {"given": "table 1_2 words cat,dog"},
            "given",
            "cat dog",
            "words that the given table has a row for",
        ),
        ({"given": "file 0123456789abcdef"}, "uniform", "a b", "kept here no longer"),
        ({"given": "x 1_" + "2_" * 3000 + "1"}, "uniform", "a b", "letters fit into a link"),
    ],
)
def test_what_does_not_fit_is_told_and_something_stands(wishes, init, text, told):
    """Numbers that cannot be used leave drawn weights and a sentence; a sentence that does not fit
    them is fitted, and told."""
    setup, messages = Setup.nearest({"init": "given", "text": "a b"} | wishes)
    assert (setup.init, setup.text) == (init, text)
    assert any(told in message for message in messages), messages


def test_more_keys_than_queries_are_another_sentence():
    """A query asks the keys of a memory, with words where the text names some; wherever a sentence
    asks itself the given keys have no place, and those of a stack are drawn."""
    setup = parse("Q: 2 3\nK:\nred 1 0\ngreen 3 1\nblue 0 3\nV: 0 0; 4 1; 2 2").setup(scale="none")
    assert (setup.text, setup.memory) == ("query1", "red green blue") and run(setup).value(
        "scores"
    )[0, 0].tolist() == [2, 9, 9]
    nameless = Setup(init="given", given=setup.given, text="a", scale="none")
    assert (
        nameless.memory == "key1 key2 key3"
        and nameless.alone == nameless == Setup.nearest(nameless.as_link())[0]
    )
    assert batch.run(setup).trace.value("weights").shape == (1, 1, 1, 1)
    assert encode(replace(setup, layers=2))[0].value("q").shape == encode(setup)[0].value("k").shape
    assert not replace(setup, layers=2, layer=2).memory


def test_a_mask_of_another_sentence_counts_there_alone():
    """Given rows of a mask that are about a memory close keys of it; the same words by themselves
    look everywhere."""
    numbers = UserMatrices(x=[[1], [2]], memory_x=[[1], [2], [3]], mask=[[1, 0, 1], [1, 1, 0]])
    setup, _ = make_setup(numbers, ("a", "b"))
    assert (run(setup).value("weights")[0] > 0).tolist() == [
        [True, False, True],
        [True, True, False],
    ]
    assert bool((batch.run(setup).trace.value("weights") > 0).all()) and bool(
        (encode(setup)[0].value("weights") > 0).all()
    )
    derived(setup)


def test_long_numbers_are_kept_by_name():
    """What is too long for a link is named there, and comes back whole; edits lie over it as over
    any weights."""
    numbers = UserMatrices(x=[[f"0.{k:07d}" for k in range(60)] for _ in range(9)])
    name = to_field_value(numbers)
    assert (
        files.REFERENCE.fullmatch(name)
        and read(name) == numbers
        and to_field_value(read(BOOK)) == BOOK
    )
    setup = Setup(init="given", given=BOOK, text="a b c", edits="w_q.1.1.2=0.5")
    assert weights.attention(setup)["w_q"][0].tolist() == [[1.0, 0.5], [0.0, 1.0]]


def test_a_script_of_given_numbers_makes_every_tensor_again():
    """The exported script reads the numbers and derives the same output."""
    setup = Setup(init="given", given=BOOK + " w_o 1,2_3,4_5,6 mask 100_110_101", text="a b c")
    assert derived(setup)["output"].equal(run(setup).value("output"))
    assert replace(setup, given=BOOK).has_w_o is False and setup.has_w_o
