"""Boards that perform what they compute: the numbers on the way, the end, less motion, lectures."""

import re

import pytest
from helpers import follow, show
from playwright.sync_api import expect

from core import Setup, run
from core.text.written import brief, number
from tests.test_browser import cell
from tests.test_lecture import on_beat

pytestmark = pytest.mark.browser

PRIMES = Setup(text="a b c", d_model=5, d_k=7, d_v=3, heads=2, bias="on")
LINK = "text=a+b+c&d_model=5&d_k=7&d_v=3&heads=2&bias=on"


def board(page, key: str):
    """The board, once it can be asked to play."""
    found = page.locator(f".st-key-{key} .ab-host")
    expect(found.locator(".ab-play")).to_be_visible()
    return found


def test_a_product_is_performed_and_ends_as_it_was(window_of):
    """The running sum is that of the terms so far, the last of them the bias; then the sum flies to
    its cell. It plays to its end by itself, and closed it is the drawing that it was."""
    page = window_of(f"projection?{LINK}&query=2&column=3")
    shown = board(page, "board_projection_q")
    before = shown.locator("svg.ab-svg").evaluate("(e) => e.outerHTML")
    shown.locator(".ab-play").click()
    trace = run(PRIMES)
    terms = trace.value("x")[1].double() * trace.value("w_q")[0, :, 2].double()
    final, bias = (
        number(trace.value(name)[0][place].item()) for name, place in (("q", (1, 2)), ("b_q", 2))
    )
    show(page, "board_projection_q", 0, 0.5)
    flown = [brief(trace.value("x")[1, 2].item()), brief(trace.value("w_q")[0, 2, 2].item())]
    assert shown.locator(".ab-flying").all_text_contents() == flown
    expect(shown.get_by_role("status")).to_contain_text("row “b” of x meets column 3 of W_q")
    for count in (1, 4):
        show(page, "board_projection_q", 1, (count - 0.5) / 5)
        said = (
            f"sum of {count} term{'s' if count > 1 else ''} = {number(terms[:count].sum().item())}"
        )
        expect(shown.locator(".ab-motion .ab-sum")).to_have_text(said)
    show(page, "board_projection_q", 2, 0.5)
    expect(shown.locator(".ab-motion .ab-sum")).to_have_text(f"sum + bias {bias} = {final}")
    expect(shown.locator(".ab-flying")).to_have_text(final)
    show(page, "board_projection_q", 3, 0.9)
    shown.get_by_role("button", name="Play").click()
    player = shown.locator(".ab-player")
    expect(player).to_have_attribute("data-state", "playing")
    expect(player).to_have_attribute("data-state", "resting")
    expect(shown.locator(".ab-player-count")).to_have_text("4 / 4")
    expect(shown.locator(".ab-motion .ab-veil")).to_have_attribute("d", "")
    shown.get_by_role("button", name="Close").click()
    page.mouse.move(0, 0)
    assert shown.locator("svg.ab-svg").evaluate("(e) => e.outerHTML") == before


WHERE = """() => [...document.querySelectorAll(".ab-host > svg, .ab-steps, h1, h2, .ab-closer")]
  .map((e) => Math.round(e.getBoundingClientRect().y -
    document.querySelector("h1").getBoundingClientRect().y))"""


@pytest.mark.parametrize(
    ("path", "key"), [("projection", "board_projection_q"), ("weights", "board_weights_row")]
)
@pytest.mark.parametrize("size", [(1440, 900), (390, 844)], ids=["desk", "phone"])
def test_playing_moves_nothing_on_the_page(window_of, path, key, size):
    """Before, while it plays, at a later station, and closed: all stands where it stood."""
    page = window_of(f"{path}?{LINK}&query=2", *size)
    shown = board(page, key)
    page.mouse.move(0, 0)
    before = page.evaluate(WHERE)
    shown.locator(".ab-play").click()
    expect(shown.locator(".ab-player")).to_be_visible()
    assert page.evaluate(WHERE) == before
    shown.get_by_role("button", name="Pause").click()
    assert page.evaluate(WHERE) == before
    shown.get_by_role("button", name="Next").click()
    assert page.evaluate(WHERE) == before
    shown.get_by_role("button", name="Close").click()
    expect(shown.locator(".ab-player")).to_have_count(0)
    assert page.evaluate(WHERE) == before


AT_END = """() => {
  const main = document.querySelector("[data-testid=stMain]");
  return main.scrollTop + main.clientHeight > main.scrollHeight - 2;
}"""


def test_less_motion_gets_the_stations_without_it(window_of):
    """Play shows who asked the system for less motion each station as it ends, below
    sentences of one height, and is not taken back to a board that he has left; on paper the board
    is as it always is."""
    page = window_of(f"context?{LINK}&query=2&column=1&d_ff=5")
    page.emulate_media(reduced_motion="reduce")
    try:
        page.evaluate("dispatchEvent(new Event('resize'))")
        page.set_viewport_size({"width": 1300, "height": 900})  # drawn anew
        shown = board(page, "board_context")
        shown.get_by_role("button", name="Play").click()
        expect(shown.locator(".ab-player-count")).to_have_text("1 / 4")
        shown.get_by_role("button", name="Next").click()
        expect(shown.locator(".ab-player-count")).to_have_text("2 / 4")
        z = run(PRIMES).value("context")[0, 1]
        expect(shown.get_by_role("status")).to_contain_text(f"The sum is {number(z[0].item())}.")
        below = page.locator(".ab-closer")
        high = below.bounding_box()["y"]
        sums = shown.locator(".ab-motion .ab-matrix").last.locator(".ab-numbers text")
        assert sums.all_text_contents() == [brief(each) for each in z.tolist()]
        shown.get_by_role("button", name="Next").click()
        assert below.bounding_box()["y"] == high
        page.set_viewport_size({"width": 1300, "height": 300})
        page.mouse.move(600, 150)
        page.mouse.wheel(0, 5000)
        page.wait_for_function(AT_END)
        shown.get_by_role("button", name="Next").focus()
        page.keyboard.press(".")
        expect(shown.locator(".ab-player-count")).to_have_text("4 / 4")
        assert page.evaluate(AT_END)
        page.set_viewport_size({"width": 1300, "height": 900})
        expect(shown.get_by_role("button", name="Next")).to_be_disabled()
        expect(shown.locator(".ab-motion .ab-veil")).to_have_attribute("d", "")
        page.emulate_media(media="print", reduced_motion="reduce")
        expect(shown.locator(".ab-motion")).to_be_hidden()
        expect(shown.locator(".ab-player")).to_be_hidden()
        expect(shown.locator(".ab-over")).to_be_visible()
    finally:
        page.emulate_media(media="null", reduced_motion="null")
        page.set_viewport_size({"width": 1440, "height": 900})


def test_in_a_lecture_the_keys_go_through_the_stations(window_of):
    """→ is the next beat at once where nothing was begun; else the next station, and past the last
    the next beat."""
    page = window_of(f"scores?{LINK}&lecture=on&beat=6", 1280, 720)
    on_beat(page, "scores", 6)
    page.keyboard.press("ArrowRight")
    on_beat(page, "scores", 7)
    page.keyboard.press("ArrowLeft")
    on_beat(page, "scores", 6)
    shown, count = board(page, "board_scores"), page.locator(".ab-player-count")
    shown.locator(".ab-play").click()
    for station in range(2, 6):
        page.keyboard.press(("ArrowRight", " ", "PageDown")[station % 3])
        expect(count).to_have_text(f"{station} / 5")
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text("4 / 5")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")  # still on its way: to its end
    expect(shown.locator(".ab-player")).to_have_attribute("data-state", "resting")
    on_beat(page, "scores", 6)
    page.keyboard.press("ArrowRight")
    on_beat(page, "scores", 7)


FADES = """() => {
  const animate = Element.prototype.animate;
  window.faded = [];
  window.unwatched = () => { Element.prototype.animate = animate; };
  Element.prototype.animate = function (...how) {
    if (this.matches(".ab-before")) window.faded.push(this.getAttribute("href"));
    return animate.apply(this, how);
  };
}"""


def test_a_changed_setup_fades_from_the_colours_that_were(visit):
    """Matrices of the same shape go over from what they were, and end as they are; a click, which
    changes no number, moves nothing."""
    page = visit(f"scores?{LINK}&query=1&key=1")
    page.evaluate(FADES)

    def pictures() -> list[str]:
        return page.locator(".st-key-board_scores .ab-cells").evaluate_all(
            "(all) => all.map((e) => e.getAttribute('href'))"
        )

    page.mouse.click(*cell(page, "scores", 2, 2))
    expect(page.locator(".ab-pair")).to_have_text(re.compile("c.*c"))
    expect(page.locator(".st-key-board_fan .ab-plane-first").first).to_have_text("k, c")
    assert page.evaluate("faded") == []
    before = pictures()
    follow(page, f"scores?{LINK}&query=3&key=3&seed=7")
    expect(page.locator(".ab-before")).to_have_count(0)
    assert set(before) <= set(page.evaluate("faded.splice(0)"))
    scores, q, k_t = pictures()
    follow(page, f"scores?{LINK}&query=3&key=3&seed=7".replace("d_k=7", "d_k=5"))
    faded = page.evaluate("faded")
    assert scores in faded
    assert q not in faded and k_t not in faded  # now of another shape
    page.evaluate("unwatched()")
