"""The steps between scores and weights are told once: a step more is on every page that shows
them, in the export, and in what is asked."""

from itertools import pairwise

import numpy as np
import pytest
from helpers import app, boards, numbers

from core import Setup, run
from core.board import colours
from core.export import derivation
from core.forward.batch import run as run_batch
from core.forward.encoder import encode
from core.layers import model, steps
from core.ops import attention
from core.trace.step import Step
from pages.shared.lecture import scenes, story
from pages.shared.link.beats import STORY
from pages.shared.link.pages import find
from pages.shared.page_components.overview import pipeline
from pages.shared.text import words

MORE = Step(
    attention.divide_by_temperature, steps.describe_division, "biased",
    "ω⁺", steps.PAIRS, steps.over("$a"),
)  # fmt: skip
ALIBI = {"positions": "alibi", "mask": "causal", "init": "xavier", "text": "the cat sat on"}
USUAL = {"mask": "causal", "init": "xavier", "text": "the cat sat on"}
BEFORE = ("scores", "scaled", "biased", "masked")


@pytest.fixture(params=["alibi", "another step"])
def link(request, monkeypatch):
    """A link under which a step stands between the scaled scores and the mask: ALiBi's, or one that
    no page has heard of, put into the forward path alone."""
    if request.param == "alibi":
        return ALIBI

    def before_mask(setup, record):
        record.apply(MORE, "scaled", temperature=3.0)
        return "biased"

    monkeypatch.setattr(model, "before_mask", before_mask)
    # What is kept between runs was made without it.
    return USUAL | {"seed": 7919}


def followed(trace, shown) -> None:
    """Of two stages one below the other the second is made of the first."""
    names = [name for name in shown if name in trace]
    for above, below in pairwise(names):
        assert above in trace[below].inputs, (above, below)


def matrix(at, name: str) -> np.ndarray:
    """The numbers of the one matrix of this name on a page."""
    drawn = [each for board in boards(at) for each in board.get("matrices", ())]
    (found,) = [each for each in drawn if each["name"] == name]
    return numbers(found)


@pytest.mark.parametrize("mask", ["none", "causal"])
@pytest.mark.parametrize("positions", ["none", "alibi"])
def test_stages_are_made_of_one_another(positions, mask):
    """In a trace, a batch and a stack, with a mask and without."""
    setup = Setup(positions=positions, mask=mask)
    for trace in (run(setup), run_batch(setup).trace, *encode(setup)):
        stages = trace.stages("weights")
        assert ("biased" in stages) == (positions == "alibi")
        for above, below in pairwise(stages):
            sources = trace[below].inputs
            assert above in sources or above in trace[sources[0]].inputs


def test_weights_has_each_stage(link):
    """Its rows, its formula, its tables and the chosen cell."""
    trace = run(Setup(**link))
    at = app(find("weights").file, **link, query=3)
    assert not at.exception
    (row,) = [board for board in boards(at) if board["matrices"][0]["name"] == "scores"]
    names = [matrix["name"] for matrix in row["matrices"]]
    assert names == [*BEFORE, "shifted", "exp", "weights"]
    followed(trace, names[:4])
    assert [matrix["role"] for matrix in row["matrices"][:4]] == ["scores"] * 4
    shown = dict(zip(names, row["matrices"], strict=True))
    masked, shifted = (numbers(shown[name]) for name in ("masked", "shifted"))
    assert np.array_equal(shifted, masked - masked.max())
    (latex,) = [each.value for each in app(find("weights").file, **link, open="formula").latex][:1]
    assert "ω^+" in latex and r"\text{mask}" in latex


def test_masks_begin_with_what_the_mask_takes(link):
    """Not with the scaled scores, of which the masked ones are not made."""
    at = app(find("masks").file, **link, open="padding")
    assert not at.exception
    names = [each["name"] for board in boards(at) for each in board.get("matrices", ())]
    assert "biased 1" in names and "scaled 1" not in names


def test_the_causal_figure_and_the_root_go_through_it(link):
    """What would be with a causal mask, and without √d_k, is made with the step in between."""
    trace = run(Setup(**link))
    after = matrix(app(find("masks").file, **link), "after")
    assert np.allclose(after, trace.value("weights")[0].numpy(), atol=1e-6)
    at = app(find("weights").file, **link, query=3, open="root")
    without, with_root = (matrix(at, name)[0] for name in ("without", "with"))
    assert np.allclose(with_root, trace.value("weights")[0, 2].numpy())
    pair = scenes.Pair(trace, 0, 2, 1)
    scene = scenes.make_unscaled(pair)
    drawn = scene["bars"][1]
    assert np.allclose(drawn.numpy(), without)


def test_the_story_tells_it(link):
    """In the scene of the division, and on the strip."""
    trace = run(Setup(**link))
    pair = scenes.Pair(trace, 0, 2, 1)
    assert "ω⁺" in scenes.make_scaled_row(pair)["said"]
    labels = [bead.label for bead in story.known(pair, len(STORY) - 1)]
    assert "÷ √d_k, ω⁺" in labels


def test_one_formula_and_the_machine_have_it(link):
    """All of it in one line, and the words between scores and weights on the first page."""
    trace = run(Setup(**link))
    symbols = {trace.compared[0]: "Q_h", "k_t": "K_h", "v": "V_h"}
    one_line = words.nested(trace, "context", symbols)
    told = pipeline.draw_before_softmax(trace)
    more = "+ B" if "alibi" in trace else "3"
    assert more in one_line and ("+ B" if "alibi" in trace else "ω⁺") in told


def test_the_export_takes_the_step(link):
    """Each stage is a line, made of the one above it."""
    script = derivation(Setup(**link)).script
    assert "masked = mask(biased, " in script and "weights = softmax(masked)" in script


def test_every_pair_of_words_has_the_scores_colour():
    """What stands between scores and weights has a role of its own name."""
    trace = run(Setup(**ALIBI))
    pairs = [name for name in trace if trace[name].dims == trace["scores"].dims]
    assert {colours.get_role(name) for name in pairs if name != "weights"} == {"scores"}
