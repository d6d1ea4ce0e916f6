"""What a lecturer has besides, as people meet it: two browsers and a phone in one class."""

import csv
import json
import re

import pytest
from helpers import ready
from playwright.sync_api import expect

from tests.test_class import at, begin, follow, is_at

pytestmark = pytest.mark.browser
ASKS = "Which part <b>decides</b>?"


def test_own_questions_are_written_and_kept(person, server):
    """Written before there is a class, refused in words where something is missing, kept in this
    browser, saved as a file, and taken along to another by a link, which goes from the address."""
    lecturer = at(person(), f"{server.url}/scores?open=lecture_panel")
    lecturer.get_by_text("Lecture and class").click()
    lecturer.get_by_role("button", name="Your own questions").click()
    lecturer.get_by_role("button", name="Write a question").click()
    lecturer.get_by_label("The question").fill(ASKS)
    lecturer.get_by_role("textbox", name="Choice 1").fill("q · k")
    lecturer.get_by_role("button", name="Keep it for later").click()
    expect(lecturer.get_by_text("It has at least two choices.")).to_be_visible()
    lecturer.get_by_role("textbox", name="Choice 2").fill("=1+1")
    lecturer.get_by_role("button", name="Choice 1 is right").click()
    lecturer.get_by_role("button", name="Keep it for later").click()
    expect(lecturer.get_by_text("Kept in this browser.")).to_be_visible()
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Save as a file").click()
    assert json.loads(saved.value.path().read_text(encoding="utf-8"))["questions"] == [
        {"asks": ASKS, "options": ["q · k", "=1+1"], "right": 0}
    ]
    lecturer.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lecturer.get_by_role("button", name="Copy a link with them").click()
    expect(lecturer.get_by_text("It has the right answers, too")).to_be_visible()
    link = lecturer.evaluate("navigator.clipboard.readText()")
    colleague = person()
    colleague.goto(link)
    expect(colleague.get_by_text("One question came and is kept in this browser.")).to_be_visible()
    assert "#" not in colleague.url
    expect(colleague.locator(".ab-own bdi")).to_have_text([ASKS])


def test_a_class_comes_in_and_is_asked_an_own_question(person, server):
    """It comes in by the first page's field, from a screen whose code is two thirds of the height;
    it sees markup as text, no answer, and cannot vote when the vote is closed; the table has
    all."""
    lecturer = person()
    own = json.dumps([{"asks": ASKS, "options": ["q · k", "=1+1"], "right": 0}])
    lecturer.add_init_script(f"localStorage.setItem('attention-questions', {json.dumps(own)})")
    at(lecturer, f"{server.url}/scores?lecture=on")
    lecturer.locator(".st-key-lecture_foot [data-class=begin]").click()
    code = lecturer.locator(".ab-join svg")
    box, high = code.bounding_box(), lecturer.viewport_size["height"]
    assert box["height"] >= high * 2 / 3
    assert box["y"] >= 0
    assert box["y"] + box["height"] <= high
    letters = lecturer.locator(".ab-join .ab-room-letters").inner_text()
    student = at(person(is_phone=True), f"{server.url}/")
    student.get_by_role("textbox", name="The four letters of your class").fill(letters.lower())
    student.get_by_role("button", name="Join", exact=True).click()
    is_at(student, r"scores\?lecture=on")
    expect(lecturer.get_by_text("1 is here")).to_be_visible()
    lecturer.keyboard.press("Escape")
    expect(code).to_be_hidden()
    assert "lecture=on" in lecturer.url

    lecturer.get_by_role("button", name="Ask the class").click()
    lecturer.get_by_role("button", name=ASKS).click()
    expect(student.locator(".ab-room-asks")).to_have_text([ASKS])
    lecturer.get_by_role("button", name="Close the vote in 1 min").click()
    expect(student.get_by_role("timer")).to_have_text(re.compile(r"0:5\d|1:00"))
    student.get_by_role("button", name="=1+1").click()
    expect(student.get_by_text("Counted.")).to_be_visible()
    lecturer.get_by_role("button", name="Close the vote now").click()
    expect(student.get_by_text("Voting is closed. You answered “=1+1”.")).to_be_visible()
    expect(student.locator(".ab-ask-options")).to_have_count(0)
    expect(student.locator(".ab-room-card")).not_to_contain_text("The answer is")
    lecturer.get_by_role("button", name="Show the answer").click()
    expect(student.get_by_text("The answer is “q · k”.")).to_be_visible()
    lecturer.locator(".ab-room-bar").get_by_role("button", name="Results").click()
    row = lecturer.locator(".ab-results tbody tr")
    expect(row).to_have_count(1)
    expect(row).to_contain_text("0 right")
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Save all as CSV").click()
    table = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert [
        (each["question"], each["answer"], each["right"], each["vote 1"]) for each in table
    ] == [
        (ASKS, "q · k", "yes", "0"),
        (ASKS, "'=1+1", "no", "1"),
    ]
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Save question 1 as a picture").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")


def test_a_phone_leads_too(person, server):
    """By the link it leads beside the laptop: each goes where the other went, so does the class; it
    asks with what a thumb reaches, and follows once the link is taken back. The key stays in
    neither address."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on")
    room = begin(lecturer)
    student = follow(person(), server.url, room)
    lecturer.get_by_role("button", name=re.compile("^Class ")).click()
    lecturer.get_by_role("button", name="Lead from a phone, or hand over").click()
    lecturer.get_by_role("button", name="Make the link").click()
    lecturer.context.grant_permissions(["clipboard-read", "clipboard-write"])
    lecturer.get_by_role("button", name="Copy the link").click()
    expect(lecturer.get_by_text("Copied.")).to_be_visible()
    link = lecturer.evaluate("navigator.clipboard.readText()")
    phone = person(is_phone=True)
    phone.goto(re.sub(r"^https?://[^/]*", server.url, link))
    expect(phone.get_by_role("button", name="Ask the class")).to_be_visible()
    assert "#" not in phone.url
    is_at(phone, r"scores\?lecture=on")
    ready(phone)
    phone.locator(".st-key-lecture_foot [rel=next]").click()
    for each in (phone, lecturer, student):
        is_at(each, r"scores\?lecture=on&beat=2")
    lecturer.locator(".ab-room-card").get_by_role("button", name="Close").click()
    lecturer.keyboard.press("ArrowRight")
    for each in (lecturer, phone, student):
        is_at(each, r"scores\?lecture=on&beat=3")
    phone.get_by_role("button", name="Ask the class").click()
    phone.get_by_role("button", name="Write a question").click()
    phone.get_by_label("The question").fill("How many heads?")
    phone.get_by_role("button", name="A number").click()
    phone.get_by_label("The answer").fill("3")
    phone.get_by_role("button", name="Ask the class now").click()
    expect(student.get_by_text("How many heads?")).to_be_visible()
    for name in ("Show the answer", "Vote again", "Done", "End the class"):
        button = phone.get_by_role("button", name=name)
        box = button.bounding_box()
        assert box["x"] >= 0, name
        assert box["x"] + box["width"] <= 390, name
        assert box["y"] + box["height"] <= 844, name
    phone.get_by_role("button", name="Show the answer").click()
    expect(lecturer.get_by_text("0 of 0 right.")).to_be_visible()
    lecturer.get_by_role("button", name=re.compile("^Class ")).click()
    lecturer.get_by_role("button", name="Lead from a phone, or hand over").click()
    lecturer.get_by_role("button", name="Take it back").click()
    expect(phone.get_by_text("You go with the class.")).to_be_visible()
