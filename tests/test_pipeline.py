"""The machine: its matrices are the trace's own, and what is written at its arrows is true of the
setup."""

import json
from itertools import product

import numpy as np
import pytest
from helpers import app, boards, numbers

from core import Setup, run
from core.board.packed import to_json
from pages.shared.page_components.overview import pipeline

SIZES = {"text": "the cat the mat sat", "d_model": 7, "d_k": 3, "d_v": 11, "heads": 5}


def given(**more) -> dict[str, dict]:
    """The stations of a setup's machine by name, as the browser is given them."""
    setup = Setup(**SIZES | more)
    sent = json.loads(to_json(pipeline.stations(run(setup), min(3, setup.heads - 1))))
    return {made["name"]: made for made in sent}


def test_every_matrix_is_the_live_one():
    """The stations hold the tensors of the fourth head, to the last bit, in the order of the
    computation, with their shapes."""
    setup = Setup(**SIZES)
    trace, stations = run(setup), given()
    assert " ".join(stations) == "words x q k v scores weights context concat output"
    assert stations["words"]["ids"] == [str(k) for k in trace.value("ids").tolist()]
    assert stations["words"]["words"][0] == "the₁"
    for name in ("x", "output"):
        assert np.array_equal(numbers(stations[name]["matrix"]), trace.value(name).numpy())
    for name in ("q", "k", "v", "scores", "weights", "context"):
        assert np.array_equal(numbers(stations[name]["matrix"]), trace.value(name)[3].numpy())
    # as many heads as there is room for, the fourth among them and framed
    concat = stations["concat"]
    assert np.array_equal(numbers(concat["matrix"]), trace.value("concat")[:, 11:].numpy())
    assert concat["matrix"]["frame"] == [0, 5, 22, 33]
    assert (concat["shape"], concat["under"]) == ("5 × 55", "shown: 2–5")
    others = stations["weights"]["others"]
    assert [other["head"] for other in others] == [2, 3, 5]
    for other in others:
        expected = trace.value("weights")[other["head"] - 1].numpy()
        assert numbers(other["matrix"]) == pytest.approx(expected, abs=1e-5)


def test_what_is_written_at_the_arrows():
    """Names and shapes of the matrices that act there, divisors and mask of the setup."""
    at = {
        name: (made.get("over"), made.get("under"), made.get("sign"))
        for name, made in given(positions="sinusoidal").items()
    }
    assert at["x"] == ("E, + P", "4 × 7", "+")
    assert at["q"] == ("· W_q", "7 × 3", None)
    assert at["v"] == ("· W_v", "7 × 11", None)
    assert at["scores"] == ("· Kᵀ", "3 × 5", "×")
    assert at["weights"] == ("softmax", "÷ √3", None)
    assert at["context"] == ("· V", "5 × 11", "×")
    assert at["output"] == ("· W_o", "55 × 11", None)
    assert given(mask="causal", temperature=0.5)["weights"]["under"] == "÷ (√3 · 0.5), mask"
    assert given(scale="none", mask="causal")["weights"]["under"] == "mask"
    bare = given(projections="none", heads=1)
    assert "concat" not in bare
    assert bare["q"]["over"] == "= X"
    assert bare["output"]["over"] == "= Z"


def test_a_few_heads_are_drawn_and_the_followed_one_among_them():
    """Of twenty heads of any size few are sent, so that the page stays small."""
    for head, d_v in product(range(20), (1, 28, 64)):
        drawn = pipeline.drawn_heads(Setup(heads=20, d_v=d_v), head)
        assert head in drawn
        assert 0 <= drawn.start <= drawn.stop <= 20
        assert len(drawn) == 1 or len(drawn) * d_v <= pipeline.MAX_NUMBERS


def test_the_classifiers_way_is_that_of_its_sentence():
    """The second sentence's own tensors, padding and all, to probabilities that are 1 in all."""
    link = {"text": "a b c d e", "others": "c d", "sentence": 2, "classes": 3, "layers": 2}
    at = app("pages/12_classifier.py", **link, bias="on")
    (way,) = (board for board in boards(at) if board["view"] == "pipeline")
    assert way["stations"][0]["words"] == ["c", "d", "[pad]₃", "[pad]₄", "[pad]₅"]
    shapes = [station["shape"] for station in way["stations"][1:]]
    assert shapes == ["5 × 16", "5 × 16", "1 × 16", "1 × 3", "1 × 3"]
    assert numbers(way["stations"][-1]["matrix"]).sum() == pytest.approx(1, abs=1e-6)
    assert way["stations"][4]["over"] == "· W_c + b_c"
    assert ["padding" in says for says in way["says"]] == [False, False, True, True, True]
