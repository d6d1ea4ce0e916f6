"""The app in a real Chromium: links, keys, clicks, hovering, and text that stays text."""

import re
from urllib.parse import quote

import pytest
from helpers import ANSWERED, open_page, place, ready, show, steps
from playwright.sync_api import expect

from core import Setup, run
from core.text.written import brief
from pages.shared import panel
from pages.shared.link import layout
from pages.shared.link.focus import most_of
from pages.shared.link.pages import ROW, find
from pages.shared.text.words import number

pytestmark = pytest.mark.browser


def cell(page, matrix: str, row: int, column: int) -> tuple[float, float]:
    """The middle of a cell on screen, counted from 0; found in one step, since a board may be drawn
    anew at any time."""
    page.locator(f"[data-name='{matrix}'] image").first.wait_for()
    x, y, width, height, n, m = page.evaluate(
        """(name) => {
          const picture = document.querySelector(`[data-name='${name}'] image`);
          picture.scrollIntoView({ block: "center" });
          const box = picture.getBoundingClientRect();
          return [box.x, box.y, box.width, box.height, Number(picture.dataset.rows),
            Number(picture.dataset.columns)];
        }""",
        matrix,
    )
    return x + (column + 0.5) * width / m, y + (row + 0.5) * height / n


def test_a_click_is_followed_everywhere(visit):
    """A clicked cell becomes the chosen pair, on this page, in the link and on the next; back and
    forward work."""
    page = visit("scores")
    page.mouse.click(*cell(page, "scores", 5, 0))
    expect(page.locator(".ab-pair")).to_have_text(re.compile("first.*Life"))
    expect(page).to_have_url(re.compile("query=6.*key=1|key=1.*query=6"))
    score = number(run(Setup()).value("scores")[0, 5, 0].item())
    expect(page.get_by_text(f"ω[first, Life] = {score}, the sum of 24 terms")).to_be_visible()
    page.get_by_role("link", name="5 Weights").click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(page.locator(".ab-pair")).to_have_text(re.compile("first.*Life"))
    page.go_back()
    expect(page.locator("h1")).to_have_text(["4 · Scores"])
    expect(page.locator(".ab-pair")).to_have_text(re.compile("first.*Life"))
    page.go_forward()
    expect(page.locator(".ab-pair")).to_have_text(re.compile("first.*Life"))


SENDS = """() => {
  const send = WebSocket.prototype.send;
  window.sent = 0;
  window.unheard = () => { WebSocket.prototype.send = send; return window.sent; };
  WebSocket.prototype.send = function (...what) { window.sent += 1; return send.apply(this, what);
    };
}"""


# What a spreadsheet is given of the whole page.
COPIED = """() => {
    const clipboardData = new DataTransfer(), main = document.querySelector("[data-testid=stMain]");
    getSelection().selectAllChildren(main);
    main.dispatchEvent(new ClipboardEvent("copy", { clipboardData, bubbles: true }));
    return clipboardData.getData("text/plain");
}"""


def test_hovering_shows_the_terms_and_sends_nothing(visit):
    """Hovering a score lights its row and column, writes out its terms and names the code that made
    it, as for any other number of the board, without a message to the server."""
    page = visit("scores?d_k=8")
    place = cell(page, "scores", 2, 3)
    page.evaluate(SENDS)
    page.mouse.move(*place)
    trace = run(Setup(d_k=8))
    value = number(trace.value("scores")[0, 2, 3].item())
    q, k = trace.value("q")[0, 2, 0].item(), trace.value("k")[0, 3, 0].item()
    expect(page.locator(".ab-readout").first).to_have_text(
        f"ω[short, eat] = {value}, the sum of 8 terms"
    )
    expect(page.locator(".ab-term")).to_have_count(8)
    expect(page.locator(".ab-term").first).to_contain_text(f"1: {number(q)} × {number(k)}")
    expect(page.locator(".ab-sum")).to_have_text(f"sum = {value}")
    expect(page.locator(".ab-svg").first.locator(".ab-hot")).to_have_count(2)
    maker = page.locator(".ab-made").first
    expect(maker).to_have_text(
        re.compile(r"^ω: made by attention\.scores\(q, k_t\): core/ops/attention\.py, line \d+$")
    )
    page.mouse.move(*cell(page, "k_t", 2, 3))
    expect(maker).to_have_text(
        re.compile(r"^Kᵀ: made by attention\.transpose\(k\): core/ops/attention\.py, line \d+$")
    )
    assert page.evaluate("unheard()") == 0
    copied = page.evaluate(COPIED)
    assert re.search(r"-\d", copied) and not re.search(r"−\d", copied)


def test_the_keyboard_walks_through_all_pages_and_nothing_leaves(page, server):
    """The first Tab offers the way past thirty controls to the page itself, and the drawing that
    has the focus shows it. From the overview the right arrow goes through all pages, with the
    setup; the left arrow back. With a page's tables unfolded too, no other host is asked for
    anything, and nobody for what colours code in three hundred languages (1.5 MB)."""
    asked: set[str] = set()
    page.on("request", lambda request: asked.add(request.url))
    page.on("websocket", lambda socket: asked.add(socket.url))
    open_page(page, server, "?d_model=3&d_k=2&d_v=7")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to main content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(25):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.matches('.ab-svg')"):
            break
    expect(page.locator(".ab-host:has(> :focus)")).to_have_css("outline-style", "solid")
    page.evaluate("() => document.activeElement.blur()")
    for step in ROW[1:]:
        page.keyboard.press("ArrowRight")
        expect(page.locator("h1")).to_contain_text([step.title])
        expect(page).to_have_url(
            re.compile(rf"/{step.path}\?d_model=3&d_k=2&d_v=7(&open=tables)?$")
        )
        ready(page)
        if step.path == "context":
            page.locator(".ab-closer [data-fold=tables]").click()
            page.wait_for_selector(".st-key-closer_tables [data-testid=stDataFrame]")
            page.evaluate("() => document.activeElement.blur()")  # the arrows are the page's again
    page.keyboard.press("ArrowLeft")
    expect(page.locator("h1")).to_have_text([ROW[-2].title])
    own = ("http://127.0.0.1:", "ws://127.0.0.1:", "data:", "blob:http://127.0.0.1:")
    assert [url for url in asked if not url.startswith(own) or "SyntaxHighlighter" in url] == []
    assert any(url.startswith("ws://") for url in asked)


LIT = (
    "() => [...document.querySelectorAll('.st-key-board_map .ab-over .ab-hot')].map((row) =>"
    " Number(row.getAttribute('y')))"
)


def test_the_machine_follows_a_word_and_is_a_way_in(visit):
    """A word that is pointed at is lit in every matrix, by keyboard too, and chosen by a click;
    Play carries it through with the trace's numbers; a part is a link to its page that keeps the
    setup, also one that was changed since."""
    page = visit("?d_k=3&text=one two three")
    machine = page.locator(".st-key-board_map")
    said = machine.locator(".ab-readout")
    expect(said).to_contain_text("“two” is row 2 of every matrix.")
    before = page.evaluate(LIT)
    assert len(before) == 9
    words = machine.locator(".ab-flow-word")
    words.nth(2).hover(force=True)
    expect(said).to_contain_text("“three” is row 3 of every matrix.")
    assert (
        len({round(after - y, 3) for after, y in zip(page.evaluate(LIT), before, strict=True)}) == 1
    )  # one row on, everywhere
    words.nth(0).click(force=True)
    expect(page).to_have_url(re.compile("query=1"))
    expect(said).to_contain_text("“one” is row 1 of every matrix.")
    page.wait_for_function(ANSWERED)
    machine.locator("svg").focus()
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("“two”")
    machine.get_by_role("button", name="Play").click()
    trace = run(Setup(text="one two three", d_k=3))
    alpha, y = trace.value("weights")[0, 0], trace.value("output")[0, 0].item()
    best = int(alpha.argmax())
    show(page, "board_map", 4, 1)
    told = f"3 numbers, for “{trace.tokens[best]}” {number(alpha[best].item())}."
    expect(machine.get_by_role("status")).to_contain_text(told)
    assert machine.locator(".ab-flying").all_text_contents() == [brief(alpha[best].item())]
    show(page, "board_map", 7, 1)
    expect(machine.get_by_role("status")).to_contain_text(f"the first {number(y)}.")
    show(page, "board_map", 8, 1)
    expect(machine.get_by_role("status")).to_contain_text("Every other row goes the same way")
    machine.get_by_role("button", name="Show head 2").click()
    expect(page).to_have_url(re.compile("head=2"))
    link = machine.get_by_role("link", name="Z, 3 × 28: opens 6 Context")
    assert "d_k=3" in link.get_attribute("href")
    link.click()
    expect(page.locator("h1")).to_have_text(["6 · Context"])
    expect(page).to_have_url(re.compile(r"/context\?(?=.*d_k=3)(?=.*head=2)"))


MARKUP = "<b>word</b> $x^2$ <img/src=x> `code` <i>it</i>"
# The longest formulas: biases, positions, a mask, three factors to divide by, sizes of two digits.
LONG = (
    "bias=on&positions=learned&mask=causal&scale=fourth-root&temperature=0.5&norm=pre&d_model=10"
    "&heads=10"
)
WIDTHS = (640, 900, 1100, 1440)
CUT = """() => [...document.querySelectorAll('.katex-display, .st-key-formula, .st-key-line')]
  .filter((box) => box.scrollWidth > box.clientWidth + 1).map((box) => [box.className,
    box.scrollWidth, box.clientWidth])"""
MADE = """() => [...document.querySelectorAll(
    '[data-testid=stMain] :is(b, i, img, annotation, code)')]
  .filter((e) => e.tagName === 'IMG' || /^(word|it|x.2|code)/.test(e.textContent)).map((e) =>
    e.outerHTML)"""
CONTROLS = ":is(.ab-panel, .ab-at-figure) .ab-control:not([hidden])"
CONTROLS_SHOWN = """(controls) =>
  Object.fromEntries([...document.querySelectorAll(controls)].map((box) => {
  const name = box.className.match(/st-key-(\\w+)/)[1],
    input = box.querySelector("input[type=range], input[type=number]");
  const options = [...box.querySelectorAll("input[type=radio], input[type=checkbox]")]
    .map((option) => option.value);
  return [name, {
    label: box.querySelector(".ab-called summary, span.ab-called").textContent,
    help: box.querySelector(".ab-called p")?.textContent ?? "",
    range: input && [Number(input.min), Number(input.max)], options,
  }];
}))"""


@pytest.mark.parametrize("path", ["weights", "block", "next"])
def test_a_page_has_text_formulas_and_controls_as_they_are(window_of, path):
    """Markup and LaTeX in a sentence make no element (of other followed words, test_crawl reads
    what is sent); no formula is cut, beside the code or above it, at any width;
    and each control of the panel, the same ones everywhere, and at the figure those of the page, is
    there once, with its label, help, range and options as they are declared."""
    step = find(path)
    others = quote(MARKUP + "\n" + MARKUP)
    page = window_of(
        f"{step.path}?{LONG}&text={quote(MARKUP)}&others={others}&sentence=2&query=3&key=2"
    )
    assert page.evaluate(MADE) == []
    expect(page.get_by_test_id("stException")).to_have_count(0)
    shown = page.evaluate(CONTROLS_SHOWN, CONTROLS)
    assert shown.keys() == {*layout.CONTROLS, *step.controls} - {"notes"}  # a link
    assert page.locator(CONTROLS).count() == len(shown)
    for name, control in shown.items():
        declared = panel.describe_field(name)
        assert (control["label"], control["help"]) == (declared["label"], declared["help"]), name
        if "low" in declared and name not in most_of(Setup()):
            assert control["range"] == [
                declared["low"],
                declared.get("slides", declared["high"]),
            ], name
        if "options" in declared:
            assert control["options"] == list(declared["options"]), name
    page.wait_for_function("() => document.fonts.status === 'loaded'")
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 900})
        page.wait_for_function("(width) => innerWidth === width", arg=width)
        assert page.evaluate(CUT) == [], width


def test_the_arrows_reach_every_matrix(visit):
    """On a board the arrows move from cell to cell, past a matrix's edge into its neighbour, and
    Enter chooses; the page stays. The selected cell keeps its frame, and the one pointed at has
    another. On a projector the board uses the width."""
    page = visit("scores?query=1&key=1")
    said = page.locator(".ab-readout").first
    page.locator(".ab-svg").first.focus()
    page.keyboard.press("ArrowLeft")
    expect(said).to_contain_text("q[Life, 24] =")
    frames = page.locator(".ab-svg").first.locator(".ab-chosen:visible")
    looks = {frame.evaluate("(e) => getComputedStyle(e).stroke") for frame in frames.all()}
    assert len(looks) == 2
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(page.locator(".ab-pair")).to_have_text(re.compile("is.*Life"))
    expect(said).to_contain_text("ω[is, Life] =")  # drawn anew, and still in focus
    expect(frames).to_have_count(1)
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    expect(said).to_contain_text("Kᵀ[24, Life] =")
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowDown")
    expect(said).to_contain_text("ω[Life, is] =")
    expect(page.locator("h1")).to_have_text(["4 · Scores"])
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.wait_for_function(
        "document.querySelector('.ab-svg').getScreenCTM().a.toFixed(1) === '1.4'"
    )
    expect(page.locator(".ab-goes-on")).to_have_count(0)


def test_a_followed_word_is_chosen_in_the_panel(window_of):
    """One row shows the words; the link gets the place's number, one step in the history, a click
    in a matrix shows there, and with Shift a click chooses the key."""
    page = window_of("scores?text=the+cat+the+mat&d_k=2")
    since = place(page)
    asks = page.get_by_role("group", name="Which word has the query").locator("div button:visible")
    expect(asks).to_have_text(["the₁", "cat", "the₃", "mat"])
    asks.nth(2).press("Enter")
    expect(page).to_have_url(re.compile(r"query=3\b"))
    expect(page.locator(".ab-pair")).to_have_text(re.compile("the₃.*mat"))
    assert steps(page, since) == 1
    page.mouse.click(*cell(page, "scores", 0, 1))
    expect(page).to_have_url(re.compile(r"query=1\b"))
    roles = [word.get_attribute("aria-description") for word in asks.all()]
    assert roles == ["query", "key", "", ""]
    asks.nth(3).click(modifiers=["Shift"])
    expect(page).to_have_url(re.compile(r"(?=.*query=1)(?=.*key=4)"))
