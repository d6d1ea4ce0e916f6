"""“Do it yourself” on the pages: what is asked, what is replied, what a teacher's link sets, and
what the browser keeps."""

import json
import re

import numpy as np
import pytest
from helpers import (
    app,
    boards,
    change,
    components,
    elements,
    folds,
    follow,
    numbers,
    open_page,
    ready,
)
from playwright.sync_api import expect

from core import exercises
from core.answers import printed
from core.exercises import NAMES, make
from core.setup import Setup
from core.written import number, read
from pages.shared.link import read_link, write_link
from pages.shared.link.beats import BEATS
from pages.shared.link.fields import FIELDS
from pages.shared.link.pages import PAGES
from tests.test_access import serious
from tests.test_question import typed

FILES = {step.path: step.file for step in PAGES}
PATHS = [path for path in exercises.MAKERS if path in FILES]
# Its page trains a model, here a small one.
SMALL = {
    "training": {
        "init": "trained",
        "d_model": 7,
        "d_k": 3,
        "d_v": 5,
        "heads": 2,
        "steps": 20,
        "seed": 71,
    }
}
FOLD = "Do it yourself: 3 exercises"


def setup_of(path: str) -> Setup:
    """The setup that these tests show a page with."""
    return Setup(**SMALL.get(path, {}))


def at_exercise(path: str, **parameters: object):
    """The page with its exercises unfolded."""
    return app(FILES[path], open="exercises", **parameters)


def sent(at) -> dict:
    """What the browser is given of the exercise."""
    return components(at.main, "attention_exercise")[0]


def said(at) -> str:
    return "\n".join(e.value for e in elements(at.main) if e.type == "text")


@pytest.mark.parametrize("path", PATHS)
def test_a_page_asks_once_it_is_unfolded(path):
    """Folded there is nothing of it but its line; unfolded, the first exercise in plain text, with
    a place for the answer."""
    at = app(FILES[path], **SMALL.get(path, {}))
    assert folds(at)[FOLD.replace("3", str(len(exercises.of_page(path))))] is False
    assert not components(at.main, "attention_exercise")
    at = at_exercise(path, **SMALL.get(path, {}))
    assert not at.exception
    assert make(f"{path}.1", setup_of(path)).asks in said(at)
    assert sent(at)["name"] == f"{path}.1"
    assert sent(at)["opens"]["path"] in FILES


@pytest.mark.parametrize("name", [name for name in NAMES if name.partition(".")[0] in FILES])
def test_an_answer_is_judged(name):
    """By a link to the exercise: its page asks it at once, and the printed answer, typed or chosen,
    is right."""
    path = name.partition(".")[0]
    at, exercise = (
        app(FILES[path], exercise=name, variation=2, **SMALL.get(path, {})),
        make(name, setup_of(path), 2),
    )
    (place,) = [
        w for w in elements(at.main) if (getattr(w, "key", None) or "").startswith("answer_")
    ]
    assert "verdict" not in sent(at)
    if exercise.kind == "choice":
        place.set_value(exercise.printed(exercise.answer)).run()
    else:
        place.set_value(typed(exercise.answer)).run()
    assert sent(at)["verdict"] == {"right": True, "says": exercise.solution, "places": []}
    assert not at.exception


def test_a_slip_is_named_and_its_cell_can_be_opened():
    """Wrong, with the slip and the way to where that number stands; unreadable, in words; then
    right: nothing was lost."""
    at = at_exercise("weights", exercise="weights.1")
    exercise = make("weights.1", Setup())
    raw = next(slip for slip in exercise.slips if slip.says == "it is not scaled at all")
    place = at.main.text_input[0]
    place.set_value(typed(raw.gives)).run()
    verdict = sent(at)["verdict"]
    assert verdict["right"] is False
    assert "not scaled" in verdict["says"]
    assert verdict["places"] == [{"path": "scores", "page": "Scores", "fields": raw.opens.fields}]
    at.main.text_input[0].set_value("1/2").run()
    assert (sent(at)["verdict"]["right"], at.main.text_input[0].value) == (None, "1/2")
    at.main.text_input[0].set_value(" ").run()
    assert "verdict" not in sent(at)
    at.main.text_input[0].set_value(typed(exercise.answer)).run()
    assert sent(at)["verdict"]["right"] is True


def test_a_solution_is_where_the_link_leads():
    """The view that opens a solution is read as it stands, and the page there prints the answer's
    digits."""
    for name in NAMES:
        for variation in (1, 2, 3):
            if name.partition(".")[0] in FILES:
                opens = make(name, setup_of(name.partition(".")[0]), variation).opens
                assert set(opens.fields) <= set(FIELDS)
                view = read_link(write_link(opens.fields))
                assert not view.messages, (name, opens)
                assert all(
                    str(getattr(view.focus, field)) == str(value)
                    for field, value in opens.fields.items()
                    if hasattr(view.focus, field)
                )
    for name in ("scores.1", "context.1", "projection.2", "block.2", "masks.3", "embedding.2"):
        exercise = make(name, Setup())
        at = app(FILES[exercise.opens.path], **exercise.opens.fields)
        of_boards = [
            number(float(n))
            for b in boards(at)
            for matrix in b["matrices"]
            for n in numbers(matrix).ravel()
        ]
        shown = (said(at), *of_boards)
        assert any(
            number(end) in text
            for end in (exercise.answer.low, exercise.answer.high)
            for text in shown
        ), name


def test_other_numbers_are_another_question():
    """What was typed belongs to the numbers it was typed for: a new setup asks anew, and Back finds
    the old answer."""
    at = at_exercise("scores")
    at.main.text_input[0].set_value("24.3095").run()
    change(at, heads=5)
    assert at.main.text_input[0].value == ""
    change(at, heads=3)
    assert at.main.text_input[0].value == "24.3095"


def test_a_teachers_link_sets_exercises():
    """`do` shows these alone, open, without a way to solutions; other pages have none; a name that
    is none is told."""
    at = app(FILES["scores"], do="weights.2,scores.3,scores.1")
    assert make("scores.3", Setup()).asks in said(at)
    assert (sent(at)["all"], sent(at)["opens"], sent(at)["set"]) == (
        ["weights.2", "scores.3", "scores.1"],
        None,
        True,
    )
    at.main.text_input[0].set_value(number(make("scores.3", Setup()).slips[0].gives.low)).run()
    assert sent(at)["verdict"]["places"] == []
    assert not any("yourself" in label for label in folds(app(FILES["context"], do="scores.3")))
    assert "do: expected names of exercises" in said(app(FILES["scores"], do="scores.7"))


def test_a_page_without_a_set_exercise_says_where_they_are():
    """A link with `do` that opens a page which has none of them says where they stand, with a link
    to each."""
    for path in ("", "notebooks", "context"):
        lines = [
            e.proto.body
            for e in elements(app(FILES[path], do="weights.2,scores.3").main)
            if e.type == "html"
        ]
        (line,) = [line for line in lines if "ab-set-elsewhere" in line]
        assert "The exercises that this link sets stand on other pages" in line
        links = re.findall(
            r'href="\./(\w+)" data-sets="exercise=(\w+\.\d)&amp;variation=1">(.+?)</a>', line
        )
        assert links == [
            ("weights", "weights.2", "Weights, exercise 2"),
            ("scores", "scores.3", "Scores, exercise 3"),
        ]
    for parameters in ({"do": "scores.3"}, {}, {"do": "weights.2", "lecture": "on"}):
        at = app(FILES["scores"], **parameters)
        assert not any(
            "ab-set-elsewhere" in e.proto.body for e in elements(at.main) if e.type == "html"
        )


def test_a_setup_without_the_exercise_says_so():
    """Without projections there is no product to work out: a sentence, and the way on to the next
    exercise."""
    at = at_exercise("projection", projections="none")
    assert "choose Projections: learned" in said(at)
    assert sent(at)["name"] == "projection.1"
    assert "opens" not in sent(at)
    assert not at.exception


def test_words_are_quoted_as_text():
    """Markup in a sentence stays text in a question, and a character is not called a word."""
    at = app(FILES["vocabulary"], text="**b** [a](x) <i>c</i>", exercise="vocabulary.1")
    assert not at.exception
    assert make("vocabulary.1", Setup(text="**b** [a](x) <i>c</i>")).asks in said(at)
    at = app(FILES["vocabulary"], split="characters", exercise="vocabulary.1")
    assert "each different character once" in said(at)


def in_class(path: str, beat: str, **parameters: object):
    """The beat of a lecture with this name, on the screen or in the speaker's window."""
    place = next(k for k, other in enumerate(BEATS[path], start=1) if other.name == beat)
    return app(FILES[path], beat=place, **({"lecture": "on"} | SMALL.get(path, {}) | parameters))


@pytest.mark.parametrize("path", PATHS)
def test_a_lecture_asks_and_then_answers(path):
    """Two beats of a page: the question without its answer, then the answer; there is nothing to
    type. The speaker's window has both at once, and what slips give."""
    exercise = make(f"{path}.1", setup_of(path))
    answer = f"**{exercise.printed(exercise.answer)}**"
    asks, answers = in_class(path, "ask"), in_class(path, "answer")
    names = [beat.name for beat in BEATS[path]]
    assert names[names.index("ask") :][:2] == ["ask", "answer"]
    assert exercise.asks in said(asks)
    assert exercise.solution not in said(asks)
    assert answer not in [e.value for e in asks.main.markdown]
    assert answer in [e.value for e in answers.main.markdown]
    assert exercise.solution in said(answers)
    assert exercise.asks.split("\n")[-1] in said(answers)
    assert not components(answers.main, "attention_exercise")
    notes = said(in_class(path, "ask", lecture="off", notes="on"))
    assert all(
        text in notes
        for text in (
            f"The answer is {exercise.printed(exercise.answer)}.",
            *(slip.says for slip in exercise.slips),
        )
    )


@pytest.mark.parametrize(
    "name",
    ["projection.1", "projection.2", "scores.1", "scores.2", "scores.3", "context.1", "context.2"],
)
@pytest.mark.parametrize("variation", [1, 2])
def test_a_sum_is_written_out_in_class(name, variation):
    """With the answer stand the terms of the cell that it can be read from: factor times factor,
    which add up to that cell."""
    path, sizes = name.partition(".")[0], {"d_model": 7, "d_k": 3, "d_v": 5, "bias": "on"}
    at = in_class(
        path, "answer", exercise=name, variation=variation, text="the cat the mat", **sizes
    )
    (board,) = boards(at)
    left, right, products = (numbers(matrix)[0] for matrix in board["matrices"])
    assert np.allclose(left * right, products, atol=1e-3)
    bias, total = re.fullmatch(r"sum(?: \+ bias (\S+))? = (\S+) = .+", board["total"]).groups()
    assert sum(products) + float(read(bias or "0")) == pytest.approx(float(read(total)), abs=1e-3)
    if name in ("projection.2", "scores.1", "scores.2", "context.1"):
        assert total == printed(
            make(name, Setup(text="the cat the mat", **sizes), variation).answer
        )


def test_a_lecture_asks_what_the_link_sets():
    """Those of `do` that are this page's, else its first that there is for the setup; the one that
    the link opens, or why not."""
    assert make("scores.3", Setup()).asks in said(
        in_class("scores", "ask", do="weights.2,scores.3,scores.1")
    )
    assert make("context.1", Setup()).asks in said(
        in_class("context", "ask", do="weights.2,scores.3")
    )
    assert make("scores.2", Setup(), 5).asks in said(
        in_class("scores", "ask", exercise="scores.2", variation=5)
    )
    alone = Setup(projections="none")
    assert make("projection.3", alone).asks in said(
        in_class("projection", "ask", projections="none")
    )
    at = in_class("context", "answer", exercise="context.2", text="a")
    assert "type a sentence with more than one" in said(at)
    assert not at.exception


@pytest.mark.parametrize("path", ["scores", "vocabulary"])
def test_a_lecture_keeps_the_answers_of_what_the_link_sets(path):
    """Who opens a link that sets exercises may switch on a lecture, or its notes: neither has the
    answer, nor where it stands; both say who has it. Also where the page asks one that is not
    set."""
    for do in (f"{path}.1", "weights.2"):
        exercise = make(f"{path}.1", setup_of(path))
        for at in (
            in_class(path, "answer", do=do),
            in_class(path, "ask", lecture="off", notes="on", do=do),
        ):
            assert exercise.asks in said(at)
            assert "The teacher keeps the answer" in said(at)
            assert exercise.printed(exercise.answer) not in said(at).replace(exercise.asks, "")
            assert exercise.solution not in said(at)
        assert not boards(in_class(path, "answer", do=do))
    assert "The teacher keeps" not in said(in_class(path, "ask", do=f"{path}.1"))


def reply(page, answer: str):
    """What is said of this answer."""
    place = page.get_by_label("Your answer")
    place.fill(answer)
    place.press("Enter")
    return page.locator(".ab-reply")


@pytest.mark.browser
def test_five_wrong_ways_the_right_one_and_what_is_kept(page, server):
    """A reader errs in five ways, is told each, opens the cell of one, comes back, takes a hint,
    and solves it. All of it is as accessible as the page. What was solved is there after a reload
    and on other pages, can be saved as a file, and is forgotten when asked."""
    open_page(page, server, "scores")
    page.get_by_role("button", name=FOLD).click()
    for answer, slip in {
        "24.3095": "query and key are exchanged",
        "1.8514": "the score is scaled already",
        "5.5663": "the factors are added",
        "9.8764": "the missing terms are left out",
        "9.07": "rounded or cut to 2 decimals",
        "9,07x": "is not a number",
    }.items():
        expect(reply(page, answer)).to_contain_text(slip)
    expect(reply(page, "24.3095")).to_contain_text("query and key are exchanged")
    page.get_by_role("link", name="Where that number stands: Scores").click()
    expect(page.get_by_text("ω[dessert, eat] = 24.3095, the sum of the products")).to_be_visible()
    expect(page).to_have_url(re.compile("head=2&query=5&key=4"))
    page.go_back()
    expect(page.get_by_text("“is” asks, “dessert” is asked.")).to_be_visible()
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_text("two rows and two columns")).to_be_visible()
    page.go_back()
    expect(page.get_by_label("Your answer")).to_have_value("24.3095")
    page.get_by_role("button", name="Hint 1 of 2").click()
    expect(page.get_by_text("Multiply the numbers in each line")).to_be_visible()
    expect(reply(page, "9.0697")).to_contain_text("Right.")
    expect(page.get_by_text("Multiply the numbers in each line")).to_be_visible()
    expect(page.get_by_text("Solved: 1 of 3 on this page, 1 of ")).to_be_visible()
    assert serious(page) == []
    follow(page, "vocabulary?exercise=vocabulary.1")
    expect(reply(page, "1")).to_contain_text("Right.")
    page.get_by_role("link", name="Next →").click()
    expect(page.get_by_text("Which id has “dessert” then?")).to_be_visible()
    page.reload()
    ready(page)
    expect(page.get_by_text("Solved: 1 of 3 on this page, 2 of ")).to_be_visible()
    expect(page.get_by_role("link", name="Exercise 1, solved")).to_be_visible()
    follow(page, "context?exercise=context.2")
    expect(page.get_by_text("Solved: 0 of 3 on this page, 2 of ")).to_be_visible()
    with page.expect_download() as saved:
        page.get_by_role("button", name="Save as a file").click()
    kept = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert (kept["solved"], sorted(kept["exercises"])) == (2, ["scores.1", "vocabulary.1"])
    assert kept["exercises"]["vocabulary.1"]["link"].endswith("/vocabulary?exercise=vocabulary.1")
    page.on("dialog", lambda dialog: dialog.accept())
    page.get_by_role("button", name="Forget all").click()
    expect(page.get_by_text("Solved: 0 of 3 on this page, 0 of ")).to_be_visible()


def test_a_link_opens_what_was_folded():
    """On a page whose exercises are folded away, a teacher's link with exercises shows the first of
    them at once."""
    at = app(FILES["scores"])
    assert not components(at.main, "attention_exercise")
    assert sent(change(at, do="scores.2"))["name"] == "scores.2"


@pytest.mark.browser
def test_a_set_of_exercises_leads_from_page_to_page(visit):
    """Through a teacher's link, Next goes to the page of the next exercise, where it stands open.
    In a lecture a page asks its own one after the other, each from its question."""
    page = visit("scores?do=scores.1,weights.2&d_k=3")
    expect(page.get_by_role("link", name="Show me")).to_have_count(0)
    page.get_by_role("link", name="Next →").click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(page.get_by_text("that goes into the softmax")).to_be_visible()
    expect(page).to_have_url(
        re.compile(
            r"/weights\?do=scores.1%2Cweights.2&d_k=3&exercise=weights.2|/weights\?do=scores.1,weights.2"
        )
    )
    place = len(BEATS["scores"])
    follow(page, f"scores?lecture=on&do=scores.1,scores.2&beat={place}")
    expect(page.get_by_text("The teacher keeps the answer")).to_be_visible()
    page.get_by_role("link", name="Exercise 2").press("Enter")
    expect(page.get_by_text("How well does “Life”'s key fit “is”'s query?")).to_be_visible()
    expect(page).to_have_url(
        re.compile(
            rf"(?=.*do=scores.1(,|%2C)scores.2)(?=.*exercise=scores.2)(?=.*beat={place - 1}\b)"
        )
    )
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("The teacher keeps the answer")).to_be_visible()
    expect(page.get_by_text("8.5808", exact=True)).to_have_count(0)
