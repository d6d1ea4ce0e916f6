"""A class as its people meet it: a lecturer and who follows, in real browsers."""

import csv
import re
import signal

import pytest
from helpers import ready
from playwright.sync_api import expect

from core import Setup, run

pytestmark = pytest.mark.browser

# What can be read of a window, and where its parts stand.
READ = """() => {
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), read = [];
  const seen = (e) => e.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  while (texts.nextNode()) {
    if (seen(texts.currentNode.parentElement)) read.push(texts.currentNode.textContent);
  }
  const named = [...document.querySelectorAll("[aria-label], [title]")].filter(seen);
  return [...read, ...named.map((e) => `${e.getAttribute("aria-label")} ${e.title}`)].join(" | ");
}"""
PLACED = """() => Object.fromEntries(Object.entries({ card: ".ab-room-card", bar: ".ab-room-bar",
  head: ".st-key-beat h1", figure: ".ab-host svg", main: ".stMain" }).map(([name, where]) => {
    const box = document.querySelector(where).getBoundingClientRect();
    return [name, [box.left, box.top, box.right, box.bottom]];
  }))"""
WIDE, TALL = ((1366, 768), (667, 375)), ((390, 844), (768, 1024))


def press(page, *names: str) -> None:
    """Press the buttons of these names, one after the other."""
    for name in names:
        page.get_by_role("button", name=name, exact=name in ("Close", "Join")).click()


def reads(page, *texts: str) -> None:
    """These can be read, soon."""
    for text in texts:
        expect(page.get_by_text(text)).to_be_visible()


def is_at(page, link: str) -> None:
    """This page is on screen, at this link."""
    expect(page).to_have_url(re.compile(rf"/{link}&room=[A-Z]{{4}}-[0-9a-f]{{12}}$"))
    page.wait_for_function("() => document.documentElement.dataset.answered === 'true'")


def meet(one: list[float], other: list[float]) -> bool:
    """Two boxes share more than their edges."""
    return all(max(one[k], other[k]) + 1 < min(one[k + 2], other[k + 2]) for k in (0, 1))


def in_nobodys_way(page) -> None:
    """Question and bar are all on screen, beside the figure where the window is wide, never over
    the page's name."""
    for width, height in (*WIDE, *TALL):
        page.set_viewport_size({"width": width, "height": height})
        if (width, height) in WIDE:
            beside = "figure[2] <= card[0] + 1"
            page.wait_for_function(
                f"() => {{ const {{ card, figure }} = ({PLACED})(); return {beside}; }}"
            )
        placed = page.evaluate(PLACED)
        for part in ("card", "bar"):
            left, top, right, bottom = placed[part]
            assert left >= 0 and top >= 0 and right <= width and bottom <= height, (width, part)
            assert not meet(placed[part], placed["head"]), (width, part)
        assert not meet(placed["card"], placed["bar"]), width
        if height < 500:  # a phone on its side: the page ends above the bar
            assert placed["main"][3] <= placed["bar"][1] + 1


LINK = "weights?lecture=on&beat=4&query=2&key=6"


def test_a_class(person, server):
    """From its begin to its end, as one lecturer and one student live it."""
    lecturer, student = person(), person()
    letters = comes_in(lecturer, student, server.url)
    is_asked(lecturer, student)
    goes_along(lecturer, student)
    press(student, "Leave")
    expect(student).to_have_url(re.compile(r"/context\?query=3&key=2$"))
    reads(lecturer, "0 follow")
    student.goto(f"{server.url}/?room={letters}")
    reads(student, "You go with the class.")
    press(lecturer, "End the class", "End it")
    reads(student, "The class is over. What you set up stays as it is.")


def comes_in(lecturer, student, url: str) -> str:
    """By a screen whose code is two thirds of the height, or by its letters; letters of no class
    are told, and the setup stays. The next step closes the screen, and the class goes along."""
    lecturer.goto(f"{url}/{LINK.replace('beat=4', 'beat=3')}")
    ready(lecturer)
    lecturer.locator(".st-key-lecture_foot [data-class=begin]").click()
    code, high = lecturer.locator(".ab-join svg"), lecturer.viewport_size["height"]
    box = code.bounding_box()
    assert high * 2 / 3 <= box["height"] and 0 <= box["y"] <= high - box["height"]
    letters = lecturer.locator(".ab-join .ab-room-letters").inner_text()
    student.goto(f"{url}/scores?d_k=5&room=bbbb")
    reads(student, "There is no class with these letters.")
    press(student, "Close")
    expect(student).to_have_url(re.compile(r"/scores\?d_k=5$"))
    ready(student)
    press(student, "Join a class")
    student.get_by_role("textbox", name="Its four letters").fill(letters.lower())
    press(student, "Join")
    reads(lecturer, "1 is here")
    lecturer.keyboard.press("ArrowRight")
    expect(code).to_be_hidden()
    student.set_viewport_size({"width": 390, "height": 844})
    is_at(student, re.escape(LINK))
    return letters


def is_asked(lecturer, student) -> None:
    """Until the answer is shown nobody reads the number that is asked for, whoever's screen it is,
    and what it is made of stays; an answer outlives a reload. Then each hears of the own one, the
    class's are bars, and one table has them. The keys stay in a card after a press in it."""
    answers = [f"{run(Setup()).value('weights')[0, 1, 5].item():.{places}f}" for places in (4, 2)]
    ready(lecturer)
    assert any(each in lecturer.evaluate(READ) for each in answers)
    press(lecturer, "Ask the class", "The chosen cell")
    expect(student.locator(".ab-room-asks")).to_have_text(["What is α[is, first]?"])
    field = student.get_by_role("textbox", name="A number")
    field.fill("many")
    press(student, "Answer")
    reads(student, "That is not a number")
    field.fill("0.23")
    field.press("Enter")
    reads(student, "Counted. You answered 0.23.")
    assert student.evaluate("document.activeElement.closest('.ab-room-card') !== null")
    reads(lecturer, "1 of 1 have answered")
    student.reload()
    expect(field).to_have_value("0.23")
    is_at(student, re.escape(LINK))
    for window in (lecturer, student):
        expect(window.locator(".ab-matrix").first).to_be_attached()
        assert not any(each in window.evaluate(READ) for each in answers)
    press(lecturer, "Show the answer")
    reads(student, "✗ Not yet: you answered 0.23.")
    reads(lecturer, "0 of 1 right.")
    assert answers[0] in student.evaluate(READ)
    in_nobodys_way(student)
    press(student, "Close")
    with lecturer.expect_download() as download:
        press(lecturer, "Save all results")
    lines = download.value.path().read_text(encoding="utf-8-sig").splitlines()
    counts = {row["answer"]: row["count"] for row in csv.DictReader(lines)}
    assert counts.pop(answers[0]) == "0" and [*counts.values()] == ["1"]
    press(lecturer, "Done")


def goes_along(lecturer, student) -> None:
    """Who follows sees the lecturer's page, chosen cell and setup, and that is no step of his
    history; the own act lets go of the class, and one press leads back."""
    steps = student.evaluate("history.length")
    lecturer.keyboard.press("Escape")
    ready(lecturer)
    lecturer.evaluate("attentionBoard.address.act({ query: 3, key: 2 })")
    is_at(student, r"weights\?beat=4&query=3&key=2")
    assert student.evaluate("history.length") == steps
    press(student, "Look around")
    lecturer.locator(".ab-bar [data-page=context]").click()
    reads(student, "You look around by yourself. The class is at Context · z[short, 1].")
    press(student, "Come back")
    is_at(student, r"context\?query=3&key=2")


def test_a_silent_line_is_told(person, server):
    """To who reads, follows or lectures and does nothing, and no longer than it lasts; a browser
    without a network tells at once."""
    reader, lecturer, student = person(), person(), person()
    reader.goto(f"{server.url}/scores?d_k=2")
    comes_in(lecturer, student, server.url)
    told = reader.get_by_text("No connection: this page")
    reader.context.set_offline(True)
    expect(told).to_be_visible()
    reader.context.set_offline(False)
    server.process.send_signal(signal.SIGSTOP)
    try:
        expect(told).to_be_visible()
        for each in (lecturer, student):
            reads(each, "The line is lost")
    finally:
        server.process.send_signal(signal.SIGCONT)
    expect(told).to_be_hidden()
    reads(lecturer, "1 follows")
    reads(student, "You go with the class.")
