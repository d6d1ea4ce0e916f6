"""What boards perform beside products: bars, stacks, rows and units have the sizes and numbers of
the trace."""

import pytest
import torch
from helpers import show
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from core.written import brief, number
from tests.test_motion import board

pytestmark = pytest.mark.browser

SETUP = Setup(
    text="a b c d e", d_model=7, d_k=3, d_v=2, heads=3, init="xavier", bias="on", mask="causal"
)
LINK = "text=a+b+c+d+e&d_model=7&d_k=3&d_v=2&heads=3&init=xavier&bias=on&mask=causal"
SIZES = (
    "(all, name) => all.filter((e) => !e.hasAttribute('display')).map((e) =>"
    " Number(e.getAttribute(name)))"
)


def sizes(shown, what: str, name: str) -> torch.Tensor:
    """This attribute of all that is shown of one kind."""
    return torch.tensor(
        shown.locator(f".ab-motion {what}").evaluate_all(SIZES, name), dtype=torch.double
    )


def test_the_softmax_is_cut_out_of_bars_as_long_as_the_powers(window_of):
    """Bars have the lengths of the powers, together the row's sum; then 1, of which each piece is
    its weight. −∞ has no bar."""
    page = window_of(f"weights?{LINK}&query=4&key=2")
    shown = board(page, "board_weights_row")
    before = shown.locator("svg").evaluate("(e) => e.viewBox.baseVal.height")
    shown.locator(".ab-play").click()
    trace = run(SETUP)
    scores, weights = (trace.value(name)[0, 3].double() for name in ("masked", "weights"))
    powers = torch.exp(scores - scores.max())
    length, says = shown.locator(".ab-length"), shown.get_by_role("status")
    show(page, "board_weights_row", 1, 1)
    lengths = sizes(shown, ".ab-piece", "width")
    assert len(lengths) == 4
    torch.testing.assert_close(lengths / lengths.max(), powers[:4])
    expect(says).to_contain_text("Where the mask put −∞, e^−∞ is 0: that score becomes nothing.")
    for count in (1, 3):
        show(page, "board_weights_row", 2, (count + 0.5) / 6)
        expect(length).to_have_text(f"length {number(powers[:count].sum().item())}")
    show(page, "board_weights_row", 3, 1)
    expect(length).to_have_text("length 1.0000")
    short = sizes(shown, ".ab-piece", "width")
    torch.testing.assert_close(
        short / lengths, torch.full((4,), 1 / powers.sum().item(), dtype=torch.double)
    )
    show(page, "board_weights_row", 4, 1)
    best = int(weights.argmax())
    expect(says).to_contain_text(
        f"{number(powers.max().item())} / {number(powers.sum().item())} ="
        f" {number(weights[best].item())}."
    )
    show(page, "board_weights_row", 5, 0.5)
    flying = shown.locator(".ab-flying:not([display])").first
    assert flying.text_content() in [brief(weight) for weight in weights.tolist()]
    shown.get_by_role("button", name="Close").click()
    assert shown.locator("svg").evaluate("(e) => e.viewBox.baseVal.height") == before


def test_the_context_is_stacked_of_values_as_high_as_their_weights(window_of):
    """Strips have the heights of the weights, the largest first, and the sum below them comes to be
    the row of Z; on a phone all of it stands between the bar and the controls."""
    page = window_of(f"context?{LINK}&query=4&column=2")
    shown = board(page, "board_context")
    shown.locator(".ab-play").click()
    trace = run(SETUP)
    weights, values = trace.value("weights")[0, 3].double(), trace.value("v")[0].double()
    order = weights.argsort(descending=True, stable=True)
    says = shown.get_by_role("status")
    show(page, "board_context", 2, 1)
    terms = (weights[order] * values[order, 1]).tolist()
    expect(says).to_contain_text(
        f"{number(values[order[1], 1].item())} is added: {number(sum(terms[:2]))}."
    )
    show(page, "board_context", 3, 1)
    heights = sizes(shown, "> image", "height")
    torch.testing.assert_close(heights / 96, weights[order][:4])
    sums = shown.locator(".ab-motion .ab-matrix .ab-numbers text")
    assert sums.all_text_contents() == [brief(z) for z in trace.value("context")[0, 3].tolist()]
    show(page, "board_context", 4, 1)
    expect(says).to_have_text(
        "The sum is z, the row of “d” in Z; in column 2,"
        f" {number(trace.value('context')[0, 3, 1].item())}."
    )
    page.set_viewport_size({"width": 390, "height": 780})
    free = """() => {
        const [svg, panel] = ["svg", ".ab-player"].map((part) =>
          document.querySelector(`.st-key-board_context .ab-host ${part}`));
        return getComputedStyle(panel).position === "fixed" &&
          120 + svg.clientHeight + panel.offsetHeight <= innerHeight;
    }"""
    page.wait_for_function(free)
    page.set_viewport_size({"width": 1440, "height": 900})  # the window is other tests' too
