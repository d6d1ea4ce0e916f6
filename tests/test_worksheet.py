"""A step on paper: what is asked for stands nowhere on the first sheet, and the answers are the
tensors' own numbers."""

import re
from xml.etree import ElementTree

import pytest
import torch
from helpers import FOLLOW, address, app
from playwright.sync_api import expect

from core import Setup, run
from core.setup.presets import STORY
from core.text.text import labels
from pages.shared.link.pages import SEVEN
from pages.shared.share import worksheet

SMALL = Setup(text="the cat the mat", d_model=6, d_k=4, d_v=5, heads=2, init="xavier")
PLAIN = str.maketrans("−", "-") | str.maketrans({"∞": "inf"})
MEMORY = Setup(text="the cat", memory="a dog saw it", d_model=6, d_k=4, d_v=5, heads=2)


def sheets_of(path: str, setup: Setup, head: int = 1, query: int = 1) -> tuple[dict, dict, list]:
    """The tables of both sheets of a step, and the entries that are asked for."""
    trace = run(setup).rounded(worksheet.DECIMALS)
    asked = worksheet.asked_for(worksheet.section_of(path), trace)
    task, answers = worksheet.sheets(trace, asked, head, query).split("</div>")[:2]
    return tables(f"{task}</div>"), tables(f"{answers}</div>"), asked


def tables(sheet: str) -> dict[str, list]:
    """The numbers of each table by its caption, a blank as None."""
    return {
        table.find("caption").text: [
            [cell.text and float(cell.text.translate(PLAIN)) for cell in row.iter("td")]
            for row in table.find("tbody")
        ]
        for table in ElementTree.fromstring(sheet).iter("table")
    }


@pytest.mark.parametrize("setup", [SMALL, MEMORY], ids=["alone", "another"])
@pytest.mark.parametrize("step", SEVEN, ids=lambda step: step.path)
def test_what_is_asked_for_is_blank_and_answered(step, setup):
    """Each step has blanks; the answers are the tensors' numbers, of which no table on the first
    sheet has all."""
    blank, solved, asked = sheets_of(step.path, setup)
    assert solved.keys() <= blank.keys() and len(solved) == len(asked) > 0
    for entry, (caption, rows) in zip(asked, solved.items(), strict=True):
        value, _ = entry.matrix({"head": 1, "kv_head": 1})
        assert torch.allclose(torch.tensor(rows), value.float(), atol=1e-6)
        assert any(None in row for row in blank[caption])
        assert rows not in blank.values()


def test_what_is_computed_from_the_sheet_is_its_answer():
    """Whoever multiplies the two-decimal numbers that are printed, and rounds, finds the printed
    answers; what is blank is the followed token's."""
    task, answers, _ = sheets_of("scores", SMALL, query=2)
    q, k_t, blank = task.values()
    (answer,) = answers.values()
    assert torch.allclose(torch.tensor(q) @ torch.tensor(k_t), torch.tensor(answer), atol=0.0051)
    assert [None in row for row in blank] == [False, False, True, False]


def test_sizes_that_no_hand_can_do_are_made_small():
    """The sheet is of the same sentence in small sizes, and says so; markup in it stays text."""
    at = app("pages/5_weights.py", text="<b>the</b> cat", sheet="on", query=2, d_k=30)
    assert not at.exception
    assert any("smaller, with matrices of their own" in line.value for line in at.caption)
    shown = "".join(element.proto.body for element in at.get("html"))
    assert "ab-blank" in shown and "<b>the" not in shown and "&lt;b&gt;the" in shown
    assert worksheet.by_hand(SMALL) == SMALL
    assert labels(worksheet.by_hand(Setup(text="a b c")).tokens) == ("a", "b", "c")
    assert worksheet.by_hand(STORY).text == STORY.text
    long = "one two three four five six seven eight nine ten eleven"
    assert worksheet.by_hand(Setup(text=long)).text == long.removesuffix(" eleven")


def test_other_pages_say_that_they_have_none():
    """A link to a worksheet that there is none of says so, and leads back to the page."""
    at = app("pages/12_classifier.py", sheet="on")
    assert any("this page has none" in line.value for line in at.markdown)


@pytest.mark.browser
def test_it_is_printed_on_two_sheets(visit):
    """What is asked is one side of upright A4, the answers a second sheet."""
    page = visit("vocabulary")
    for step in SEVEN:
        page.evaluate(FOLLOW, f"{step.path}?sheet=on&text={STORY.text}")
        expect(page.get_by_role("link", name="Back to the page")).to_be_visible()
        expect(page.locator("h1")).to_contain_text(step.title)
        expect(page.locator(".ab-answers .ab-blank").first).to_be_visible()
        printed = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type /Page\b", printed)) == 2, step.path


@pytest.mark.browser
def test_a_page_prints_whole_without_its_bars(visit):
    """On paper a page goes on over as many sheets as it needs, without sidebar and bar; no board is
    cut in two, and its address is spelled out."""
    page = visit("scores")
    page.emulate_media(media="print")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    expect(page.locator(".st-key-board_bar")).to_be_hidden()
    container = page.locator("[data-testid=stMainBlockContainer]")
    said = container.evaluate("(e) => getComputedStyle(e, '::after').content")
    assert said == f'"{address(page)}"'
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate(
        "(e) => [getComputedStyle(e).overflow, e.scrollHeight - e.clientHeight <= 1]"
    ) == ["visible", True]
    for board in page.locator(".ab-host").all():
        assert board.evaluate("(e) => getComputedStyle(e).breakInside") == "avoid"
