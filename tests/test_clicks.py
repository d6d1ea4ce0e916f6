"""A press counts for what it went down on, though an answer draws that anew, takes it away or moves
it before the hand lets go."""

import pytest
from helpers import middle, place, pressed, steps, unfold
from playwright.sync_api import expect

from tests.test_browser import cell
from tests.test_quick_clicks import NEAR, SLOW, sentence, settled

pytestmark = pytest.mark.browser

LINK = ".stMain a[data-sets^='word_temperature=3']"


@SLOW
def test_a_press_during_which_an_answer_comes(visit, line):
    """A link, a page, a cell that is pressed before an answer and released after it is clicked,
    though the answer drew it anew; so is what has the focus, by the space bar, once."""
    text = "Rain is short, eat dessert first"
    for path, part, title, comes in (
        ("next", LINK, "Next word", {"word_temperature": 3}),
        ("", ".ab-stage[href^='/projection']", "3 · Projection", {}),
        ("scores", None, "4 · Scores", {"query": 3, "key": 2}),
    ):
        page = visit(f"{path}?d_k=5", line)
        sentence(page).fill(text)
        with pressed(page, middle(page, part) if part else cell(page, "scores", 2, 1)):
            settled(page, text=text)
        expect(page.locator("h1")).to_have_text([title])
        settled(page, text=text, **comes)
    page = visit("?d_k=5", line)
    before = place(page)
    sentence(page).fill("eat dessert first")
    page.locator(".ab-head").nth(1).focus()
    page.keyboard.down(" ")
    settled(page, text="eat dessert first")
    page.keyboard.up(" ")
    settled(page, text="eat dessert first", head=3)
    assert steps(page, before) == 2


@NEAR
def test_a_press_on_what_moves_or_goes_away(visit, line):
    """What was pressed is clicked, once, though it has moved from under the hand when that lets go,
    or is gone, unless the hand went elsewhere before."""
    causal = ".st-key-mask label:has-text('causal')"
    for path, part, around, comes in (
        ("scores", causal, "stSidebarContent", {"mask": "causal"}),
        ("next", LINK, "stMain", {"word_temperature": 3}),
    ):
        page = visit(path, line)
        unfold(page)
        before = place(page)
        scrolled = page.get_by_test_id(around)
        for by, further, text, wanted in (
            (45, 600, "Rain is short, eat", dict.fromkeys(comes)),
            (-45, 0, "Rain is short, eat dessert", comes),
        ):
            page.locator(part).first.scroll_into_view_if_needed()
            box = page.locator(part).first.bounding_box()
            x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
            with pressed(page, (x, y)):
                moved = (
                    "(e, by) => { const from = e.scrollTop; return (e.scrollTop += by) - from; }"
                )
                assert scrolled.evaluate(moved, by) == by
                page.mouse.move(x + further, y)
            sentence(page).fill(text)
            sentence(page).press("Enter")
            settled(page, text=text, **wanted)
        assert steps(page, before) == 3
    for further, temperature in ((0, 3), (60, None)):
        page = visit("next", line)
        x, y = middle(page, LINK)
        with pressed(page, (x, y)):
            page.evaluate("(part) => document.querySelector(part).remove()", LINK)
            page.mouse.move(x, y + further)
        sentence(page).fill("a b")
        sentence(page).press("Enter")
        settled(page, text="a b", word_temperature=temperature)
