"""The bar is the machine, small: the followed row is lit in it."""

import pytest
from helpers import ready
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
    """At every width it is one row, with the present page in view; a finger finds each. In every
    small matrix the lit row stands as far down as the followed word's, at once when another is
    chosen."""
    for width, height in ((390, 844), (1440, 900)):
        for path, menu in (("encoder", "Encoder"), ("weights", "5 Weights")):
            page = window_of(f"{path}?text=a+b+c+d+e&query=4&key=1", width, height)
            here = page.locator(".ab-bar [aria-current=page]")
            expect(here).to_have_text(menu)
            expect(here).to_be_in_viewport(ratio=0.9)
        heading, name = page.locator(".ab-bar-group:has([data-page=masks]) :is(b, span)").all()[:2]
        assert heading.bounding_box()["y"] + 12 < name.bounding_box()["y"]
        boxes = [item.bounding_box() for item in page.locator(".ab-bar a").all()]
        assert len(boxes) == sum(page.in_row for page in PAGES)
        assert len({round(box["y"] + box["height"]) for box in boxes}) == 1
        assert width > 640 or all(min(box["width"], box["height"]) >= 44 for box in boxes)
    assert all(0.6 <= place <= 0.8 for place in page.evaluate(LIT))
    page.evaluate("() => attentionBoard.address.act({ query: 1 })")
    assert all(place <= 0.2 for place in page.evaluate(LIT))


def test_a_phone_on_its_side_has_room_for_the_figure(person, server):
    """The bar stands in the window's first row, the page's title below it, and what a touch board
    has above its drawing covers no column's name."""
    page = person(is_phone=True)
    page.set_viewport_size({"width": 844, "height": 390})
    page.goto(f"{server.url}/projection")
    ready(page)
    page.wait_for_function("""() => {
        const [bar, title, menu, drawing] =
            ['.ab-bar', 'h1', '.ab-menu > summary', '.ab-host :is(.ab-svg, .ab-windows)'].map(
                (which) => document.querySelector(which)?.getBoundingClientRect() ?? {});
        return bar.top < 10 && bar.bottom <= title.top && menu.height > 0
            && menu.bottom <= drawing.top && drawing.top < 250;
    }""")
