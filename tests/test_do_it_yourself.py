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
from tests.test_question import SMALL as TRAINED
from tests.test_question import typed

FILES = {step.path: step.file for step in PAGES}
PATHS = [path for path in exercises.MAKERS if path in FILES]
SMALL = {"training": TRAINED.as_link()}  # its page trains a model, here a small one


def setup_of(path: str) -> Setup:
    """The setup that these tests show a page with."""
    return TRAINED if path == "training" else Setup()


def at_exercise(path: str, **parameters: object):
    """The page with its exercises unfolded."""
    return app(FILES[path], open="exercises", **SMALL.get(path, {}), **parameters)


def sent(at) -> dict:
    """What the browser is given of the exercise."""
    return components(at.main, "attention_exercise")[0]


def answered(at, text: str) -> dict | None:
    """What is replied to this answer."""
    at.main.text_input[0].set_value(text).run()
    return sent(at).get("verdict")


def said(at) -> str:
    return "\n".join(e.value for e in elements(at.main) if e.type == "text")


def elsewhere(at) -> list[str]:
    """What is said of exercises that stand on other pages."""
    lines = [e.proto.body for e in elements(at.main) if e.type == "html"]
    return [line for line in lines if "ab-set-elsewhere" in line]


@pytest.mark.parametrize("path", PATHS)
def test_a_page_asks_once_it_is_unfolded(path):
    """Folded there is nothing of it but its tab; unfolded, the first exercise in plain text, with
    a place for the answer."""
    at = app(FILES[path], **SMALL.get(path, {}))
    assert folds(at)["Do it yourself"] is False
    assert not components(at.main, "attention_exercise")
    at = at_exercise(path)
    assert not at.exception
    assert make(f"{path}.1", setup_of(path)).asks in said(at)
    assert sent(at)["name"] == f"{path}.1"
    assert sent(at)["opens"]["path"] in FILES


@pytest.mark.parametrize("name", [name for name in NAMES if name.partition(".")[0] in FILES])
def test_an_answer_is_judged(name):
    """By a link to the exercise: its page asks it at once, and the printed answer, typed or chosen,
    is right. The view that opens a solution is read as it stands."""
    path = name.partition(".")[0]
    at = app(FILES[path], exercise=name, variation=2, **SMALL.get(path, {}))
    exercise = make(name, setup_of(path), 2)
    assert "verdict" not in sent(at)
    keys = ((w, getattr(w, "key", None) or "") for w in elements(at.main))
    (place,) = [w for w, key in keys if key.startswith("answer_")]
    is_choice, answer = exercise.kind == "choice", exercise.answer
    place.set_value(exercise.printed(answer) if is_choice else typed(answer)).run()
    assert sent(at)["verdict"] == {"right": True, "says": exercise.solution, "places": []}
    assert not at.exception
    fields = exercise.opens.fields
    assert set(fields) <= set(FIELDS)
    view = read_link(write_link(fields))
    assert not view.messages
    read_back = {field: getattr(view.focus, field, fields[field]) for field in fields}
    assert {k: str(v) for k, v in read_back.items()} == {k: str(v) for k, v in fields.items()}


@pytest.mark.parametrize(
    "name", ["scores.1", "context.1", "projection.2", "block.2", "masks.3", "embedding.2"]
)
def test_a_solution_is_where_the_link_leads(name):
    """The page there prints the answer's digits."""
    exercise = make(name, Setup())
    at = app(FILES[exercise.opens.path], **exercise.opens.fields)
    drawn = [numbers(matrix) for board in boards(at) for matrix in board["matrices"]]
    shown = [said(at), *(number(float(n)) for matrix in drawn for n in matrix.ravel())]
    ends = number(exercise.answer.low), number(exercise.answer.high)
    assert any(end in text for end in ends for text in shown)


def test_a_slip_is_named_and_its_cell_can_be_opened():
    """Wrong, with the slip and the way to where that number stands; unreadable, in words; then
    right: nothing was lost. Other numbers are another question, and Back finds the old answer."""
    at, exercise = at_exercise("weights", exercise="weights.1"), make("weights.1", Setup())
    raw = next(slip for slip in exercise.slips if slip.says == "it is not scaled at all")
    verdict = answered(at, typed(raw.gives))
    assert verdict["right"] is False
    assert "not scaled" in verdict["says"]
    assert verdict["places"] == [{"path": "scores", "page": "Scores", "fields": raw.opens.fields}]
    assert answered(at, "1/2")["right"] is None
    assert at.main.text_input[0].value == "1/2"
    assert answered(at, " ") is None
    assert answered(at, typed(exercise.answer))["right"] is True
    for heads, value in ((5, ""), (3, typed(exercise.answer))):
        change(at, heads=heads)
        assert at.main.text_input[0].value == value


def test_a_teachers_link_sets_exercises():
    """`do` shows these alone, open, without a way to solutions; other pages have none; a name that
    is none is told."""
    at = app(FILES["scores"], do="weights.2,scores.3,scores.1")
    assert make("scores.3", Setup()).asks in said(at)
    assert sent(at)["all"] == ["weights.2", "scores.3", "scores.1"]
    assert (sent(at)["opens"], sent(at)["set"]) == (None, True)
    slip = make("scores.3", Setup()).slips[0]
    assert answered(at, number(slip.gives.low))["places"] == []
    assert not any("yourself" in label for label in folds(app(FILES["context"], do="scores.3")))
    assert "do: expected names of exercises" in said(app(FILES["scores"], do="scores.7"))
    at = app(FILES["scores"])  # folded away, until a link sets one
    assert not components(at.main, "attention_exercise")
    assert sent(change(at, do="scores.2"))["name"] == "scores.2"


def test_a_page_without_a_set_exercise_says_where_they_are():
    """A link with `do` that opens a page which has none of them says where they stand, with a link
    to each."""
    to_each = r'href="\./(\w+)" data-sets="exercise=(\w+\.\d)&amp;variation=1">(.+?)</a>'
    for path in ("", "notebooks", "context"):
        (line,) = elsewhere(app(FILES[path], do="weights.2,scores.3"))
        assert "The exercises that this link sets stand on other pages" in line
        assert re.findall(to_each, line) == [
            ("weights", "weights.2", "Weights, exercise 2"),
            ("scores", "scores.3", "Scores, exercise 3"),
        ]
    for parameters in ({"do": "scores.3"}, {}, {"do": "weights.2", "lecture": "on"}):
        assert not elsewhere(app(FILES["scores"], **parameters))


def test_a_setup_without_the_exercise_says_so():
    """Without projections there is no product to work out: a sentence, and the way on to the next
    exercise."""
    at = at_exercise("projection", projections="none")
    assert not at.exception
    assert "choose Projections: learned" in said(at)
    assert sent(at)["name"] == "projection.1"
    assert "opens" not in sent(at)


def test_words_are_quoted_as_text():
    """Markup in a sentence stays text in a question."""
    text = "**b** [a](x) <i>c</i>"
    at = app(FILES["vocabulary"], text=text, exercise="vocabulary.1")
    assert not at.exception
    assert make("vocabulary.1", Setup(text=text)).asks in said(at)


# ---------- in class ----------


def in_class(path: str, beat: str, **parameters: object):
    """The beat of a lecture with this name, on the screen or in the speaker's window."""
    place = next(k for k, other in enumerate(BEATS[path], start=1) if other.name == beat)
    return app(FILES[path], beat=place, **({"lecture": "on"} | SMALL.get(path, {}) | parameters))


@pytest.mark.parametrize("path", PATHS)
def test_a_lecture_asks_and_then_answers(path):
    """Two beats of a page: the question without its answer, then the answer; there is nothing to
    type. The speaker's window has both at once, and what slips give."""
    exercise = make(f"{path}.1", setup_of(path))
    printed_answer = exercise.printed(exercise.answer)
    asks, answers = in_class(path, "ask"), in_class(path, "answer")
    names = [beat.name for beat in BEATS[path]]
    assert names[names.index("ask") :][:2] == ["ask", "answer"]
    assert exercise.asks in said(asks)
    assert exercise.asks.split("\n")[-1] in said(answers)
    for at, is_told in ((asks, False), (answers, True)):
        assert (exercise.solution in said(at)) == is_told
        assert (f"**{printed_answer}**" in [e.value for e in at.main.markdown]) == is_told
    assert not components(answers.main, "attention_exercise")
    notes = said(in_class(path, "ask", lecture="off", notes="on"))
    texts = f"The answer is {printed_answer}.", *(slip.says for slip in exercise.slips)
    assert all(text in notes for text in texts)


@pytest.mark.parametrize("name", ["projection.1", "projection.2", "context.1", "context.2"])
@pytest.mark.parametrize("variation", [1, 2])
def test_a_sum_is_written_out_in_class(name, variation):
    """With the answer stand the terms of the cell that it can be read from: factor times factor,
    which add up to that cell."""
    path, fields = name.partition(".")[0], {"text": "the cat the mat", "bias": "on"}
    fields |= {"d_model": 7, "d_k": 3, "d_v": 5}
    at = in_class(path, "answer", exercise=name, variation=variation, **fields)
    (board,) = boards(at)
    left, right, products = (numbers(matrix)[0] for matrix in board["matrices"])
    assert np.allclose(left * right, products, atol=1e-3)
    bias, total = re.fullmatch(r"sum(?: \+ bias (\S+))? = (\S+) = .+", board["total"]).groups()
    assert sum(products) + float(read(bias or "0")) == pytest.approx(float(read(total)), abs=1e-3)
    if name in ("projection.2", "context.1"):
        assert total == printed(make(name, Setup(**fields), variation).answer)


def test_a_lecture_asks_what_the_link_sets():
    """Those of `do` that are this page's, else its first that there is for the setup; the one that
    the link opens, or why not."""
    for path, link, exercise in (
        ("scores", {"do": "weights.2,scores.3,scores.1"}, make("scores.3", Setup())),
        ("context", {"do": "weights.2,scores.3"}, make("context.1", Setup())),
        ("scores", {"exercise": "scores.2", "variation": 5}, make("scores.2", Setup(), 5)),
        (*("projection", {"projections": "none"}), make("projection.3", Setup(projections="none"))),
    ):
        assert exercise.asks in said(in_class(path, "ask", **link)), link
    at = in_class("context", "answer", exercise="context.2", text="a")
    assert "type a sentence with more than one" in said(at)
    assert not at.exception


@pytest.mark.parametrize("path", ["scores", "vocabulary"])
def test_a_lecture_keeps_the_answers_of_what_the_link_sets(path):
    """Who opens a link that sets exercises may switch on a lecture, or its notes: neither has the
    answer, nor where it stands; both say who has it. Also where the page asks one that is not
    set."""
    exercise = make(f"{path}.1", setup_of(path))
    for do in (f"{path}.1", "weights.2"):
        answer = in_class(path, "answer", do=do)
        for at in (answer, in_class(path, "ask", lecture="off", notes="on", do=do)):
            assert exercise.asks in said(at)
            assert "The teacher keeps the answer" in said(at)
            assert exercise.printed(exercise.answer) not in said(at).replace(exercise.asks, "")
            assert exercise.solution not in said(at)
        assert not boards(answer)
    assert "The teacher keeps" not in said(in_class(path, "ask", do=f"{path}.1"))


# ---------- in a browser ----------


@pytest.mark.browser
def test_an_exercise_in_a_link_is_in_view_on_arrival(page, server):
    """A link with `do` or `exercise` brings the question into view, once: who scrolls on is not
    taken back."""
    for link in ("scores?do=scores.2", "weights?exercise=weights.2"):
        open_page(page, server, link)
        expect(page.get_by_label("Your answer")).to_be_in_viewport()
    page.set_viewport_size({"width": 1280, "height": 420})
    page.keyboard.press("Shift")  # whoever acts scrolls from then on
    page.locator("[data-testid=stMain]").evaluate("(main) => main.scrollTo(0, 0)")
    follow(page, "weights?exercise=weights.2&d_k=3")
    expect(page.get_by_label("Your answer")).not_to_be_in_viewport()


@pytest.mark.browser
def test_wrong_ways_the_right_one_and_what_is_kept(page, server):
    """A reader errs, is told each time, opens the cell of one slip, comes back, takes a hint, and
    solves it. All of it is as accessible as the page. What was solved is there after a reload and
    on other pages, can be saved as a file, and is forgotten when asked."""

    def sees(text: str) -> None:
        expect(page.get_by_text(text)).to_be_visible()

    def press(label: str, role: str = "button") -> None:
        page.get_by_role(role, name=label).click()

    def replies(answer: str, says: str) -> None:
        page.get_by_label("Your answer").fill(answer)
        page.get_by_label("Your answer").press("Enter")
        expect(page.locator(".ab-reply")).to_contain_text(says)

    open_page(page, server, "scores")
    press("Do it yourself")
    replies("9.07", "rounded or cut to 2 decimals")
    replies("9,07x", "is not a number")
    replies("24.3095", "query and key are exchanged")
    press("Where that number stands: Scores", "link")
    sees("ω[dessert, eat] = 24.3095, the sum of 24 terms")
    expect(page).to_have_url(re.compile("head=2&query=5&key=4"))
    page.go_back()
    expect(page.locator(".ab-pair")).to_have_text(re.compile("is.*dessert"))
    press("Next →", "link")
    sees("two rows and two columns")
    page.go_back()
    expect(page.get_by_label("Your answer")).to_have_value("24.3095")
    press("Hint 1 of 2")
    sees("Multiply the numbers in each line")
    replies("9.0697", "Right.")
    sees("Multiply the numbers in each line")
    sees("Solved: 1 of 3 on this page, 1 of ")
    assert serious(page) == []
    follow(page, "vocabulary?exercise=vocabulary.1")
    replies("1", "Right.")
    press("Next →", "link")
    sees("Which id has “dessert” then?")
    page.reload()
    ready(page)
    sees("Solved: 1 of 3 on this page, 2 of ")
    expect(page.get_by_role("link", name="Exercise 1, solved")).to_be_visible()
    follow(page, "context?exercise=context.2")
    sees("Solved: 0 of 3 on this page, 2 of ")
    with page.expect_download() as saved:
        press("Save as a file")
    kept = json.loads(saved.value.path().read_text(encoding="utf-8"))
    assert (kept["solved"], sorted(kept["exercises"])) == (2, ["scores.1", "vocabulary.1"])
    assert kept["exercises"]["vocabulary.1"]["link"].endswith("/vocabulary?exercise=vocabulary.1")
    page.on("dialog", lambda dialog: dialog.accept())
    press("Forget all")
    sees("Solved: 0 of 3 on this page, 0 of ")


@pytest.mark.browser
def test_a_set_of_exercises_leads_from_page_to_page(visit):
    """Through a teacher's link, Next goes to the page of the next exercise, where it stands open.
    In a lecture a page asks its own one after the other, each from its question."""
    page = visit("scores?do=scores.1,weights.2&d_k=3")
    expect(page.get_by_role("link", name="Show me")).to_have_count(0)
    page.get_by_role("link", name="Next →").click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(page.get_by_text("that goes into the softmax")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/weights\?(?=.*do=scores\.1(,|%2C)weights\.2)"))
    place = len(BEATS["scores"])
    follow(page, f"scores?lecture=on&do=scores.1,scores.2&beat={place}")
    expect(page.get_by_text("The teacher keeps the answer")).to_be_visible()
    page.get_by_role("link", name="Exercise 2").press("Enter")
    expect(page.get_by_text("How well does “Life”'s key fit “is”'s query?")).to_be_visible()
    on = rf"(?=.*do=scores.1(,|%2C)scores.2)(?=.*exercise=scores.2)(?=.*beat={place - 1}\b)"
    expect(page).to_have_url(re.compile(on))
    page.keyboard.press("ArrowRight")
    expect(page.get_by_text("The teacher keeps the answer")).to_be_visible()
    expect(page.get_by_text("8.5808", exact=True)).to_have_count(0)
