"""Angles, planes and drawn scores: against hand-worked cases, numpy, and the tensors they are made
of."""

import math
import re

import numpy as np
import pytest
import torch
from helpers import app, boards, elements, follow, numbers
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from core import Setup, run
from core.analysis import geometry, sampled_scores
from core.text.text import labels
from core.text.written import number
from tests.strategies import setups

ROOT = math.sqrt(3) / 2


def test_angles_and_lengths_by_hand():
    """Around a query of length 2, keys at 0°, 60°, 90°, 180°, and one of zero, which has no
    angle."""
    query = torch.tensor([0.0, 2.0, 0.0])
    keys = torch.tensor(
        [[0.0, 5.0, 0.0], [ROOT, 0.5, 0.0], [0.0, 0.0, 7.0], [0.0, -3.0, 0.0], [0.0, 0.0, 0.0]]
    )
    in_plane = geometry.project_into_query_plane(query, keys)
    assert torch.allclose(
        in_plane,
        torch.tensor([[5, 0], [0.5, ROOT], [0, 7], [-3, 0], [0, 0]], dtype=torch.float64),
        atol=1e-7,
    )
    degrees = geometry.angles(in_plane)
    assert degrees[:4].tolist() == pytest.approx([0, 60, 90, 180], abs=1e-5)
    assert degrees[4].isnan()
    assert geometry.project_into_query_plane(torch.zeros(3), keys).isnan().all()


@given(setups())
def test_lengths_and_angle_make_the_score(setup):
    """|q| |k| cos θ is the score of the trace, for every pair of every drawn setup."""
    trace = run(setup)
    q, k, scores = (trace.value(name)[0] for name in (*trace.compared, "scores"))
    lengths = geometry.lengths(q)
    for i, query in enumerate(q):
        if lengths[i] == 0:
            continue
        in_plane = geometry.project_into_query_plane(query, k)
        made = geometry.parts_of_scores(in_plane, scores[i])
        expected = lengths[i] * made[:, 0] * made[:, 2].nan_to_num()
        room = 1e-5 * (lengths[i] * geometry.lengths(k)).max().item() + 1e-12
        assert torch.allclose(expected, scores[i].double(), atol=room)
        assert torch.allclose(made[:, 0], geometry.lengths(k))


@given(st.integers(1, 7), st.integers(1, 11), st.integers(0, 10**6))
def test_the_plane_is_that_of_the_principal_components(n, size, seed):
    """Variances along both axes are numpy's two largest eigenvalues of the covariance; signs do not
    hang on the library's."""
    rows = torch.randn(n, size, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)
    plane = geometry.principal_plane(rows)
    values = np.linalg.eigvalsh(np.cov(rows.numpy().T, bias=True).reshape(size, size))[::-1].clip(0)
    variances = plane.of(rows).var(dim=0, correction=0).numpy()
    assert np.allclose(variances[: min(size, 2)], values[:2])
    if n > 1:
        assert plane.shares == pytest.approx(tuple([*(values / values.sum()), 0][:2]), abs=1e-9)
    assert all(axis[axis.abs().argmax()] >= 0 for axis in plane.axes)
    lengths = plane.axes.norm(dim=-1)
    assert all(abs(length - 1) < 1e-9 or length == 0 for length in lengths.tolist())
    assert abs(plane.axes[0] @ plane.axes[1]) < 1e-9


def test_planes_of_fewer_directions():
    """A lone row's axis leads to zero; rows on a line get the way to zero for a second axis; zeros
    are one point."""
    lone = geometry.principal_plane(torch.tensor([[0.0, -4.0, 3.0]]))
    assert lone.along(torch.tensor([[0.0, -4.0, 3.0]])).abs().tolist() == [[5.0, 0.0]]
    assert lone.shares == (0, 0)
    line = geometry.principal_plane(torch.tensor([[0.0, 2.0], [3.0, 2.0], [9.0, 2.0]]))
    assert line.axes.tolist() == [[1, 0], [0, 1]]
    assert line.along(torch.tensor([[3.0, 2.0]])).tolist() == [[3, 2]]
    assert (
        geometry.principal_plane(torch.zeros(3, 5)).of(torch.zeros(3, 5)).tolist() == [[0, 0]] * 3
    )


def test_cosines_are_pytorchs():
    """The same as torch's own, but that a row of zeros is like nothing, where torch says 0."""
    rows = torch.randn(5, 7, generator=torch.Generator().manual_seed(1))
    rows[3] = 0
    expected = torch.nn.functional.cosine_similarity(
        rows[:, None].double(), rows[None].double(), dim=-1
    )
    found = geometry.cosines(rows)
    assert found[3].isnan().all()
    assert torch.allclose(found.nan_to_num(), expected)


# ---------- drawn scores ----------


def test_scores_are_drawn_as_the_setup_draws():
    """Each score is the sum of its products; head 1's own matrices are the first that are drawn;
    independent products of numbers of variance 1 have variance 1, and their sum d_k."""
    for init in ("uniform", "normal", "xavier"):
        setup = Setup(init=init, d_model=5, d_k=3, d_v=7)
        sample = sampled_scores.sample(setup)
        assert sample.scores.shape == (sampled_scores.SCORES,)
        assert torch.allclose(sample.products.sum(dim=-1), sample.scores)
        trace = run(setup)
        generator = torch.Generator()
        generator.manual_seed(sampled_scores.init.own_seed(setup.seed, "drawn words"))
        sizes = (2, sampled_scores.DRAWS, sampled_scores.PAIRS, 5)
        words = torch.randn(sizes, dtype=torch.float64, generator=generator)
        q = words[0, 0] @ trace.value("w_q")[0].double()
        k = words[1, 0] @ trace.value("w_k")[0].double()
        assert torch.allclose((q * k).sum(dim=-1), sample.scores[: sampled_scores.PAIRS])
    bare = sampled_scores.sample(Setup(projections="none", d_model=11))
    assert (bare.d_k, bare.of_product) == (11, pytest.approx(1, abs=0.1))
    assert bare.of_score == pytest.approx(11, abs=1.5)


def test_the_argument_for_the_root_is_judged_by_what_was_measured():
    """It holds for normal and Xavier weights, and not for the notebook's, whose mean is no 0."""
    for init, holds in (("normal", True), ("xavier", True), ("uniform", False)):
        assert holds == (2 / 3 <= sampled_scores.sample(Setup(init=init)).times_expected <= 1.5)


# ---------- the pages ----------


def test_a_query_of_zero_has_no_direction():
    """Where there is no angle the page says so and draws none; values of zero are one point."""
    zero = {"edits": "w_q=0,w_v=0", "text": "a" * 390, "mask": "causal", "open": "plane"}
    scores, context = (app(f"pages/{page}.py", **zero) for page in ("4_scores", "6_context"))
    assert not scores.exception and not context.exception
    assert "no direction" in "".join(e.value for e in elements(scores.main) if e.type == "text")
    assert not [board for board in boards(scores) if board["view"] == "key_arrows"]
    (plane,) = (board for board in boards(context) if board["view"] == "mixtures")
    assert not numbers(plane["matrices"][0]).any()


def test_drawn_scores_are_divided_by_the_root():
    """What the chart of drawn scores says of both spreads: the second is the first by √d_k."""
    at = app("pages/5_weights.py", d_k=5, open="fold_variance")
    (chart,) = (e.proto for e in elements(at.main) if e.type == "vega_lite_chart")
    said = re.search(r"deviation (\S+) not scaled, (\S+) divided by √5", chart.alt)
    raw, divided = map(float, said.groups())
    assert divided == pytest.approx(raw / 5**0.5, abs=1e-4)


def test_the_chain_ends_at_z():
    """What the browser adds up, value times weight from zero, is z in the same plane."""
    setup = Setup(text="the cat sat", d_model=7, d_k=3, d_v=5, heads=2)
    shown = boards(app("pages/6_context.py", **setup.as_link(), head="2", open="plane"))
    (one,) = (board for board in shown if board["view"] == "mixtures")
    values, mixed = map(numbers, one["matrices"])
    weights = run(setup).value("weights")[1].numpy()
    assert np.allclose(weights @ values, mixed, atol=1e-5)
    assert one["matrices"][0]["rows"] == list(labels(setup.tokens))


@pytest.mark.browser
def test_arrows_are_pointed_at_chosen_and_written_out(window_of):
    """By keys and by mouse: the line under a fan has the score's true numbers, a click chooses the
    key as other boards do, and a mixture its query; labels stay on the sheet and off one
    another."""
    text = "+".join(f"word{k}" for k in range(1, 33))
    page = window_of(f"scores?text={text}&init=xavier&query=3&key=7", 390, 844, "dark")
    fan, score = (
        page.locator(".st-key-board_fan"),
        run(Setup(text=text.replace("+", " "), init="xavier")).value("scores")[0, 2],
    )
    said = fan.locator(".ab-readout")
    expect(said).to_contain_text("ω[word3, word7] = |q| |k| cos θ = ")
    expect(said).to_contain_text(number(score[6].item()))
    fan.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    expect(said).to_contain_text(number(score[7].item()))
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile("key=8"))
    labels_apart(fan)
    follow(page, f"context?text={text}&init=xavier&query=3&open=plane")
    plane = page.locator(".st-key-board_mixtures")
    labels_apart(plane)
    plane.locator("circle").nth(10).click(force=True)
    expect(page).to_have_url(re.compile("query=(?!3)"))


def labels_apart(plane) -> None:
    """Labels of a plane, but for those of what is chosen, lie within its sheet, and none on
    another."""
    plane.locator("text.ab-plane-first").first.wait_for()
    outside, crossing, count = plane.locator("svg").evaluate("""(svg) => {
          const sheet = svg.getBoundingClientRect();
          const boxes = [...svg.querySelectorAll(".ab-plane-label:not(.ab-plane-first)")]
            .map((t) => t.getBoundingClientRect());
          const out = boxes.filter((b) => b.left < sheet.left - 1 || b.right > sheet.right + 1);
          const hits = (a, b) => a.left + 2 < b.right && b.left + 2 < a.right &&
            a.top + 4 < b.bottom && b.top + 4 < a.bottom;
          return [out.length, boxes.filter((a, k) => boxes.slice(k + 1).some((b) => hits(a,
            b))).length, boxes.length];
        }""")
    assert (outside, crossing) == (0, 0)
    assert count >= 5
