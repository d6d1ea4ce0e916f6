"""What is drawn stays whole: formulas at every width, words at every length and in every script,
signs between factors."""

import unicodedata
from urllib.parse import quote

import pytest
from helpers import app

from pages.shared.link.pages import SEVEN
from pages.shared.said import words
from tests.modules import evaluate

DIVISORS = {
    "fourth-root": r"\sqrt[4]{24} \cdot \sqrt[4]{24} \cdot 0.5",
    "sqrt": r"\sqrt{24} \cdot 0.5",
    "none": "0.5",
}


@pytest.mark.parametrize(("scale", "divisor"), DIVISORS.items())
def test_a_sign_stands_between_factors(scale, divisor):
    """√24 times 0.5 does not read as the root of 240.5, and both pages write the division that the
    setup has."""
    at = app("pages/5_weights.py", scale=scale, temperature=0.5)
    assert rf"}}{{{divisor}}}" in at.latex[0].value
    line = (
        app("pages/7_heads.py", scale=scale, temperature=0.5, part="mixed by W_o").latex[-1].value
    )
    assert rf"\frac{{Q_h K_h^⊤}}{{{divisor}}}" in line


TOPS = """() => {
  const boards = [...document.querySelectorAll(
    '[class*=st-key-board_]:not(.st-key-board_bar) .ab-svg')];
  const [formula, board] = [document.querySelector('.st-key-formula'), boards[0]].map((e) =>
    e.getBoundingClientRect());
  return [formula.top, board.top, board.height, board.width,
    boards[0].closest('.ab-host').clientWidth];
}"""

# In how many lines the controls of what plays stand.
LINES = """() => {
  const host = document.querySelector(".ab-host:has(.ab-play)");
  host.querySelector(".ab-play").click();
  const tops = [...host.querySelectorAll(".ab-player-line > :is(button, select)")].map((e) =>
    e.getBoundingClientRect().top);
  host.motion.end();
  return new Set(tops).size;
}"""


@pytest.mark.browser
@pytest.mark.parametrize(("size", "scheme"), [((390, 844), "dark"), ((1440, 900), "light")])
def test_first_what_it_looks_like(window_of, size, scheme):
    """On each of the seven pages the main board stands above the formula; on a phone it is as wide
    as the screen at most, and the controls of its motion take one line; on the desktop all of it is
    on the first screen."""
    for step in SEVEN:
        page = window_of(step.path, *size, scheme)
        formula, board, height, width, room = page.evaluate(TOPS)
        assert board < formula, step.path
        if size[0] == 390:
            assert width <= room + 1, step.path
            assert step.path != "context" or page.evaluate(LINES) == 1
        else:
            assert board + height <= size[1], step.path


TWELVE = "one two three four five six seven eight nine ten eleven twelve"


@pytest.mark.browser
def test_a_board_that_goes_on_begins_at_what_is_followed(window_of):
    """Twelve words on a phone: the last one's cell is followed and seen, and the lines below the
    drawing stay where they are."""
    page = window_of(
        f"next?text={quote(TWELVE)}&query=12&key=12&beat=16&route=why&lecture=on", 390, 844
    )
    host = page.locator(".st-key-board_lens .ab-host")
    page.wait_for_function(
        "() => document.querySelector('.st-key-board_lens .ab-host')?.scrollLeft > 0"
    )
    whole = "(e) => [e.getBoundingClientRect().left >= 0, e.getBoundingClientRect().right <= 390]"
    assert host.locator(".ab-chosen").evaluate(whole) == [True, True]
    assert host.locator(".ab-readout").evaluate(whole) == [True, True]


SHORT, WIDE, ONE = "a b c", "WWWWWWWWWWWWWWWW 日本語日本語日本語日本語日本語日本語 x", "one"
MANY = " ".join(f"word{k}" for k in range(1, 33))
DRAWN = [
    ("", SHORT),
    ("scores", WIDE),
    ("weights", ONE),
    ("encoder", MANY),
]


@pytest.mark.browser
@pytest.mark.parametrize(("path", "sentence"), DRAWN)
def test_every_label_is_whole(window_of, path, sentence):
    """Short words, wide ones, many and a single one: no label leaves its picture, and none lies on
    another matrix's title."""
    page = window_of(f"{path}?text={quote(sentence)}")
    page.wait_for_function(
        "(word) => document.fonts.status === 'loaded' && [...document.querySelectorAll('.ab-svg"
        " text')].some((text) => text.textContent.startsWith(word))",
        arg=sentence.split()[0][:5],
    )
    boxes = page.evaluate("""() => [...document.querySelectorAll('.ab-svg')].map((svg) => {
          const around = svg.getBoundingClientRect();
          return [...svg.querySelectorAll('text')].filter((text) => text.textContent).map((text) =>
            {
            const box = text.getBoundingClientRect();
            return [text.textContent, text.getAttribute('class'), box.left, box.top, box.right,
              box.bottom,
              box.left - around.left, around.right - box.right, box.top - around.top,
                around.bottom - box.bottom];
          });
        })""")
    assert any(boxes)
    for texts in boxes:
        # The box of a line of text is a little higher than its letters.
        assert [text for text in texts if min(text[6:8]) < -1 or min(text[8:]) < -4] == []
        titles = [text[2:6] for text in texts if text[1] == "ab-title"]
        heads = [text[2:6] for text in texts if text[0] == "row sum"]
        assert not any(overlap(title, head) for title in titles for head in heads)


def overlap(one, other) -> bool:
    """Whether two boxes (left, top, right, bottom) share more than the edge of a line."""
    return all(one[k] < other[k + 2] - 3 and other[k] < one[k + 2] - 3 for k in (0, 1))


HEBREW, ARABIC = "קלב", "قطة"


def test_words_from_right_to_left_are_set_apart():
    """A name of a cell and a quotation isolate such a word; every other stays as it is."""
    assert words.cell("scores", "the", "cat") == "ω[the, cat]"
    assert words.cell("x", "naïve", 3) == "x[naïve, 3]"
    assert words.cell("scores", HEBREW, "cat") == f"ω[\u2068{HEBREW}\u2069, cat]"
    assert words.quoted("日本語") == "“日本語”"
    assert words.quoted(ARABIC) == f"“\u2068{ARABIC}\u2069”"
    assert (
        words.attention("cat", [0.25, 0.75], ["cat", ARABIC])
        == f"“cat” gives 75% of its attention to “\u2068{ARABIC}\u2069” and 25% to “cat”."
    )


def test_both_sides_know_the_same_letters():
    """The browser sets apart what Python sets apart, and no letter that runs from left to right."""
    kinds = {kind: [] for kind in ("R", "AL", "AN", "L")}
    for point in range(0x110000):
        if (
            kind := unicodedata.bidirectional(chr(point))
        ) in kinds and not 0xD800 <= point <= 0xDFFF:
            kinds[kind].append(point)
    kinds["L"] = kinds["L"][::40]  # of 130,000
    apart = (
        "return x.map((points) => points.filter((point) =>"
        " module.isolated(String.fromCodePoint(point)).length > 2))"
    )
    assert evaluate("board/text.js", apart, list(kinds.values())) == [
        kinds["R"],
        kinds["AL"],
        kinds["AN"],
        [],
    ]
