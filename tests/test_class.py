"""A class as its people meet it: a lecturer and those who follow, in real browsers."""

import csv
import re
from contextlib import ExitStack

import pytest
from helpers import ready
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from tests.benchmarks.balancer import Address, balancing
from tests.benchmarks.classroom import redis_server
from tests.benchmarks.server import APP, serving
from tests.slow_line import slow_line
from tests.test_browser import cell
from tests.test_replicas import name_of, needs_haproxy
from tests.test_rooms import needs_redis

pytestmark = pytest.mark.browser


def at(page, url: str):
    """Open this, and wait until it is drawn."""
    page.goto(url)
    ready(page)
    return page


def press(page, *names: str | re.Pattern) -> None:
    """Press the buttons of these names, one after the other."""
    for name in names:
        page.get_by_role("button", name=name, exact=name in ("Close", "Join")).click()


def reads(page, *texts: str | re.Pattern) -> None:
    """These can be read, soon."""
    for text in texts:
        expect(page.get_by_text(text)).to_be_visible()


def begin(page) -> str:
    """Begin a class from the lecture's foot; its letters."""
    page.locator(".st-key-lecture_foot [data-class=begin]").click()
    expect(page.get_by_role("button", name="End the class")).to_be_visible()
    press(page, "Close")
    return page.evaluate("new URLSearchParams(location.search).get('room')")


def follow(page, url: str, room: str):
    """Open the link of a class, and be in it."""
    page.goto(f"{url}/?room={room}")
    reads(page, "You go with the class.")
    return page


def is_at(page, link: str) -> None:
    """This page is on screen, at this link."""
    expect(page).to_have_url(re.compile(rf"/{link}&room=[A-Z]{{4}}-[0-9a-f]{{12}}$"))
    page.wait_for_function("() => document.documentElement.dataset.answered === 'true'")


def ask(lecturer, what: str) -> None:
    """Ask the class one of what can be asked here."""
    press(lecturer, "Ask the class", what)
    expect(lecturer.get_by_role("button", name="Show the answer")).to_be_visible()


def answer(page, text: str) -> None:
    """Type an answer, and have it counted."""
    page.get_by_role("textbox", name="A number").fill(text)
    press(page, "Answer")
    reads(page, "Counted.")


def saved(page, name: str):
    """What a button lets one save."""
    with page.expect_download() as download:
        press(page, name)
    return download.value.path()


def table(page, name: str, *columns: str) -> list[tuple[str, ...]]:
    """These columns of a table that a button lets one save."""
    lines = saved(page, name).read_text(encoding="utf-8-sig").splitlines()
    return [tuple(row[column] for column in columns) for row in csv.DictReader(lines)]


def test_a_class_goes_along(person, server):
    """Who follows sees the lecturer's page, beat, chosen cell and setup; the lecturer sees how many
    do. A follower's own act lets go of the class, one press leads back, and following is no step of
    his history. Who comes later, by letters, is where the class is; letters of no class are told,
    and page and setup stay."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on&beat=2")
    room = begin(lecturer)
    student = follow(person(), server.url, room)
    is_at(student, r"scores\?lecture=on&beat=2")
    reads(lecturer, "1 follows")
    steps = student.evaluate("history.length")
    lecturer.keyboard.press("ArrowRight")
    is_at(student, r"scores\?lecture=on&beat=3")
    lecturer.keyboard.press("Escape")
    is_at(student, r"scores\?beat=3")
    ready(lecturer)
    lecturer.mouse.click(*cell(lecturer, "scores", 2, 1))
    is_at(student, r"scores\?beat=3&query=3&key=2")
    expect(student.locator(".ab-pair")).to_have_text(re.compile("short.*is"))
    assert student.evaluate("history.length") == steps
    student.locator(".ab-bar [data-page=weights]").click()
    reads(student, "You look around by yourself. The class is at Scores · ω[short, is].")
    lecturer.locator(".ab-bar [data-page=context]").click()
    reads(student, "The class is at Context · z[short, 1].")
    is_at(student, r"weights\?query=3&key=2")
    late = at(person(), f"{server.url}/scores?d_k=5&room=bbbb")
    reads(late, "There is no class with these letters.")
    press(late, "Close")
    expect(late).to_have_url(re.compile(r"/scores\?d_k=5$"))
    press(late, "Join a class")
    late.get_by_role("textbox", name="Its four letters").fill(room[:4].lower())
    press(late, "Join")
    is_at(late, r"context\?query=3&key=2")
    reads(lecturer, "2 follow")
    press(student, "Come back")
    is_at(student, r"context\?query=3&key=2")
    press(late, "Leave")
    expect(late).to_have_url(re.compile(r"/context\?query=3&key=2$"))
    reads(lecturer, "1 follows")
    press(lecturer, "End the class", "End it")
    reads(student, "The class is over. What you set up stays as it is.")


def test_the_class_is_asked(person, server):
    """Each answers on his own screen; the projected screen has their count, the speaker's notes how
    they are split, in a window that leads too. After a second vote both stand beside each other,
    each slip with its number, and can be taken home."""
    lecturer = at(person(), f"{server.url}/weights?lecture=on&query=2&key=5")
    room = begin(lecturer)
    notes = at(person(lecturer.context), f"{server.url}/weights?notes=on&room={room}")
    one, two = (follow(person(), server.url, room) for _ in range(2))
    reads(lecturer, "2 follow")
    ask(notes, "The chosen cell")
    for each in (lecturer, one, two):
        expect(each.locator(".ab-room-asks")).to_have_text(["What is α[is, dessert]?"])
    answer(one, "0.2300")
    reads(lecturer, "1 of 2 have answered")
    reads(notes, "the scores are divided by d_k")
    expect(lecturer.get_by_text("the scores are divided by d_k")).to_have_count(0)
    answer(two, "0,4917")
    reads(lecturer, "2 of 2 have answered")
    lecturer.get_by_role("button", name="Vote again").dblclick()  # the second press does nothing
    press(lecturer, "Vote again", "Yes, vote again")
    reads(one, "talk it over")
    answer(one, "0.4917")
    two.get_by_role("textbox", name="A number").fill("many")
    press(two, "Answer")
    reads(two, "That is not a number")
    reads(lecturer, "1 of 2 in the second vote")
    press(lecturer, "Show the answer")
    reads(one, "✓ Right: you answered 0.4917.")
    reads(two, "It is answered: look at the lecturer's screen.")
    reads(lecturer, "1 of 1 right. The pale bars are the first vote.")
    rows = lecturer.locator(".ab-room-result tr")
    bars = [row.locator(".ab-room-bars span").all_inner_texts() for row in rows.all()]
    assert bars == [["1", "1"], ["1", "0"]]
    expect(rows.nth(1)).to_contain_text("the scores are divided by d_k: it is √d_k")
    rows = table(lecturer, "Save as CSV", "answer", "vote 1", "vote 2")
    assert rows == [("0.4917", "1", "1"), ("0.2300", "1", "0")]
    press(lecturer, "Done", "Yes, put it away")
    expect(one.locator(".ab-room-card")).to_be_hidden()
    press(lecturer, "Undo")
    reads(one, "✓ Right: you answered 0.4917.")


def test_a_prediction_is_asked(person, server):
    """One option for each word, one bar for each in the result, and then the number that was
    computed; an answer outlives a reload."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on&text=the+cat+the+mat&query=2")
    student = follow(person(), server.url, begin(lecturer))
    ask(lecturer, "A prediction")
    names = ["the₁", "cat", "the₃", "mat"]
    expect(student.locator(".ab-ask-options button")).to_have_text(names)
    press(student, "mat")
    reads(student, "Counted.")
    student.reload()
    expect(student.locator(".ab-ask-options [aria-pressed=true]")).to_have_text(["mat"])
    press(lecturer, "Show the answer")
    expect(lecturer.locator(".ab-room-result th")).to_contain_text(names)
    rows = lecturer.locator(".ab-room-result tr").all_inner_texts()
    numbers = [re.search(r"−?\d+\.\d{4}", row)[0].replace("−", "-") for row in rows]
    computed = run(Setup(text="the cat the mat")).value("scores")[0, 1].tolist()
    assert [float(each) for each in numbers] == pytest.approx(computed, abs=6e-5)


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
WIDE, TALL = ((1366, 768), (844, 390), (667, 375), (1024, 768)), ((390, 844), (768, 1024))


def meet(one: list[float], other: list[float]) -> bool:
    """Two boxes share more than their edges."""
    return all(max(one[k], other[k]) + 1 < min(one[k + 2], other[k + 2]) for k in (0, 1))


def test_a_card_is_in_nobodys_way_and_hides_the_answer(person, server):
    """On phones and tablets in both ways, and projected: question and bar are all on screen, beside
    the figure where the window is wide, never over the page's number, and fold to one line. Until
    it is shown nobody reads the number that is asked for, whoever's screen it is, in words, in the
    figure or by a screen reader, nor who comes in meanwhile; what it is made of stays. The keys
    stay in a card after a press in it."""
    link = "weights?lecture=on&beat=4&query=2&key=6"
    lecturer = at(person(), f"{server.url}/{link}")
    student = follow(person(width=390, height=844), server.url, begin(lecturer))
    is_at(student, re.escape(link))
    answers = [f"{run(Setup()).value('weights')[0, 1, 5].item():.{places}f}" for places in (4, 2)]
    assert any(each in lecturer.evaluate(READ) for each in answers)
    ask(lecturer, "The chosen cell")
    student.get_by_role("textbox", name="A number").fill("0.23")
    student.get_by_role("textbox", name="A number").press("Enter")
    reads(student, "Counted. You answered 0.23.")
    assert student.evaluate("document.activeElement.closest('.ab-room-card') !== null")
    student.reload()
    expect(student.get_by_role("textbox", name="A number")).to_have_value("0.23")
    is_at(student, re.escape(link))
    for window in (lecturer, student):
        for beat in (4, 3, 2):  # wherever it stands
            window.evaluate("(beat) => window.attentionAddress.act({ beat })", beat)
            expect(window.locator(".ab-matrix").first).to_be_attached()
            ready(window)
            assert not any(each in window.evaluate(READ) for each in answers)
    assert "1.75" in lecturer.evaluate(READ)  # a scaled score, which goes into it
    press(student, "Come back")
    press(lecturer, "Show the answer")
    lecturer.evaluate("window.attentionAddress.act({ beat: 4 })")
    is_at(student, re.escape(link))
    expect(student.locator(".ab-host svg").first).to_be_visible()
    assert answers[0] in student.evaluate(READ)
    for width, height in (*WIDE, *TALL):
        student.set_viewport_size({"width": width, "height": height})
        expect(student.locator(".ab-host svg").first).to_be_visible()
        for fold in ("Fold", "Open"):
            placed = student.evaluate(PLACED)
            for part in ("card", "bar"):
                left, top, right, bottom = placed[part]
                assert left >= 0 and top >= 0 and right <= width and bottom <= height, (width, part)
                assert not meet(placed[part], placed["head"]), (width, part)
            assert not meet(placed["card"], placed["bar"]), width
            if height < 500:  # a phone on its side: the page ends above the bar
                assert placed["main"][3] <= placed["bar"][1] + 1
            if (width, height) in WIDE and fold == "Fold":
                beside = "figure[2] <= card[0] + 1"
                student.wait_for_function(
                    f"() => {{ const {{ card, figure }} = ({PLACED})(); return {beside}; }}"
                )
            if fold == "Open":
                assert placed["card"][3] - placed["card"][1] < 60, width
            press(student, fold)


# ---------- a screen to come in by, and the end of a vote ----------


def test_a_vote_is_closed_and_all_results_are_kept(person, server):
    """The class comes in by the panel's field, from a screen whose code is two thirds of the
    height; it cannot vote when the vote is closed, and sees no answer by that; one table has all
    questions."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on&text=the+cat+sat&query=2")
    lecturer.locator(".st-key-lecture_foot [data-class=begin]").click()
    code = lecturer.locator(".ab-join svg")
    box, high = code.bounding_box(), lecturer.viewport_size["height"]
    assert high * 2 / 3 <= box["height"] and 0 <= box["y"] <= high - box["height"]
    letters = lecturer.locator(".ab-join .ab-room-letters").inner_text()
    student = at(person(), f"{server.url}/scores")
    press(student, "Join a class")
    student.get_by_role("textbox", name="Its four letters").fill(letters.lower())
    press(student, "Join")
    expect(student).to_have_url(re.compile("lecture=on"))
    reads(lecturer, "1 is here")
    lecturer.keyboard.press("Escape")
    expect(code).to_be_hidden()
    ask(lecturer, "A prediction")
    press(student, "sat")
    reads(student, "Counted.")
    press(lecturer, "Close the vote")
    reads(student, "Voting is closed. You answered “sat”.")
    expect(student.locator(".ab-ask-options")).to_have_count(0)
    press(lecturer, "Open it again")
    press(student, "cat")
    reads(student, "Counted.")
    press(lecturer, "Show the answer")
    lecturer.locator(".ab-room-bar").get_by_role("button", name="Results").click()
    expect(lecturer.locator(".ab-results tbody tr")).to_contain_text(["1 right"])
    rows = table(lecturer, "Save all as CSV", "answer", "right", "vote 1")
    assert rows == [("the", "no", "0"), ("cat", "yes", "1"), ("sat", "no", "0")]


# ---------- what breaks ----------


@needs_haproxy
@needs_redis
def test_a_class_outlives_one_of_two_servers(person):
    """Two servers behind the balancer of compose.yaml, which share the class through Redis; one
    student's line takes 100 ms each way. In the middle of a vote the lecturer's server is killed:
    he leads on from the other, nobody's class or answer is lost."""
    with ExitStack() as stack:
        own = {"ATTENTION_REDIS": stack.enter_context(redis_server()).url}
        dies, stays = (stack.enter_context(serving(APP, environment=own)) for _ in range(2))
        front = stack.enter_context(balancing(Address(dies.port), Address(stays.port)))
        slow = stack.enter_context(slow_line(front.port, 0.1))

        def on(home):
            window = person()
            cookie = {"name": "replica", "value": name_of(home), "url": front.url}
            window.context.add_cookies([cookie])
            return window

        lecturer = at(on(dies), f"{front.url}/scores?lecture=on")
        room = begin(lecturer)
        near = follow(on(stays), front.url, room)
        far = follow(on(dies), f"http://127.0.0.1:{slow}", room)
        reads(lecturer, "2 follow")
        lecturer.keyboard.press("ArrowRight")
        for each in (near, far):
            is_at(each, r"scores\?lecture=on&beat=2")
        ask(lecturer, "The chosen cell")
        answer(near, "11.1466")
        reads(lecturer, "1 of 2 have answered")
        dies.process.kill()
        dies.process.wait()
        answer(far, "2.2753")
        # for half a minute the dead server's window is counted (test_rooms)
        reads(lecturer, re.compile("^2 of [23] have answered"))
        press(lecturer, "Show the answer")
        reads(near, "✓ Right")
        reads(far, "the score is scaled already: that is the next step")
        expect(lecturer.locator(".ab-room-result tr")).to_have_count(2)
        press(lecturer, "Done", "Yes, put it away")
        lecturer.keyboard.press("Escape")
        ready(lecturer)
        lecturer.mouse.click(*cell(lecturer, "scores", 4, 0))
        for each in (near, far):
            is_at(each, r"scores\?beat=2&query=5&key=1")
            expect(each.locator(".ab-pair")).to_have_text(re.compile("dessert.*Life"))


@needs_redis
def test_what_redis_lost_is_said_and_asked_again(person):
    """Redis is killed during a vote and begins with nothing: all are back by themselves, every
    screen says that the question is gone, and the lecturer asks it again at one press."""
    with (
        redis_server() as redis,
        serving(APP, environment={"ATTENTION_REDIS": redis.url}) as shared,
    ):
        lecturer = at(person(), f"{shared.url}/weights?lecture=on&query=2&key=5")
        student = follow(person(), shared.url, begin(lecturer))
        ask(lecturer, "The chosen cell")
        answer(student, "0.23")
        redis.die()
        reads(student, "The line is lost")
        redis.start()
        for each in (lecturer, student):
            reads(each, "The server began anew and has its answers no more")
        press(lecturer, "Ask it again")
        answer(student, "0.4917")
        reads(lecturer, re.compile("^1 of 1 ha(s|ve) answered"))
