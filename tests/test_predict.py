"""“Predict, then see”: what a page asks before a step is seen, and what the browser makes of a guess."""

import json
import re

import pytest
from helpers import PATIENCE, app, components, follow, ready
from playwright.sync_api import expect

from core.predictions import MAKERS, ask
from core.setup import Setup
from core.trace import run
from core.written import number
from pages.shared.link.pages import find
from tests.test_access import SIDEWAYS, serious

PATHS = {"scores": "scores", "weights": "weights", "root": "weights", "context": "context", "heads": "heads"}


# ---------- on the pages ----------


def asked_on(name: str, **parameters: object) -> list[dict]:
    """The questions that a page sends to the browser."""
    more = {"part": "mixed by W_o"} if name == "heads" else {}
    places = components(app(find(PATHS[name]).file, **more, **parameters).main, "attention_prediction")
    return [sent for sent in places if "asks" in sent]


@pytest.mark.parametrize("name", MAKERS)
def test_a_page_sends_what_core_says(name):
    """Question, choices, truth and a sentence for each answer, each number as a reader meets it."""
    (sent,) = [each for each in asked_on(name) if each["name"] == name]
    asked = ask(name, run(Setup()), 0, 1)
    assert (sent["asks"], sent["options"]) == (asked.asks, list(asked.options))
    assert (sent["right"], sent["says"]) == (list(asked.answers), [slip.says for slip in asked.slips])
    assert sent["bars"] == [[label, value, number(value)] for label, value in asked.bars]


@pytest.mark.parametrize(
    "parameters", [{"lecture": "on"}, {"do": "scores.1"}, {"sheet": "on"}, {"vs": "seed:2"}, {"text": "one"}]
)
def test_nothing_is_asked_where_it_would_be_in_the_way(parameters):
    """In no lecture, on no worksheet, where a teacher sets exercises, where results stand above, nor of a single word."""
    for name in ("scores", "weights", "context"):
        assert not asked_on(name, **parameters)
    if "text" not in parameters:
        assert not asked_on("heads", **parameters)


def test_a_character_is_not_called_a_word():
    """Questions say what the tokens are."""
    (sent,) = asked_on("scores", split="characters", text="abc")
    assert "which character's key" in sent["asks"]


# ---------- in a browser ----------


@pytest.fixture(scope="module")
def asking(chromium, server):
    """A window of a reader who comes for the first time."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    page = context.new_page()
    errors: list[str] = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto(f"{server.url}/vocabulary")  # who begins without a link is told the story first
    ready(page)
    yield page
    context.close()
    assert errors == []


@pytest.fixture
def first(asking):
    """At a link for the first time."""

    def at(link: str):
        follow(asking, "")
        asking.evaluate("localStorage.clear()")
        follow(asking, link)
        return asking

    return at


def question(page, name: str):
    return page.locator(f".st-key-predict_{name} .ab-predict")


def is_covered(page, board: str, matrix: str) -> bool:
    """Whether a matrix shows nothing of its numbers, and nothing of its board can be reached."""
    cells = page.locator(f".st-key-{board} [data-name={matrix}] .ab-cells")
    hidden = cells.evaluate("(cells) => getComputedStyle(cells).visibility === 'hidden'")
    assert hidden == page.locator(f".st-key-{board}").evaluate("(board) => board.inert")
    return hidden


@pytest.mark.browser
def test_a_click_answers(first):
    """The scores are covered until a word is chosen; then the sentence, every number, and the guess as a ghost. Asked once."""
    page, asked = first("scores"), ask("scores", run(Setup()), 0, 1)
    box = question(page, "scores")
    expect(box).to_contain_text("Before you look: In head 1, which word's key will fit the query of “is” best?")
    assert is_covered(page, "board_scores", "scores")
    assert not page.locator(".st-key-board_scores [data-name=q] .ab-cells").evaluate(
        "(q) => getComputedStyle(q).visibility === 'hidden'"
    )
    box.get_by_role("button", name="Life").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.slips[0].says}")
    assert not is_covered(page, "board_scores", "scores")
    expect(box.locator("li")).to_have_count(6)
    expect(box.locator("li").nth(0)).to_contain_text("(your guess)")
    expect(box.locator("li b")).to_have_count(1)
    for line, (label, value) in zip(box.locator("li").all(), asked.bars, strict=True):
        expect(line).to_contain_text(label)
        expect(line).to_contain_text(number(value))
    follow(page, "scores?query=3")  # the truth goes along with the numbers, the guess does not
    expect(box.get_by_role("status")).to_have_text(ask("scores", run(Setup()), 0, 2).solution.partition(" For ")[0])
    expect(box.locator("li b")).to_have_count(0)
    follow(page, "scores?query=1&head=2")
    assert not is_covered(page, "board_scores", "scores")
    box.get_by_role("button", name="Ask me of these numbers").press("Enter")
    assert is_covered(page, "board_scores", "scores")
    expect(box).to_contain_text("In head 2, which word's key will fit the query of “Life” best?")


@pytest.mark.browser
def test_shares_are_dragged(first):
    """By keyboard as by pointer: the others give way, together they stay all of it, and each stays as a ghost beside the truth."""
    page, asked = first("weights"), ask("weights", run(Setup()), 0, 1)
    box = question(page, "weights")
    bars = box.get_by_role("slider")
    expect(bars).to_have_count(6)
    assert is_covered(page, "board_weights_row", "weights")
    assert not page.locator(".st-key-board_weights_row [data-name=scaled] .ab-cells").evaluate(
        "(cells) => getComputedStyle(cells).visibility === 'hidden'"
    )
    said = page.locator(".st-key-answer_weights", has_text="gives 49% of its attention")
    assert "blur" in said.evaluate("(text) => getComputedStyle(text).filter")
    expect(bars.nth(4)).to_have_accessible_name(re.compile("dessert"))
    told = [int(bar.get_attribute("aria-valuetext")[:-1]) for bar in bars.all()]
    assert sum(told) == 100 and {*told} == {16, 17}  # six equal ones
    bars.nth(4).fill("0.6")
    shares = [float(bar.input_value()) for bar in bars.all()]
    assert abs(sum(shares) - 1) < 0.05
    assert shares[0] == pytest.approx(0.08, abs=0.011)
    bars.nth(4).press("ArrowRight")
    expect(bars.nth(4)).to_have_attribute("aria-valuetext", "61%")
    box.get_by_role("button", name="See", exact=True).click()
    expect(box.get_by_role("status")).to_have_text(f"✓ Right. {asked.slips[4].says}")
    expect(box.locator("li").nth(4)).to_contain_text(f"{number(asked.bars[4][1])} (you: 61%)")
    assert box.locator("li b").count() == 6
    assert not is_covered(page, "board_weights_row", "weights")


@pytest.mark.browser
def test_up_or_down_without_the_root(first):
    """A page's second question covers its own figure, whether the first is answered or not."""
    page, asked = first("weights"), ask("root", run(Setup()), 0, 1)
    box = question(page, "root")
    expect(box).to_be_visible()
    assert page.evaluate("document.documentElement.dataset.asking.split(' ').sort().join()") == "root,weights"
    question(page, "weights").get_by_role("button", name="Skip").click()
    assert page.evaluate("document.documentElement.dataset.asking") == "root"
    assert page.locator(".st-key-board_unscaled").evaluate("(board) => board.inert")
    box.get_by_role("button", name="No, smaller").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.slips[2].says}")
    assert not page.evaluate("document.documentElement.dataset.asking")
    assert not page.locator(".st-key-board_unscaled").evaluate("(board) => board.inert")


@pytest.mark.browser
@pytest.mark.parametrize("path", ["scores", "weights", "context"])
def test_a_question_covers_its_own_figure_alone(first, path):
    """Below the figure nothing is veiled while a question is open: neither the formula, nor a sentence, nor another drawing."""
    page = first(path)
    expect(question(page, path)).to_contain_text("Before you look")
    question_of = {"weights": ["board_weights_row", "board_unscaled"]}.get(path, [f"board_{path}"])
    keys = "(all) => all.map((each) => each.className.match(/st-key-(\\S+)/)[1])"
    assert page.locator("[data-veiled]").evaluate_all(keys) == question_of
    below = page.evaluate(
        """() => [...document.querySelectorAll('.st-key-formula ~ .stElementContainer > .stText, .st-key-board_fan .ab-svg,'
        + ' .st-key-terms_scores, .st-key-board_mixtures .ab-svg')].map((e) => getComputedStyle(e).filter)"""
    )
    assert set(below) <= {"none"}


@pytest.mark.browser
def test_skip_and_off_for_good(first):
    """One press goes past a question, another past all of them, for as long as this browser lasts; one brings them back."""
    page = first("context")
    question(page, "context").get_by_role("button", name="Skip").click()
    expect(question(page, "context")).to_have_text("Ask me before I see")
    assert not is_covered(page, "board_context", "context")
    follow(page, "scores")
    assert is_covered(page, "board_scores", "scores")
    question(page, "scores").get_by_role("button", name="Don't ask again").click()
    assert not is_covered(page, "board_scores", "scores")
    page.reload()
    ready(page)
    for path, board, matrix in (("scores", "board_scores", "scores"), ("weights", "board_weights_row", "weights")):
        follow(page, path)
        expect(question(page, path)).to_have_text("Ask me before I see")
        assert not is_covered(page, board, matrix)
    question(page, "weights").get_by_role("button", name="Ask me before I see").press("Enter")
    expect(question(page, "weights").get_by_role("slider").first).to_be_focused()
    assert is_covered(page, "board_weights_row", "weights")
    follow(page, "context")  # skipped once: not asked again
    assert not is_covered(page, "board_context", "context")
    kept = json.loads(page.evaluate("localStorage['attention-predicted']"))
    assert kept == ["context"]


@pytest.mark.browser
def test_a_lecture_asks_nothing(first):
    """Neither there nor on paper anything is covered."""
    page = first("scores?lecture=on&beat=4")
    expect(page.locator(".ab-predict")).to_have_count(0)
    assert not page.evaluate("document.documentElement.dataset.asking")
    follow(page, "scores")
    assert is_covered(page, "board_scores", "scores")
    page.emulate_media(media="print")
    cells = page.locator(".st-key-board_scores [data-name=scores] .ab-cells")
    expect(cells).to_have_css("visibility", "visible")
    expect(question(page, "scores")).to_be_hidden()
    page.emulate_media(media="screen")
    follow(page, "scores?text=one")
    expect(page.locator(".st-key-predict_scores")).to_be_hidden()
    follow(page, "scores")
    expect(question(page, "scores").get_by_role("button", name="Skip")).to_be_visible()


@pytest.mark.browser
def test_who_reaches_for_what_is_covered_is_shown_the_question(first):
    """A press on the board does nothing but point at what is asked."""
    page = first("scores")
    page.locator(".st-key-board_scores .ab-play").click(force=True)
    expect(question(page, "scores")).to_have_class(re.compile("ab-predict-here"))
    expect(page.locator(".ab-player")).to_have_count(0)
    question(page, "scores").get_by_role("button", name="Skip").click()
    expect(question(page, "scores")).not_to_have_class(re.compile("ab-predict-here"))
    page.locator(".st-key-board_scores .ab-play").click()
    expect(page.locator(".ab-player")).to_have_count(1)
    assert "ab-predict-here" not in question(page, "scores").get_attribute("class")


@pytest.mark.browser
@pytest.mark.parametrize("name", MAKERS)
def test_words_are_text_and_all_is_accessible(first, name):
    """Markup in a word stays text; axe finds nothing serious while it is asked, nor once it is told; nothing scrolls sideways."""
    link = "text=<b>x</b>+قلب+cat&d_model=3&d_k=2&d_v=2&heads=2" + ("&part=mixed+by+W_o" if name == "heads" else "")
    page = first(f"{PATHS[name]}?{link}")
    box = question(page, name)
    veiled = page.locator("[data-veiled]").evaluate_all("(all) => all.map((each) => each.className.match(/st-key-\\S+/)[0])")
    assert veiled
    parts = [f".{key}" for key in (f"st-key-predict_{name}", *veiled)]
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        assert serious(page, within=parts) == []
        assert page.evaluate(SIDEWAYS) <= 1
        (box.get_by_role("button", name="See", exact=True) if name == "weights" else box.get_by_role("button").first).click()
        expect(box.get_by_role("status")).not_to_be_empty()
        assert box.locator("b, script").evaluate_all("(all) => all.every((each) => !each.textContent)")
        assert serious(page, within=parts) == []
        box.get_by_role("button", name="Ask again").click()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
