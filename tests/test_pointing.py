"""What a board says of a cell where a mouse points at it, and what stays on it meanwhile."""

import re

import pytest
from helpers import middle
from playwright.sync_api import expect

from core import Setup, run
from core.export.code_listing import source
from core.ops import attention
from core.text.written import number
from tests.colours import contrast
from tests.test_browser import cell

pytestmark = pytest.mark.browser

PRIMES = Setup(text="a b c", d_model=5, d_k=7, d_v=3, heads=2)
LINK = "text=a+b+c&d_model=5&d_k=7&d_v=3&heads=2"
TOUCHED = """(svg, [clientX, clientY]) => svg.dispatchEvent(new PointerEvent("pointermove",
  { pointerType: "touch", clientX, clientY }))"""
SENDS = """() => {
  const send = WebSocket.prototype.send;
  window.sent = 0;
  window.unheard = () => { WebSocket.prototype.send = send; return window.sent; };
  WebSocket.prototype.send = function (...what) { window.sent += 1; return send.apply(this, what);
    };
}"""
# What is lit: in which matrix, from which row to which, from which column to which.
LIT = """(board) => [...board.querySelectorAll(".ab-over .ab-hot")].map((lit) => {
  const box = lit.getBoundingClientRect(), [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
  const cells = [...board.querySelectorAll("[data-name] > image.ab-cells")];
  const within = ({ left, right, top, bottom }) => left < x && x < right && top < y && y < bottom;
  const matrix = cells.find((each) => within(each.getBoundingClientRect()));
  const around = matrix.getBoundingClientRect(), { rows, columns } = matrix.dataset;
  const row = (y) => Math.round(((y - around.y) / around.height) * rows);
  const column = (x) => Math.round(((x - around.x) / around.width) * columns);
  return [matrix.parentNode.dataset.name, row(box.top), row(box.bottom), column(box.left),
    column(box.right)];
})"""
# Whether what is said at a corner of the window stays within it.
CORNERS = """() => {
  const svg = document.querySelector(".st-key-board_scores .ab-svg"), words = "incomprehensible";
  const [right, low] = [innerWidth - 1, innerHeight - 1];
  return [[0, 0], [right, 0], [0, low], [right, low]].every(([clientX, clientY]) => {
    attentionBoard.showTip(svg, `α[${words}, ${words}] = 0.1234`, { clientX, clientY });
    const tip = svg.parentElement.querySelector(".ab-tip").getBoundingClientRect();
    return tip.left >= 0 && tip.top >= 0 && tip.right <= innerWidth && tip.bottom <= innerHeight;
  });
}"""


def test_hovering_shows_the_terms_and_sends_nothing(visit):
    """Hovering a score lights its row and its column, writes out its terms, names the code that
    made it and says its number near the pointer, within the window, without a message to the
    server; a key or a finger has no number there. Beside a factor the terms are those of its own
    row or column, and the cell is named."""
    page = visit(f"scores?{LINK}&query=3&key=2")
    host = page.locator(".st-key-board_scores .ab-host")
    tip, terms, total = host.locator(".ab-tip"), host.locator(".ab-term"), host.locator(".ab-sum")
    place = cell(page, "scores", 1, 2)
    page.evaluate(SENDS)
    page.mouse.move(*place)
    trace = run(PRIMES)
    q, k, value = (trace.value(name)[0] for name in ("q", "k", "scores"))
    said = f"ω[b, c] = {number(value[1, 2].item())}"
    expect(host.locator(".ab-readout")).to_have_text(f"{said}, the sum of 7 terms")
    expect(tip).to_have_text(said)
    expect(terms).to_have_count(7)
    for d in (0, 6):
        factors = f"{d + 1}: {number(q[1, d].item())} × {number(k[2, d].item())}"
        expect(terms.nth(d)).to_contain_text(factors)
    expect(total).to_have_text(f"sum = {number(value[1, 2].item())}")
    assert sorted(host.evaluate(LIT)) == [["k_t", 0, 7, 2, 3], ["q", 1, 2, 0, 7]]
    made = r"^ω: made by attention\.scores\(q, k_t\): core/ops/attention\.py, line \d+$"
    expect(host.locator(".ab-made").first).to_have_text(re.compile(made))
    box = tip.bounding_box()
    assert 0 <= box["x"] - place[0] < 30 and 0 < place[1] - box["y"] - box["height"] < 30
    page.mouse.move(*cell(page, "k_t", 6, 0))
    expect(total).to_have_text(f"ω[c, a]: sum = {number(value[2, 0].item())}")
    expect(terms.nth(6)).to_contain_text(f"{number(q[2, 6].item())} × {number(k[0, 6].item())}")
    host.locator("svg").focus()
    page.keyboard.press("ArrowRight")
    expect(tip).to_be_hidden()
    page.mouse.move(*cell(page, "scores", 1, 1))
    expect(tip).to_be_visible()
    page.mouse.move(2, 400)
    expect(tip).to_be_hidden()
    host.locator("svg").evaluate(TOUCHED, place)
    expect(tip).to_be_hidden()
    assert page.evaluate(CORNERS)
    page.mouse.move(*middle(page, ".st-key-board_scores svg"))
    page.mouse.move(2, 400)
    assert page.evaluate("unheard()") == 0


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


def test_rows_that_are_not_followed_give_way_and_can_be_read(window_of):
    """The colour of their cells gives way and never their numbers: each has a contrast of 4.5 with
    what is left of its cell, light and dark. A row that is pointed at brings back all of them."""
    for scheme in ("light", "dark"):
        page = window_of(f"context?{LINK}&query=2&key=2&column=1", scheme=scheme)
        dims = page.locator(".st-key-board_context .ab-dim")
        expect(dims).to_have_count(2)  # both matrices that have a row for each query
        found = page.evaluate(FADED, ["context", 1])
        assert len(found) >= 12
        assert min(contrast(ink, cell) for ink, cell in found) >= 4.5
    page.mouse.move(*cell(page, "context", 1, 0))
    expect(dims).to_have_count(2)
    page.mouse.move(*cell(page, "context", 2, 1))
    expect(dims).to_have_count(0)
    page.mouse.move(2, 400)
    expect(dims).to_have_count(2)


HIGHLIGHTS = """() => [...(CSS.highlights.get("attention-lit") ?? [])].map((range) =>
  range.toString().replace(/\\u200b/g, ""))"""


def test_formula_and_code_light_up_with_the_cell(window_of):
    """The symbol of what is pointed at, with its primes, and the code of the function that made it,
    which is copied with one click; nothing once the pointer left. A digit goes from the figure to
    the part that has it."""
    page = window_of(f"scores?{LINK}&query=2&key=2&open=formula")
    page.mouse.move(*cell(page, "scores", 2, 2))
    assert page.evaluate(HIGHLIGHTS) == ["ω", "ωij", "return q @ k_t"]
    page.mouse.move(*cell(page, "k_t", 2, 2))
    assert page.evaluate(HIGHLIGHTS) == ["K⊤", "kjp"]
    page.mouse.move(2, 400)
    assert page.evaluate(HIGHLIGHTS) == []
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator(".ab-code").first.hover()
    page.locator(".ab-copy").first.click()
    expect(page.locator(".ab-code [role=status]").first).to_have_text("Copied.")
    assert page.evaluate("() => navigator.clipboard.readText()") == source(attention.scores)
    page.locator(".st-key-board_scores svg").focus()
    page.keyboard.press("2")
    expect(page.locator(".ab-closer [data-fold=full]")).to_have_attribute("aria-expanded", "true")
