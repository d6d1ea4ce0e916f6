"""Weights changed by hand in a real Chromium: by mouse, by keyboard alone, by finger, by quick
hands on a slow line."""

from urllib.parse import parse_qs, urlsplit

import pytest
from helpers import ANSWERED, address, follow, place, ready, steps
from playwright.sync_api import expect

from core import Setup, run
from tests.test_browser import cell

pytestmark = pytest.mark.browser

SMALL = {"d_model": "6", "d_k": "4", "d_v": "5", "heads": "2", "out": "d_model", "init": "xavier"}
PAGE = "projection?column=2&" + "&".join(f"{name}={value}" for name, value in SMALL.items())


def expect_edits(page, expected: str) -> None:
    """The address holds these edits, and so does the answer that is on screen."""
    page.wait_for_function(
        "(edits) => (new URLSearchParams(location.search).get('edits') ?? '') === edits",
        arg=expected,
    )
    page.wait_for_function(ANSWERED)


def form(page):
    return page.locator(".ab-editing")


def button(page, name: str):
    return form(page).get_by_role("button", name=name)


def written(edits: str) -> str:
    """What is said of q of the second word in its second column, head 1."""
    q = run(Setup.nearest(SMALL | {"edits": edits})[0]).value("q")[0, 1, 1].item()
    return f"q[is, 2] = {q:.4f}".replace("-", "−")


def test_by_mouse_and_back(visit):
    """A clicked weight takes a number beside its cell; what follows from it follows, the cell is
    marked and listed, and Back undoes the last. A number that is typed and left by a click
    elsewhere is put in; one that a button of the popover replaces is not."""
    page = visit(PAGE)
    before, number = place(page), form(page).locator("input")
    x, y = cell(page, "w_q", 2, 1)
    page.mouse.click(x, y)
    expect(form(page)).to_have_attribute("aria-label", "Edit W_q[3, 2], head 1")
    box = form(page).bounding_box()
    assert x < box["x"] < x + 40 and y - 40 < box["y"] + box["height"] < y
    expect(button(page, "undo")).to_be_hidden()
    page.keyboard.type("0.7")
    page.keyboard.press("Enter")
    expect_edits(page, "w_q.1.3.2=0.7")
    expect(page.get_by_text(f"{written('w_q.1.3.2=0.7')}, ").first).to_be_visible()
    expect(page.locator("[data-name='w_q'] .ab-edited")).to_have_count(1)
    listed = page.get_by_role("group", name="Edits", exact=True)
    expect(listed.locator("li")).to_have_text(["W_q[3, 2], head 1 = 0.7undo"])
    button(page, "row = 0").click()
    expect_edits(page, "w_q.1.3.2=0.7,w_q.1.3=0")
    expect(number).to_have_value("0")
    assert steps(page, before) == 2
    page.go_back()
    expect_edits(page, "w_q.1.3.2=0.7")
    expect(number).to_have_value("0.7")
    button(page, "back to 0.0710").click()
    expect_edits(page, "")
    expect(listed).to_have_count(0)
    page.mouse.click(*cell(page, "w_q", 0, 1))
    page.keyboard.type("3")
    page.locator("h1").click()
    expect_edits(page, "w_q.1.1.2=3")
    expect(form(page)).to_have_count(0)
    page.mouse.click(*cell(page, "w_q", 0, 1))
    number.fill("5")
    button(page, "column = 0").click()
    expect_edits(page, "w_q.1.1.2=3,w_q.1.*.2=0")
    page.get_by_role("button", name="Undo all").click()
    expect_edits(page, "")


def test_by_keyboard_alone(visit, lines):
    """On a slow line, from cell to cell by arrows, Enter opens one, arrows change it by 0.1 and
    with Shift by 1, Enter puts it in, Escape goes back to the same cell: each number counts, one
    out of range says so, and no answer takes the input back to an older one. In a lecture a click
    leaves the arrow keys to the beats; a number typed after it counts, and Esc closes the popover
    first."""
    page = visit(f"{PAGE}&edits=w_q.1.6.2%3D0.5", lines[100])
    before, readout = place(page), page.locator(".st-key-board_projection_q .ab-readout")
    page.locator(".st-key-board_projection_q .ab-svg").focus()
    page.keyboard.press("ArrowUp")
    expect(readout).to_have_text("W_q[6, 2] = 0.5000, edited")
    nudged = ("Enter", "ArrowUp", "ArrowUp", "Enter", "Shift+ArrowUp", *3 * ("ArrowDown",))
    for key in (*nudged, "Enter", "Escape", "ArrowUp", "Enter", "8", "Enter"):
        page.keyboard.press(key)
    expect_edits(page, "w_q.1.6.2=1.4,w_q.1.5.2=8")
    expect(form(page).locator("input")).to_have_value("8")
    assert steps(page, before) == 3
    page.keyboard.type("9999")
    page.keyboard.press("Enter")
    expect_edits(page, "w_q.1.6.2=1.4,w_q.1.5.2=1000")
    expect(form(page).locator("input")).to_have_value("1000")
    expect(form(page).get_by_role("status")).to_have_text("It can be −1000 to 1000.")
    page.keyboard.press("Escape")
    expect(form(page)).to_have_count(0)
    page.keyboard.press("ArrowLeft")
    expect(readout).to_contain_text("W_q[5, 1] = ")
    page = visit(f"{PAGE}&lecture=on&beat=6")
    page.mouse.click(*cell(page, "w_q", 0, 1))
    for key in ("2", ".", "5", "Enter"):
        page.keyboard.press(key)
    expect_edits(page, "w_q.1.1.2=2.5")
    page.keyboard.press("Escape")
    expect(form(page)).to_have_count(0)
    page.keyboard.press("ArrowRight")
    page.wait_for_function("() => /beat=7/.test(location.search)")


SCROLLED = "() => document.querySelector('[data-testid=stMain]').scrollTop"
# The page has stopped scrolling.
STILL = f"""() => {{
  const before = window.scrolledTo, now = ({SCROLLED})();
  window.scrolledTo = now;
  return now === before;
}}"""


def test_by_finger(person, server):
    """On a phone a touch opens the popover without a keyboard in the way, inside the window, and
    everything in it is 44 pixels high; a tapped number is replaced. A finger drags a share all the
    way, or sets it by a tap, and scrolls the page over it without changing it."""
    page = person(is_phone=True)
    page.goto(f"{server.url}/{PAGE}&d_v=6")
    ready(page)
    page.touchscreen.tap(*cell(page, "w_q", 2, 1))
    expect(form(page)).to_be_visible()
    assert not page.evaluate("document.activeElement.matches('input')")
    # on an iPhone decimal keys have no minus
    assert form(page).locator("input").get_attribute("inputmode") is None
    form(page).locator("input").tap()
    page.keyboard.type("-1.5")
    button(page, "set").click()
    page.wait_for_function(ANSWERED)
    assert parse_qs(urlsplit(address(page)).query)["edits"] == ["w_q.1.3.2=-1.5"]
    for target in form(page).locator("button:visible, input").all():
        box = target.bounding_box()
        assert min(box["width"], box["height"]) >= 44
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    follow(page, "weights?query=2")
    page.get_by_role("button", name="Guess first?").tap()
    bar = page.locator(".ab-answering").get_by_role("slider").first
    box, hand = bar.bounding_box(), page.context.new_cdp_session(page)
    assert box["height"] >= 24
    x, y = box["x"] + 6, box["y"] + box["height"] / 2

    def move(*to: tuple[float, float]) -> None:
        """Touch the first place, and go on to the others."""
        kinds = ["Start", *["Move"] * (len(to) - 1), "End"]
        for kind, at in zip(kinds, (*to, None), strict=True):
            points = [] if at is None else [{"x": at[0], "y": at[1]}]
            hand.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})

    before, scrolled = bar.input_value(), page.evaluate(SCROLLED)
    move(*((x + 90, y - by) for by in range(0, 120, 10)))
    page.wait_for_function(f"(before) => ({SCROLLED})() > before", arg=scrolled)
    expect(bar).to_have_value(before)
    page.wait_for_function(STILL)
    box = bar.bounding_box()
    y = box["y"] + box["height"] / 2
    move((x + 90, y))
    expect(bar).not_to_have_value(before)
    move(*((x + by, y) for by in range(27)))
    expect(bar).to_have_value("1")
