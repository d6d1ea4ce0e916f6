"""A press counts for what it went down on, though an answer draws that anew, takes it away or moves
it before the hand lets go."""

import pytest
from helpers import middle, place, pressed, steps, unfold
from playwright.sync_api import expect

from tests.test_acts import NEAR, SLOW, sentence, settled
from tests.test_browser import cell

pytestmark = pytest.mark.browser

# What is pressed, and what a click on it comes to.
PRESSED = {
    "a link": ("block", ".stMain a[data-sets='stage=output']", "Block", {"stage": "output"}),
    "a page": ("", ".ab-stage[href^='/projection']", "3 · Projection", {}),
    "a word": ("vocabulary", ".ab-chip:not(.ab-chip-chosen)", "1 · Vocabulary", {"query": 1}),
    "a cell": ("scores", "[data-name=scores]", "4 · Scores", {"query": 3, "key": 2}),
}


@pytest.mark.parametrize("kind", PRESSED)
@SLOW
def test_a_press_during_which_an_answer_comes(visit, line, kind):
    """What is pressed before an answer and released after it is clicked, though the answer drew it
    anew."""
    path, part, title, comes = PRESSED[kind]
    page = visit(path, line)
    sentence(page).fill("Rain is short, eat dessert first")
    at = cell(page, "scores", 2, 1) if kind == "a cell" else middle(page, part)
    with pressed(page, at):
        settled(page, text="Rain is short, eat dessert first")
    expect(page.locator("h1")).to_have_text([title])
    settled(page, text="Rain is short, eat dessert first", **comes)


@pytest.mark.parametrize(
    ("further", "stage"), [(0, "output"), (60, None)], ids=["the hand stays", "the hand goes away"]
)
@NEAR
def test_a_press_on_a_link_that_goes_away(visit, line, further, stage):
    """A link that is gone when the hand lets go of it is followed, unless the hand went elsewhere
    before."""
    page = visit("block", line)
    x, y = middle(page, PRESSED["a link"][1])
    with pressed(page, (x, y)):
        page.evaluate("(part) => document.querySelector(part).remove()", PRESSED["a link"][1])
        page.mouse.move(x, y + further)
    sentence(page).fill("a b")
    sentence(page).press("Enter")
    settled(page, text="a b", stage=stage)


# What is pressed, what it stands in, and what a click on it comes to.
MOVED = {
    "a link": ("block", PRESSED["a link"][1], "stMain", {"stage": "output"}),
    "a cell": ("scores", "[data-name=scores]", "stMain", {"query": 3, "key": 2}),
    "an option": (
        "scores",
        ".st-key-mask label:has-text('causal')",
        "stSidebarContent",
        {"mask": "causal"},
    ),
}


@pytest.mark.parametrize("kind", MOVED)
@NEAR
def test_a_press_on_what_moves(visit, line, kind):
    """What was pressed is clicked, once, though it has moved from under the hand when that lets go,
    unless the hand went too."""
    path, part, around, comes = MOVED[kind]
    page = visit(path, line)
    unfold(page)
    before = place(page)
    around = page.locator(f"[data-testid={around}]")
    for by, further, text, wanted in (
        (45, 600, "Rain is short, eat", dict.fromkeys(comes)),
        (-45, 0, "Rain is short, eat dessert", comes),
    ):
        page.locator(part).first.scroll_into_view_if_needed()
        box = page.locator(part).first.bounding_box()
        x, y = (
            cell(page, "scores", 2, 1)
            if kind == "a cell"
            else (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        )
        with pressed(page, (x, y)):
            assert (
                around.evaluate(
                    "(box, by) => { const from = box.scrollTop; return (box.scrollTop += by) -"
                    " from; }",
                    by,
                )
                == by
            )
            page.mouse.move(x + further, y)
        sentence(page).fill(text)
        sentence(page).press("Enter")
        settled(page, text=text, **wanted)
    assert steps(page, before) == 3


@SLOW
def test_a_space_bar_during_which_an_answer_comes(visit, line):
    """What has the focus when the space bar goes down, and is drawn anew before it comes up, is
    clicked by it, once."""
    page = visit("", line)
    before = place(page)
    sentence(page).fill("eat dessert first")
    page.locator(".ab-head").nth(1).focus()
    page.keyboard.down(" ")
    settled(page, text="eat dessert first")
    page.keyboard.up(" ")
    settled(page, text="eat dessert first", head=3)
    assert steps(page, before) == 2
