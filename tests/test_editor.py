"""Weights changed by hand in a real Chromium: by mouse, by keyboard alone, by finger, by quick
hands on a slow line."""

from urllib.parse import parse_qs, urlsplit

import pytest
from helpers import ANSWERED, address, place, ready, steps
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from tests.test_access import serious
from tests.test_browser import cell

pytestmark = pytest.mark.browser

SMALL = "d_model=6&d_k=4&d_v=5&heads=2&out=d_model&init=xavier"
PAGE = f"projection?{SMALL}"


def edits(page) -> str:
    """The edits in the address."""
    return parse_qs(urlsplit(address(page)).query).get("edits", [""])[0]


def expect_edits(page, expected: str) -> None:
    """The address holds these edits, and so does the answer that is on screen."""
    page.wait_for_function(
        "(edits) => (new URLSearchParams(location.search).get('edits') ?? '') === edits",
        arg=expected,
    )
    page.wait_for_function(ANSWERED)


def line(page):
    return page.locator(".ab-editing")


def field(page):
    return line(page).locator("input")


def q(edits: str) -> float:
    """q of the second word in its second column, head 1."""
    small = {name: values[0] for name, values in parse_qs(SMALL).items()}
    setup, _ = Setup.nearest(small | {"edits": edits})
    return run(setup).value("q")[0, 1, 1].item()


def written(value: float) -> str:
    return f"q[is, 2] = {value:.4f}".replace("-", "−")


def test_by_mouse_and_back(visit):
    """A clicked weight takes a number; what follows from it follows, the cell is marked and listed,
    and Back undoes the last. A number that is typed and left by a click elsewhere is put in; one
    that a button of the line replaces is not. Where a matrix is shown in part, the line knows
    its place in the whole."""
    page = visit(f"{PAGE}&column=2")
    before = place(page)
    page.mouse.click(*cell(page, "w_q", 2, 1))
    expect(line(page)).to_have_attribute("aria-label", "Edit W_q[3, 2], head 1")
    expect(line(page).get_by_role("button", name="undo")).to_be_hidden()
    page.keyboard.type("0.7")
    page.keyboard.press("Enter")
    expect_edits(page, "w_q.1.3.2=0.7")
    expect(page.get_by_text(f"{written(q('w_q.1.3.2=0.7'))}, ").first).to_be_visible()
    expect(page.locator("[data-name='w_q'] .ab-edited")).to_have_count(1)
    listed = page.get_by_role("group", name="Edits", exact=True)
    expect(listed.locator("li")).to_have_text(["W_q[3, 2], head 1 = 0.7undo"])
    line(page).get_by_role("button", name="row = 0").click()
    expect_edits(page, "w_q.1.3.2=0.7,w_q.1.3=0")
    expect(field(page)).to_have_value("0")
    assert steps(page, before) == 2
    page.go_back()
    expect_edits(page, "w_q.1.3.2=0.7")
    expect(field(page)).to_have_value("0.7")
    page.go_back()
    expect_edits(page, "")
    expect(listed).to_have_count(0)
    page.go_forward()
    expect_edits(page, "w_q.1.3.2=0.7")
    line(page).get_by_role("button", name="undo").click()
    expect_edits(page, "")
    expect(page.get_by_text(f"{written(q(''))}, ").first).to_be_visible()
    page.mouse.click(*cell(page, "w_q", 0, 0))
    page.keyboard.type("3")
    page.mouse.click(*cell(page, "w_q", 1, 1))
    expect_edits(page, "w_q.1.1.1=3")
    page.keyboard.type("4")
    page.locator("h1").click()
    expect_edits(page, "w_q.1.1.1=3,w_q.1.2.2=4")
    field(page).fill("5")
    line(page).get_by_role("button", name="column = 0").click()
    expect_edits(page, "w_q.1.1.1=3,w_q.1.2.2=4,w_q.1.*.2=0")
    page.get_by_role("button", name="Undo all").click()
    expect_edits(page, "")
    page = visit(f"heads?{SMALL}&head=2&part=mixed+by+W_o&open=own_part")
    page.mouse.click(*cell(page, "w_o", 1, 2))
    expect(line(page)).to_have_attribute("aria-label", "Edit W_o[7, 3]")
    line(page).get_by_role("button", name="column = 0").click()
    expect_edits(page, "w_o.6-10.3=0")


def test_by_keyboard_alone(visit):
    """From cell to cell by arrows, Enter opens one, arrows change it, Enter puts it in, Escape goes
    back to the same cell. In a lecture a click leaves the arrow keys to the beats; a number typed
    after it counts, and Esc closes the line first, and leaves the lecture when it is pressed once
    more."""
    page = visit(f"{PAGE}&column=2&edits=w_q.1.6.2%3D0.5")
    readout = page.locator(".st-key-board_projection_q .ab-readout")
    page.locator(".st-key-board_projection_q .ab-svg").focus()
    page.keyboard.press("ArrowUp")
    expect(readout).to_have_text("W_q[6, 2] = 0.5000, edited")
    page.keyboard.press("Enter")
    expect(field(page)).to_be_focused()
    for key in ("ArrowUp", "ArrowUp", "Shift+ArrowDown", "ArrowUp", "Enter"):
        page.keyboard.press(key)
    expect_edits(page, "w_q.1.6.2=-0.2")
    expect(field(page)).to_be_focused()
    page.keyboard.type("9999")
    page.keyboard.press("Enter")
    expect(line(page).get_by_role("status")).to_have_text("A number from −1000 to 1000, please.")
    page.keyboard.press("Escape")
    expect(line(page)).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(readout).to_contain_text("W_q[6, 1] = ")
    page.keyboard.press("Enter")
    expect(line(page)).to_have_attribute("aria-label", "Edit W_q[6, 1], head 1")
    assert edits(page) == "w_q.1.6.2=-0.2"
    page = visit(f"{PAGE}&lecture=on&beat=6")
    page.mouse.click(*cell(page, "w_q", 0, 0))
    expect(line(page)).to_be_visible()
    expect(field(page)).not_to_be_focused()
    for key in ("2", ".", "5", "Enter"):
        page.keyboard.press(key)
    expect_edits(page, "w_q.1.1.1=2.5")
    page.keyboard.press("Escape")
    expect(line(page)).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => /lecture=on&beat=7|beat=7.*lecture=on/.test(location.search)")
    page.keyboard.press("Escape")
    page.wait_for_function("() => !/lecture=on/.test(location.search)")


def test_every_press_counts_on_a_slow_line(visit, lines):
    """A weight is nudged and put in four times while earlier answers arrive: no answer takes the
    line back to an older number. While the answer to an edit is on its way, a second one is made by
    keyboard: both count, and each is one step."""
    page = visit(f"{PAGE}&edits=w_q.1.6.2%3D1", lines[100])
    before = place(page)
    page.mouse.click(*cell(page, "w_q", 5, 1))  # which is an act too: the cell's column is followed
    for gap in (0, 20, 120, 250):
        for key in ("ArrowUp", "Enter"):
            page.keyboard.press(key)
        page.wait_for_timeout(gap)
    expect_edits(page, "w_q.1.6.2=1.4")
    expect(field(page)).to_have_value("1.4")
    assert steps(page, before) == 5
    page = visit(f"{PAGE}&column=2", lines[100])
    before = place(page)
    page.locator(".st-key-board_projection_q .ab-svg").focus()
    first, second = ("ArrowUp", "Enter", "7"), ("Escape", "ArrowUp", "Enter", "8")
    for key in (*first, "Enter", *second, ".", "5", "Enter"):
        page.keyboard.press(key)
    both = "w_q.1.6.2=7,w_q.1.5.2=8.5"
    expect_edits(page, both)
    expect(page.get_by_text(f"{written(q(both))}, ").first).to_be_visible()
    expect(field(page)).to_have_value("8.5")
    assert steps(page, before) == 2
    page.go_back()
    expect_edits(page, "w_q.1.6.2=7")


def test_by_finger(person, server):
    """On a phone a touch opens the line without a keyboard in the way, everything in it is 44
    pixels high, and axe finds nothing."""
    page = person(is_phone=True)
    page.emulate_media(color_scheme="dark")
    page.goto(f"{server.url}/{PAGE}&d_v=6")
    ready(page)
    page.touchscreen.tap(*cell(page, "w_q", 2, 1))
    expect(line(page)).to_be_visible()
    assert not page.evaluate("document.activeElement.matches('input')")
    field(page).fill("-1.5")
    line(page).get_by_role("button", name="set").click()
    expect_edits(page, "w_q.1.3.2=-1.5")
    targets = line(page).locator("button:visible, input").all()
    assert len(targets) == 7
    boxes = [target.bounding_box() for target in targets]
    assert all(min(box["width"], box["height"]) >= 44 for box in boxes)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert serious(page) == []
