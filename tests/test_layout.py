"""What is drawn stays whole: formulas at every width, words at every length and in every script,
signs between factors."""

import unicodedata
from urllib.parse import quote

import pytest
from helpers import app
from playwright.sync_api import expect

from pages.shared.text import words
from tests.modules import evaluate


def test_a_sign_stands_between_factors():
    """√24 times 0.5 does not read as the root of 240.5, and both pages write the division that the
    setup has."""
    fourth = r"\frac{K_h^⊤}{\sqrt[4]{24}}}{0.5}"
    divided = {"fourth-root": fourth, "sqrt": r"K_h^⊤}{\sqrt{24} \cdot 0.5}", "none": "K_h^⊤}{0.5}"}
    for scale, end in divided.items():
        link = {"scale": scale, "temperature": 0.5}
        line = app("pages/7_heads.py", part="mixed by W_o", open="line", **link).latex[-1].value
        assert end in line
        divisor = end.rpartition("}{")[2]
        formula = app("pages/5_weights.py", open="formula", **link).latex[0].value
        assert rf"}}{{{divisor} \\" in formula, formula


TOPS = """() => {
  const boards = [...document.querySelectorAll(
    '[class*=st-key-board_]:not(.st-key-board_bar) .ab-svg')];
  const [formula, board] = [document.querySelector('.st-key-formula'), boards[0]].map((e) =>
    e.getBoundingClientRect());
  return [formula.top, board.top, board.width, boards[0].closest('.ab-host').clientWidth];
}"""
SCROLLED = """() => [...document.querySelectorAll('.ab-code pre')].filter((box) => {
  const lines = box.textContent.trim().split(/\\n/).length;
  const whole = 33 + lines * parseFloat(getComputedStyle(box).lineHeight);
  return box.scrollHeight > Math.min(box.clientHeight + 1, whole);
}).map((box) => box.textContent)"""
NINE = "text=the+cat+drank+the+milk+because+it+was+thirsty&heads=1&d_k=8&d_v=8"
TWELVE = "one two three four five six seven eight nine ten eleven twelve"


@pytest.mark.browser
def test_a_board_fits_a_phone_or_begins_at_what_is_followed(window_of):
    """The main board stands above the formula and, of nine words, is as wide as the screen at most;
    the code below is whole, so that the page scrolls over it, and no line of it is broken. A board
    that is wider begins at the cell that is followed, and the line below it stays where it is. In a
    lecture, without its menu, no room is left for one."""
    for path in ("vocabulary", "projection", "scores", "weights", "context"):
        page = window_of(f"{path}?{NINE}&open=formula", 390, 844, "dark")
        formula, board, width, room = page.evaluate(TOPS)
        assert board < formula and width <= room + 1, path
        assert page.evaluate(SCROLLED) == [], path
    link = f"next?text={quote(TWELVE)}&query=12&key=12&beat=16&route=why&lecture=on"
    page = window_of(link, 390, 844)
    page.wait_for_function(
        "() => document.querySelector('.st-key-board_lens .ab-host')?.scrollLeft > 0"
    )
    for part in (".ab-over .ab-chosen", ".ab-readout"):
        box = page.locator(f".st-key-board_lens .ab-host {part}").bounding_box()
        assert box["x"] >= 0 and box["x"] + box["width"] <= 390
    host, board = [page.locator(".st-key-board_lens " + each) for each in (".ab-host", ".ab-svg")]
    assert host.bounding_box()["y"] == board.bounding_box()["y"]


@pytest.mark.browser
def test_another_pair_moves_nothing(window_of):
    """Of short words or of long ones: what stands below the title stays, on a phone and on a
    desk."""
    for path, size in (("scores", (390, 844)), ("projection", (1366, 768))):
        tops = {
            window_of(f"{path}?query={query}&key={key}", *size)
            .locator(".ab-svg")
            .first.bounding_box()["y"]
            for query, key in ((2, 2), (3, 6), (5, 5))
        }
        assert len(tops) == 1, path


WHOLE = """() => {
  const dialog = document.querySelector(".st-key-sharing"),
    { left, right, top, bottom } = dialog.getBoundingClientRect();
  return [left + 5, right - 5].every((x) => [top + 30, bottom - 5].every((y) =>
    dialog.contains(document.elementFromPoint(x, y))));
}"""


@pytest.mark.browser
def test_what_is_shared_lies_over_the_panel(window_of):
    """Where both do not stand beside each other, as on a phone, too."""
    page = window_of("scores?share=on", 1000, 700)
    page.locator(".st-key-sharing").get_by_role("link", name="Close").wait_for()
    assert page.locator(".ab-panel").bounding_box()["width"] > 200
    assert page.evaluate(WHOLE)


WIDE = "WWWWWWWWWWWWWWWW 日本語日本語日本語日本語日本語日本語 x"
MANY = " ".join(f"word{k}" for k in range(1, 33))
TEXTS = """() => [...document.querySelectorAll('.ab-svg')].map((svg) => {
  const around = svg.getBoundingClientRect();
  return [...svg.querySelectorAll('text')].filter((text) => text.textContent).map((text) => {
    const { left, top, right, bottom } = text.getBoundingClientRect();
    return [text.textContent, text.getAttribute('class'), left, top, right, bottom,
      left - around.left, around.right - right, top - around.top, around.bottom - bottom];
  });
})"""
WRITTEN = """(word) => document.fonts.status === 'loaded'
  && [...document.querySelectorAll('.ab-svg text')].some((text) =>
    text.textContent.startsWith(word))"""


@pytest.mark.browser
def test_every_label_is_whole(window_of):
    """Wide words, many, and a single one: no label leaves its picture, and none lies on another
    matrix's title."""
    for path, text in (("", WIDE), ("scores", WIDE), ("weights", "one"), ("encoder", MANY)):
        page = window_of(f"{path}?text={quote(text)}")
        page.wait_for_function(WRITTEN, arg=text[:3])
        boxes = page.evaluate(TEXTS)
        assert any(boxes)
        for texts in boxes:
            # The box of a line of text is a little higher than its letters.
            out = [text for text in texts if min(text[6:8]) < -1 or min(text[8:]) < -4]
            assert out == [], path
            titles = [text[2:6] for text in texts if text[1] == "ab-title"]
            heads = [text[2:6] for text in texts if text[0] == "row sum"]
            assert not any(overlap(title, head) for title in titles for head in heads)


@pytest.mark.browser
def test_no_arrow_lies_on_a_title(window_of):
    """In a low window there is no room for an arrow above a title: it runs beside."""
    page = window_of("block", 844, 390)
    arrows, titles = [
        page.locator(f".ab-svg {kind}").evaluate_all(
            "(all) => all.map((each) => each.getBoundingClientRect())"
            ".map(({ left, top, right, bottom }) => [left, top, right, bottom])"
        )
        for kind in ("path.ab-arrow", ".ab-title")
    ]
    assert arrows and titles
    assert not any(overlap(arrow, title) for arrow in arrows for title in titles)


@pytest.mark.browser
def test_three_heads_have_their_numbers(window_of):
    """On the usual laptop each weight stands in its cell: without a sign it is narrow."""
    page = window_of("heads", 1366, 768)
    expect(page.locator(".ab-numbers text")).to_have_count(3 * 6 * 6)


def overlap(one, other) -> bool:
    """Whether two boxes (left, top, right, bottom) share more than the edge of a line."""
    return all(one[k] < other[k + 2] - 3 and other[k] < one[k + 2] - 3 for k in (0, 1))


HEBREW, ARABIC = "קלב", "قطة"


def test_words_from_right_to_left_are_set_apart():
    """A name of a cell and a quotation isolate such a word; every other stays as it is."""
    assert words.cell("scores", "the", "cat") == "ω[the, cat]"
    assert words.cell("x", "naïve", 3) == "x[naïve, 3]"
    assert words.cell("scores", HEBREW, "cat") == f"ω[\u2068{HEBREW}\u2069, cat]"
    assert words.quote("日本語") == "“日本語”"
    assert words.quote(ARABIC) == f"“\u2068{ARABIC}\u2069”"
    said = words.attention("cat", [0.25, 0.75], ["cat", ARABIC])
    told = f"“cat” gives 75% of its attention to “\u2068{ARABIC}\u2069” and 25% to “cat”."
    assert said == told


def test_both_sides_know_the_same_letters():
    """The browser sets apart what Python sets apart, and no letter that runs from left to right."""
    kinds = {kind: [] for kind in ("R", "AL", "AN", "L")}
    for point in range(0x110000):
        kind = unicodedata.bidirectional(chr(point))
        if kind in kinds and not 0xD800 <= point <= 0xDFFF:
            kinds[kind].append(point)
    kinds["L"] = kinds["L"][::40]  # of 130,000
    apart = (
        "return x.map((points) => points.filter((point) =>"
        " module.isolate(String.fromCodePoint(point)).length > 2))"
    )
    found = evaluate("core/board/web/text.js", apart, list(kinds.values()))
    assert found == [kinds["R"], kinds["AL"], kinds["AN"], []]
