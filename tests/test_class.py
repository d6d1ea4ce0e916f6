"""A class as its people meet it: a lecturer and those who follow, in real browsers."""

import csv
import json
import re
from contextlib import ExitStack

import pytest
from helpers import ready
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from tests.benchmarks.balancer import Address, balancing
from tests.benchmarks.classroom import find_redis, redis_server
from tests.benchmarks.pages import APP
from tests.benchmarks.server import serving
from tests.slow_line import slow_line
from tests.test_browser import cell
from tests.test_replicas import name_of, needs_haproxy

pytestmark = pytest.mark.browser
needs_redis = pytest.mark.skipif(
    find_redis() is None, reason="no Redis on this machine: install the package redis-server"
)


def at(page, url: str):
    """Open this, and wait until it is drawn."""
    page.goto(url)
    ready(page)
    return page


def begin(page) -> str:
    """Begin a class from the lecture's foot; its letters."""
    page.locator(".st-key-lecture_foot [data-class=begin]").click()
    expect(page.get_by_role("button", name="End the class")).to_be_visible()
    page.get_by_role("button", name="Close").click()
    return page.evaluate("new URLSearchParams(location.search).get('room')")


def follow(page, url: str, room: str):
    """Open the link of a class, and be in it."""
    page.goto(f"{url}/?room={room}")
    expect(page.get_by_text("You go with the class.")).to_be_visible()
    return page


def is_at(page, link: str) -> None:
    """This page is on screen, at this link."""
    expect(page).to_have_url(re.compile(rf"/{link}&room=[A-Z]{{4}}-[0-9a-f]{{12}}$"))
    page.wait_for_function("() => document.documentElement.dataset.answered === 'true'")


def answer(page, text: str) -> None:
    """Type an answer, and have it counted."""
    page.get_by_role("textbox", name="A number").fill(text)
    page.get_by_role("button", name="Answer").click()
    expect(page.get_by_text("Counted.")).to_be_visible()


def test_a_class_goes_along(person, server):
    """Who follows sees the lecturer's page, beat, chosen cell and setup; the lecturer sees how many
    do. A follower's own act lets go of the class, one press leads back, and following is no step of
    his history. Who comes later is where the class is."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on&beat=2")
    room = begin(lecturer)
    student = follow(person(), server.url, room)
    is_at(student, r"scores\?lecture=on&beat=2")
    expect(lecturer.get_by_text("1 follows")).to_be_visible()
    steps = student.evaluate("history.length")
    lecturer.keyboard.press("ArrowRight")
    is_at(student, r"scores\?lecture=on&beat=3")
    expect(student.locator(".st-key-beat h2")).to_have_text(["Their products, number by number"])
    lecturer.keyboard.press("Escape")
    is_at(student, r"scores\?beat=3")
    ready(lecturer)
    lecturer.mouse.click(*cell(lecturer, "scores", 2, 1))
    is_at(student, r"scores\?beat=3&query=3&key=2")
    expect(student.get_by_text("“short” asks, “is” is asked.")).to_be_visible()
    assert student.evaluate("history.length") == steps
    student.locator(".ab-bar [data-page=weights]").click()
    expect(
        student.get_by_text("You look around by yourself. The class is at Scores · ω[short, is].")
    ).to_be_visible()
    lecturer.locator(".ab-bar [data-page=context]").click()
    expect(student.get_by_text("The class is at Context · z[short, 1].")).to_be_visible()
    is_at(student, r"weights\?query=3&key=2")
    late = follow(person(width=390, height=844), server.url, room)
    is_at(late, r"context\?query=3&key=2")
    expect(lecturer.get_by_text("2 follow")).to_be_visible()
    student.get_by_role("button", name="Come back").click()
    is_at(student, r"context\?query=3&key=2")
    late.get_by_role("button", name="Leave").click()
    expect(late).to_have_url(re.compile(r"/context\?query=3&key=2$"))
    expect(lecturer.get_by_text("1 follows")).to_be_visible()
    lecturer.get_by_role("button", name="End the class").click()
    lecturer.get_by_role("button", name="End it").click()
    expect(
        student.get_by_text("The class is over. What you set up stays as it is.")
    ).to_be_visible()


def test_the_class_is_asked(person, server, tmp_path):
    """Each answers on his own screen; the projected screen has their count, the speaker's notes how
    they are split, in a window that leads too. After a second vote both stand beside each other,
    each slip with its number, and can be taken home."""
    lecturer = at(person(), f"{server.url}/weights?lecture=on&query=2&key=5")
    room = begin(lecturer)
    notes = at(person(lecturer.context), f"{server.url}/weights?notes=on&room={room}")
    one, two = (follow(person(), server.url, room) for _ in range(2))
    expect(lecturer.get_by_text("2 follow")).to_be_visible()
    notes.get_by_role("button", name="Ask the class").click()
    notes.get_by_role("button", name="The chosen cell").click()
    for each in (lecturer, one, two):
        expect(each.locator(".ab-room-asks")).to_have_text(["What is α[is, dessert]?"])
    answer(one, "0.2300")
    expect(lecturer.get_by_text("1 of 2 have answered")).to_be_visible()
    expect(notes.get_by_text("the scores are divided by d_k")).to_be_visible()
    expect(lecturer.get_by_text("the scores are divided by d_k")).to_have_count(0)
    answer(two, "0,4917")
    expect(lecturer.get_by_text("2 of 2 have answered")).to_be_visible()
    lecturer.get_by_role("button", name="Vote again").dblclick()  # the second press does nothing
    expect(lecturer.get_by_role("button", name="Vote again")).to_be_visible()
    lecturer.get_by_role("button", name="Vote again").click()
    lecturer.get_by_role("button", name="Yes, vote again").click()
    expect(one.get_by_text("talk it over")).to_be_visible()
    answer(one, "0.4917")
    two.get_by_role("textbox", name="A number").fill("many")
    two.get_by_role("button", name="Answer").click()
    expect(two.get_by_text("That is not a number")).to_be_visible()
    expect(lecturer.get_by_text("1 of 2 in the second vote")).to_be_visible()
    lecturer.get_by_role("button", name="Show the answer").click()
    expect(one.get_by_text("✓ Right: you answered 0.4917.")).to_be_visible()
    expect(two.get_by_text("It is answered: look at the lecturer's screen.")).to_be_visible()
    expect(lecturer.get_by_text("1 of 1 right. The pale bars are the first vote.")).to_be_visible()
    rows = lecturer.locator(".ab-room-result tr")
    expect(rows).to_have_count(2)
    assert rows.nth(0).locator(".ab-room-bars span").all_inner_texts() == ["1", "1"]
    assert rows.nth(1).locator(".ab-room-bars span").all_inner_texts() == ["1", "0"]
    expect(rows.nth(1)).to_contain_text("the scores are divided by d_k: it is √d_k")
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Save as CSV").click()
    table = list(csv.DictReader(saved.value.path().read_text(encoding="utf-8-sig").splitlines()))
    assert [(row["answer"], row["vote 1"], row["vote 2"]) for row in table] == [
        ("0.4917", "1", "1"),
        ("0.2300", "1", "0"),
    ]
    with lecturer.expect_download() as saved:
        lecturer.get_by_role("button", name="Save as a picture").click()
    assert saved.value.path().read_bytes().startswith(b"\x89PNG")
    put_away(lecturer)
    expect(one.locator(".ab-room-card")).to_be_hidden()
    lecturer.get_by_role("button", name="Undo").click()
    expect(one.get_by_text("✓ Right: you answered 0.4917.")).to_be_visible()
    expect(lecturer.get_by_text("1 of 1 right. The pale bars are the first vote.")).to_be_visible()


def test_a_prediction_is_asked(person, server):
    """One option for each word, one bar for each in the result, and then the number that was
    computed; an answer outlives a reload."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on&text=the+cat+the+mat&query=2")
    room = begin(lecturer)
    student = follow(person(), server.url, room)
    lecturer.get_by_role("button", name="Ask the class").click()
    lecturer.get_by_role("button", name="A prediction").click()
    names = ["the₁", "cat", "the₃", "mat"]
    expect(student.locator(".ab-ask-options button")).to_have_text(names)
    student.get_by_role("button", name="mat").click()
    expect(student.get_by_text("Counted.")).to_be_visible()
    student.reload()
    expect(student.locator(".ab-ask-options [aria-pressed=true]")).to_have_text(["mat"])
    lecturer.get_by_role("button", name="Show the answer").click()
    expect(lecturer.locator(".ab-room-result th")).to_have_count(4)
    shown = lecturer.locator(".ab-room-result tr").all_inner_texts()
    assert [name in row for name, row in zip(names, shown, strict=True)] == [True] * 4
    computed = run(Setup(text="the cat the mat")).value("scores")[0, 1].tolist()
    assert [
        float(re.findall(r"−?\d+\.\d{4}", row)[0].replace("−", "-")) for row in shown
    ] == pytest.approx(computed, abs=6e-5)


def test_another_class_begins_with_nothing_of_the_last(person, server):
    """Who ends a class and begins another has neither its question nor its counts nor its cards;
    nor has who follows both, and the server cannot tell that it is the same browser."""
    lecturer, student, said, told = (
        at(person(), f"{server.url}/scores?lecture=on"),
        person(),
        [],
        [],
    )
    student.on(
        "websocket",
        lambda line: line.on(
            "framesent", lambda text: said.append(text) if '"come"' in str(text) else None
        ),
    )
    student.on(
        "websocket",
        lambda line: line.on(
            "framereceived", lambda text: told.append(text) if '"is": "name"' in str(text) else None
        ),
    )
    for _ in range(2):
        follow(student, server.url, begin(lecturer))
        ask(lecturer, "The chosen cell")
        expect(lecturer.get_by_text("0 of 1 have answered")).to_be_visible()
        answer(student, "11.1466")
        expect(lecturer.get_by_text("1 of 1 have answered")).to_be_visible()
        lecturer.get_by_role("button", name="Show the answer").click()
        expect(student.get_by_text("✓ Right: you answered 11.1466.")).to_be_visible()
        student.get_by_role("button", name="Close").click()
        lecturer.get_by_role("button", name="End the class").click()
        lecturer.get_by_role("button", name="End it").click()
        expect(student.get_by_text("The class is over.")).to_be_visible()
        student.get_by_role("button", name="Close").click()
        lecturer.locator(".ab-room-bar").get_by_role("button", name="Close").click()
    assert {json.loads(text)["who"] for text in said} == {""}
    assert len({json.loads(text)["who"] for text in told}) == 2


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
PLACED = """() => Object.fromEntries(Object.entries({
  card: ".ab-room-card", bar: ".ab-room-bar", head: ".st-key-beat h1",
  figure: ".ab-host svg" }).map(([name, where]) => [name,
    document.querySelector(where)?.getBoundingClientRect()])
  .filter(([, box]) => box?.width).map(([name, box]) => [name, [box.left, box.top, box.right,
    box.bottom]]))"""
COVERED_BY = """(e) => { e.scrollIntoView({ block: "end" });
  const { left, top, width, height } = e.getBoundingClientRect();
  const there = document.elementFromPoint(left + width / 2, top + height / 2);
  return e.contains(there) ? "" : there?.outerHTML ?? "nothing"; }"""
WIDE, TALL = ((1366, 768), (844, 390), (667, 375), (1024, 768)), ((390, 844), (768, 1024))


def meet(one: list[float], other: list[float]) -> bool:
    """Two boxes share more than their edges."""
    return all(max(one[k], other[k]) + 1 < min(one[k + 2], other[k + 2]) for k in (0, 1))


def test_a_card_is_in_nobodys_way(person, server):
    """On phones and tablets in both ways, and projected: question and bar are all on screen, beside
    the figure where the window is wide, never over the page's number, and fold to one line. Until
    it is shown nobody reads the number that is asked for, whoever's screen it is, in words, in the
    figure or by a screen reader, nor who comes in meanwhile; what it is made of stays. What stands
    at the foot of page and setup can be reached. The keys stay in a card after a press in it."""
    link = "weights?lecture=on&beat=4&query=2&key=6"
    lecturer = at(person(), f"{server.url}/{link}")
    room = begin(lecturer)
    student = follow(person(width=390, height=844), server.url, room)
    is_at(student, re.escape(link))
    answers = [f"{run(Setup()).value('weights')[0, 1, 5].item():.{places}f}" for places in (4, 2)]
    assert any(each in lecturer.evaluate(READ) for each in answers)
    ask(lecturer, "The chosen cell")
    student.get_by_role("textbox", name="A number").fill("0.23")
    student.get_by_role("textbox", name="A number").press("Enter")
    expect(student.get_by_text("Counted. You answered 0.23.")).to_be_visible()
    assert student.evaluate("document.activeElement.closest('.ab-room-card') !== null")
    student.reload()
    expect(student.get_by_text("Counted. You answered 0.23.")).to_be_visible()
    expect(student.get_by_role("textbox", name="A number")).to_have_value("0.23")
    is_at(student, re.escape(link))
    for window in (lecturer, student):
        for beat in (4, 3, 5):  # wherever it stands
            window.evaluate("(beat) => window.attentionAddress.act({ beat })", beat)
            expect(window.locator(".ab-matrix").first).to_be_attached()
            ready(window)
            assert not any(each in window.evaluate(READ) for each in answers)
    assert "1.75" in lecturer.evaluate(READ)  # a scaled score, which goes into it
    student.get_by_role("button", name="Come back").click()
    lecturer.get_by_role("button", name="Show the answer").click()
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
                assert (
                    student.evaluate(
                        "document.querySelector('.stMain').getBoundingClientRect().bottom"
                    )
                    <= placed["bar"][1] + 1
                )
            if (width, height) in WIDE and fold == "Fold":
                student.wait_for_function(
                    f"() => {{ const {{ card, figure }} = ({PLACED})(); return figure[2] <= card[0]"
                    " + 1; }"
                )
            if fold == "Open":
                assert placed["card"][3] - placed["card"][1] < 60, width
            student.get_by_role("button", name=fold).click()
    lecturer.keyboard.press("Escape")
    for width, height in ((1366, 768), (390, 844)):
        student.set_viewport_size({"width": width, "height": height})
        is_at(student, r"weights\?beat=4&query=2&key=6")
        reach_the_feet(student, is_phone=width < 640)


def reach_the_feet(student, is_phone: bool) -> None:
    """What stands at the foot of the page, and at that of the setup, is under nothing, once what
    slides has come to rest."""
    if (
        is_phone and student.locator("[data-testid=stSidebar][data-collapsed=false]").count()
    ):  # a sheet over the page's foot
        student.get_by_test_id("stSidebarCollapseButton").get_by_role("button").click()
    foot, reset = (
        student.locator("[data-testid=stMain] .ab-words a").last,
        student.locator(".st-key-reset"),
    )
    student.wait_for_function(f"(e) => ({COVERED_BY})(e) === ''", arg=foot.element_handle())
    if student.get_by_test_id("stExpandSidebarButton").count():
        student.get_by_test_id("stExpandSidebarButton").click()
    student.wait_for_function(f"(e) => ({COVERED_BY})(e) === ''", arg=reset.element_handle())


def test_a_laptop_that_sleeps_leads_on(person, server):
    """After ten minutes in which the lecturer's browser did nothing and heard nothing, it has the
    class again by itself; meanwhile the others are where it was."""
    lecturer = person()
    lecturer.clock.install()
    at(lecturer, f"{server.url}/scores?lecture=on")
    room = begin(lecturer)
    student = follow(person(), server.url, room)
    with lecturer.expect_websocket(lambda line: line.url.endswith("/room")):
        lecturer.clock.fast_forward(600_000)
    expect(lecturer.get_by_text("1 follows")).to_be_visible()
    lecturer.keyboard.press("ArrowRight")
    is_at(student, r"scores\?lecture=on&beat=2")
    lecturer.context.close()  # its clock stays another


def test_letters_that_open_nothing(person, server):
    """Whoever types letters of no class is told so, and why it may be; the page and its setup stay,
    and other letters can be typed."""
    lecturer = at(person(), f"{server.url}/scores?lecture=on")
    room = begin(lecturer)
    student = at(person(), f"{server.url}/scores?d_k=5&room=bbbb")
    expect(student.get_by_text("There is no class with these letters.")).to_be_visible()
    expect(student.get_by_text("Redis")).to_have_count(0)
    student.get_by_role("button", name="Close", exact=True).click()
    expect(student).to_have_url(re.compile(r"/scores\?d_k=5$"))
    student.get_by_text("Lecture and class").click()
    student.get_by_role("button", name="Join a class").click()
    student.get_by_role("textbox", name="Its four letters").fill(room[:4].lower())
    student.get_by_role("button", name="Join", exact=True).click()
    is_at(student, r"scores\?lecture=on")


@needs_haproxy
@needs_redis
def test_beats_an_exercise_and_a_prediction_while_a_server_dies(person, server):
    """Two servers behind the balancer of compose.yaml, which share the class through Redis; one
    student's line takes 100 ms each way. In the middle of it the lecturer's server is killed: he
    leads on from the other, nobody's class or answer is lost."""
    with ExitStack() as stack:
        redis = stack.enter_context(redis_server())
        dies, stays = (
            stack.enter_context(serving(APP, environment={"ATTENTION_REDIS": redis.url}))
            for _ in range(2)
        )
        front = stack.enter_context(balancing(Address(dies.port), Address(stays.port)))
        slow = stack.enter_context(slow_line(front.port, 0.1))

        def on(home):
            window = person()
            window.context.add_cookies(
                [{"name": "replica", "value": name_of(home), "url": front.url}]
            )
            return window

        lecturer = at(on(dies), f"{front.url}/scores?lecture=on")
        room = begin(lecturer)
        near = follow(on(stays), front.url, room)
        far = follow(on(dies), f"http://127.0.0.1:{slow}", room)
        students = (near, far)
        expect(lecturer.get_by_text("2 follow")).to_be_visible()
        for beat in range(2, 4):
            lecturer.keyboard.press("ArrowRight")
            for each in students:
                is_at(each, rf"scores\?lecture=on&beat={beat}")
        ask(lecturer, "The chosen cell")
        answer(near, "11.1466")
        expect(lecturer.get_by_text("1 of 2 have answered")).to_be_visible()
        dies.process.kill()
        dies.process.wait()
        answer(far, "2.2753")
        answered = re.compile(
            "^2 of [23] have answered"
        )  # for half a minute the dead server's window is counted (test_rooms)
        expect(lecturer.get_by_text(answered)).to_be_visible()
        lecturer.get_by_role("button", name="Show the answer").click()
        expect(near.get_by_text("✓ Right")).to_be_visible()
        expect(
            far.get_by_text("the score is scaled already: that is the next step")
        ).to_be_visible()
        rows = lecturer.locator(".ab-room-result tr")
        expect(rows).to_have_count(2)
        expect(rows.nth(1)).to_contain_text("the score is scaled already")
        put_away(lecturer)
        lecturer.keyboard.press("ArrowRight")
        for each in students:
            is_at(each, r"scores\?lecture=on&beat=4")
        ask(lecturer, "A prediction")
        for each in students:
            each.get_by_role("button", name="dessert").click()
            expect(each.get_by_text("Counted.")).to_be_visible()
        lecturer.get_by_role("button", name="Show the answer").click()
        expect(lecturer.get_by_text("2 of 2 right.")).to_be_visible()
        expect(lecturer.get_by_text(re.compile("^[23] follow"))).to_be_visible()


@needs_redis
def test_what_redis_lost_is_said_and_asked_again(person, server):
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
        expect(student.get_by_text("The line is lost")).to_be_visible()
        redis.start_again()
        for each in (lecturer, student):
            expect(
                each.get_by_text("The server began anew and has its answers no more")
            ).to_be_visible()
        lecturer.get_by_role("button", name="Ask it again").click()
        answer(student, "0.4917")
        expect(lecturer.get_by_text(re.compile("^1 of 1 ha(s|ve) answered"))).to_be_visible()


def put_away(lecturer) -> None:
    """Put a question away, which is asked for twice."""
    lecturer.get_by_role("button", name="Done").click()
    lecturer.get_by_role("button", name="Yes, put it away").click()


def ask(lecturer, what: str) -> None:
    """Ask the class one of what can be asked here."""
    lecturer.get_by_role("button", name="Ask the class").click()
    lecturer.get_by_role("button", name=what).click()
    expect(lecturer.get_by_role("button", name="Show the answer")).to_be_visible()
