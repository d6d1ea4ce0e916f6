"""Nothing a reader does is lost: quick hands, near by and on a slow line; Back undoes each act, and
controls show what is in force.

Every act is made in a real Chromium, the next one at any distance in time. With ACTS=all in the
environment there are twenty times as many bursts of drawn acts, hands at every distance, and a slow
line and one near by for each act; without, an act whose end can come before the answer is made on
the slow line, and each other one near by.
"""

import os
import random
import re

import pytest
from helpers import ANSWERED, address, follow, place, show, steps, unfold
from playwright.sync_api import expect

from core import trace
from core.setup import DEFAULTS
from pages.shared.link import DEFAULT_PARAMETERS, parse_link, read_link
from pages.shared.link.beats import BEATS
from pages.shared.said import words
from tests.test_browser import cell

pytestmark = pytest.mark.browser
ALL = os.environ.get("ACTS") == "all"
# Milliseconds to the server and back, and between two acts.
QUICK_HANDS = (
    [(delay, gap) for delay in (0, 100) for gap in (20, 120, 300)] if ALL else [(0, 20), (100, 200)]
)
ONE_HAND = pytest.mark.parametrize("hand", QUICK_HANDS if ALL else [(100, 200)], indirect=True)
SLOW = pytest.mark.parametrize("line", [0, 100] if ALL else [100], indirect=True)
NEAR = pytest.mark.parametrize("line", [0, 100] if ALL else [0], indirect=True)
SHOWN = """(names) => Object.fromEntries(names.flatMap((name) => {
  const box = document.querySelector(`:is(.ab-panel, .ab-at-figure) .st-key-${name}`);
  const input = box?.querySelector("input:checked, input[type=range]")
    ?? box?.querySelector("input, textarea, select");
  if (!input || input.type === "checkbox" || (input.type === "radio" && !input.checked)) return [];
  return [[name, input.localName === "select" ? String(input.selectedIndex + 1) : input.value]];
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


@pytest.mark.parametrize("held", [0, 80], ids=["no hand", "a hand"])
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
    expect(page.get_by_text("α[cat, sat]").first).to_be_visible()
    assert steps(page, before) == 2
    page.go_back()
    expect(page.locator("h1")).to_have_text(["4 · Scores"])
    settled(page, text="the cat sat")
    page.go_back()
    settled(page, text=None)
    page.go_forward()
    settled(page, text="the cat sat")
    expect(page.get_by_text("“cat” asks, “sat” is asked.")).to_be_visible()


@ONE_HAND
def test_two_choices(visit, hand):
    """Two choices one after the other both count, and Back takes them one by one."""
    line, gap = hand
    page = visit("weights", line)
    unfold(page)
    option(page, "mask", "causal").click()
    page.wait_for_timeout(gap)
    option(page, "positions", "sinusoidal").click()
    settled(page, mask="causal", positions="sinusoidal")
    page.go_back()
    settled(page, mask="causal", positions=None)
    page.go_back()
    settled(page, mask=None, positions=None)
    page.go_forward()
    settled(page, mask="causal", positions=None)


@ONE_HAND
def test_nine_presses_on_three_sliders(visit, hand):
    """Each press on each slider counts."""
    line, gap = hand
    page = visit("scores", line)
    for name in ("d_model", "d_k", "d_v"):
        slide(page, name, *["ArrowRight"] * 3, gap=gap)
    settled(page, d_model=19, d_k=27, d_v=31)
    expect(page.get_by_text("27 terms.")).to_be_visible()


@NEAR
def test_a_held_key_is_one_step(visit, line):
    """A slider moved by holding a key ends where the key was let go, and Back brings it to where it
    began."""
    page = visit("scores", line)
    before = place(page)
    page.locator(".st-key-d_k input[type=range]").focus()
    for _ in range(20):
        page.keyboard.down("ArrowRight")
        page.wait_for_timeout(30)
    page.keyboard.up("ArrowRight")
    settled(page, d_k=44)
    assert steps(page, before) == 1
    page.go_back()
    settled(page, d_k=None)


@NEAR
def test_a_drag_is_one_step(visit, line):
    """A slider that is dragged through many values counts where it is let go."""
    page = visit("scores", line)
    before = place(page)
    track = page.locator(".st-key-d_k input[type=range]").bounding_box()
    thumb = track["x"] + 0.37 * track["width"], track["y"] + track["height"] / 2
    page.mouse.move(*thumb)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(thumb[0] + k * 0.05 * track["width"], thumb[1])
        page.wait_for_timeout(40)
    page.mouse.up()
    page.wait_for_function("() => /d_k=\\d+/.test(location.search)")
    settled(page)
    assert steps(page, before) == 1
    page.go_back()
    settled(page, d_k=None)


@NEAR
def test_weights_are_dragged_and_played_from_noise_to_meaning(visit, line):
    """Under a figure, the slider goes through the moments of training: a drag to its left end is
    one step, and shows the drawn weights' scores; Play goes on to the end, through each moment, and
    puts today's link back; an act of the reader's ends it."""
    page = visit("scores?init=trained&steps=30", line)
    slider, play = (
        page.get_by_role("slider", name="Trained for"),
        page.get_by_role("button", name="Watch it learn"),
    )
    expect(slider).to_have_attribute("aria-valuetext", "30 of 30 steps")
    before, track = place(page), slider.bounding_box()
    page.mouse.move(track["x"] + track["width"] - 8, track["y"] + track["height"] / 2)
    page.mouse.down()
    page.mouse.move(track["x"] + track["width"] / 2, track["y"] + track["height"] / 2, steps=4)
    page.mouse.move(track["x"] + 1, track["y"] + track["height"] / 2, steps=4)
    page.mouse.up()
    settled(page, trained_for=0)
    assert steps(page, before) == 1
    score = (
        trace.run(read_link(address(page).partition("?")[2]).setup).value("scores")[0, 1, 4].item()
    )
    expect(page.get_by_text(f"= {words.number(score)}").first).to_be_attached()
    page.evaluate("""() => { window.passed = []; window.addEventListener("attention-moved", () =>
      window.passed.push(new URLSearchParams(location.search).get("trained_for"))); }""")
    play.click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    settled(page, trained_for=None)
    assert page.evaluate("window.passed") == ["10", "20", None]
    expect(slider).to_have_attribute("aria-valuetext", "30 of 30 steps")
    play.click()
    settled(page, trained_for=0)
    slide(page, "d_k", "ArrowRight")
    page.go_back()
    expect(play).to_be_visible()


@ONE_HAND
def test_a_preset_and_then_a_slider(visit, hand):
    """The later act counts for its own field; the preset for all others; two steps."""
    line, gap = hand
    page = visit("scores", line)
    before = place(page)
    page.locator("[data-preset='Biases · N3']").click()
    page.wait_for_timeout(gap)
    slide(page, "d_v", "End")
    settled(page, d_v=64, d_k=2, d_model=4, heads=1, bias="on", out="d_model", init="xavier")
    assert steps(page, before) == 2
    page.go_back()
    settled(page, d_v=2, d_k=2)
    page.go_back()
    settled(page, d_v=None, d_k=None, bias=None)
    page.go_forward()
    settled(page, d_v=2, d_k=2, bias="on")


def test_a_cell_and_then_a_choice(visit, hand):
    """A clicked cell and a choice right after it are two acts; so is a choice and a cell."""
    line, gap = hand
    page = visit("scores?d_model=6&d_k=4&d_v=5", line)
    clicked = cell(page, "scores", 5, 0)
    option_place = option(page, "split", "characters")
    page.mouse.click(*clicked)
    page.wait_for_timeout(gap)
    option(page, "sizes", "wide").click()
    settled(page, query=6, key=1, sizes="wide")
    expect(page.get_by_text("“first” asks, “Life” is asked.")).to_be_visible()
    page.go_back()
    settled(page, query=6, key=1, sizes=None)
    page.go_back()
    settled(page, query=None, key=None)
    expect(option_place).to_be_visible()


def test_a_page_and_then_a_choice(visit, hand):
    """Whoever goes to a page and acts before it is there is on that page, with that choice."""
    line, gap = hand
    page = visit("scores", line)
    page.get_by_role("link", name="6 Context").first.click()
    page.wait_for_timeout(gap)
    option(page, "sizes", "wide").click()
    expect(page.locator("h1")).to_have_text(["6 · Context"])
    settled(page, sizes="wide")
    assert "/context?" in address(page)
    page.go_back()
    settled(page, sizes=None)
    expect(page.locator("h1")).to_have_text(["6 · Context"])
    page.go_back()
    expect(page.locator("h1")).to_have_text(["4 · Scores"])


def test_pages_by_a_quick_hand(visit, hand):
    """Three presses of the arrow key are three pages, and three steps back."""
    line, gap = hand
    page = visit("?d_k=3", line)
    before = place(page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
    expect(page.locator("h1")).to_have_text(["3 · Projection"])
    assert address(page).endswith("/projection?d_k=3")
    assert steps(page, before) == 3
    for title in ("2 · Embedding", "1 · Vocabulary", "Attention explorer"):
        page.go_back()
        expect(page.locator("h1")).to_have_text([title])
        settled(page, d_k=3)


def test_beats_by_a_quick_hand(visit, hand):
    """Every press in a lecture is a beat, past the last one the next page; Back shows the beat that
    was seen before."""
    line, gap = hand
    page = visit(f"vocabulary?lecture=on&beat={len(BEATS['vocabulary']) - 1}", line)
    before = place(page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
    expect(page.locator(".st-key-beat h2")).to_have_text(BEATS["embedding"][1].title)
    assert steps(page, before) == 3
    page.go_back()
    expect(page.locator(".st-key-beat h2")).to_have_text(BEATS["embedding"][0].title)
    page.go_back()
    expect(page.locator(".st-key-beat h2")).to_have_text(BEATS["vocabulary"][-1].title)
    page.go_back()
    expect(page.locator(".st-key-beat h2")).to_have_text(BEATS["vocabulary"][-2].title)


@NEAR
def test_hidden_controls_stay_hidden(visit, line):
    """What a lecturer's link hides is off the screen, the rest is not, and so it is after acts,
    pages and Back."""
    page = visit("scores?hide=d_k,preset", line)
    expect(page.locator(".st-key-d_k")).to_be_hidden()
    expect(page.locator(".st-key-d_v")).to_be_visible()
    option(page, "sizes", "wide").click()
    settled(page, sizes="wide")
    page.get_by_role("link", name="5 Weights").first.click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(page).to_have_url(re.compile("hide=d_k"))
    expect(page.locator(".st-key-d_k")).to_be_hidden()
    for _ in range(2):
        page.go_back()
    settled(page, sizes=None)
    expect(page.locator(".st-key-d_k")).to_be_hidden()
    for group in page.locator(".st-key-preset").all():
        expect(group).to_be_hidden()


def test_a_preset_leaves_what_is_hidden(visit):
    """A preset that would change what a link hides is not offered, and “Reset everything” leaves
    that as it is."""
    page = visit("scores?hide=d_model,heads&d_model=6&heads=2&scale=d_k")
    presets = page.locator(".ab-presets").first.locator("[data-preset]")
    expect(presets.filter(has_text="Small · class")).to_be_visible()
    expect(presets.filter(has_text="Wide · N1")).to_be_hidden()
    expect(page.locator(".ab-presets").first.locator("[data-preset]:visible")).to_have_count(1)
    page.get_by_role("button", name="Reset everything").click()
    page.wait_for_function("() => !/scale/.test(location.search)")
    assert "d_model=6" in page.url and "heads=2" in page.url and "hide=d_model" in page.url
    follow(page, "scores?hide=seed")
    expect(page.locator(".ab-presets").first.locator("[data-preset]:visible")).to_have_count(8)


def test_the_panel_stays_under_the_hand(visit):
    """Presets stand where they are whatever the one that is clicked brings; a long sentence is all
    in sight; why something does not apply is told to a pointer and by the focus, and moves nothing;
    a name opens by the focus and closes with it."""
    page = visit("scores")
    presets = page.locator(".ab-presets").first.locator("[data-preset]")
    page.get_by_test_id("stSidebarContent").evaluate(
        "(panel) => panel.scrollTo(0, 0)"
    )  # an earlier act may have moved it
    stood = [each.bounding_box() for each in presets.all()]
    for name in ("Three words", "No weights · N0", "Wide · N1"):
        page.locator(f".ab-presets [data-preset='{name}']").click()
        expect(page.locator(f".ab-presets [data-preset='{name}']")).to_have_attribute(
            "aria-pressed", "true"
        )
        assert [each.bounding_box() for each in presets.all()] == stood, name
    follow(page, f"scores?text={'+'.join(['attention'] * 12)}&projections=none")
    field = page.get_by_role("textbox", name="Sentence", exact=True)
    assert field.evaluate("(e) => e.scrollHeight - e.clientHeight") <= 1
    field.press("End")
    field.press("Enter")  # no second line
    assert "\n" not in field.input_value()
    unfold(page)
    sizes = page.locator(".ab-panel .st-key-sizes")
    why = sizes.locator(".ab-why")
    expect(why).to_have_text("there are no heads without projections")
    expect(why).to_be_hidden()
    below = page.locator(".ab-panel .st-key-kv_heads").bounding_box()
    sizes.hover()
    expect(why).to_be_visible()
    page.mouse.move(700, 400)
    expect(why).to_be_hidden()
    field.focus()
    page.keyboard.press("Tab")  # from here on the focus is a keyboard's
    sizes.locator("summary").focus()
    expect(why).to_be_visible()
    expect(sizes.locator("summary")).to_have_attribute("aria-describedby", why.get_attribute("id"))
    expect(sizes.locator("details p")).to_be_visible()
    field.focus()
    expect(sizes.locator("details p")).to_be_hidden()
    assert page.locator(".ab-panel .st-key-kv_heads").bounding_box() == below


def test_the_panel_needs_no_scrolling(window_of):
    """On a laptop's screen of 1366 × 768 all of the panel is in sight, and what has the focus has
    its whole ring."""
    page = window_of("scores", 1366, 768)
    room = (
        "() => { const e = document.querySelector('[data-testid=stSidebarContent]'); return"
        " e.scrollHeight - e.clientHeight; }"
    )
    page.wait_for_function(f"() => ({room})() <= 0", timeout=10_000)


@SLOW
def test_reload_and_a_copied_link_show_the_same(page, line, browser):
    """A link out of range is put right in the address; after a row of acts the address alone brings
    the same page, in this window and in another."""
    page.goto(f"{line}/context?d_k=999&query=40")
    page.wait_for_selector("html[data-acts]", state="attached")
    settled(page, d_k=64, query=6)
    expect(
        page.get_by_text("d_k: '999' became 64; it takes whole numbers from 1 to 64.")
    ).to_be_visible()
    assert read_link(address(page).partition("?")[2]).messages == ()
    option(page, "sizes", "wide").click()
    slide(page, "heads", "Home")
    page.mouse.click(*cell(page, "context", 3, 2))
    settled(page, sizes="wide", heads=1, query=4, column=3)
    seen = page.locator("[data-testid=stText]").all_inner_texts()
    page.reload()
    page.wait_for_selector("html[data-acts]", state="attached")
    settled(page, sizes="wide", heads=1, query=4, column=3)
    assert page.locator("[data-testid=stText]").all_inner_texts() == seen
    other = browser.new_page()
    other.goto(f"{line}/context{address(page).partition('/context')[2]}")
    other.wait_for_selector("html[data-acts]", state="attached")
    settled(other, sizes="wide", heads=1, query=4, column=3)
    assert other.locator("[data-testid=stText]").all_inner_texts() == seen
    other.close()


@NEAR
def test_a_control_shows_what_is_in_force(visit, line):
    """Narrow heads show their own d_k and d_v, a head that is not there gives way, and both come
    back with the sizes."""
    page = visit("scores?d_model=15&head=3", line)
    unfold(page)
    option(page, "sizes", "narrow").click()
    settled(page, sizes="narrow")
    assert page.evaluate(SHOWN, ["d_k", "d_v"]) == {"d_k": "5", "d_v": "5"}
    slide(page, "heads", "Home")
    settled(page, heads=1)
    assert page.evaluate(SHOWN, ["head", "d_k"]) == {"head": "1", "d_k": "15"}
    page.go_back()
    settled(page, heads=None)
    assert page.evaluate(SHOWN, ["head"]) == {"head": "3"}


def test_a_sentence_marked_while_another_comes(visit, lines):
    """Who marks the whole sentence while Back's answer is on its way, and types once it is there,
    replaces all of it."""
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


@SLOW
def test_an_act_before_the_answer_to_the_first_load(page, line):
    """Whoever types before all of the page is there is heard."""
    page.goto(f"{line}/scores?d_k=5")
    sentence(page).fill("a b a")
    sentence(page).press("Enter")
    page.wait_for_selector("html[data-acts]", state="attached")
    settled(page, text="a b a", d_k=5)
    expect(page.get_by_text("“b” asks, “a₃” is asked.")).to_be_visible()


def test_a_word_and_then_play(visit, lines):
    """Who clicks a word and plays at once is shown that word, and not the one before."""
    page = visit("context?text=a+b+c+d+e&query=2&d_model=7&d_k=3&d_v=2&init=xavier", lines[100])
    page.mouse.click(*cell(page, "context", 3, 1))
    shown = page.locator(".st-key-board_context")
    shown.locator(".ab-play").click()
    page.wait_for_function("() => document.querySelector('.st-key-board_context .ab-host').motion")
    show(page, "board_context", 4, 1)
    expect(shown.get_by_role("status")).to_contain_text("The sum is z, the row of “d” in Z")
    settled(page, query=4)


@SLOW
def test_what_is_unfolded_stays_so(visit, line):
    """A part that a reader unfolds is a step like any other: it is in the link, Back folds it, and
    Forward opens it again."""
    page = visit("scores", line)
    tables = page.get_by_role("button", name="Tables: every number of this step")
    tables.click()
    settled(page, open="tables_scores")
    expect(
        page.locator(".st-key-fold_tables_scores [data-testid=stDataFrame]").first
    ).to_be_visible()
    page.get_by_role("link", name="5 Weights").first.click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    page.go_back()
    expect(tables).to_have_attribute("aria-expanded", "true")
    page.go_back()
    settled(page, open=None)
    expect(tables).to_have_attribute("aria-expanded", "false")
    expect(page.locator(".st-key-fold_tables_scores")).to_have_count(0)


BURSTS = range(60 if ALL else 3)


@pytest.mark.parametrize("number", BURSTS)
def test_nothing_is_lost_in_a_burst(visit, lines, number):
    """Drawn acts, some before the last one is answered, all count; Back undoes them one by one, and
    Forward does them again."""
    dice = random.Random(number)
    page = visit("scores", lines[dice.choice((0, 100))])
    unfold(page)
    before, seen = place(page), [address(page)]
    for _ in range(8):
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
    assert parse_link(address(page).partition("?")[2]).get(name, DEFAULT_PARAMETERS[name]) == str(
        value
    )


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
    name, values = dice.choice(
        (
            ("mask", "none causal"),
            ("scale", "sqrt none"),
            ("sizes", "free wide"),
            ("bias", "off on"),
        )
    )
    value = dice.choice(values.split())
    option(page, name, value).click()
    counts(page, name, value)


def moves(page, dice) -> None:
    name, key, end = dice.choice(
        (("d_model", "Home", 1), ("d_model", "End", 64), ("heads", "Home", 1), ("heads", "End", 20))
    )
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


TURNS = """() => {
  const turn = () => {
    document.querySelector("[data-testid=stMain]").scrollTo(0, 300);
    const title = document.querySelector("h1").textContent;
    if (!title.includes("Embedding")) requestAnimationFrame(turn);
  };
  turn();
}"""


def test_a_turned_page_opens_at_its_top(visit, lines):
    """A wheel that still turns while the answer is on its way moves the page before; the next opens
    at its top all the same."""
    page = visit("vocabulary", lines[100])
    page.evaluate("() => document.querySelector('[data-testid=stMain]').scrollTo(0, 9999)")
    page.keyboard.press("ArrowRight")
    page.evaluate(TURNS)
    expect(page.locator("h1")).to_have_text("2 · Embedding")
    page.wait_for_function(ANSWERED)
    assert page.locator("[data-testid=stMain]").evaluate("(e) => e.scrollTop") == 0


@NEAR
def test_the_seven_pages_go_from_layer_to_layer(visit, line):
    """Of a stack whose further layer is looked into, a dot leads to each layer and Back to the one
    before; a page that has a slider for the layer has no dots, and what it sets is its own
    affair."""
    page = visit("scores?layers=3&layer=3&seven=chosen", line)
    dots = page.get_by_role("radiogroup", name="Layer", exact=True)
    expect(dots.get_by_role("radio", name="3")).to_be_checked()
    dots.get_by_role("radio", name="2").check()
    settled(page, layer=2, seven="chosen")
    expect(dots.get_by_role("radio", name="2")).to_be_checked()
    page.go_back()
    settled(page, layer=3, seven="chosen")
    follow(page, "encoder?layers=3&layer=3")
    expect(dots).to_be_hidden()
