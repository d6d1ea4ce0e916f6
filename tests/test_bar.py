"""The bar is the machine, small: the followed row is lit in it."""

import pytest
from playwright.sync_api import expect

from pages.shared.link.pages import PAGES

pytestmark = pytest.mark.browser

# Of each small matrix: how far down in it the middle of the lit row stands, from 0 to 1.
LIT = """() => [...document.querySelectorAll('.ab-bar .ab-followed-row')].map((row) => {
  const box = [...row.parentNode.querySelectorAll('rect')].find((each) =>
    each.getAttribute('x') === row.getAttribute('x'));
  const [top, high, from, size] = [box, row].flatMap((e) => ['y', 'height'].map((name) =>
    Number(e.getAttribute(name))));
  return (from + size / 2 - top) / high;
})"""


def test_the_bar_follows_the_word_and_the_page(window_of):
    """At every width it takes one row; on a phone the present page stands alone in it, over the
    pair that is followed. In every small matrix the lit row stands as far down as the followed
    word's, at once when another is chosen."""
    for width, height in ((390, 844), (1440, 900)):
        page = window_of("scores?text=a+b+c+d+e&query=4&key=1", width, height)
        said = page.locator(".ab-bar-said")
        expect(said).to_be_visible(visible=width <= 640)
        if width <= 640:
            expect(said.locator(".ab-q, .ab-k")).to_have_text(["a", "d"])
        # an earlier test may have unfolded it
        page.evaluate("document.querySelector('.ab-bar').classList.remove('ab-bar-all')")
        here = page.locator(".ab-bar [aria-current=page]")
        expect(here).to_have_text("4 Scores")
        expect(here).to_be_in_viewport(ratio=0.9)
        shown = page.locator(".ab-bar a[data-page]:visible")
        # to the notebooks, and to what one brings, the panel leads
        expect(shown).to_have_count(len(PAGES) - 2 if width > 640 else 1)
        boxes = [item.bounding_box() for item in shown.all()]
        assert len({round(box["y"] + box["height"]) for box in boxes}) == 1
    expect(page.locator(".ab-bar .ab-followed-row")).to_have_count(9)
    assert all(0.6 <= place <= 0.8 for place in page.evaluate(LIT))
    page.evaluate("() => attentionAddress.act({ query: 1 })")
    assert all(place <= 0.2 for place in page.evaluate(LIT))
