"""Nothing a reader does is lost: quick hands, near by and on a slow line; Back undoes each act, and
controls show what is in force.

Every act is made in a real Chromium, the next one at any distance in time. With ACTS=all in the
environment there are thirty times as many bursts of drawn acts, hands at every distance, and a slow
line and one near by for each act; without, an act whose end can come before the answer is made on
the slow line, and each other one near by.
"""

import os
import random
import re

import pytest
from helpers import ANSWERED, address, place, show, steps, unfold
from playwright.sync_api import expect

from core.forward import trace
from core.setup.setup import DEFAULTS
from pages.shared.link import DEFAULT_PARAMETERS, parse_link, read_link
from pages.shared.link.beats import BEATS
from pages.shared.text import words
from tests.test_browser import cell

pytestmark = pytest.mark.browser
ALL = os.environ.get("ACTS") == "all"
# Milliseconds to the server and back, and between two acts.
EVERY_HAND = [(delay, gap) for delay in (0, 100) for gap in (20, 120, 300)]
QUICK_HANDS = EVERY_HAND if ALL else [(100, 120)]
SLOW = pytest.mark.parametrize("line", [0, 100] if ALL else [100], indirect=True)
NEAR = pytest.mark.parametrize("line", [0, 100] if ALL else [0], indirect=True)
SHOWN = """(names) => Object.fromEntries(names.flatMap((name) => {
  const box = document.querySelector(`:is(.ab-panel, .ab-at-figure) .st-key-${name}`);
  const input = box?.querySelector("input:checked, input[type=range]")
    ?? box?.querySelector("input, textarea");
  if (!input || input.type === "checkbox" || (input.type === "radio" && !input.checked)) return [];
  return [[name, input.value]];
}))"""


@pytest.fixture(params=QUICK_HANDS, ids=lambda pair: f"{pair[0]} ms away, {pair[1]} ms later")
def hand(request, lines):
    """Where a browser finds the server, and how long after an act the next one follows."""
    delay, gap = request.param
    return lines[delay], gap


def in_force(page) -> dict[str, str]:
    """What the address amounts to, by field that has one value, as a control shows it."""
    link = address(page).partition("?")[2]
    view, parameters = read_link(link), parse_link(link)
    values = vars(view.setup) | vars(view.focus)
    typed = {name: parameters.get(name, DEFAULTS[name]) for name in ("text", "others")}
    shown = {name: value for name, value in (values | typed).items() if name in DEFAULT_PARAMETERS}
    return {name: str(value) for name, value in shown.items() if not isinstance(value, tuple)}


def settled(page, **expected: object) -> None:
    """The address holds these values (None: the default) and is answered, and each control shows
    what is in force."""
    for name, value in expected.items():
        wanted = DEFAULT_PARAMETERS[name] if value is None else str(value)
        page.wait_for_function(
            "([name, wanted, usual]) => (new URLSearchParams(location.search).get(name) ?? usual)"
            " === wanted",
            arg=[name, wanted, DEFAULT_PARAMETERS[name]],
        )
    page.wait_for_function(ANSWERED)
    force, shown = in_force(page), page.evaluate(SHOWN, list(in_force(page)))
    wrong = {
        name: (value, force[name])
        for name, value in shown.items()
        if not is_same(value, force[name])
    }
    assert not wrong, (address(page), wrong)


def is_same(shown: str, value: str) -> bool:
    """Also 1 and 1.0."""
    return shown == value or (shown.replace(".", "").isdigit() and float(shown) == float(value))


def sentence(page):
    return page.get_by_role("textbox", name="Sentence", exact=True)


def option(page, name: str, value: str):
    page.locator(f".st-key-{name}").evaluate(
        "(e) => { const fold = e.closest('details.ab-more'); if (fold) fold.open = true; }"
    )
    return page.locator(f".st-key-{name} label").filter(has_text=re.compile(f"^{value}$"))


def slide(page, name: str, *keys: str, gap: int = 0) -> None:
    """Press keys on a slider, one after the other."""
    page.locator(f".st-key-{name} input[type=range]").focus()
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(gap)


@pytest.mark.parametrize("held", [0, 80] if ALL else [80])
@SLOW
def test_a_sentence_and_then_a_page(visit, line, held):
    """A sentence that is typed and left by a click on a page counts there, and both are steps of
    their own."""
    page = visit("scores", line)
    before = place(page)
    sentence(page).fill("the cat sat")
    page.get_by_role("link", name="5 Weights").first.click(delay=held)
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    settled(page, text="the cat sat")
    expect(page.locator(".ab-pair")).to_have_text(re.compile("cat.*sat"))
    assert steps(page, before) == 2
    page.go_back()
    expect(page.locator("h1")).to_have_text(["4 · Scores"])
    settled(page, text="the cat sat")
    page.go_back()
    settled(page, text=None)
    page.go_forward()
    settled(page, text="the cat sat")
    expect(page.locator(".ab-pair")).to_have_text(re.compile("cat.*sat"))


def test_two_acts_one_after_the_other(visit, hand):
    """Two choices, a cell and a choice, a preset and a slider that is pressed three times: each act
    counts for its own fields, and Back takes them one by one."""
    line, gap = hand
    page = visit("scores?d_model=6&d_k=4&d_v=5", line)
    unfold(page)
    option(page, "mask", "causal").click()
    page.wait_for_timeout(gap)
    option(page, "positions", "sinusoidal").click()
    settled(page, mask="causal", positions="sinusoidal")
    page.go_back()
    settled(page, mask="causal", positions=None)
    page.go_back()
    settled(page, mask=None, positions=None)
    clicked = cell(page, "scores", 5, 0)
    page.mouse.click(*clicked)
    page.wait_for_timeout(gap)
    option(page, "sizes", "wide").click()
    settled(page, query=6, key=1, sizes="wide")
    expect(page.locator(".ab-pair")).to_contain_text("first")
    page.go_back()
    settled(page, query=6, key=1, sizes=None)
    page.go_back()
    settled(page, query=None, key=None)
    before = place(page)
    page.locator("[data-preset='Biases · N3']").click()
    page.wait_for_timeout(gap)
    slide(page, "d_v", *["ArrowRight"] * 3, gap=gap)
    settled(page, d_v=5, d_k=2, d_model=4, heads=1, bias="on", out="d_model", init="xavier")
    for _ in range(steps(page, before)):
        page.go_back()
    settled(page, d_v=5, d_k=4, d_model=6, bias=None)
    page.go_forward()
    settled(page, d_v=2, d_k=2, bias="on")


def test_pages_by_a_quick_hand(visit, hand):
    """Three presses of the arrow key are three pages, and three steps back; in a lecture each is a
    beat, past a page's last one the next page's first. Whoever goes to a page and acts before it is
    there is on that page, with that choice."""
    line, gap = hand
    page = visit("embedding?d_k=3", line)
    before = place(page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    assert address(page).endswith("/weights?d_k=3")
    assert steps(page, before) == 3
    for title in ("4 · Scores", "3 · Projection"):
        page.go_back()
        expect(page.locator("h1")).to_have_text([title])
    settled(page, d_k=3)
    page.get_by_role("link", name="6 Context").first.click()
    page.wait_for_timeout(gap)
    option(page, "sizes", "wide").click()
    expect(page.locator("h1")).to_have_text(["6 · Context"])
    settled(page, sizes="wide")
    assert "/context?" in address(page)
    page.go_back()
    settled(page, sizes=None)
    expect(page.locator("h1")).to_have_text(["6 · Context"])
    page = visit(f"vocabulary?lecture=on&beat={len(BEATS['vocabulary']) - 1}", line)
    before, title = place(page), page.locator(".st-key-beat h2")
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
    expect(title).to_have_text(BEATS["embedding"][1].title)
    assert steps(page, before) == 3
    for beat in (BEATS["embedding"][0], BEATS["vocabulary"][-1]):
        page.go_back()
        expect(title).to_have_text(beat.title)


@NEAR
def test_a_slider_that_is_held_is_one_step(visit, line):
    """A slider that is moved by holding a key, or dragged through many values, ends where it was
    let go, and Back brings it to where it began. Dragged to its left end, the one under a figure
    shows the drawn weights' scores; Play goes on through each moment of training and puts today's
    link back; an act of the reader's ends it."""
    page = visit("scores?init=trained&steps=30", line)
    before = place(page)
    page.locator(".st-key-d_k input[type=range]").focus()
    for _ in range(8):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(30)
    page.keyboard.up("ArrowRight")
    settled(page, d_k=32)
    assert steps(page, before) == 1
    page.go_back()
    settled(page, d_k=None)
    slider = page.get_by_role("slider", name="Trained for")
    expect(slider).to_have_attribute("aria-valuetext", "30 of 30 steps")
    track = slider.bounding_box()
    high = track["y"] + track["height"] / 2
    page.mouse.move(track["x"] + track["width"] - 8, high)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] / 2, high, steps=4)
    page.mouse.move(track["x"] + 1, high, steps=4)
    page.mouse.up()
    settled(page, trained_for=0)
    assert steps(page, before) == 1
    setup = read_link(address(page).partition("?")[2]).setup
    score = words.number(trace.run(setup).value("scores")[0, 1, 4].item())
    expect(page.get_by_text(f"= {score}").first).to_be_attached()
    page.evaluate("""() => { window.passed = []; window.addEventListener("attention-moved", () =>
      window.passed.push(new URLSearchParams(location.search).get("trained_for"))); }""")
    play = page.get_by_role("button", name="Watch it learn")
    play.click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    settled(page, trained_for=None)
    assert page.evaluate("window.passed") == ["10", "20", None]
    expect(slider).to_have_attribute("aria-valuetext", "30 of 30 steps")
    play.click()
    settled(page, trained_for=0)
    slide(page, "d_k", "ArrowRight")
    expect(play).to_be_visible()


@NEAR
def test_what_a_link_hides_stays_hidden_and_as_it_is(visit, line):
    """What a lecturer's link hides is off the screen after acts, pages and Back, the rest is not. A
    preset that would change it is not offered, and “Reset everything” leaves it as it is."""
    page = visit("scores?hide=d_model,heads&d_model=6&heads=2&scale=d_k", line)
    presets = page.locator(".ab-presets").first.locator("[data-preset]")
    expect(page.locator(".st-key-d_model")).to_be_hidden()
    expect(page.locator(".st-key-d_k")).to_be_visible()
    expect(presets.filter(has_text="Small · class")).to_be_visible()
    expect(presets.filter(has_text="Wide · N1")).to_be_hidden()
    page.get_by_role("link", name="5 Weights").first.click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(page.locator(".st-key-d_model")).to_be_hidden()
    page.get_by_role("button", name="Reset everything").click()
    settled(page, scale=None, d_model=6, heads=2)
    assert "hide=d_model" in address(page)
    page.go_back()
    settled(page, scale="d_k", d_model=6)
    expect(page.locator(".st-key-d_model")).to_be_hidden()


@SLOW
def test_the_address_alone_brings_the_page_again(page, line):
    """A link out of range is put right in the address; after a row of acts a reload brings the same
    page. Whoever types before all of it is there is heard. Narrow heads show their own d_k, and a
    head that is not there gives way."""
    page.goto(f"{line}/context?d_k=999&query=40&head=3&d_model=15")
    page.wait_for_selector("html[data-acts]", state="attached")
    unfold(page)
    settled(page, d_k=64, query=6)
    mended = "d_k: '999' became 64; it takes whole numbers from 1 to 64."
    expect(page.get_by_text(mended)).to_be_visible()
    assert read_link(address(page).partition("?")[2]).messages == ()
    option(page, "sizes", "narrow").click()
    page.mouse.click(*cell(page, "context", 3, 2))
    settled(page, sizes="narrow", query=4, column=3)
    assert page.evaluate(SHOWN, ["head", "d_k"]) == {"head": "3", "d_k": "5"}
    slide(page, "heads", "Home")
    settled(page, heads=1)
    assert page.evaluate(SHOWN, ["head", "d_k"]) == {"head": "1", "d_k": "15"}
    seen = page.locator("[data-testid=stText]").all_inner_texts()
    page.reload()
    page.wait_for_selector("html[data-acts]", state="attached")
    settled(page, sizes="narrow", heads=1, query=4, column=3)
    assert page.locator("[data-testid=stText]").all_inner_texts() == seen
    page.reload()
    sentence(page).fill("a b a b")
    sentence(page).press("Enter")
    settled(page, text="a b a b", sizes="narrow", query=4)
    expect(page.locator(".ab-pair")).to_contain_text("b₄")


TURNS = """() => {
  const turn = () => {
    document.querySelector("[data-testid=stMain]").scrollTo(0, 300);
    const title = document.querySelector("h1").textContent;
    if (!title.includes("Weights")) requestAnimationFrame(turn);
  };
  turn();
}"""


def test_acts_while_an_answer_is_on_its_way(visit, lines):
    """On a slow line, who clicks a word and plays at once is shown that word; who marks the whole
    sentence while Back's answer comes, and types then, replaces all of it; a wheel that still turns
    moves the page before, and the next opens at its top. A part that is unfolded is a step like any
    other: Back folds it, and opens it again from the page that came after."""
    page = visit("context?text=a+b+c+d+e&query=2&d_model=7&d_k=3&d_v=2&init=xavier", lines[100])
    page.mouse.click(*cell(page, "context", 3, 1))
    shown = page.locator(".st-key-board_context")
    shown.locator(".ab-play").click()
    page.wait_for_function("() => document.querySelector('.st-key-board_context .ab-host').motion")
    show(page, "board_context", 2, 1)
    expect(shown.get_by_role("status")).to_contain_text("The sum is z, the row of “d” in Z")
    settled(page, query=4)
    page = visit("scores", lines[100])
    before = place(page)
    sentence(page).fill("the cat sat")
    sentence(page).press("Enter")
    settled(page, text="the cat sat")
    page.evaluate("history.back()")
    sentence(page).click(click_count=3)
    expect(sentence(page)).to_have_value(DEFAULT_PARAMETERS["text"])
    page.keyboard.type("a b a")
    page.keyboard.press("Enter")
    settled(page, text="a b a")
    assert steps(page, before) == 1
    tables = page.locator(".ab-closer [data-fold=tables]")
    tables.click()
    settled(page, open="tables")
    opened = page.locator(".st-key-closer_tables")
    expect(opened.locator("[data-testid=stDataFrame]").first).to_be_visible()
    page.evaluate("() => document.activeElement.blur()")
    page.keyboard.press("ArrowRight")
    page.evaluate(TURNS)
    expect(page.locator("h1")).to_have_text("5 · Weights")
    page.wait_for_function(ANSWERED)
    assert page.locator("[data-testid=stMain]").evaluate("(e) => e.scrollTop") == 0
    page.go_back()
    expect(page.locator("h1")).to_have_text("4 · Scores")
    expect(tables).to_have_attribute("aria-expanded", "true")
    page.go_back()
    settled(page, open=None)
    expect(opened).to_have_count(0)


@pytest.mark.parametrize("number", range(60 if ALL else 2))
def test_nothing_is_lost_in_a_burst(visit, lines, number):
    """Drawn acts, some before the last one is answered, all count; Back undoes them one by one, and
    Forward does them again."""
    dice = random.Random(number)
    page = visit("scores", lines[dice.choice((0, 100))])
    unfold(page)
    before, seen = place(page), [address(page)]
    for _ in range(8 if ALL else 5):
        dice.choice(DRAWN)(page, dice)
        if address(page) != seen[-1]:
            seen.append(address(page))
        page.wait_for_timeout(dice.choice((0, 0, 20, 60, 120, 300)))
    assert steps(page, before) == len(seen) - 1
    settled(page)
    for earlier in reversed(seen[:-1]):
        page.go_back(wait_until="commit")
        page.wait_for_function("(earlier) => location.href === earlier", arg=earlier)
    settled(page)
    for later in seen[1:]:
        page.go_forward(wait_until="commit")
        page.wait_for_function("(later) => location.href === later", arg=later)
    settled(page)


def counts(page, name: str, value: object) -> None:
    """An act is in the address at once."""
    parameters = parse_link(address(page).partition("?")[2])
    assert parameters.get(name, DEFAULT_PARAMETERS[name]) == str(value)


def types(page, dice) -> None:
    words = f"one two three {dice.randrange(1000)}"
    sentence(page).fill(words)
    sentence(page).press("Enter")
    counts(page, "text", words)


def turns(page, dice) -> None:
    title = dice.choice(("Embedding", "Scores", "Weights", "Context"))
    page.locator(".ab-bar a", has_text=title).click()
    assert f"/{title.lower()}" in address(page)


def chooses(page, dice) -> None:
    fields = {"mask": "none causal", "scale": "sqrt none", "sizes": "free wide", "bias": "off on"}
    name = dice.choice([*fields])
    value = dice.choice(fields[name].split())
    option(page, name, value).click()
    counts(page, name, value)


def moves(page, dice) -> None:
    name, most = dice.choice((("d_model", 64), ("heads", 20)))
    key, end = dice.choice((("Home", 1), ("End", most)))
    slide(page, name, key)
    counts(page, name, end)


def types_a_number(page, dice) -> None:
    value = dice.randint(1, 64)
    field = page.locator(".st-key-seed input")
    field.fill(str(value))
    field.press("Enter")
    counts(page, "seed", value)


def starts_from_a_preset(page, dice) -> None:
    page.locator("[data-preset='Small · class']").click()
    counts(page, "init", "xavier")


DRAWN = (types, turns, chooses, moves, types_a_number, starts_from_a_preset)
