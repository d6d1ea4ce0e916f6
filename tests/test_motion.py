"""Boards that perform what they compute: the numbers on the way, where it stops, keys, less motion,
a lecture."""

import re

import pytest
from helpers import follow, show
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from core.written import number
from tests.test_browser import cell
from tests.test_lecture import on_beat

pytestmark = pytest.mark.browser

PRIMES = Setup(text="a b c", d_model=5, d_k=7, d_v=3, heads=2, bias="on")
LINK = "text=a+b+c&d_model=5&d_k=7&d_v=3&heads=2&bias=on"


# As a reader who stops there would see it.
def board(page, key: str):
    """The board, once it can be asked to play."""
    found = page.locator(f".st-key-{key} .ab-host")
    expect(found.locator(".ab-play")).to_be_visible()
    return found


def test_a_product_is_performed_with_its_own_numbers(window_of):
    """The running sum is that of the terms so far, the last of them the bias; then the sum is in
    its cell, then all cells are."""
    page = window_of(f"projection?{LINK}&query=2&column=3")
    shown = board(page, "board_projection_q")
    shown.locator(".ab-play").click()
    trace = run(PRIMES)
    terms = trace.value("x")[1].double() * trace.value("w_q")[0, :, 2].double()
    final, bias = (
        number(trace.value(name)[0][place].item()) for name, place in (("q", (1, 2)), ("b_q", 2))
    )
    for count in (1, 4):
        show(page, "board_projection_q", 2, (count + 0.5) / 5)
        said = (
            f"sum of {count} term{'s' if count > 1 else ''} = {number(terms[:count].sum().item())}"
        )
        expect(shown.locator(".ab-motion .ab-sum")).to_have_text(said)
    expect(shown.get_by_role("status")).to_have_text(
        f"The 5 terms are added up one after the other, and the bias is added: {final}."
    )
    show(page, "board_projection_q", 3, 0.5)
    expect(shown.locator(".ab-motion .ab-sum")).to_have_text(f"sum + bias {bias} = {final}")
    expect(shown.locator(".ab-flying")).to_have_text(final)
    # Where the veil lies, of one row and seven columns, in cells.
    width = shown.locator("image.ab-cells").first.evaluate("(e) => e.width.baseVal.value / 7")
    covered = (
        "(e) => (e.getAttribute('d').match(/h(?!-)[\\d.]+/g) ?? []).map((h) => Number(h.slice(1)))"
    )
    for station, t, cells in (
        (3, 0.5, [5, 2]),
        (3, 1, [4, 2]),
        (4, 1, [3, 2]),
        (5, 1, []),
    ):
        show(page, "board_projection_q", station, t)
        veil = shown.locator(".ab-motion .ab-veil").evaluate(covered)
        assert [round(h / width, 6) for h in veil] == cells, (station, t)


def test_where_a_reader_stops_is_the_chosen_cell(visit):
    """Stopped amid the matrix, the cell that was reached is followed from there on, as after a
    click, and what is played stays where it is. Keys go through the stations, and keep the matrix's
    own."""
    page = visit(f"scores?{LINK}&query=2&key=3")
    shown = board(page, "board_scores")
    svg, status = shown.locator("svg"), shown.get_by_role("status")
    svg.focus()
    page.keyboard.press(".")
    expect(status).to_contain_text("K is turned over: each key, a row of K, becomes a column of Kᵀ")
    page.keyboard.press("p")  # plays, or stops what plays: either way the next keys find it begun
    page.keyboard.press(".")
    page.keyboard.press(",")
    expect(shown.locator(".ab-player")).to_have_attribute("data-state", "resting")
    expect(shown.locator(".ab-player-count")).to_have_text("1 / 8")
    expect(page).to_have_url(re.compile("key=3"))
    show(page, "board_scores", 1, 0)
    expect(status).to_contain_text("For ω[b, c], row “b” of Q meets column “c” of")
    show(
        page, "board_scores", 7, 0.5
    )  # of the six cells that are left, three are there: it comes to the fourth
    page.evaluate("document.querySelector('.st-key-board_scores .ab-host').motion.until = 7")
    svg.focus()
    page.keyboard.press("p")
    expect(page.locator(".ab-pair")).to_have_text(re.compile("c.*a"))
    expect(page).to_have_url(re.compile("(?=.*query=3)(?=.*key=1)"))
    expect(shown.locator(".ab-player-count")).to_have_text("8 / 8")
    page.keyboard.press("ArrowDown")
    expect(shown.locator(".ab-player")).to_have_count(0)
    expect(shown.locator(".ab-over rect")).not_to_have_count(0)


# What stands there in the very moment of a press.
PRESSED = """(button) => {
  button.click();
  const player = button.closest(".ab-player");
  return [player.querySelector(".ab-player-count").textContent, player.dataset.state];
}"""


def test_less_motion_gets_the_stations_without_it(window_of):
    """Who asked the system for less motion has no Play, but each station as it ends; on paper the
    board is as it always is."""
    page = window_of(f"scores?{LINK}&query=1&key=1&d_ff=5")
    page.emulate_media(reduced_motion="reduce")
    try:
        page.evaluate("dispatchEvent(new Event('resize'))")
        page.set_viewport_size({"width": 1300, "height": 900})  # drawn anew
        shown = board(page, "board_scores")
        expect(shown.get_by_role("button", name="Step by step")).to_be_visible()
        shown.get_by_role("button", name="Step by step").click()
        expect(shown.get_by_role("button", name="Play")).to_have_count(0)
        for station in range(2, 9):
            state = shown.get_by_role("button", name="Next").evaluate(PRESSED)
            assert state == [f"{station} / 8", "resting"]
        expect(shown.get_by_role("button", name="Next")).to_be_disabled()
        expect(shown.locator(".ab-motion .ab-veil")).to_have_attribute("d", "")
        show(page, "board_scores", 0, 1)
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
    for station in range(2, 9):
        page.keyboard.press(("ArrowRight", " ", "PageDown")[station % 3])
        expect(count).to_have_text(f"{station} / 8")
    page.keyboard.press("ArrowLeft")
    expect(count).to_have_text("7 / 8")
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
