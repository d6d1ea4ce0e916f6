"""“Do it yourself” on the pages: what is asked, what is replied, and what a teacher's link sets."""

import re

import pytest
from helpers import app, boards, change, elements, folds, follow, numbers, open_page, ready
from playwright.sync_api import expect

from core import Setup
from core.quiz.exercises import ENTRIES, NAMES, make
from core.text.written import number
from pages.shared.link import read_link, write_link
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import PAGES
from tests.test_access import serious
from tests.test_question import SMALL as TRAINED
from tests.test_question import typed

FILES = {step.path: step.file for step in PAGES}
SMALL = {"training": TRAINED.as_link()}  # its page trains a model, here a small one


def setup_of(path: str) -> Setup:
    """The setup that these tests show a page with."""
    return TRAINED if path == "training" else Setup()


def said(at) -> str:
    return "\n".join(e.value for e in elements(at.main) if e.type == "text")


def html(at, holds: str) -> str:
    """The texts of ours that hold this."""
    bodies = [e.proto.body for e in elements(at.main) if e.type == "html"]
    return "".join(body for body in bodies if holds in body)


def answered(at, text: str) -> str:
    """What is replied to this answer."""
    places = [(w, getattr(w, "key", None) or "") for w in elements(at.main)]
    (place,) = [w for w, key in places if key.startswith("answer_")]
    place.set_value(text).run()
    assert not at.exception
    return html(at, "ab-exercise").partition("<nav")[0]


@pytest.mark.parametrize("name", NAMES)
def test_a_page_asks_and_judges(name):
    """By a link to the exercise its page asks it, and the printed answer, typed or chosen, is
    right. The view that opens a solution is read as it stands."""
    path = name.partition(".")[0]
    at = app(FILES[path], exercise=name, variation=2, **SMALL.get(path, {}))
    exercise = make(name, setup_of(path), 2)
    assert exercise.asks in said(at) and "✓" not in html(at, "ab-exercise")
    answer, is_choice = exercise.answer, exercise.kind == "choice"
    assert "✓ Right." in answered(at, exercise.printed(answer) if is_choice else typed(answer))
    assert ("Show me" in html(at, "ab-exercise")) == bool(exercise.opens)
    fields = exercise.opens.fields if exercise.opens else {}
    view = read_link(write_link(fields))
    assert not view.messages
    assert all(getattr(view.focus, field) == value for field, value in fields.items())


@pytest.mark.parametrize("name", ["scores.1", "block.1"])
def test_a_solution_is_where_the_link_leads(name):
    """The page there prints the answer's digits."""
    exercise = make(name, Setup())
    at = app(FILES[exercise.opens.path], **exercise.opens.fields)
    drawn = [numbers(matrix) for board in boards(at) for matrix in board["matrices"]]
    shown = [said(at), *(number(float(n)) for matrix in drawn for n in matrix.ravel())]
    ends = number(exercise.answer.low), number(exercise.answer.high)
    assert any(end in text for end in ends for text in shown)


def test_a_slip_is_named():
    """Folded there is nothing of it but its tab. Wrong, with the slip; unreadable, in words, as
    text; then right: nothing was lost. Other numbers are another question, and Back finds the old
    answer."""
    at, exercise = app(FILES["weights"]), make("weights.1", Setup())
    assert folds(at)["Do it yourself"] is False and not html(at, "ab-exercise")
    change(at, exercise="weights.1")
    raw = next(slip for slip in exercise.slips if "the scores are not scaled" in slip.says)
    reply = answered(at, typed(raw.gives))
    assert "✗ Not yet." in reply and "not scaled" in reply
    reply = answered(at, "<b>1/2")
    assert "✗" not in reply and "&lt;b&gt;1/2" in reply
    assert "Right" in answered(at, typed(exercise.answer))
    for heads, value in ((5, ""), (3, typed(exercise.answer))):
        change(at, heads=heads)
        assert at.main.text_input[0].value == value


def test_a_teachers_link_sets_exercises():
    """`do` shows these alone, open, without a way to solutions; other pages say where they stand;
    what is gone or is none is told."""
    at = app(FILES["scores"], do="weights.1,scores.choice")
    assert make("scores.choice", Setup()).asks in said(at)
    assert "Show me" not in html(at, "ab-exercise")
    to_each = r'href="\./(\w+)" data-sets="exercise=([\w.]+)&amp;variation=1".*?>(.+?)</a>'
    weights = ("weights", "weights.1", "Weights, exercise")
    both = [weights, ("scores", "scores.choice", "Scores, question")]
    assert re.findall(to_each, html(at, "ab-exercise"))[:2] == both
    at = app(FILES["context"], do="weights.1,scores.choice")
    assert re.findall(to_each, html(at, "ab-set-elsewhere")) == both
    assert not any("yourself" in label for label in folds(at))
    for parameters in ({"do": "scores.1"}, {}, {"do": "weights.1", "lecture": "on"}):
        assert not html(app(FILES["scores"], **parameters), "ab-set-elsewhere")
    assert "do: expected names of exercises" in said(app(FILES["scores"], do="scores.7"))
    at = app(FILES["scores"], exercise="scores.3")
    assert "in place of scores.3" in said(at) and make("scores.1", Setup()).asks in said(at)


def test_a_setup_without_the_exercise_says_so():
    """Without projections there is no product to work out: a sentence, and the way on to the
    question."""
    at = app(FILES["projection"], open="exercises", projections="none")
    assert not at.exception
    assert "there is nothing to work out" in said(at)
    assert "projection.choice" in html(at, "ab-exercise")


# ---------- in class ----------


def in_class(path: str, beat: str, **parameters: object):
    """The beat of a lecture with this name, on the screen or in the speaker's window."""
    place = next(k for k, other in enumerate(BEATS[path], start=1) if other.name == beat)
    return app(FILES[path], beat=place, **({"lecture": "on"} | SMALL.get(path, {}) | parameters))


@pytest.mark.parametrize("path", ["vocabulary", "scores", "training"])
def test_a_lecture_asks_and_then_answers(path):
    """Two beats of a page: the question without its answer, then the answer; there is nothing to
    type. The speaker's window has both at once, and what slips give."""
    exercise = make(f"{path}.1", setup_of(path))
    printed_answer = exercise.printed(exercise.answer)
    asks, answers = in_class(path, "ask"), in_class(path, "answer")
    for page in ENTRIES:
        names = [beat.name for beat in BEATS[page]]
        assert names[names.index("ask") :][:2] == ["ask", "answer"], page
    assert exercise.asks in said(asks)
    assert exercise.asks in said(answers)
    for at, is_told in ((asks, False), (answers, True)):
        assert (exercise.solution in said(at)) == is_told
        assert (f"**{printed_answer}**" in [e.value for e in at.main.markdown]) == is_told
    assert not html(answers, "ab-exercise")
    notes = said(in_class(path, "ask", lecture="off", notes="on"))
    texts = f"The answer is {printed_answer}.", *(slip.says for slip in exercise.slips)
    assert all(text in notes for text in texts)


def test_a_lecture_asks_what_the_link_sets():
    """Those of `do` that are this page's, else its first that there is for the setup; the one that
    the link opens."""
    for path, link, exercise in (
        ("scores", {"do": "weights.1,scores.choice"}, make("scores.choice", Setup())),
        ("context", {"do": "weights.1,scores.1"}, make("context.1", Setup())),
        ("scores", {"exercise": "scores.1", "variation": 5}, make("scores.1", Setup(), 5)),
        ("projection", {"projections": "none"}, make("projection.choice", Setup())),
    ):
        assert exercise.asks in said(in_class(path, "ask", **link)), link


def test_a_lecture_keeps_the_answers_of_what_the_link_sets():
    """Who opens a link that sets exercises may switch on a lecture, or its notes: neither has the
    answer, nor where it stands; both say who has it. Also where the page asks one that is not
    set."""
    exercise = make("scores.1", Setup())
    for do in ("scores.1", "weights.1"):
        answer = in_class("scores", "answer", do=do)
        for at in (answer, in_class("scores", "ask", lecture="off", notes="on", do=do)):
            assert exercise.asks in said(at)
            assert "The teacher keeps the answer" in said(at)
            assert exercise.printed(exercise.answer) not in said(at).replace(exercise.asks, "")
            assert exercise.solution not in said(at)
    assert "The teacher keeps" not in said(in_class("scores", "ask", do="scores.1"))


# ---------- in a browser ----------


@pytest.mark.browser
def test_an_exercise_is_in_view_asked_and_judged(page, server):
    """A link with an exercise brings the question into view, once; a reader errs, is told, solves
    it, and goes on to another like it. All of it is as accessible as the page."""
    open_page(page, server, "scores?exercise=scores.1&head=2&query=4&key=5")
    field, exercise = page.get_by_label("Your answer"), make("scores.1", Setup())
    expect(field).to_be_in_viewport()
    for answer, says in (("1,5x", "is not a number"), (typed(exercise.answer), "Right.")):
        field.fill(answer)
        field.press("Enter")
        expect(page.locator(".ab-exercise")).to_contain_text(says)
    assert serious(page) == []
    page.get_by_role("link", name="Another like this").click()
    expect(page).to_have_url(re.compile("variation=2"))
    ready(page)
    expect(page.get_by_label("Your answer")).to_have_value("")


@pytest.mark.browser
def test_a_set_of_exercises_leads_from_page_to_page(visit):
    """Through a teacher's link the way to the other exercise goes to its page, where it stands
    open. In a lecture a page asks its own, without an answer."""
    page = visit("scores?do=scores.1,weights.1&d_k=3")
    expect(page.get_by_role("link", name="Show me")).to_have_count(0)
    page.get_by_role("link", name="Weights, exercise").click()
    expect(page.locator("h1")).to_have_text(["5 · Weights"])
    expect(page.get_by_text("What is α[")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/weights\?(?=.*do=scores\.1(,|%2C)weights\.1)"))
    follow(page, f"scores?lecture=on&do=scores.1&beat={len(BEATS['scores'])}")
    expect(page.get_by_text("The teacher keeps the answer")).to_be_visible()
