"""A board as a picture to keep: the file alone looks as the board does on screen."""

import io
import re

import numpy as np
import pytest
from helpers import follow
from PIL import Image, ImageFilter
from playwright.sync_api import expect

pytestmark = pytest.mark.browser

HEAD = 30  # the title's room, as in board/picture.js


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


def in_the_corner(page, board: str) -> bytes:
    """The board's drawing on screen, moved to where nothing lies over it and it begins at a whole
    pixel."""
    place = (
        "position: fixed; top: 0; left: 0; z-index: 1000000; background: var(--st-background-color)"
    )
    drawing = page.locator(f".st-key-{board} .ab-svg")
    drawing.evaluate("(svg, place) => svg.setAttribute('style', place)", place)
    box = drawing.bounding_box()
    seen = page.screenshot(clip=box)
    drawing.evaluate("(svg) => svg.removeAttribute('style')")
    return seen


def apart(one: np.ndarray, other: np.ndarray) -> float:
    """The share of pixels that a reader would call different."""
    assert one.shape == other.shape
    return float((np.abs(one - other).max(axis=-1) > 32).mean())


@pytest.mark.parametrize(
    ("link", "board", "scheme"),
    [
        ("scores", "board_scores", "light"),
        ("vocabulary?text=the+cat+%3C+the", "board_vocabulary", "dark"),
    ],
)
def test_the_svg_looks_as_the_board_does(window_of, browser, link, board, scheme):
    """The SVG, opened by itself, has the board's pixels under its title, light and dark; the PNG
    has twice as many."""
    page = window_of(link, scheme=scheme)
    svg = kept(page, board, "SVG")
    assert svg.suggested_filename == f"attention-{board.removeprefix('board_')}.svg"
    png = Image.open(kept(page, board, "PNG").path())
    shown = pixels(in_the_corner(page, board))
    alone = browser.new_page()
    text = svg.path().read_text(encoding="utf-8")
    alone.set_content(f"<body style='margin: 0'>{text}</body>")
    alone.evaluate("() => document.fonts.ready")
    picture = pixels(alone.locator("svg").first.screenshot())[HEAD:]
    alone.close()
    height, width = min(shown.shape[0], picture.shape[0]), min(shown.shape[1], picture.shape[1])
    assert apart(shown[:height, :width], picture[:height, :width]) < 0.0002
    assert len(np.unique(picture.reshape(-1, 3), axis=0)) > 20
    size = re.search(r'width="(\d+)" height="([\d.]+)"', text)
    assert png.size == (2 * int(size[1]), int(2 * float(size[2])))
    assert np.asarray(png.convert("RGB")).std() > 5


def test_a_picture_says_what_it_is(window_of):
    """Its title and description stand in the file, and a reader's words are text in it, never
    markup."""
    page = window_of("scores?text=a+%3Cimg%3E+b")
    text = kept(page, "board_scores", "SVG").path().read_text(encoding="utf-8")
    assert "<title>4 · Scores</title>" in text
    assert "<desc>Scores of head 1." in text
    assert "<img" not in text
    follow(page, "scores")


def test_what_is_unfolded_under_a_board_stays_so(window_of):
    """Whoever keeps a row of pictures, or reads the tables, need not unfold them again for each new
    sentence."""
    page = window_of("scores")
    folds = page.locator(".st-key-board_fan summary")
    for fold in folds.all():
        fold.click()
    opened = page.locator(".st-key-board_fan details[open]")
    expect(opened).to_have_count(4)
    follow(page, "scores?text=eat+dessert+first")
    expect(opened).to_have_count(4)
    expect(page.locator(".st-key-board_fan .ab-tables-below td").first).to_be_visible()
    expect(opened.get_by_role("button", name="This board as a picture: SVG")).to_be_visible()
    for fold in reversed(folds.all()):
        fold.click()
    expect(opened).to_have_count(0)


def test_the_menu_is_seen_where_it_is_wanted(window_of):
    """Its button shows while the board is pointed at or has the focus; Escape closes it, and so
    does a press elsewhere; tables stay below the drawing."""
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
    expect(host.get_by_role("table").first).to_be_visible()
    button.click()
    host.get_by_text("As tables").click()
    page.locator("h1").click()
    expect(host.locator(".ab-menu[open]")).to_have_count(0)
    expect(host.get_by_role("table")).to_have_count(0)
