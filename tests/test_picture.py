"""A board as a picture to keep: the file alone looks as the board does on screen."""

import io
import re

import numpy as np
import pytest
from helpers import follow
from PIL import Image, ImageFilter

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
