"""“Predict, then see”: what a page asks before a step is seen, and what the browser makes of a
guess."""

import re

import pytest
from helpers import app, components, follow
from playwright.sync_api import expect

from core import Setup, run
from core.quiz.predictions import ask
from core.text.written import number
from pages.shared.link.pages import find

PATHS = ("scores", "weights", "context", "heads")


# ---------- on the pages ----------


def asked_on(name: str, **parameters: object) -> list[dict]:
    """The questions that a page sends to the browser."""
    more = {"part": "mixed by W_o"} if name == "heads" else {}
    at = app(find(name).file, **more, **parameters)
    return [sent for sent in components(at.main, "attention_prediction") if "asks" in sent]


@pytest.mark.parametrize("name", PATHS)
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
    nor of a single word."""
    links = {"lecture": "on"}, {"do": "scores.1"}, {"sheet": "on"}, {"vs": "seed:2"}
    for name in ("scores", "weights", "context", "heads"):
        assert not any(asked_on(name, **link) for link in links), name
        assert name == "heads" or not asked_on(name, text="one")


# ---------- in a browser ----------


def question(page, name: str):
    return page.locator(f".st-key-predict_{name} .ab-predict")


def covered(page, board: str, matrix: str, rows: int) -> list[int]:
    """The rows, among the first so many of a matrix, over whose middle something lies: what is
    answered with."""
    cells = page.locator(f".st-key-{board} [data-name={matrix}] .ab-cells").first
    cells.scroll_into_view_if_needed()
    return cells.evaluate(
        """(cells, rows) => {
          const { left, top, width, height } = cells.getBoundingClientRect();
          const y = (row) => top + ((row + 0.5) * height) / cells.dataset.rows;
          return [...Array(rows).keys()].filter((row) => [0.05, 0.5, 0.95].every((part) =>
            document.elementFromPoint(left + part * width, y(row))?.closest(".ab-covers")));
        }""",
        rows,
    )


@pytest.mark.browser
def test_a_click_answers_in_the_row(visit):
    """Nothing is covered until one wants to guess; then the row that is asked, and no other. A
    click answers there: the sentence, every number, the guess as a ghost. Play takes it away."""
    page, asked = visit("scores"), ask("scores", run(Setup()), 0, 3)
    box = question(page, "scores")
    expect(box).to_have_text("Guess first?")
    assert not covered(page, "board_scores", "scores", 6)
    box.get_by_role("button", name="Guess first?").press("Enter")
    expect(box).to_contain_text(f"Guess: {asked.asks}")
    assert covered(page, "board_scores", "scores", 6) == [3]
    page.get_by_role("group", name=asked.asks).get_by_role("button", name="Life").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.slips[0].says}")
    assert not covered(page, "board_scores", "scores", 6)
    expect(page.locator(".ab-guessed i:visible")).to_have_count(1)
    box.locator("summary").click()
    lines = [re.compile(f"{label}.*{number(value)}") for label, value in asked.bars]
    expect(box.locator("li")).to_have_text(lines)
    expect(box.locator("li").nth(0)).to_contain_text("(your guess)")
    follow(page, "scores?query=3")  # of other numbers nothing was guessed
    expect(box).to_have_text("Guess first?")
    box.get_by_role("button").click()
    assert covered(page, "board_scores", "scores", 6) == [4]
    page.locator(".st-key-board_scores .ab-svg").focus()
    page.keyboard.press("p")
    expect(box).to_have_text("Guess first?")
    expect(page.locator(".ab-answering")).to_have_count(0)
    page.get_by_role("button", name="Close", exact=True).click()


@pytest.mark.browser
def test_shares_are_dragged(visit):
    """By keyboard as by pointer: the others give way, together they stay all of it, and each stays
    as a ghost beside the truth."""
    page, asked = visit("weights"), ask("weights", run(Setup()), 0, 1)
    box, told = question(page, "weights"), page.get_by_text("of its attention to “dessert”")
    expect(told).to_be_visible()
    box.get_by_role("button", name="Guess first?").click()
    expect(told).to_be_hidden()  # it has the answer
    answers = page.get_by_role("group", name=asked.asks)
    bars = answers.get_by_role("slider")
    expect(bars).to_have_count(6)
    expect(bars.nth(4)).to_have_accessible_name(re.compile("dessert"))
    each = [int(bar.get_attribute("aria-valuetext")[:-1]) for bar in bars.all()]
    assert sum(each) == 100 and {*each} == {16, 17}  # six equal ones
    bars.nth(4).fill("0.6")
    shares = [float(bar.input_value()) for bar in bars.all()]
    assert abs(sum(shares) - 1) < 0.05
    assert shares[0] == pytest.approx(0.08, abs=0.011)
    bars.nth(4).press("ArrowRight")
    expect(bars.nth(4)).to_have_attribute("aria-valuetext", "61%")
    answers.get_by_role("button", name="See", exact=True).click()
    expect(box.get_by_role("status")).to_have_text(f"✓ Right. {asked.slips[4].says}")
    expect(told).to_be_visible()
    expect(page.locator(".ab-guessed i").nth(4)).to_have_text("61%")
    box.locator("summary").click()
    expect(box.locator("li").nth(4)).to_contain_text(f"{number(asked.bars[4][1])} (you: 61%)")
