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
    shown = board(page, "board_projection")
    shown.locator(".ab-play").click()
    trace = run(PRIMES)
    terms = trace.value("x")[1].double() * trace.value("w_q")[0, :, 2].double()
    final, bias = (
        number(trace.value(name)[0][place].item()) for name, place in (("q", (1, 2)), ("b_q", 2))
    )
    for count in (1, 4):
        show(page, "board_projection", 2, (count + 0.5) / 5)
        said = (
            f"sum of {count} term{'s' if count > 1 else ''} = {number(terms[:count].sum().item())}"
        )
        expect(shown.locator(".ab-motion .ab-sum")).to_have_text(said)
    expect(shown.get_by_role("status")).to_have_text(
        f"The 5 terms are added up one after the other, and the bias is added: {final}."
    )
    show(page, "board_projection", 3, 0.5)
    expect(shown.locator(".ab-motion .ab-sum")).to_have_text(f"sum + bias {bias} = {final}")
    expect(shown.locator(".ab-flying")).to_have_text(final)
    # Where the veil lies, of three rows and seven columns, in cells.
    width = shown.locator("image.ab-cells").first.evaluate("(e) => e.width.baseVal.value / 7")
    covered = (
        "(e) => (e.getAttribute('d').match(/h(?!-)[\\d.]+/g) ?? []).map((h) => Number(h.slice(1)))"
    )
    for station, t, cells in (
        (3, 0.5, [5, 2, 7, 7]),
        (3, 1, [4, 2, 7, 7]),
        (4, 1, [3, 2, 7, 7]),
        (5, 1, [7, 7]),
        (6, 1, []),
    ):
        show(page, "board_projection", station, t)
        veil = shown.locator(".ab-motion .ab-veil").evaluate(covered)
        assert [round(h / width, 6) for h in veil] == cells, (station, t)


def test_k_is_turned_into_its_columns(window_of):
    """Before the scores are made, each key lies as a row over the columns of Q and ends as the
    column of Kᵀ that is its own, in the same colours; then Kᵀ itself stands there."""
    page = window_of(f"scores?{LINK}&query=2&key=3")
    shown = board(page, "board_scores")
    shown.locator(".ab-play").click()
    boxes = """(board) => {
      const box = (e) => { const { x, y, width, height } = e.getBoundingClientRect(); return [x, y,
        width, height].map(Math.round); };
      return [[...board.querySelectorAll(".ab-motion image")].map(box),
        box(board.querySelector("[data-name=k_t] .ab-cells")),
        box(board.querySelector("[data-name=q] .ab-cells"))];
    }"""
    show(page, "board_scores", 0, 0)
    keys, (x, y, width, height), q = shown.evaluate(boxes)
    assert [key[0] for key in keys] == [q[0]] * 3  # one under the other, each as wide as Q
    assert all(key[2] == pytest.approx(q[2], abs=1) for key in keys)
    assert keys[0][1] < keys[1][1] < keys[2][1]
    show(page, "board_scores", 0, 0.9999)
    keys, *_ = shown.evaluate(boxes)
    for place, key in enumerate(keys):
        assert key == pytest.approx([x + place * width / 3, y, width / 3, height], abs=2)
    show(page, "board_scores", 0, 1)
    expect(shown.locator(".ab-motion image").first).to_be_hidden()


# Where the taken row stands in the table of four rows, where it goes to among five, and how high
# the veil is: all at one moment, since the page may still scroll.
IN_ROWS = """(board) => {
  const box = (element) => element.getBoundingClientRect();
  const [taken, to] = [...board.querySelectorAll(".ab-motion .ab-chosen")].map(box);
  const [table, rows] = [...board.querySelectorAll("image.ab-cells[data-columns]")].map(box);
  const veil = box(board.querySelector(".ab-veil"));
  return [(4 * (taken.y - table.y)) / table.height, (5 * (to.y - rows.y)) / rows.height,
    (5 * veil.height) / rows.height];
}"""


def test_a_word_goes_to_its_id_and_the_id_to_its_row(window_of):
    """Each word gets the id that the trace has, a repeated one the same; and from that row of the
    table its own row comes. One step back follows another word, which is framed then: what is
    played stays."""
    ids = run(Setup(text="the cat saw the dog")).value("ids").tolist()
    page = window_of("vocabulary?text=the+cat+saw+the+dog&query=1")
    shown = board(page, "board_vocabulary")
    shown.locator(".ab-play").click()
    show(page, "board_vocabulary", 3, 1)
    expect(shown.locator(".ab-pill text")).to_have_text([f"id {k}" for k in ids[:4]])
    expect(shown.get_by_role("status")).to_have_text(
        f"“the” once more, at position 4: the id is {ids[0]}, as at position 1."
    )
    page = window_of("embedding?text=the+cat+saw+the+dog&query=1&d_model=7")
    shown = board(page, "board_lookup")
    shown.locator(".ab-play").click()
    expect(shown.get_by_role("button", name="Pause")).to_be_focused()  # so that p stops it
    for t, row in enumerate(ids):
        show(page, "board_lookup", t, 1)
        taken, to, veil = shown.evaluate(IN_ROWS)
        assert (taken, to, veil) == (
            pytest.approx(row, abs=0.2),
            pytest.approx(t, abs=0.2),
            pytest.approx(4 - t, abs=0.1),
        )
    shown.get_by_role("button", name="Back").click()
    expect(page.get_by_text("E[ids][the₄, 1] =").last).to_be_visible()
    expect(shown.locator(".ab-player-count")).to_have_text("4 / 5")


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
    expect(page.get_by_text("“c” asks, “a” is asked.")).to_be_visible()
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
    expect(page.get_by_text("“c” asks, “c” is asked.")).to_be_visible()
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


def test_every_station_can_be_gone_to_and_nothing_below_moves(window_of):
    """The line of stations has a tick for each and says its sentence; what is moved to shows as it
    ends. The board is as high at all stations, with the room below the row that its bars take, and
    has no empty room before and after."""
    page = window_of(f"weights?{LINK}&query=2&key=2")
    shown = board(page, "board_weights_row")
    before = shown.bounding_box()["height"]
    shown.locator(".ab-play").click()
    slider, status = shown.get_by_role("slider", name="Station"), shown.get_by_role("status")
    expect(shown.locator(".ab-player-ticks i")).to_have_count(6)
    playing = shown.bounding_box()["height"]
    assert playing > before + 60
    slider.fill("4")
    expect(shown.locator(".ab-player-count")).to_have_text("4 / 6")
    expect(shown.locator(".ab-player")).to_have_attribute("data-state", "resting")
    expect(slider).to_have_attribute("aria-valuetext", status.text_content())
    expect(shown.locator(".ab-length")).to_have_text("length 1.0000")
    assert shown.bounding_box()["height"] == pytest.approx(playing, abs=1)
    shown.get_by_role("button", name="Back").click()
    expect(slider).to_have_value("3")
    page.locator("h1").click()
    page.keyboard.press("ArrowLeft")  # the keys that turn pages go through what plays
    expect(slider).to_have_value("2")
    assert "/weights" in page.url
    shown.get_by_role("button", name="Close").click()
    assert shown.bounding_box()["height"] == pytest.approx(before, abs=1)


def test_what_plays_comes_into_view_from_its_top(visit):
    """Where the top of what is performed was scrolled away, a key brings it back, below the bar,
    and the controls over it."""
    page = visit("block?d_model=5")
    shown = board(page, "board_stream")
    svg, bar = shown.locator("svg"), page.locator(".st-key-board_bar")
    svg.focus()
    shown.locator(".ab-foot").evaluate("(e) => e.scrollIntoView()")
    below = bar.bounding_box()
    assert svg.bounding_box()["y"] < below["y"]
    page.keyboard.press("p")
    order = "([svg, bottom]) => bottom <= svg.previousElementSibling.getBoundingClientRect().top"
    page.wait_for_function(order, arg=[svg.element_handle(), below["y"] + below["height"]])
    assert shown.locator(".ab-player").bounding_box()["y"] < svg.bounding_box()["y"]


def test_all_of_a_motion_is_in_view_at_once(window_of):
    """On a laptop's screen the stack that a row of the context grows on is in view with the weights
    and values that it comes from: the drawing is smaller while it plays, and as before when it is
    closed."""
    page = window_of("context", 1366, 768)
    shown = board(page, "board_context")
    svg, button = shown.locator("svg").first, shown.locator(".ab-play")
    before = svg.bounding_box()["width"]
    button.click()
    within = (
        "(e) => { const { top, bottom } = e.getBoundingClientRect(); return top >= 0 && bottom <="
        " innerHeight; }"
    )
    page.wait_for_function(within, arg=svg.element_handle())
    assert svg.bounding_box()["width"] < before
    shown.get_by_role("button", name="Close").click()
    assert svg.bounding_box()["width"] == before
