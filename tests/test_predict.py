"""“Predict, then see”: what a page asks before a step is seen, and what the browser makes of a
guess."""

import json
import re

import pytest
from helpers import PATIENCE, app, components, follow, ready
from playwright.sync_api import expect

from core.predictions import MAKERS, ask
from core.setup import Setup
from core.trace import run
from core.written import number
from pages.shared.link.pages import PAGES, find
from tests.test_access import COLOURS, SIDEWAYS, serious

PATHS = {
    "scores": "scores",
    "weights": "weights",
    "root": "weights",
    "context": "context",
    "heads": "heads",
}
NINE = "text=the+cat+drank+the+milk+because+it+was+thirsty"
COVERS = {each.name: each.covers for page in PAGES for each in page.predictions}


# ---------- on the pages ----------


def asked_on(name: str, **parameters: object) -> list[dict]:
    """The questions that a page sends to the browser."""
    more = {"part": "mixed by W_o"} if name == "heads" else {}
    places = components(
        app(find(PATHS[name]).file, **more, **parameters).main, "attention_prediction"
    )
    return [sent for sent in places if "asks" in sent]


@pytest.mark.parametrize("name", MAKERS)
def test_a_page_sends_what_core_says(name):
    """Question, choices, truth and a sentence for each answer, each number as a reader meets it; of
    another row where the followed one stands whole."""
    (sent,) = [each for each in asked_on(name) if each["name"] == name]
    asked = ask(name, run(Setup()), 0, 3 if name in ("scores", "context") else 1)
    assert sent["row"] == {"scores": 3, "context": 3, "weights": 1}.get(name)
    assert (sent["asks"], sent["options"]) == (asked.asks, list(asked.options))
    assert (sent["right"], sent["says"]) == (
        list(asked.answers),
        [slip.says for slip in asked.slips],
    )
    assert sent["bars"] == [[label, value, number(value)] for label, value in asked.bars]


@pytest.mark.parametrize(
    "parameters",
    [{"lecture": "on"}, {"do": "scores.1"}, {"sheet": "on"}, {"vs": "seed:2"}, {"text": "one"}],
)
def test_nothing_is_asked_where_it_would_be_in_the_way(parameters):
    """In no lecture, on no worksheet, where a teacher sets exercises, where results stand above,
    nor of a single word."""
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
        follow(asking, "notebooks")  # from another page, and a small one
        asking.evaluate("localStorage.clear()")
        follow(asking, link)
        return asking

    return at


def question(page, name: str):
    return page.locator(f".st-key-predict_{name} .ab-predict")


def is_covered(page, board: str, matrix: str, row: int = 0) -> bool:
    """Whether something lies over the middle of a matrix's row: a cover, or what is answered
    with."""
    cells = page.locator(f".st-key-{board} [data-name={matrix}] .ab-cells").first
    cells.scroll_into_view_if_needed()
    return cells.evaluate(
        """(cells, row) => {
          const { left, top, width, height } = cells.getBoundingClientRect();
          const y = top + ((row + 0.5) * height) / cells.dataset.rows;
          return [0.05, 0.5, 0.95].every((part) => document.elementFromPoint(left + part * width,
            y).closest(".ab-covers"));
        }""",
        row,
    )


def answers(page, name: str):
    """What is answered with, in the figure."""
    return page.get_by_role(
        "group",
        name=question(page, name).locator("p").inner_text().split(": ", 1)[1].rsplit("?", 1)[0],
    )


@pytest.mark.browser
def test_a_click_answers_in_the_row(first):
    """One row is covered until a word is chosen in it, all else is alive, Play too; then the
    sentence, every number, and the guess as a ghost. Asked once."""
    page, asked = first("scores"), ask("scores", run(Setup()), 0, 3)
    box = question(page, "scores")
    expect(box).to_contain_text(f"Guess: {asked.asks}")
    assert [is_covered(page, "board_scores", "scores", row) for row in range(6)] == [False] * 3 + [
        True
    ] + [False] * 2
    page.locator(".st-key-board_scores .ab-play").click()
    expect(page.locator(".ab-player")).to_have_count(1)
    page.get_by_role("button", name="Close", exact=True).click()
    row = answers(page, "scores")
    assert row.bounding_box()["height"] == pytest.approx(44, abs=1)
    row.get_by_role("button", name="Life").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.slips[0].says}")
    assert not is_covered(page, "board_scores", "scores", 3)
    expect(page.locator(".ab-guessed i:visible")).to_have_count(1)
    box.locator("summary").click()
    expect(box.locator("li")).to_have_count(6)
    expect(box.locator("li").nth(0)).to_contain_text("(your guess)")
    expect(box.locator("li b")).to_have_count(1)
    for line, (label, value) in zip(box.locator("li").all(), asked.bars, strict=True):
        expect(line).to_contain_text(label)
        expect(line).to_contain_text(number(value))
    follow(page, "scores?query=3")  # the truth goes along with the numbers, the guess does not
    expect(box.get_by_role("status")).to_have_text(
        ask("scores", run(Setup()), 0, 4).solution.partition(" For ")[0]
    )
    expect(box.locator("li b")).to_have_count(0)
    expect(page.locator(".ab-guessed")).to_have_count(0)
    follow(page, "scores?query=1&head=2")
    assert not is_covered(page, "board_scores", "scores", 2)
    box.get_by_role("button", name="Ask me of these numbers").press("Enter")
    assert is_covered(page, "board_scores", "scores", 2)
    expect(box).to_contain_text("In head 2, which word's key will fit the query of “short” best?")


@pytest.mark.browser
def test_shares_are_dragged(first):
    """By keyboard as by pointer: the others give way, together they stay all of it, and each stays
    as a ghost beside the truth. What would tell is covered, on the page's other figure and in its
    words too, but for what Play shows."""
    page, asked = first("weights"), ask("weights", run(Setup()), 0, 1)
    box = question(page, "weights")
    bars = answers(page, "weights").get_by_role("slider")
    expect(bars).to_have_count(6)
    covered = [
        is_covered(page, "board_weights_row", each)
        for each in ("scores", "scaled", "shifted", "exp", "weights")
    ]
    assert covered == [False, False, True, True, True]
    assert [is_covered(page, "board_weights", "weights", row) for row in range(3)] == [
        False,
        True,
        False,
    ]
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
    assert not is_covered(page, "board_weights_row", "weights")
    expect(page.locator(".st-key-answer_weights")).to_contain_text("gives 49% of its attention")


@pytest.mark.browser
def test_up_or_down_without_the_root(first):
    """A page's second question covers its own figure, whether the first is answered or not."""
    page, asked = first("weights"), ask("root", run(Setup()), 0, 1)
    box = question(page, "root")
    expect(box).to_be_visible()
    assert (
        page.evaluate("document.documentElement.dataset.asking.split(' ').sort().join()")
        == "root,weights"
    )
    question(page, "weights").get_by_role("button", name="Skip").click()
    assert page.evaluate("document.documentElement.dataset.asking") == "root"
    assert page.locator(".ab-cover").count() == 1  # the other matrix is where it is answered
    answers(page, "root").get_by_role("button", name="No, smaller").click()
    expect(box.get_by_role("status")).to_have_text(f"✗ No. {asked.slips[2].says}")
    assert not page.evaluate("document.documentElement.dataset.asking")
    expect(page.locator(".ab-cover")).to_have_count(0)


@pytest.mark.browser
@pytest.mark.parametrize(
    ("name", "board", "entry", "row", "steps"),
    [
        ("scores", "board_scores", "scores", 3, ["ArrowDown"] * 2),
        ("context", "board_context", "context", 3, ["ArrowDown"] * 2),
        ("weights", "board_weights_row", "weights", 1, []),
        ("weights", "board_weights", "weights", 1, ["ArrowRight"]),
        ("weights", "board_unscaled", "weights", 1, []),
    ],
)
def test_what_is_covered_is_told_nowhere(first, name, board, entry, row, steps):
    """Not to who walks there by keys, not in a table of the menu or below, not in what describes
    the board, its digits or its picture; Enter follows no cell of it. All of it is told once the
    question is answered or skipped."""
    page = first(f"{PATHS[name]}?open=tables_{name}")
    trace = run(Setup())
    rows = [{number(each) for each in line} for line in trace.value(entry)[0].tolist()]
    numbers = rows.pop(row).difference(
        *rows, map(number, trace.value("v")[0].flatten().tolist())
    )  # by which it is known
    host, place = page.locator(f".st-key-{board} .ab-host"), page.url
    host.locator("svg.ab-svg").focus()
    for key in steps:
        page.keyboard.press(key)
    expect(host.locator(".ab-readout")).to_contain_text("covered until its question is answered")
    page.keyboard.press("Enter")
    assert page.url == place
    host.locator(".ab-menu summary").first.evaluate("(summary) => summary.click()")
    host.locator(".ab-tables summary").evaluate("(summary) => summary.click()")
    told = """(host) => {
      const shown = (each) => each.checkVisibility({ visibilityProperty: true });
      const texts = [...host.querySelectorAll("text, td, .ab-readout")].filter(shown).map((each) =>
        each.textContent);
      return [...texts, host.querySelector(".ab-svg").getAttribute("aria-label")].join(" ");
    }"""
    expect(host.locator("td", has_text="covered until").first).to_be_visible()
    assert not [each for each in numbers if each in host.evaluate(told)]
    covered, digits = (
        host.locator(".ab-covered-cells"),
        host.locator(".ab-covered"),
    )  # what goes into a picture, too
    expect(covered.last).to_be_visible()
    assert all(
        each == "hidden"
        for each in digits.evaluate_all(
            "(all) => all.map((each) => getComputedStyle(each).visibility)"
        )
    )
    expect(
        page.locator(f".st-key-fold_tables_{name} [data-testid=stDataFrame]").first
    ).to_be_hidden()
    question(page, name).get_by_role("button", name="Skip").click()
    if board == "board_unscaled":
        question(page, "root").get_by_role("button", name="Skip").click()
    expect(host.locator("td", has_text="covered until")).to_have_count(0)
    expect(covered).to_have_count(0)
    expect(digits).to_have_count(0)
    assert all(each in host.evaluate(told) for each in numbers)
    expect(host.locator(".ab-readout")).not_to_contain_text("covered")
    expect(
        page.locator(f".st-key-fold_tables_{name} [data-testid=stDataFrame]").first
    ).to_be_visible()


@pytest.mark.browser
def test_on_a_phone_the_asked_row_comes_first(first):
    """The question's line is short; below it, before the figure, each word has its place, wide
    enough for a finger, and its number where that is known; the figure's own row is covered. On
    Context weights of few words have their digits, on Weights nine."""
    page = first("scores")
    page.set_viewport_size({"width": 390, "height": 844})
    above = ".st-key-predict_{0} .ab-above button:visible"
    for link, name in (("scores", "scores"), ("context", "context"), (f"scores?{NINE}", "scores")):
        follow(page, link)
        line, row = (
            question(page, name).locator(".ab-question-row").bounding_box(),
            page.locator(above.format(name)),
        )
        assert line["height"] <= 60
        assert min(each.bounding_box()["width"] for each in row.all()) >= 28
        assert row.count() == (9 if NINE in link else 6)
        board = page.locator(f".st-key-board_{name} .ab-svg").bounding_box()
        assert all(each.bounding_box()["y"] < board["y"] for each in row.all())
        assert is_covered(page, f"board_{name}", name, 3)
        if name == "context":
            shares = run(Setup()).value("weights")[0]
            assert row.locator(".ab-given").all_inner_texts() == [
                f"α {each:.2f}" for each in shares[3]
            ]
            expect(
                page.locator(".st-key-board_context [data-name=weights] .ab-numbers text")
            ).to_have_count(36)
    page.locator(above.format("scores")).first.click()
    expect(page.locator(".st-key-predict_scores .ab-told-row > div")).to_have_count(9)
    page.reload()  # what an earlier test guessed is forgotten
    follow(page, f"weights?{NINE}")
    expect(
        page.locator(".st-key-board_weights_row [data-name=scores] .ab-numbers text")
    ).to_have_count(9)
    question(page, "weights").get_by_role("button", name="Skip").click()
    question(page, "weights").get_by_role("button", name="Don't ask again").click()
    expect(question(page, "weights")).to_have_text("Ask me before I see")
    page.set_viewport_size({"width": 1440, "height": 900})


@pytest.mark.browser
def test_skip_and_off_for_good(first):
    """One press goes past a question, another past all of them, for as long as this browser lasts;
    one brings them back."""
    page = first("context")
    question(page, "context").get_by_role("button", name="Skip").click()
    expect(question(page, "context")).to_have_text("Ask me before I see")
    assert not is_covered(page, "board_context", "context", 3)
    follow(page, "scores")
    assert is_covered(page, "board_scores", "scores", 3)
    question(page, "scores").get_by_role("button", name="Don't ask again").click()
    assert not is_covered(page, "board_scores", "scores", 3)
    page.reload()
    ready(page)
    for path, board, matrix, row in (
        ("scores", "board_scores", "scores", 3),
        ("weights", "board_weights_row", "weights", 0),
    ):
        follow(page, path)
        expect(question(page, path)).to_have_text("Ask me before I see")
        assert not is_covered(page, board, matrix, row)
    question(page, "weights").get_by_role("button", name="Ask me before I see").press("Enter")
    expect(answers(page, "weights").get_by_role("slider").first).to_be_focused()
    assert is_covered(page, "board_weights_row", "weights")
    follow(page, "context")  # skipped once: not asked again
    assert not is_covered(page, "board_context", "context", 3)
    kept = json.loads(page.evaluate("localStorage['attention-predicted']"))
    assert kept == ["context"]


@pytest.mark.browser
def test_a_lecture_asks_nothing(first):
    """Neither there nor on paper anything is covered."""
    page = first("scores?lecture=on&beat=4")
    expect(page.locator(".ab-predict")).to_have_count(0)
    assert not page.evaluate("document.documentElement.dataset.asking")
    follow(page, "scores")
    assert is_covered(page, "board_scores", "scores", 3)
    page.emulate_media(media="print")
    expect(page.locator(".ab-covers")).to_be_hidden()
    expect(question(page, "scores")).to_be_hidden()
    page.emulate_media(media="screen")
    follow(page, "scores?text=one")
    expect(page.locator(".st-key-predict_scores")).to_be_hidden()
    follow(page, "scores")
    expect(question(page, "scores").get_by_role("button", name="Skip")).to_be_visible()


@pytest.mark.browser
@pytest.mark.parametrize("name", MAKERS)
def test_words_are_text_and_all_is_accessible(first, name):
    """Markup in a word stays text; axe finds nothing serious while it is asked, nor once it is
    told; nothing scrolls sideways."""
    link = "text=<b>x</b>+قلب+cat&d_model=3&d_k=2&d_v=2&heads=2" + (
        "&part=mixed+by+W_o" if name == "heads" else ""
    )
    page = first(f"{PATHS[name]}?{link}")
    box = question(page, name)
    parts = [
        f".st-key-predict_{name}",
        *(f".st-key-{board}" for board in {board for board, _ in COVERS[name]}),
    ]
    for scheme, width in (("light", 1440), ("dark", 390)):
        page.emulate_media(color_scheme=scheme)
        page.set_viewport_size({"width": width, "height": 900})
        dark = scheme == "dark"
        assert dark or serious(page, within=parts) == []
        assert page.evaluate(SIDEWAYS) <= 1
        row = answers(page, name)
        if row.get_by_role("combobox").is_visible():  # too narrow for all words side by side
            row.get_by_role("combobox").select_option(index=1)
        see = row.get_by_role("button", name="See", exact=True)
        (see if see.is_visible() else row.get_by_role("button").first).click()
        expect(box.get_by_role("status")).not_to_be_empty()
        assert box.locator("b, script").evaluate_all(
            "(all) => all.every((each) => !each.textContent)"
        )
        assert serious(page, COLOURS if dark else None, within=parts) == []
        box.get_by_role("button", name="Ask again").click()
    page.set_viewport_size({"width": 1440, "height": 900})
    page.emulate_media(color_scheme="light")
