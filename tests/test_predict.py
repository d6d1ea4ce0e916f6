"""“Predict, then see”: what a page asks before a step is seen, and what the browser makes of a
guess."""

import re

import pytest
from helpers import PATIENCE, app, components, follow, ready
from playwright.sync_api import expect

from core.predictions import MAKERS, ask
from core.setup import Setup
from core.trace import run
from core.written import number
from pages.shared.link.pages import find

PATHS = {name: name for name in ("scores", "weights", "context", "heads")} | {"root": "weights"}


# ---------- on the pages ----------


def asked_on(name: str, **parameters: object) -> list[dict]:
    """The questions that a page sends to the browser."""
    more = {"part": "mixed by W_o"} if name == "heads" else {}
    at = app(find(PATHS[name]).file, **more, **parameters)
    return [sent for sent in components(at.main, "attention_prediction") if "asks" in sent]


@pytest.mark.parametrize("name", MAKERS)
def test_a_page_sends_what_core_says(name):
    """Question, choices, truth and a sentence for each answer, each number as a reader meets it; of
    another row where the followed one stands whole."""
    (sent,) = [each for each in asked_on(name) if each["name"] == name]
    row = {"scores": 3, "context": 3, "weights": 1}.get(name)
    asked = ask(name, run(Setup()), 0, row or 1)
    assert (sent["row"], sent["asks"], sent["options"]) == (row, asked.asks, [*asked.options])
    assert sent["right"] == [*asked.answers]
    assert sent["says"] == [slip.says for slip in asked.slips]
    assert sent["bars"] == [[label, value, number(value)] for label, value in asked.bars]


def test_nothing_is_asked_where_it_would_be_in_the_way():
    """In no lecture, on no worksheet, where a teacher sets exercises, where results stand above,
    nor of a single word. Where tokens are characters, the question says so."""
    links = {"lecture": "on"}, {"do": "scores.1"}, {"sheet": "on"}, {"vs": "seed:2"}
    for name in ("scores", "weights", "context", "heads"):
        assert not any(asked_on(name, **link) for link in links), name
        assert name == "heads" or not asked_on(name, text="one")
    (sent,) = asked_on("scores", split="characters", text="abc")
    assert "which character's key" in sent["asks"]


# ---------- in a browser ----------


@pytest.fixture(scope="module")
def asking(chromium, server):
    """A window of a reader who comes for the first time."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(PATIENCE)
    page, errors = context.new_page(), []
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
        follow(asking, "notebooks")  # from another page, and a small one
        asking.evaluate("localStorage.clear()")
        follow(asking, link)
        return asking

    return at


def question(page, name: str):
    return page.locator(f".st-key-predict_{name} .ab-predict")


def press(page, name: str, label: str) -> None:
    """Press a button of a question's line."""
    question(page, name).get_by_role("button", name=label).click()


def covered(page, board: str, matrix: str, rows: int = 1) -> list[int]:
    """The rows, among the first so many of a matrix, over whose middle something lies: a cover, or
    what is answered with."""
    cells = page.locator(f".st-key-{board} [data-name={matrix}] .ab-cells").first
    cells.scroll_into_view_if_needed()
    return cells.evaluate(
        """(cells, rows) => {
          const { left, top, width, height } = cells.getBoundingClientRect();
          const y = (row) => top + ((row + 0.5) * height) / cells.dataset.rows;
          return [...Array(rows).keys()].filter((row) => [0.05, 0.5, 0.95].every((part) =>
            document.elementFromPoint(left + part * width, y(row)).closest(".ab-covers")));
        }""",
        rows,
    )


def answers(page, name: str):
    """What is answered with, in the figure."""
    asks = question(page, name).locator("p").inner_text()
    return page.get_by_role("group", name=asks.split(": ", 1)[1].rsplit("?", 1)[0])


@pytest.mark.browser
def test_a_click_answers_in_the_row(first):
    """One row is covered until a word is chosen in it, all else is alive, Play too; then the
    sentence, every number, and the guess as a ghost. Asked once."""
    page, asked = first("scores"), ask("scores", run(Setup()), 0, 3)
    box = question(page, "scores")
    expect(box).to_contain_text(f"Guess: {asked.asks}")
    assert covered(page, "board_scores", "scores", 6) == [3]
    page.locator(".st-key-board_scores .ab-play").click()
    expect(page.locator(".ab-player")).to_have_count(1)
    page.get_by_role("button", name="Close", exact=True).click()
    row = answers(page, "scores")
    assert row.bounding_box()["height"] == pytest.approx(44, abs=1)
    row.get_by_role("button", name="Life").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.slips[0].says}")
    assert not covered(page, "board_scores", "scores", 6)
    expect(page.locator(".ab-guessed i:visible")).to_have_count(1)
    box.locator("summary").click()
    lines = [re.compile(f"{label}.*{number(value)}") for label, value in asked.bars]
    expect(box.locator("li")).to_have_text(lines)
    expect(box.locator("li").nth(0)).to_contain_text("(your guess)")
    expect(box.locator("li b")).to_have_count(1)
    follow(page, "scores?query=3")  # the truth goes along with the numbers, the guess does not
    truth = ask("scores", run(Setup()), 0, 4).solution.partition(" For ")[0]
    expect(box.get_by_role("status")).to_have_text(truth)
    expect(box.locator("li b")).to_have_count(0)
    expect(page.locator(".ab-guessed")).to_have_count(0)
    follow(page, "scores?query=1&head=2")
    assert not covered(page, "board_scores", "scores", 6)
    box.get_by_role("button", name="Ask me of these numbers").press("Enter")
    assert covered(page, "board_scores", "scores", 6) == [2]
    expect(box).to_contain_text("In head 2, which word's key will fit the query of “short” best?")


@pytest.mark.browser
def test_shares_are_dragged(first):
    """By keyboard as by pointer: the others give way, together they stay all of it, and each stays
    as a ghost beside the truth. What would tell is covered, on the page's other figure and in its
    words too, but for what Play shows."""
    page, asked = first("weights"), ask("weights", run(Setup()), 0, 1)
    box, bars = question(page, "weights"), answers(page, "weights").get_by_role("slider")
    expect(bars).to_have_count(6)
    entries = ("scores", "scaled", "shifted", "exp", "weights")
    hidden = [each for each in entries if covered(page, "board_weights_row", each)]
    assert hidden == ["shifted", "exp", "weights"]
    assert covered(page, "board_weights", "weights", 3) == [1]
    expect(page.locator(".st-key-answer_weights")).to_be_hidden()
    lines = page.locator(".st-key-answer_share > *")
    assert lines.count() and not any(each.is_visible() for each in lines.all())
    page.locator(".st-key-board_weights_row .ab-play").click()
    expect(answers(page, "weights")).to_be_hidden()
    page.get_by_role("button", name="Close", exact=True).click()
    expect(bars.nth(4)).to_have_accessible_name(re.compile("dessert"))
    told = [int(bar.get_attribute("aria-valuetext")[:-1]) for bar in bars.all()]
    assert sum(told) == 100 and {*told} == {16, 17}  # six equal ones
    bars.nth(4).fill("0.6")
    shares = [float(bar.input_value()) for bar in bars.all()]
    assert abs(sum(shares) - 1) < 0.05
    assert shares[0] == pytest.approx(0.08, abs=0.011)
    bars.nth(4).press("ArrowRight")
    expect(bars.nth(4)).to_have_attribute("aria-valuetext", "61%")
    answers(page, "weights").get_by_role("button", name="See", exact=True).click()
    expect(box.get_by_role("status")).to_have_text(f"✓ Right. {asked.slips[4].says}")
    expect(page.locator(".ab-guessed i").nth(4)).to_have_text("61%")
    box.locator("summary").click()
    expect(box.locator("li").nth(4)).to_contain_text(f"{number(asked.bars[4][1])} (you: 61%)")
    assert box.locator("li b").count() == 6
    assert not covered(page, "board_weights_row", "weights")
    expect(page.locator(".st-key-answer_weights")).to_contain_text("gives 49% of its attention")


TOLD = """(host) => {
  const shown = (each) => each.checkVisibility({ visibilityProperty: true });
  const texts = [...host.querySelectorAll("text, td, .ab-readout")].filter(shown);
  const label = host.querySelector(".ab-svg").getAttribute("aria-label");
  return [...texts.map((each) => each.textContent), label].join(" ");
}"""


@pytest.mark.browser
@pytest.mark.parametrize(
    ("board", "name", "row", "steps"),
    [
        ("board_scores", "scores", 3, ["ArrowDown"] * 2),
        ("board_context", "context", 3, ["ArrowDown"] * 2),
        ("board_weights_row", "weights", 1, []),
        ("board_weights", "weights", 1, ["ArrowRight"]),
        ("board_unscaled", "weights", 1, []),
    ],
)
def test_what_is_covered_is_told_nowhere(first, board, name, row, steps):
    """Not to who walks there by keys, not in a table of the menu or below, not in what describes
    the board, its digits or its picture; Enter follows no cell of it. All of it is told once the
    question is answered or skipped."""
    page, trace = first(f"{name}?open=tables_{name}"), run(Setup())
    rows = [{number(each) for each in line} for line in trace.value(name)[0].tolist()]
    values = map(number, trace.value("v")[0].flatten().tolist())
    numbers = rows.pop(row).difference(*rows, values)  # by which it is known
    host, place = page.locator(f".st-key-{board} .ab-host"), page.url
    host.locator("svg.ab-svg").focus()
    for key in steps:
        page.keyboard.press(key)
    expect(host.locator(".ab-readout")).to_contain_text("covered until its question is answered")
    page.keyboard.press("Enter")
    assert page.url == place
    for summary in (".ab-menu summary", ".ab-tables summary"):
        host.locator(summary).first.evaluate("(summary) => summary.click()")
    in_table = host.locator("td", has_text="covered until")
    expect(in_table.first).to_be_visible()
    assert not [each for each in numbers if each in host.evaluate(TOLD)]
    cells, digits = host.locator(".ab-covered-cells"), host.locator(".ab-covered")
    expect(cells.last).to_be_visible()
    are_hidden = "(all) => all.every((each) => getComputedStyle(each).visibility === 'hidden')"
    assert digits.evaluate_all(are_hidden)  # what goes into a picture, too
    below = page.locator(f".st-key-fold_tables_{name} [data-testid=stDataFrame]").first
    expect(below).to_be_hidden()
    for each in (name, *(["root"] if board == "board_unscaled" else [])):
        press(page, each, "Skip")
    for gone in (in_table, cells, digits):
        expect(gone).to_have_count(0)
    assert all(each in host.evaluate(TOLD) for each in numbers)
    expect(host.locator(".ab-readout")).not_to_contain_text("covered")
    expect(below).to_be_visible()


@pytest.mark.browser
def test_a_lecture_asks_nothing(first):
    """Neither there nor on paper anything is covered; a question that one link has and the next has
    not is there again on the way back."""
    page = first("scores?lecture=on&beat=4")
    expect(page.locator(".ab-predict")).to_have_count(0)
    assert not page.evaluate("document.documentElement.dataset.asking")
    follow(page, "scores")
    assert covered(page, "board_scores", "scores", 6) == [3]
    page.emulate_media(media="print")
    for part in (page.locator(".ab-covers"), question(page, "scores")):
        expect(part).to_be_hidden()
    page.emulate_media(media="screen")
    follow(page, "scores?text=one")
    expect(page.locator(".st-key-predict_scores")).to_be_hidden()
    follow(page, "scores")
    expect(question(page, "scores").get_by_role("button", name="Skip")).to_be_visible()
