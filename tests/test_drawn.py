"""What is drawn stays whole: formulas at every width, words at every length and in every script, signs between factors."""

import pytest
from conftest import app
from test_browser import ready

from pages.shared.steps import STEPS

# The longest formulas: biases, positions, a mask, three factors to divide by, sizes of two digits.
LONG = "bias=on&positions=learned&mask=causal&scale=fourth-root&temperature=0.5&norm=pre&d_model=10&heads=10"
WIDTHS = (640, 760, 900, 1000, 1100, 1440)


DIVISORS = {"fourth-root": r"\sqrt[4]{24} \cdot \sqrt[4]{24} \cdot 0.5", "sqrt": r"\sqrt{24} \cdot 0.5", "none": "0.5"}


@pytest.mark.parametrize(("scale", "divisor"), DIVISORS.items())
def test_a_sign_stands_between_factors(scale, divisor):
    """√24 times 0.5 does not read as the root of 240.5."""
    at = app("pages/5_weights.py", scale=scale, temperature=0.5)
    assert rf"}}{{{divisor}}}" in at.latex[0].value
    line = app("pages/7_heads.py", scale=scale, temperature=0.5).latex[-1].value
    assert r"\frac{1}{0.5} \cdot " in line


@pytest.mark.browser
@pytest.mark.parametrize("step", [step for step in STEPS if step.path not in ("", "notebooks")], ids=lambda step: step.path)
def test_formulas_are_whole_at_every_width(browser_of, server, step):
    """Beside the code or above it, with the sidebar open, no formula is cut."""
    page = browser_of(1440, 900).new_page()
    page.goto(f"{server.url}/{step.path}?{LONG}")
    ready(page)
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        cut = page.evaluate(
            """() => [...document.querySelectorAll('.katex-display, .st-key-formula, .st-key-line')]
              .filter((box) => box.scrollWidth > box.clientWidth + 1)
              .map((box) => [box.className, box.scrollWidth, box.clientWidth])"""
        )
        assert cut == [], width
    page.close()
