"""What a board says of a cell where a mouse points at it, and what stays on it meanwhile."""

import pytest
from helpers import middle
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from core.written import number
from pages.shared.link.beats import BEATS
from tests.colours import contrast
from tests.test_browser import cell

pytestmark = pytest.mark.browser

PRIMES = Setup(text="a b c", d_model=5, d_k=7, d_v=3, heads=2)
LINK = "text=a+b+c&d_model=5&d_k=7&d_v=3&heads=2"
TOUCHED = (
    "(svg) => svg.dispatchEvent(new PointerEvent('pointermove', { pointerType: 'touch', clientX:"
    " %s, clientY: %s }))"
)


def test_the_number_stands_where_a_mouse_points(window_of):
    """Name and exact number of the cell, near it, within the window at every edge, for eyes alone;
    none once the pointer has left, none for a finger or a key."""
    page = window_of(f"scores?{LINK}&query=1&key=1")
    host = page.locator(".st-key-board_scores .ab-host")
    tip = host.locator(".ab-tip")
    place = cell(page, "scores", 1, 2)
    page.mouse.move(*place)
    value = number(run(PRIMES).value("scores")[0, 1, 2].item())
    expect(tip).to_have_text(f"ω[b, c] = {value}")
    expect(tip).to_have_attribute("aria-hidden", "true")
    box = tip.bounding_box()
    assert box["x"] >= place[0] and box["x"] - place[0] < 30
    assert 0 < place[1] - box["y"] - box["height"] < 30
    host.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    expect(tip).to_be_hidden()
    page.mouse.move(*cell(page, "scores", 1, 1))
    expect(tip).to_be_visible()
    page.mouse.move(2, 400)
    expect(tip).to_be_hidden()
    host.locator("svg").evaluate(TOUCHED % place)
    expect(tip).to_be_hidden()


@pytest.mark.parametrize("size", [(1440, 900), (390, 844)])
def test_what_is_said_at_the_pointer_never_leaves_the_window(window_of, size):
    """In a corner of the window it turns to the side where there is room."""
    page = window_of(f"weights?{LINK}", *size)
    found = page.evaluate(
        """() => {
          const svg = document.querySelector(".st-key-board_weights_row .ab-svg");
          const box = svg.querySelector(".ab-cells").getBoundingClientRect();
          const out = [];
          for (const [x, y] of [[0, 0], [innerWidth - 1, 0], [0, innerHeight - 1], [innerWidth - 1,
            innerHeight - 1]]) {
            showTip(svg, "α[incomprehensibilities, incomprehensibilities] = 0.1234", { clientX: x,
              clientY: y });
            const tip = svg.parentElement.querySelector(".ab-tip").getBoundingClientRect();
            out.push(tip.left >= 0 && tip.top >= 0 && tip.right <= innerWidth &&
              tip.bottom <= innerHeight);
          }
          return out;
        }""".replace("showTip", "attentionBoard.showTip")
    )
    assert found == [True] * 4
    page.mouse.move(*middle(page, ".st-key-board_weights_row svg"))
    page.mouse.move(2, 400)


def test_a_factor_that_is_pointed_at_leaves_the_terms(window_of):
    """Beside Q and Kᵀ the terms stay those of the chosen cell, which is marked, named and summed
    up."""
    page = window_of(f"scores?{LINK}&query=3&key=2")
    host = page.locator(".st-key-board_scores .ab-host")
    before = host.locator(".ab-term").all_text_contents()
    total = number(run(PRIMES).value("scores")[0, 2, 1].item())
    assert len(before) == 7
    for name, row, column in (("q", 0, 4), ("k_t", 6, 0)):
        page.mouse.move(*cell(page, name, row, column))
        expect(host.locator(".ab-sum")).to_have_text(f"ω[c, b]: sum = {total}")
        assert host.locator(".ab-term").all_text_contents() == before
        expect(host.locator(".ab-over .ab-chosen")).to_have_count(2)
    page.mouse.click(*cell(page, "scores", 0, 0))
    expect(page.get_by_text("“a” asks, “a” is asked.")).to_be_visible()
    page.mouse.move(*cell(page, "q", 1, 1))
    expect(host.locator(".ab-sum")).to_contain_text("ω[a, a]: sum = ")


# Of each number that stands on a faded cell: its ink, and the colour that is left of the cell.
FADED = """async ([name, middle]) => {
  const rgb = (text) => text.match(/[\\d.]+/g).slice(0, 3).map(Number);
  const hex = (colour) => '#' + colour.map((v) => Math.round(v).toString(16).padStart(2,
    '0')).join('');
  const board = document.querySelector(`.st-key-board_${name}`),
    svg = board.querySelector('.ab-svg'), found = [];
  const page = rgb(getComputedStyle(document.querySelector('.stApp')).backgroundColor);
  for (const group of board.querySelectorAll('.ab-matrix:has(.ab-dim)')) {
    const image = group.querySelector('image'), picture = Object.assign(new Image(), {
      src: image.getAttribute('href') });
    await picture.decode();
    const [n, m] = [Number(image.dataset.rows), Number(image.dataset.columns)];
    const context = Object.assign(document.createElement('canvas'), { width: m,
      height: n }).getContext('2d');
    context.drawImage(picture, 0, 0);
    const left = 1 - getComputedStyle(group.querySelector('.ab-dim')).opacity;
    [...group.querySelectorAll('.ab-numbers text')].forEach((text, k) => {
      if (Math.floor(k / m) === middle) return;
      const cell = context.getImageData(k % m, Math.floor(k / m), 1, 1).data;
      found.push([rgb(getComputedStyle(text).fill), page.map((ground, c) =>
        ground + left * (cell[c] - ground))].map(hex));
    });
  }
  return found;
}"""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_numbers_of_faded_rows_can_be_read(window_of, scheme):
    """The colour of the cells gives way and never their numbers: each has a contrast of 4.5 with
    what is left of its cell."""
    page = window_of(f"context?{LINK}&query=2&key=2&column=1", 1440, 900, scheme)
    expect(page.locator(".st-key-board_context .ab-faded").first).to_be_visible()
    found = page.evaluate(FADED, ["context", 1])
    assert len(found) >= 12
    assert min(contrast(ink, cell) for ink, cell in found) >= 4.5


@pytest.mark.parametrize("name", ["scores", "context"])
def test_rows_that_are_not_followed_give_way_until_they_are_pointed_at(window_of, name):
    """The followed row alone has all of its ink; a row that is pointed at brings back all of them,
    and a lecture dims none."""
    page = window_of(f"{name}?{LINK}&query=2&key=2&column=1")
    dims = page.locator(f".st-key-board_{name} .ab-dim")
    expect(dims).to_have_count(2)  # both matrices that have a row for each query
    page.mouse.move(*cell(page, name, 1, 0))
    expect(dims).to_have_count(2)
    page.mouse.move(*cell(page, name, 2, 1))
    expect(dims).to_have_count(0)
    page.mouse.move(2, 400)
    expect(dims).to_have_count(2)
    beat = [beat.name for beat in BEATS[name]].index("matrix") + 1
    page = window_of(f"{name}?{LINK}&query=2&key=2&lecture=on&beat={beat}")
    expect(page.locator(f".st-key-board_{name} .ab-matrix").first).to_be_visible()
    expect(page.locator(".ab-dim")).to_have_count(0)


LIT = (
    "() => [...(CSS.highlights.get('attention-lit') ?? [])].map((range) =>"
    " range.toString().replace(/\\u200b/g, ''))"
)


def test_formula_and_code_light_up_with_the_cell(window_of):
    """The symbol of what is pointed at, with its primes, and the code of the function that made it;
    nothing once the pointer left."""
    page = window_of(f"scores?{LINK}&query=2&key=2")
    page.mouse.move(*cell(page, "scores", 2, 2))
    assert page.evaluate(LIT) == ["ω", "ωij", "return q @ k_t"]
    page.mouse.move(*cell(page, "k_t", 2, 2))
    assert page.evaluate(LIT) == ["K⊤", "kjp"]
    page.mouse.move(2, 400)
    assert page.evaluate(LIT) == []
    page = window_of(f"weights?{LINK}&query=2&key=2")
    page.locator(".st-key-board_weights_row svg").focus()
    page.keyboard.press("ArrowLeft")
    assert page.evaluate(LIT)[:2] == ["α", "αij"]
    page.mouse.move(*cell(page, "scaled", 0, 1))
    assert set(page.evaluate(LIT)[:-1]) == {"ω′"}
    page.mouse.move(2, 400)


def test_a_key_goes_to_a_part_below_the_figure(window_of):
    """On the figure a digit is the way to the part that has it; it takes none from a line that is
    open."""
    page = window_of(f"scores?{LINK}&query=2&key=2")
    links = page.locator(".ab-under nav a")
    assert links.evaluate_all(
        "(all) => all.map((link) => link.getAttribute('aria-keyshortcuts'))"
    ) == ["1", "2", "3", "4"]
    page.locator(".st-key-board_scores svg").focus()
    page.keyboard.press("2")
    expect(page.locator("#full")).to_be_in_viewport()
    assert page.evaluate("location.hash") == "#full"
    page = window_of(f"vocabulary?{LINK}")
    page.locator(".st-key-board_vocabulary svg").focus()
    page.keyboard.press("1")
    expect(page.locator("#formula")).to_be_in_viewport()
    page = window_of(f"projection?{LINK}&query=2&column=2")
    page.mouse.click(*cell(page, "w_q", 1, 1))
    line = page.locator(".ab-editing input").first
    expect(line).to_be_visible()
    page.keyboard.press("2")
    assert page.evaluate("location.hash") == ""
    expect(line).to_have_value("2")
    page.keyboard.press("Escape")
