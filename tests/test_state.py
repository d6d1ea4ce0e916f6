"""Nothing a reader does is lost: quick hands on a slow line, Back and Forward, and controls that show what is in force.

Every act is made in a real Chromium, the next one 20 to 300 ms later, with and without 100 ms of latency each way.
"""

import json
import os
import re

import pytest
from helpers import address, middle, place, pressed, show, steps
from playwright.sync_api import TimeoutError, expect
from streamlit.proto.BackMsg_pb2 import BackMsg

from core.setup import DEFAULTS
from pages.shared.beats import BEATS
from pages.shared.link import DEFAULT_PARAMETERS, parse_link, read_link
from tests.test_browser import cell

pytestmark = pytest.mark.browser
# Milliseconds to the server and back, and between two acts: near by before the answer, far away when it arrives (several acts
# on their way at once: below a held key, in test_editor.py quick edits). With STATE=all in the environment, all of them.
ALL = [(delay, gap) for delay in (0, 100) for gap in (20, 120, 300)]
QUICK_HANDS = ALL if os.environ.get("STATE") == "all" else [(0, 20), (100, 200)]

LARGE = f"scores?text={'+'.join(f'word{k}' for k in range(1, 33))}&d_k=20"
SHOWN = """(names) => Object.fromEntries(names.flatMap((name) => {
  const place = document.querySelector(`.st-key-${name}`);
  const range = place?.querySelector("input[type=range]");
  const chosen = place?.querySelector("button[data-selected=true]");
  const field = place?.querySelector("input:not([type=range]), textarea");
  const value = range ? range.value : chosen ? chosen.textContent : field ? field.value : null;
  return value === null ? [] : [[name, value]];
}))"""
STILL = """() => document.querySelector('[data-testid=stApp]').dataset.testScriptState === 'notRunning'
  && document.documentElement.dataset.answered === (document.documentElement.dataset.lastAct ?? '0')"""


@pytest.fixture(params=[0, 100], ids=["quick line", "slow line"])
def line(request, lines):
    """Where a browser finds the server."""
    return lines[request.param]


@pytest.fixture(params=QUICK_HANDS, ids=lambda pair: f"{pair[0]} ms away, {pair[1]} ms later")
def hand(request, lines):
    """Where a browser finds the server, and how long after an act the next one follows."""
    delay, gap = request.param
    return lines[delay], gap


def load(page, line: str, path: str) -> None:
    """Load the app at a page, and wait until acts are heeded."""
    page.goto(f"{line}/{path}")
    page.wait_for_selector("html[data-acts]", state="attached")
    page.wait_for_function(STILL)


def in_force(page) -> dict[str, str]:
    """What the address amounts to, by field that has one value, as a control shows it."""
    link = address(page).partition("?")[2]
    view, parameters = read_link(link), parse_link(link)
    values = vars(view.setup) | vars(view.focus)
    own = {name: parameters.get(name, DEFAULTS[name]) for name in ("text", "others")}
    shown = {name: value for name, value in (values | own).items() if name in DEFAULT_PARAMETERS}
    return {name: str(value) for name, value in shown.items() if not isinstance(value, tuple)}


def settled(page, **expected: object) -> None:
    """The address holds these values (None: the default), each control shows what is in force, and so does the page."""
    for name, value in expected.items():
        wanted = DEFAULT_PARAMETERS[name] if value is None else str(value)
        page.wait_for_function(
            "([name, wanted, usual]) => (new URLSearchParams(location.search).get(name) ?? usual) === wanted",
            arg=[name, wanted, DEFAULT_PARAMETERS[name]],
        )
    force = in_force(page)
    try:
        page.wait_for_function(
            f"""([names, force]) => {{
              const shown = ({SHOWN})(names);
              const right = ([name, value]) => Number(value) === Number(force[name]) || value === force[name];
              return ({STILL})() && Object.entries(shown).every(right);
            }}""",
            arg=[list(force), force],
        )
    except TimeoutError:
        shown = page.evaluate(SHOWN, list(force))
        state = page.evaluate(
            "() => ({...document.documentElement.dataset, ...document.querySelector('[data-testid=stApp]').dataset})"
        )
        raise AssertionError(f"{address(page)}: shown {shown}, in force {force}, {state}") from None


def sentence(page):
    return page.get_by_role("textbox", name="Sentence", exact=True)


def option(page, name: str, value: str):
    return page.locator(f".st-key-{name}").get_by_text(value, exact=True)


def slide(page, name: str, *keys: str, gap: int = 0) -> None:
    """Press keys on a slider, one after the other."""
    page.locator(f".st-key-{name} input[type=range]").focus()
    for key in keys:
        page.keyboard.press(key)
        page.wait_for_timeout(gap)


def unfold(page, panel: str) -> None:
    """Open a panel of the sidebar, unless an earlier test did."""
    if page.locator(f".st-key-{panel} details:not([open])").count():
        page.locator(f".st-key-{panel} summary").click()
    page.wait_for_selector(f".st-key-{panel} [data-testid=stWidgetLabel]")
    page.wait_for_function(STILL)


@pytest.mark.parametrize("held", [0, 80], ids=["no hand", "a hand"])
def test_a_sentence_and_then_a_page(visit, line, held):
    """A sentence that is typed and left by a click on a page counts there, and both are steps of their own."""
    page = visit("scores", line)
    before = place(page)
    sentence(page).fill("the cat sat")
    page.get_by_role("link", name="5 Weights").first.click(delay=held)
    expect(page.locator("h1")).to_have_text("5 · Weights")
    settled(page, text="the cat sat")
    expect(page.get_by_text("α[cat, sat]").first).to_be_visible()
    assert steps(page, before) == 2
    page.go_back()
    expect(page.locator("h1")).to_have_text("4 · Scores")
    settled(page, text="the cat sat")
    page.go_back()
    settled(page, text=None)
    page.go_forward()
    settled(page, text="the cat sat")
    expect(page.get_by_text("“cat” asks, “sat” is asked.")).to_be_visible()


def test_two_choices(visit, hand):
    """Two choices one after the other both count, and Back takes them one by one."""
    line, gap = hand
    page = visit("weights", line)
    unfold(page, "choices_panel")
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


def test_nine_presses_on_three_sliders(visit, hand):
    """Each press on each slider counts."""
    line, gap = hand
    page = visit("scores", line)
    for name in ("d_model", "d_k", "d_v"):
        slide(page, name, *["ArrowRight"] * 3, gap=gap)
    settled(page, d_model=19, d_k=27, d_v=31)
    expect(page.get_by_text("27 terms.")).to_be_visible()


def test_a_held_key_is_one_step(visit, line):
    """A slider moved by holding a key ends where the key was let go, and Back brings it to where it began."""
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


def test_a_drag_is_one_step(visit, line):
    """A slider that is dragged through many values counts where it is let go."""
    page = visit("scores", line)
    before = place(page)
    page.locator(".st-key-d_v").scroll_into_view_if_needed()
    track = page.locator(".st-key-d_k [role=group]").bounding_box()
    knob = page.locator(".st-key-d_k [data-testid=stSliderThumbValue]").locator("..").bounding_box()
    thumb = knob["x"] + knob["width"] / 2, knob["y"] + knob["height"] / 2
    page.mouse.move(*thumb)
    page.mouse.down()
    for k in range(1, 9):
        page.mouse.move(thumb[0] + k * (track["x"] + track["width"] - thumb[0]) / 10, thumb[1])
        page.wait_for_timeout(40)
    page.mouse.up()
    page.wait_for_function("() => /d_k=\\d+/.test(location.search)")
    settled(page)
    assert steps(page, before) == 1
    page.go_back()
    settled(page, d_k=None)


def test_a_preset_and_then_a_slider(visit, hand):
    """The later act counts for its own field; the preset for all others; two steps."""
    line, gap = hand
    page = visit("scores", line)
    before = place(page)
    page.get_by_role("button", name="Biases · N3").click()
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


def test_a_preset_and_then_a_page(visit, hand):
    """Whoever starts from a preset and goes on at once finds on the next page controls that show what the preset says."""
    line, gap = hand
    page = visit("", line)
    for name in ("Small · class", "Narrow · N2", "Sentence · N4", "Wide · N1"):
        page.get_by_role("button", name=name).click()
        page.wait_for_timeout(gap - 20)
        page.keyboard.press("ArrowRight")
        page.wait_for_function(STILL)
        settled(page)


def test_a_slider_and_then_a_preset(visit, hand):
    """The preset is the last act for all of its fields; what is the reader's own stays."""
    line, gap = hand
    page = visit("scores?text=a+b+c&seed=7", line)
    slide(page, "d_model", "End")
    page.wait_for_timeout(gap)
    page.get_by_role("button", name="Small · class").click()
    settled(page, d_model=6, d_k=4, d_v=5, text="a b c", seed=7)
    expect(page.get_by_role("button", name="Small · class")).to_have_attribute("aria-pressed", "true")


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
    expect(page.locator("h1")).to_have_text("6 · Context")
    settled(page, sizes="wide")
    assert "/context?" in address(page)
    page.go_back()
    settled(page, sizes=None)
    expect(page.locator("h1")).to_have_text("6 · Context")
    page.go_back()
    expect(page.locator("h1")).to_have_text("4 · Scores")


def test_back_and_then_a_choice(visit, hand):
    """Back undoes one thing, and what is done right after it counts too."""
    line, gap = hand
    page = visit("scores", line)
    option(page, "sizes", "wide").click()
    settled(page, sizes="wide")
    page.go_back()
    page.wait_for_timeout(gap)
    slide(page, "d_model", "Home")
    settled(page, sizes=None, d_model=1)


def test_pages_by_a_quick_hand(visit, hand):
    """Three presses of the arrow key are three pages, and three steps back."""
    line, gap = hand
    page = visit("?d_k=3", line)
    before = place(page)
    for _ in range(3):
        page.keyboard.press("ArrowRight")
        page.wait_for_timeout(gap)
    expect(page.locator("h1")).to_have_text("3 · Projection")
    assert address(page).endswith("/projection?d_k=3")
    assert steps(page, before) == 3
    for title in ("2 · Embedding", "1 · Vocabulary", "Attention explorer"):
        page.go_back()
        expect(page.locator("h1")).to_have_text(title)
        settled(page, d_k=3)


@pytest.mark.parametrize("gap", [20, 60])
def test_back_to_a_page_while_an_answer_is_on_its_way(visit, lines, gap):
    """A page of large boards, seen two pages ago, is shown again by a hand that is quicker than the answer before."""
    page = visit(LARGE, lines[100])
    page.get_by_role("link", name="6 Context").first.click()
    expect(page.locator("h1")).to_have_text("6 · Context")
    page.wait_for_function(STILL)
    page.get_by_role("link", name="5 Weights").first.click()
    page.wait_for_timeout(gap)
    page.get_by_role("link", name="4 Scores").first.click()
    expect(page.locator("h1")).to_have_text("4 · Scores")
    page.wait_for_function(STILL)


def test_beats_by_a_quick_hand(visit, hand):
    """Every press in a lecture is a beat, past the last one the next page; Back shows the beat that was seen before."""
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


def test_a_pages_own_control_and_back(visit, line):
    """A stage that a link asks for stays with the link over a visit to another page, and one press of Back returns."""
    page = visit("block?stage=ffn_out", line)
    settled(page, stage="ffn_out")
    page.get_by_role("link", name="Encoder").first.click()
    expect(page.locator("h1")).to_have_text("Encoder")
    page.go_back()
    expect(page.locator("h1")).to_have_text("Block")
    settled(page, stage="ffn_out")


def test_choices_made_on_one_page_are_there_after_back(visit, line):
    """What was chosen on Weights is undone step by step by Back, and there again by Forward or a click."""
    page = visit("scores", line)
    page.get_by_role("link", name="5 Weights").first.click()
    expect(page.locator("h1")).to_have_text("5 · Weights")
    option(page, "sizes", "wide").click()
    settled(page, sizes="wide")
    page.get_by_role("link", name="4 Scores").first.click()
    expect(page.locator("h1")).to_have_text("4 · Scores")
    settled(page, sizes="wide")
    page.go_back()
    expect(page.locator("h1")).to_have_text("5 · Weights")
    settled(page, sizes="wide")


def test_what_is_unfolded_stays_so(visit, line):
    """A panel of the sidebar that a reader opens is open on the next page and folded away where the reader folded it; a page's
    own table is open again after Back."""
    page = visit("scores", line)
    opened = page.locator("[class*=_panel] details[open] summary p")
    for count in range(opened.count(), 0, -1):  # the sizes, and what other tests left open in this window
        opened.first.click()
        expect(opened).to_have_count(count - 1)
    expect(page.locator(".st-key-d_k")).to_have_count(0)
    unfold(page, "choices_panel")
    page.locator(".st-key-tables_scores summary").click()
    expect(page.locator(".st-key-tables_scores [data-testid=stDataFrame]").first).to_be_visible()
    page.get_by_role("link", name="5 Weights").first.click()
    expect(page.locator("h1")).to_have_text("5 · Weights")
    option(page, "mask", "causal").click()
    settled(page, mask="causal")
    expect(opened).to_have_text("Choices")
    page.go_back()
    page.go_back()
    expect(page.locator(".st-key-tables_scores details[open]")).to_be_visible()
    expect(opened).to_have_text("Choices")
    for key in ("tables_scores", "sizes_panel"):  # as other tests find them
        page.locator(f".st-key-{key} summary").click()
    page.locator(".st-key-d_k").wait_for()


def test_hidden_controls_stay_hidden(visit, line):
    """What a lecturer's link hides is off the screen, the rest is not, and so it is after acts, pages and Back."""
    page = visit("scores?hide=d_k,preset", line)
    expect(page.locator(".st-key-d_k")).to_be_hidden()
    expect(page.locator(".st-key-d_v")).to_be_visible()
    option(page, "sizes", "wide").click()
    settled(page, sizes="wide")
    page.get_by_role("link", name="5 Weights").first.click()
    expect(page.locator("h1")).to_have_text("5 · Weights")
    expect(page).to_have_url(re.compile("hide=d_k"))
    expect(page.locator(".st-key-d_k")).to_be_hidden()
    for _ in range(2):
        page.go_back()
    settled(page, sizes=None)
    expect(page.locator(".st-key-d_k")).to_be_hidden()
    expect(page.locator(".st-key-preset")).to_be_hidden()


def test_reload_and_a_copied_link_show_the_same(page, line, browser_of):
    """A link out of range is put right in the address; after a row of acts the address alone brings the same page, in this
    window and in another."""
    load(page, line, "context?d_k=999&query=40")
    settled(page, d_k=64, query=6)
    expect(page.get_by_text("d_k: '999' became 64; it takes whole numbers from 1 to 64.")).to_be_visible()
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
    other = browser_of().new_page()
    load(other, line, address(page).partition("/context")[2].join(["context", ""]))
    settled(other, sizes="wide", heads=1, query=4, column=3)
    assert other.locator("[data-testid=stText]").all_inner_texts() == seen
    other.close()


def test_a_control_shows_what_is_in_force(visit, line):
    """Narrow heads show their own d_k and d_v, a head that is not there gives way, and both come back with the sizes."""
    page = visit("scores?d_model=15&head=3", line)
    unfold(page, "follow_panel")
    option(page, "sizes", "narrow").click()
    settled(page, sizes="narrow")
    assert page.evaluate(SHOWN, ["d_k", "d_v"]) == {"d_k": "5", "d_v": "5"}
    slide(page, "heads", "Home")
    settled(page, heads=1)
    assert page.evaluate(SHOWN, ["head", "d_k"]) == {"head": "1", "d_k": "15"}
    page.go_back()
    settled(page, heads=None)
    assert page.evaluate(SHOWN, ["head"]) == {"head": "3"}


def test_a_message_says_what_was_moved(page, server):
    """Which controls the reader moved since the last answer, and no other: what those hold is what the reader wants, and any
    other may not show the answer yet."""
    sent = []
    page.on("websocket", lambda socket: socket.on("framesent", lambda data: sent.append(BackMsg.FromString(data))))
    load(page, server.url, "scores")

    def moved() -> list[str]:
        page.wait_for_function(STILL)
        states = (json.loads(state.json_value or "{}") for state in sent[-1].rerun_script.widget_states.widgets)
        return next(state["message"]["moved"] for state in states if "message" in state)

    slide(page, "d_k", "Home")
    settled(page, d_k=1)
    assert moved() == ["d_k"]
    page.get_by_role("button", name="Biases · N3").click()
    settled(page, d_k=2)
    assert moved() == []


def test_a_sentence_marked_while_another_comes(visit, lines):
    """Who marks the whole sentence while Back's answer is on its way, and types once it is there, replaces all of it."""
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


ANSWER_AT_ONCE = """(words) => {
  const field = document.activeElement;
  field.select();
  field.dispatchEvent(new MouseEvent("mouseup", { bubbles: true }));
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value").set.call(field, words);
}"""


def test_a_sentence_marked_right_before_another_comes(visit):
    """What is marked is known at once: the browser tells of it with its next frame only, and an answer may come before that."""
    page = visit("scores")
    sentence(page).focus()
    page.evaluate(ANSWER_AT_ONCE, "the words of an answer")
    page.keyboard.type("a b a")
    page.keyboard.press("Enter")
    settled(page, text="a b a")


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


# What is pressed, and what a click on it comes to.
PRESSED = {
    "a link": ("block", ".stMain a[data-sets='stage=output']", "Block", {"stage": "output"}),
    "a page": ("", ".ab-stage[href^='/projection']", "3 · Projection", {}),
    "a word": ("vocabulary", ".ab-chip:not(.ab-chip-chosen)", "1 · Vocabulary", {"query": 1}),
    "a cell": ("scores", "[data-name=scores]", "4 · Scores", {"query": 3, "key": 2}),
}


@pytest.mark.parametrize("kind", PRESSED)
def test_a_press_during_which_an_answer_comes(visit, line, kind):
    """What is pressed before an answer and released after it is clicked, though the answer drew it anew."""
    path, part, title, comes = PRESSED[kind]
    page = visit(path, line)
    sentence(page).fill("Rain is short, eat dessert first")
    at = cell(page, "scores", 2, 1) if kind == "a cell" else middle(page, part)
    with pressed(page, at):
        settled(page, text="Rain is short, eat dessert first")
    expect(page.locator("h1")).to_have_text(title)
    settled(page, text="Rain is short, eat dessert first", **comes)


@pytest.mark.parametrize(("further", "stage"), [(0, "output"), (60, None)], ids=["the hand stays", "the hand goes away"])
def test_a_press_on_a_link_that_goes_away(visit, line, further, stage):
    """A link that is gone when the hand lets go of it is followed, unless the hand went elsewhere before."""
    page = visit("block", line)
    x, y = middle(page, PRESSED["a link"][1])
    with pressed(page, (x, y)):
        page.evaluate("(part) => document.querySelector(part).remove()", PRESSED["a link"][1])
        page.mouse.move(x, y + further)
    sentence(page).fill("a b")
    sentence(page).press("Enter")
    settled(page, text="a b", stage=stage)


# What is pressed, what it stands in, and what a click on it comes to.
MOVED = {
    "a link": ("block", PRESSED["a link"][1], "stMain", {"stage": "output"}),
    "a cell": ("scores", "[data-name=scores]", "stMain", {"query": 3, "key": 2}),
    "an option": ("scores", ".st-key-mask button p:text-is('causal')", "stSidebarContent", {"mask": "causal"}),
}


@pytest.mark.parametrize("kind", MOVED)
def test_a_press_on_what_moves(visit, line, kind):
    """What was pressed is clicked, once, though it has moved from under the hand when that lets go, unless the hand went too."""
    path, part, around, comes = MOVED[kind]
    page = visit(path, line)
    unfold(page, "choices_panel")
    before = place(page)
    around = page.locator(f"[data-testid={around}]")
    for by, further, text, wanted in (
        (45, 600, "Rain is short, eat", dict.fromkeys(comes)),
        (-45, 0, "Rain is short, eat dessert", comes),
    ):
        page.locator(part).first.scroll_into_view_if_needed()
        box = page.locator(part).first.bounding_box()
        x, y = cell(page, "scores", 2, 1) if kind == "a cell" else (box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
        with pressed(page, (x, y)):
            assert around.evaluate("(box, by) => { const from = box.scrollTop; return (box.scrollTop += by) - from; }", by) == by
            page.mouse.move(x + further, y)
        sentence(page).fill(text)
        sentence(page).press("Enter")
        settled(page, text=text, **wanted)
    assert steps(page, before) == 3


def test_a_space_bar_during_which_an_answer_comes(visit, line):
    """What has the focus when the space bar goes down, and is drawn anew before it comes up, is clicked by it, once."""
    page = visit("", line)
    before = place(page)
    sentence(page).fill("eat dessert first")
    page.locator(".ab-head").nth(1).focus()
    page.keyboard.down(" ")
    settled(page, text="eat dessert first")
    page.keyboard.up(" ")
    settled(page, text="eat dessert first", head=3)
    assert steps(page, before) == 2
