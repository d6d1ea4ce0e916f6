"""A step on paper: what is asked for stands nowhere on the first sheet, and the answers are the
tensors' own numbers."""

import base64
import re

import numpy as np
import pytest
from helpers import ANSWERED, FOLLOW, address, app, boards, numbers
from playwright.sync_api import expect

from core.origin import Concat
from core.setup import Setup
from core.text import labels
from core.trace import run
from pages.shared.frame.worksheet import DECIMALS, by_hand
from pages.shared.link.pages import SEVEN
from pages.shared.said.words import axis_labels

SMALL = {
    "text": "the cat the mat",
    "d_model": "6",
    "d_k": "4",
    "d_v": "5",
    "heads": "2",
    "init": "xavier",
    "sheet": "on",
}
LINK = "&".join(f"{name}={value.replace(' ', '+')}" for name, value in SMALL.items())


def pieces(tables) -> list[dict]:
    return [piece | {"caption": table["caption"]} for table in tables for piece in table["pieces"]]


def cells(trace, head: int, piece: dict) -> set[tuple]:
    """Which cells of the trace stand in a piece, as it is or turned, as a long vector is: entry,
    head, row and column."""
    of_head = re.search(r" of head (\d+),", piece["caption"])
    value, dims = trace[piece["name"]].matrix({"head": int(of_head[1]) - 1 if of_head else head})
    rows, columns = (
        [""] if not dim else axis_labels(trace, dim, size)
        for dim, size in zip(dims, value.shape, strict=True)
    )
    for sides, shown in (
        ((piece["rows"], piece["columns"]), numbers(piece)),
        ((piece["columns"], piece["rows"]), numbers(piece).T),
    ):
        if set(sides[0]) <= set(rows) and set(sides[1]) <= set(columns):
            down, along = (
                [rows.index(each) for each in sides[0]],
                [columns.index(each) for each in sides[1]],
            )
            if value[down][:, along].tolist() == shown.tolist():
                return {
                    (piece["name"], int(of_head[1]) - 1 if of_head else head, i, j)
                    for i in down
                    for j in along
                }
    raise AssertionError(f"{piece['caption']}: other numbers than the trace's")


@pytest.mark.parametrize("step", SEVEN, ids=lambda step: step.path)
@pytest.mark.parametrize(
    ("more", "whole"),
    [
        ({}, True),
        ({"mask": "causal", "positions": "learned"}, False),
        ({"d_model": "16", "d_k": "24", "d_v": "28"}, False),
    ],
    ids=["small", "with positions", "large"],
)
def test_every_step_has_a_worksheet(step, more, whole):
    """Each step asks for cells of the followed token, prints the tensors' own numbers, and whatever
    the cells are made of; small tables are there as a whole."""
    at = app(step.file, **SMALL | more, head="2", query="3")
    (drawn,) = boards(at)
    trace = run(by_hand(Setup.nearest(SMALL | more)[0])).rounded(DECIMALS)
    head = min(2, trace.setup.heads) - 1
    for piece in pieces([*drawn["given"], *drawn["asked"]]):
        assert cells(trace, head, piece)
    if whole:
        asked = {table["pieces"][0]["name"] for table in drawn["asked"]}
        sizes = {
            name: sum(p["n"] * p["m"] for p in pieces(drawn["asked"]) if p["name"] == name)
            for name in asked
        }
        assert sizes == {name: trace[name].matrix({"head": head})[0].numel() for name in asked}
    followed = labels(trace.tokens)[2]
    for piece in pieces(drawn["asked"]):
        i0, i1, j0, j1 = piece["frame"]
        blank = {
            frozenset((piece["rows"][i], piece["columns"][j]))
            for i in range(i0, i1)
            for j in range(j0, j1)
        }
        assert all(followed in cell for cell in blank)
    assert any(piece["frame"][0] < piece["frame"][1] for piece in pieces(drawn["asked"]))


@pytest.mark.parametrize("step", SEVEN, ids=lambda step: step.path)
def test_what_is_asked_for_is_not_given(step):
    """No table on the first sheet has the numbers of one that is to be filled in, as a whole
    (without a mask ω″ is ω′) or cell by cell (of heads side by side)."""
    (drawn,) = boards(app(step.file, **SMALL))
    asked = [numbers(piece).tolist() for piece in pieces(drawn["asked"])]
    assert not any(numbers(piece).tolist() in asked for piece in pieces(drawn["given"]))
    copied = {
        piece["name"]
        for piece in pieces(drawn["asked"])
        if isinstance(run(Setup())[piece["name"]].origin, Concat)
    }
    assert not copied


@pytest.mark.parametrize("step", SEVEN[3:], ids=lambda step: step.path)
def test_what_a_blank_is_made_of_is_on_the_sheet(step):
    """Where only parts of tables fit, they are the parts that it takes to fill in what is blank."""
    (drawn,) = boards(app(step.file, query="2", sheet="on"))
    trace = run(by_hand(Setup())).rounded(DECIMALS)
    there = {
        place
        for piece in pieces([*drawn["given"], *drawn["asked"]])
        for place in cells(trace, 0, piece)
    }
    for piece in pieces(drawn["asked"]):
        i0, i1, j0, j1 = piece["frame"]
        blank = piece | {
            "n": i1 - i0,
            "m": j1 - j0,
            "rows": piece["rows"][i0:i1],
            "columns": piece["columns"][j0:j1],
        }
        blank["values"] = base64.b64encode(numbers(piece)[i0:i1, j0:j1].astype("float32").tobytes())
        entry = trace[piece["name"]]
        for _, head, i, j in cells(trace, 0, blank) if i0 < i1 else ():
            for term in entry.origin.recompute(trace, (head, i, j)[-entry.value.ndim :]).terms:
                for ref in term.factors:
                    name = "scaled" if ref.name == "masked" else ref.name
                    of = ref.index[0] if len(ref.index) == 3 else 0
                    assert (name, of, *ref.index[-2:]) in there


def test_what_is_computed_from_the_sheet_is_its_answer():
    """Whoever multiplies the two-decimal numbers that are printed, and rounds, finds the printed
    answers; K is not copied into Kᵀ."""
    (drawn,) = boards(app("pages/4_scores.py", sheet="on", text="a b c"))
    given = {piece["name"]: numbers(piece).astype(float) for piece in pieces(drawn["given"])}
    assert sorted(given) == ["k_t", "q"]
    (answer,) = pieces(drawn["asked"])
    assert np.allclose(given["q"] @ given["k_t"], numbers(answer), atol=0.00501)
    assert all(
        np.allclose(part, part.round(2), atol=1e-6) for part in (*given.values(), numbers(answer))
    )


@pytest.mark.parametrize("step", SEVEN, ids=lambda step: step.path)
def test_the_largest_sizes_that_a_hand_can_do_fit(step):
    """Whatever a hand might do has a sheet; a longer sentence or a larger size is a sheet of
    smaller ones."""
    words = " ".join(f"internationalization{k}" for k in range(8))
    large = {
        "text": words,
        "d_model": 10,
        "d_k": 10,
        "d_v": 10,
        "heads": 1,
        "bias": "on",
        "mask": "causal",
        "positions": "rotary",
    }
    assert by_hand(Setup(**large)) == Setup(**large)
    four = " ".join(words.split()[:4])
    halves = {"text": four, "memory": four, "mask": "none"}
    for changes, smaller in (
        ({}, None),
        (halves, None),
        ({"text": f"{words} more"}, True),
        ({"heads": 2}, True),
    ):
        at = app(step.file, **large | changes, sheet="on", query=9)
        assert len(boards(at)) == 1
        said = "smaller, with weights of their own" in " ".join(line.value for line in at.caption)
        assert said == smaller or smaller is None


def test_other_pages_say_that_they_have_none():
    """A link to a worksheet that there is none of says so, and leads back to the page."""
    at = app("pages/12_classifier.py", sheet="on")
    assert any("this page has none" in line.value for line in at.markdown)
    assert not boards(at)


def sheet(page, link: str):
    """From the page to its worksheet, as by a click."""
    page.evaluate(FOLLOW, link)
    expect(page.get_by_role("link", name="Back to the page")).to_be_visible()
    page.wait_for_function(ANSWERED)
    return page


T = "+".join("internationalization" if k % 5 == 0 else f"w{k}" for k in range(8))


@pytest.mark.browser
@pytest.mark.parametrize(
    "link",
    ["", f"text={T}&d_model=10&d_k=10&d_v=10&heads=1&bias=on&positions=rotary"],
    ids=["first", "largest"],
)
def test_it_fits_on_one_side_of_a4(visit, link):
    """What is asked is one side of upright A4, in print that can be read, and nothing is cut; the
    answers are a second sheet."""
    page = visit("vocabulary")
    cut = (
        "(cells) => cells.filter((e) => e.scrollWidth > e.clientWidth + 1 ||"
        " parseFloat(getComputedStyle(e).fontSize) < 9).length"
    )
    for step in SEVEN:
        sheet(page, f"{step.path}?{link}&sheet=on")
        expect(page.locator("h1")).to_contain_text(step.title)
        printed = page.pdf(prefer_css_page_size=True)
        assert len(re.findall(rb"/Type /Page\b", printed)) == 2, step.path
        assert set(re.findall(rb"/MediaBox \[(.*?)\]", printed)) == {b"0 0 594.95996 841.91998"}, (
            step.path
        )
        assert page.locator(".ab-paper :is(th, td)").evaluate_all(cut) == 0, step.path
        assert page.locator(".ab-task").evaluate("(e) => e.scrollWidth <= e.clientWidth"), step.path


@pytest.mark.browser
def test_what_is_asked_for_stands_on_the_second_sheet(visit, server):
    """The first sheet has empty cells, the second the answers in their place; on paper neither
    sidebar nor bar is left. The page itself goes on over as many sheets of paper as it needs, no
    board is cut in two, and links are spelled out."""
    page = sheet(visit("scores"), f"scores?{LINK}")
    task, answers = page.locator(".ab-task"), page.locator(".ab-answers")
    expect(answers.get_by_role("heading", name="Answers")).to_be_visible()
    expect(task.locator(".ab-blank")).to_have_text([""] * 4)
    solved = answers.locator(".ab-blank").all_inner_texts()
    assert len(solved) == 4
    assert all(solved)
    assert not set(task.locator("tr:has(.ab-blank) td").all_inner_texts()[4:]) & set(solved[4:])
    page.emulate_media(media="print")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    expect(page.locator("[data-testid=stSidebar]")).to_be_hidden()
    expect(page.locator(".st-key-board_bar")).to_be_hidden()
    expect(answers).to_be_visible()
    assert answers.evaluate("(sheet) => getComputedStyle(sheet).breakBefore") == "page"
    container = page.locator("[data-testid=stMainBlockContainer]")
    assert (
        container.evaluate("(e) => getComputedStyle(e, '::after').content") == f'"{address(page)}"'
    )
    page.emulate_media(media="screen")
    page.get_by_role("link", name="Back to the page").click()
    expect(page.get_by_role("heading", name="4 · Scores")).to_be_visible()
    expect(page).not_to_have_url(f"{server.url}/scores?{LINK}")
    expect(page.locator(".ab-steps a").first).to_be_visible()
    page.emulate_media(media="print")
    page.evaluate("() => window.dispatchEvent(new Event('beforeprint'))")
    main = page.locator("[data-testid=stMain]")
    assert main.evaluate(
        "(e) => [getComputedStyle(e).overflow, e.scrollHeight - e.clientHeight <= 1]"
    ) == ["visible", True]
    boards = page.locator(".ab-host").all()
    assert boards
    for board in boards:
        assert board.evaluate("(e) => getComputedStyle(e).breakInside") == "avoid"
    expect(page.locator(".ab-picture").first).to_be_hidden()
    page.emulate_media(media="screen")
