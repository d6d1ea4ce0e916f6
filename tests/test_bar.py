"""The bar is the machine, small: the followed row is lit in it, and a page's matrix goes from there
to the stage."""

import pytest
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

# Of each small matrix: which share of it stands above the lit row, and which the row is.
LIT = """() => [...document.querySelectorAll('.ab-bar .ab-followed-row')].map((row) => {
  const box = [...row.parentNode.querySelectorAll('rect')].find((each) =>
    each.getAttribute('x') === row.getAttribute('x'));
  const [top, high, from, size] = [box, row].flatMap((e) => ['y', 'height'].map((name) =>
    Number(e.getAttribute(name))));
  return (from + size / 2 - top) / high;
})"""

# All that ever flew since, and whether it took presses.
WATCHES = """() => {
  window.flown = [];
  new MutationObserver((changes) => changes.forEach(({ addedNodes }) =>
    addedNodes.forEach((each) => {
    if (each.classList?.contains('ab-flight')) window.flown.push([each.className,
      getComputedStyle(each).pointerEvents]);
  }))).observe(document.body, { childList: true });
}"""


def test_the_followed_row_is_lit_in_the_bar(window_of):
    """In every small matrix with a row for each word the lit one stands as far down as the followed
    word's, at once when another is chosen."""
    page = window_of("scores?text=a+b+c+d+e&query=4&key=1")
    expect(page.locator(".ab-bar .ab-followed-row")).to_have_count(9)
    for place in page.evaluate(LIT):
        assert 0.6 <= place <= 0.8, place
    page.evaluate("() => attentionAddress.act({ query: 1 })")
    assert all(place <= 0.2 for place in page.evaluate(LIT))


def test_a_page_turned_sends_its_matrix_to_the_stage(visit):
    """What goes from the bar to the board takes no press and leaves nothing behind; who asked for
    less motion sees none."""
    page = visit("scores?text=a+b+c")
    page.evaluate(WATCHES)
    page.locator(".ab-bar [data-page=context]").click()
    page.wait_for_function("() => window.flown.length === 1")
    assert page.evaluate("window.flown") == [["ab-flight ab-output", "none"]]
    expect(page.locator(".ab-flight")).to_have_count(0)
    page.locator(
        ".ab-bar [data-page=encoder]"
    ).click()  # a page whose matrix does not stand in the bar
    expect(page.get_by_role("heading", name="Encoder", level=1)).to_be_visible()
    page.emulate_media(reduced_motion="reduce")
    try:
        page.locator(".ab-bar [data-page=scores]").click()
        expect(page.locator(".st-key-board_scores .ab-matrix").first).to_be_visible()
        assert page.evaluate("window.flown.length") == 1
    finally:
        page.emulate_media(reduced_motion="null")
