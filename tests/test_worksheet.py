"""A step on paper: what is asked for stands nowhere on the first sheet, and the answers are the tensors' own numbers."""

import pytest
from helpers import address, app, boards, numbers
from playwright.sync_api import expect

from core.setup import Setup
from core.trace import run
from pages.shared.link.steps import SEVEN, STEPS

SMALL = {"text": "the cat the mat", "d_model": "6", "d_k": "4", "d_v": "5", "heads": "2", "init": "xavier", "sheet": "on"}
LINK = "&".join(f"{name}={value.replace(' ', '+')}" for name, value in SMALL.items())


@pytest.mark.parametrize("step", STEPS[1 : SEVEN + 1], ids=lambda step: step.path)
@pytest.mark.parametrize("more", [{}, {"mask": "causal", "positions": "learned", "bias": "on"}, {"projections": "none"}])
def test_every_step_has_a_worksheet(step, more):
    """Each step asks for the followed token's cells of what is made there, and gives all that they are made of."""
    at = app(step.file, **SMALL | more, head="2", query="3")
    (drawn,) = boards(at)
    trace = run(Setup.nearest(SMALL | more)[0])
    head = min(2, trace.setup.heads) - 1
    for matrix in (*drawn["given"], *drawn["asked"]):
        entry = trace[matrix["name"]]
        value = entry.value[head] if entry.dims[0] == "head" else entry.value
        assert numbers(matrix).tolist() == value.reshape(matrix["n"], matrix["m"]).tolist()
    for matrix in drawn["asked"]:
        n, m = matrix["n"], matrix["m"]
        column = [0, n, 2, 3]
        assert matrix["frame"] == (column if matrix["name"] in ("ids", "k_t") else [2, 3, 0, m])
        inputs = trace[matrix["name"]].call.inputs if trace[matrix["name"]].call else ()
        there = {other["name"] for other in (*drawn["given"], *drawn["asked"])}
        assert all(name in there or trace[name].origin.source in there for name in inputs)


@pytest.mark.parametrize("step", STEPS[1 : SEVEN + 1], ids=lambda step: step.path)
def test_what_is_asked_for_is_not_given(step):
    """No table on the first sheet has the numbers of one that is to be filled in: without a mask ω″ is ω′."""
    (drawn,) = boards(app(step.file, **SMALL))
    asked = [numbers(matrix).tolist() for matrix in drawn["asked"]]
    assert not any(numbers(matrix).tolist() in asked for matrix in drawn["given"])


def test_other_pages_say_that_they_have_none():
    """A link to a worksheet that there is none of says so, and leads back to the page."""
    at = app("pages/11_classifier.py", sheet="on")
    assert any("this page has none" in line.value for line in at.markdown)
    assert not boards(at)


@pytest.mark.browser
def test_what_is_asked_for_stands_on_the_second_sheet(page, server):
    """The first sheet has empty cells, the second the answers in their place; on paper neither sidebar nor bar is left. The page
    itself goes on over as many sheets of paper as it needs, no board is cut in two, and links are spelled out."""
    page.goto(f"{server.url}/scores?{LINK}")
    task, answers = page.locator(".ab-task"), page.locator(".ab-answers")
    expect(answers.get_by_role("heading", name="Answers")).to_be_visible()
    expect(task.locator(".ab-asked")).to_have_text([""] * 8)
    solved = answers.locator(".ab-asked").all_inner_texts()
    assert len(solved) == 8
    assert all(solved)
    assert not set(task.locator("tr:has(.ab-asked) td").all_inner_texts()[4:]) & set(solved[4:])
    page.emulate_media(media="print")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    expect(page.locator(".st-key-board_bar")).to_be_hidden()
    expect(answers).to_be_visible()
    assert answers.evaluate("(sheet) => getComputedStyle(sheet).breakBefore") == "page"
    container = page.locator("[data-testid=stMainBlockContainer]")
    assert container.evaluate("(e) => getComputedStyle(e, '::after').content") == f'"{address(page)}"'
    page.emulate_media(media="screen")
    page.get_by_role("link", name="Back to the page").click()
    expect(page.get_by_role("heading", name="4 · Scores")).to_be_visible()
    expect(page).not_to_have_url(f"{server.url}/scores?{LINK}")
    expect(page.locator(".ab-steps a").first).to_be_visible()
    page.emulate_media(media="print")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate("(e) => [getComputedStyle(e).overflow, e.scrollHeight - e.clientHeight <= 1]") == ["visible", True]
    boards = page.locator(".ab-host").all()
    assert boards
    for board in boards:
        assert board.evaluate("(e) => getComputedStyle(e).breakInside") == "avoid"
    expect(page.locator(".ab-picture").first).to_be_hidden()
