"""A board to keep: as a picture that alone looks as the board does on screen, and as tables."""

import io
import re

import numpy as np
import pytest
from PIL import Image, ImageFilter
from playwright.sync_api import expect

from core import Setup, run
from core.text.written import brief, number
from tests.test_browser import cell

pytestmark = pytest.mark.browser

HEAD = 30  # the title's room, as in board/web/picture.js


def pixels(png: bytes) -> np.ndarray:
    """Smoothed a little: a browser draws text by up to half a pixel elsewhere in a drawing that
    begins elsewhere."""
    return np.asarray(
        Image.open(io.BytesIO(png)).convert("RGB").filter(ImageFilter.GaussianBlur(1.5))
    ).astype(int)


def kept(page, board: str, kind: str):
    """The file that this board's button brings."""
    host = page.locator(f".st-key-{board}")
    if host.locator(".ab-menu[open]").count() == 0:
        host.locator(".ab-menu > summary").click()
    if host.locator(".ab-picture[open]").count() == 0:
        host.locator(".ab-picture summary").click()
    with page.expect_download() as download:
        host.get_by_role("button", name=f"This board as a picture: {kind}").click()
    return download.value


PINNED = (
    "position: fixed; top: 0; left: 0; z-index: 1000000; background: var(--st-background-color)"
)


def in_the_corner(page, board: str) -> bytes:
    """The board's drawing on screen, moved to where nothing lies over it and it begins at a whole
    pixel."""
    drawing = page.locator(f".st-key-{board} .ab-svg")
    drawing.evaluate("(svg, place) => svg.setAttribute('style', place)", PINNED)
    seen = page.screenshot(clip=drawing.bounding_box())
    drawing.evaluate("(svg) => svg.removeAttribute('style')")
    return seen


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The share of pixels that a reader would call different."""
    assert one.shape == other.shape
    return float((np.abs(one - other).max(axis=-1) > 32).mean())


def test_the_svg_looks_as_the_board_does(window_of, browser):
    """The SVG, opened by itself, has the board's pixels and numbers under its title, here dark;
    the PNG has twice as many pixels. A reader's words are text in it, never markup."""
    page = window_of("scores?text=a+%3Cimg%3E+b", scheme="dark")
    svg = kept(page, "board_scores", "SVG")
    assert svg.suggested_filename == "attention-scores.svg"
    png = Image.open(kept(page, "board_scores", "PNG").path())
    page.locator("h1").click()  # closes the menu
    shown = pixels(in_the_corner(page, "board_scores"))
    text = svg.path().read_text(encoding="utf-8")
    assert "<title>4 · Scores</title>" in text
    assert "<desc>Scores of head 1." in text
    assert "<img" not in text
    alone = browser.new_page()
    alone.set_content(f"<body style='margin: 0'>{text}</body>")
    alone.evaluate("() => document.fonts.ready")
    written = " ".join(alone.locator("svg text").all_text_contents())
    scores = run(Setup(text="a <img> b")).value("scores")[0]
    assert " ".join(map(brief, scores.flatten().tolist())) in written
    picture = pixels(alone.locator("svg").first.screenshot())[HEAD:]
    alone.close()
    height, width = min(shown.shape[0], picture.shape[0]), min(shown.shape[1], picture.shape[1])
    assert apart(shown[:height, :width], picture[:height, :width]) < 0.0002
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    size = re.search(r'width="(\d+)" height="([\d.]+)"', text)
    assert png.size == (2 * int(size[1]), int(2 * float(size[2])))
    assert np.asarray(png.convert("RGB")).std() > 5


def test_a_matrix_is_a_real_table_too(window_of):
    """The button of a board's menu shows where the board has the focus; Escape closes the menu, and
    the same numbers stay unfolded as tables with headers when another cell is chosen and when
    another sentence is typed."""
    page = window_of("scores?text=eat+dessert+first")
    host = page.locator(".st-key-board_scores .ab-host")
    button = host.locator(".ab-menu > summary")
    page.mouse.move(2, 400)
    page.evaluate("() => document.activeElement.blur()")
    expect(button).to_have_css("opacity", "0")
    button.focus()
    expect(button).to_have_css("opacity", "1")
    page.keyboard.press("Enter")
    host.get_by_text("As tables").click()
    page.keyboard.press("Escape")
    expect(host.locator(".ab-menu[open]")).to_have_count(0)
    expect(button).to_be_focused()
    table = page.get_by_role("table", name=re.compile("ω, the scores, 3 × 3"))
    score = run(Setup(text="eat dessert first")).value("scores")[0, 1, 2].item()
    row = table.get_by_role("row", name=re.compile("^dessert "))
    expect(row.get_by_role("cell").nth(2)).to_have_text(number(score))
    expect(table.get_by_role("columnheader")).to_have_text(["eat", "dessert", "first"])
    page.mouse.click(*cell(page, "scores", 0, 0))
    expect(page.locator(".ab-pair")).to_have_text(re.compile("eat.*eat"))
    expect(table).to_be_visible()
    sentence = page.get_by_role("textbox", name="Sentence", exact=True)
    sentence.fill("eat first")
    sentence.press("Enter")
    expect(page.get_by_role("table", name=re.compile("ω, the scores, 2 × 2"))).to_be_visible()
    button.click()
    host.get_by_text("As tables").click()
    page.locator("h1").click()
    expect(host.locator(".ab-menu[open]")).to_have_count(0)
    expect(host.get_by_role("table")).to_have_count(0)
