"""Questions, be they exercises or predictions: every answer is computed another way, whatever is
typed is judged and counted where it belongs, and nothing of it is lost."""

import csv
import io
import itertools
import json
import math
import re
from dataclasses import replace

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FUZZ, focuses, setups

from core import Setup, run
from core.forward.trace import Trace
from core.grading.misconceptions import AROUND, OF_A_MATRIX, OF_A_SUM
from core.quiz.answers import LONGEST, Span, UnreadableError, make_exact, print_answer, read
from core.quiz.exercises import CELLS, NAMES, make, make_for_cell
from core.quiz.predictions import MAKERS, MAX_BARS, ask
from core.quiz.question import TURNED, Question, Unavailable, WrongResult, judge
from core.quiz.results import OTHERS, bars, group_answers, to_csv, to_data
from core.text.text import labels
from core.text.written import number, percent
from core.training import training_store
from tests.oracles import Asked, agrees, predicted, worked_out

OF_STEPS = [name for name in NAMES if not name.startswith("training")]
CELL = {"head": 1, "query": 2, "key": 5}  # “is” asks, “dessert” is asked: where all links begin
PRIME = Setup(text="the cat saw the mat", d_model=11, d_k=5, d_v=7, heads=3, seed=13)
SMALL = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, steps=20, seed=71)


def a_question(answer: object, *slips: WrongResult, kind: str = "number") -> Question:
    options = ("a", "b", "c") if kind == "choice" else ()
    return Question("x.1", kind, "?", (answer,), slips, "", options)


def typed(answer: object) -> str:
    """An answer as a reader would type what is printed; of options the place."""
    return (
        number((answer.low + answer.high) / 2) if isinstance(answer, Span) else print_answer(answer)
    )


def kept(asked: Question, answers: list) -> list[str]:
    """What is kept of these answers."""
    return [read(asked.kind, len(asked.options), typed(answer)) for answer in answers]


# ---------- what is asked, and its answer ----------


def size_of(setup: Setup) -> float:
    """How large the numbers are that go into a cell: so far float32 may be off."""
    return max(run(setup).value(name).abs().max().item() for name in ("scores", "context", "x"))


@settings(max_examples=5 * FUZZ)
@given(setups(), st.integers(1, 99))
def test_what_holds_of_every_exercise(setup, variation):
    """In every setup the answer is PyTorch's number of the cell that is opened; asked for by its
    place, that cell gives the same question; each answer and each slip is told and counted. A cell
    has the name that its page shows, not the code's."""
    for name in OF_STEPS:
        exercise = make(name, setup, variation)
        if isinstance(exercise, Unavailable):
            assert exercise.why.endswith((".", "10."))
            continue
        check_judged_and_counted(exercise)
        if exercise.options:
            continue
        assert not re.search(r"(resid|normed|ffn)_|last\[|unembedding\[", exercise.asks)
        found = worked_out(setup, exercise)
        assert agrees(exercise.answer, found, size_of(setup)), (exercise, found)
        at = exercise.opens
        if at.path in [page for page, _ in CELLS.values()]:
            assert make_for_cell(at.path, setup, at.fields) == exercise


@settings(max_examples=5 * FUZZ)
@given(setups(), st.data())
def test_the_chosen_cell_is_asked_for(setup, data):
    """Whatever a link looks at, the exercise is of that place and of no other, and its answer is
    the number that PyTorch has there."""
    focus = data.draw(focuses(setup))
    for path in ("embedding", "projection", "scores", "weights", "context", "heads", "block"):
        exercise = make_for_cell(path, setup, vars(focus))
        if isinstance(exercise, Unavailable):
            assert exercise.why.endswith(".")
            continue
        for name, place in exercise.opens.fields.items():
            chosen = getattr(focus, name)  # past the last column the last is taken
            assert place == chosen or (name == "column" and place < chosen), (path, name)
        assert agrees(exercise.answer, worked_out(setup, exercise), size_of(setup))


def test_the_first_setup_has_them_all():
    """With the setup that every reader begins with each exercise is posed, again and again the
    same, and no variation asks what the one before it asked."""
    for name in (name for name in OF_STEPS if name.endswith(".1")):
        asked = [make(name, Setup(), variation) for variation in range(1, 7)]
        assert asked[:2] == [make(name, Setup(), variation) for variation in (1, 2)]
        pairs = itertools.pairwise(each.asks for each in asked)
        assert all(one != following for one, following in pairs), name


def test_of_another_figure_nothing_is_asked():
    """Where no exercise asks for a cell, a sentence says so. Past the last place the last is
    taken."""
    for path, at in (("masks", CELL), ("nowhere", {}), ("block", {"stage": "out"})):
        assert make_for_cell(path, Setup(), at) == Unavailable(
            path, make_for_cell("masks", Setup(), {}).why
        )
    assert isinstance(make("projection.1", Setup(projections="none")), Unavailable)
    found = make_for_cell("scores", Setup(), {"head": 99, "query": 0, "key": -4})
    assert found.opens.fields == {"head": 3, "query": 1, "key": 1}


SQUARE = {"d_model": 4, "d_k": 4, "d_v": 4, "bias": "on", "out": "d_model", "heads": 1}
WAYS = (  # in which setups are slips seen that have no number of their own elsewhere
    {},
    SQUARE | {"text": "a b c d", "mask": "causal", "init": "xavier"},
    {"mask": "causal", "positions": "sinusoidal", "activation": "gelu", "scale": "none"},
    {"text": "b a b c", "norm_kind": "rms", "activation": "swiglu", "word_temperature": 2.0},
    {"top_k": 3, "word_temperature": 2.0, "temperature": 3.0, "init": "xavier"},
)


def test_each_slip_is_named_and_has_a_number_of_its_own():
    """Each of the catalogue is met; typed as it is printed it is wrong, and told by its
    sentence. Where heads stand, concat's numbers are given, so that nobody errs in it."""
    met = ""
    for way, name, variation in itertools.product(WAYS, OF_STEPS, range(1, 10)):
        exercise = make(name, Setup(**way), variation)
        for slip in exercise.slips if isinstance(exercise, Question) else ():
            verdict = judge(exercise, typed(slip.gives))
            assert verdict.right is False and slip in verdict.slips, (exercise, slip)
            met += f"{slip.says}\n"
    losses = make("training.1", SMALL)
    met += "\n".join(slip.says for slip in losses.slips)
    catalogue = [slip.says for slip in (*OF_A_MATRIX, *AROUND) if slip.step != "concat"]
    assert not [says for says in (*catalogue, *(says for says, _ in OF_A_SUM)) if says not in met]


@settings(max_examples=30 * FUZZ)
@given(setups(), st.data())
def test_what_holds_of_every_prediction(setup, data):
    """Its truth is PyTorch's; each option is told by its sentence and is a group of its own, also
    with nobody."""
    trace = run(setup)
    sizes = len(trace.value("weights")), len(trace.tokens)
    head, query = (data.draw(st.integers(0, size - 1)) for size in sizes)
    for name in MAKERS:
        asked = ask(name, trace, head, query)
        check_truth(name, asked, trace, head, query)
        if asked:
            check_judged_and_counted(asked.simplify_for_class())
            written = [[label, number(value)] for label, value in asked.bars]
            assert [bar[::2] for bar in bars(asked)] == written


def check_truth(name: str, asked: Question | None, trace: Trace, head: int, query: int) -> None:
    """The numbers are those that PyTorch finds another way, those called right are the largest as
    printed, and no other is; without √d_k the largest weight never falls, but beside a bias."""
    setup = trace.setup
    if name == "heads" and setup.projections == "none":
        assert asked is None
        return
    wanted, seen = predicted(name, trace, head, query)
    assert (asked is None) == (len(seen if name == "root" else wanted) < 2)
    if asked is None:
        return
    found = torch.tensor([value for _, value in asked.bars], dtype=torch.float64)
    size = trace.value("scores").abs().max().item() / Asked(setup).root / setup.temperature
    room = 1e-5 * size * (setup.d_k if name == "root" else 1)
    near = 1e-3 * max(1, wanted.abs().max().item()) + room
    assert torch.allclose(found, wanted, rtol=1e-3, atol=near)
    assert asked.asks[0].isupper() and asked.asks.endswith("?")
    assert [slip.gives for slip in asked.slips] == list(range(len(asked.options)))
    assert all(slip.says.endswith(".") and "nan" not in slip.says for slip in asked.slips)
    texts = [number(value) for value in found.tolist()]
    if name == "root":
        assert 2 not in asked.answers or setup.positions == "alibi"
        assert (1 in asked.answers) == (texts[0] == texts[1])
        shares = [percent(value, 2) for value in found.tolist()]
        assert all(
            share in asked.solution or text == "1.0000"
            for share, text in zip(shares, texts, strict=True)
        )
        return
    assert wanted[list(asked.answers)].max() > wanted.max() - near
    largest = number(found.max().item())
    assert {k for k, text in enumerate(texts) if text == largest} == {*asked.answers}
    assert [label for label, _ in asked.bars] == list(asked.options)
    if name in ("weights", "context"):
        names = labels(setup.memory_tokens or setup.tokens)
        assert list(asked.options) == [names[k] for k in seen]


def test_repeated_words_are_right_alike():
    """Two equal words have equal keys: both are right, and named as two."""
    trace = run(Setup(text="a b a", positions="none", heads=1, d_model=5, d_k=3, d_v=7, seed=2))
    of_queries = [ask("scores", trace, 0, query) for query in range(3)]
    assert all(asked.answers in ((0, 2), (1,)) for asked in of_queries)
    assert any("“a₁” and “a₃” fit best" in asked.solution for asked in of_queries)


def test_a_weight_is_no_pull():
    """Where the longest part is not the largest weight's, each sentence says so, with the weight's
    own number."""
    told = 0
    for seed in range(40):
        trace = run(Setup(text="the cat saw a mat", d_model=7, d_k=3, d_v=5, heads=1, seed=seed))
        asked, row = ask("context", trace, 0, 1), trace.value("weights")[0, 1]
        heaviest = int(row.argmax())
        for says in (asked.solution, *(slip.says for slip in asked.slips)):
            assert ("a weight alone is no pull" in says) == (heaviest not in asked.answers)
            told += percent(row[heaviest].item(), 2) in says and heaviest not in asked.answers
    assert told


def test_many_words_are_chosen_and_not_dragged():
    """Past a dozen, shares are not guessed one by one; nor are they by a class, which chooses the
    largest."""
    many = " ".join(f"w{k}" for k in range(MAX_BARS + 1))
    assert ask("weights", run(replace(PRIME, text=many)), 0, 0).kind == "choice"
    asked = ask("weights", run(PRIME), 0, 1)
    of_class = asked.simplify_for_class()
    assert (asked.kind, of_class.kind) == ("shares", "choice")
    assert of_class.asks == "In head 1, which word will get most of the attention of “cat”?"


# ---------- what is said of an answer, and where it is counted ----------


def check_judged_and_counted(asked: Question) -> None:
    """Each answer and each slip, typed as it is printed, is told, and is counted where it belongs;
    nobody is lost or counted twice."""
    right = list(asked.answers)
    wrong = [slip.gives for slip in asked.slips if slip.gives not in right]
    for answer in (*right, *wrong):
        (text,) = kept(asked, [answer])
        verdict = judge(asked, typed(answer))
        (group,) = (each for each in group_answers(asked, [text]) if each.count)
        assert judge(asked, text) == verdict
        assert verdict.right is group.right is (answer in right), (asked, answer)
        slips = [slip for slip in asked.slips if slip.gives == answer]
        assert verdict.right or all(slip in verdict.slips for slip in slips)
        for slip in slips:
            assert slip.says in group.says and slip.says in verdict.says, (asked, answer)
        if verdict.right:
            assert (verdict.says, group.opens) == (asked.solution, asked.opens)
    if isinstance(asked.answer, Span):
        ends = (asked.answer.low, asked.answer.high, asked.answer.value)
        assert all(judge(asked, number(end)).right for end in ends)
    vote = kept(asked, [*right, *wrong]) * 2
    data = to_data(asked, group_answers(asked, vote))
    assert data["of"] == sum(group["count"] for group in data["groups"]) == len(vote)
    assert json.loads(json.dumps(data, allow_nan=False)) == data
    if asked.options:
        assert [group["answer"] for group in data["groups"]] == list(asked.options)


def test_by_hand():
    """Score 9.0697, and what each slip makes of it."""
    exercise = make_for_cell("scores", Setup(), {"head": 2, "query": 4, "key": 5})
    assert judge(exercise, "9.0697").right
    for answer, slip in {
        "24.3095": "queries and keys are exchanged",
        "1.8514": "they are divided already",
        "9.07": "rounded or cut to 2 decimals",
        "9.0677": "numbers on the way are rounded",
        "-9.0697": "the sign is turned round",
        "77": "No usual slip",
    }.items():
        verdict = judge(exercise, answer)
        assert verdict.right is False and slip in verdict.says, (answer, verdict.says)


def test_a_class_by_hand():
    """58 students: 31 have α[is, dessert], 14 divided by d_k, 6 went down the column or slipped
    another way to what is nearly 0, 5 rounded; of the others the numbers are told, most frequent
    first."""
    asked = make_for_cell("weights", Setup(), CELL)
    counts = {"0.4917": 31, "0,23": 14, "0.0000": 6, "0.49": 3, "0.492": 2, "77": 1, "-3.50": 1}
    everybody = [text for text, count in counts.items() for _ in range(count)]
    found = group_answers(asked, [read("number", 0, text) for text in everybody])
    assert [(group.answer, group.count) for group in found] == [
        *(("0.4917", 31), ("0.2300", 14), ("0.0001", 6), ("0.49", 3), ("0.492", 2), (OTHERS, 2))
    ]
    assert [group.right for group in found] == [True, *[False] * 5]
    scores = run(Setup()).value("scores")[0].double()
    in_rows = [(scores / divisor).softmax(1)[1, 4].item() for divisor in (24**0.5, 24)]
    assert [number(each) for each in in_rows] == [group.answer for group in found[:2]]
    told = [group.says for group in found]
    assert told[:2] == ["", "in ω′ you divide by d_k"]
    assert "softmax runs down the columns" in told[2]
    assert "2 decimals" in told[3] and "3 decimals" in told[4]
    assert found[-1].given == (("−3.50", 1), ("77", 1))


def test_slips_of_one_number_are_told_together():
    """Both are named, counted (1) and (2); a class has them as one group."""
    two = (
        WrongResult("it runs down", make_exact(0.30001)),
        WrongResult("it is exchanged", make_exact(0.30009)),
    )
    asked, named = a_question(make_exact(0.5), *two), "(1) it runs down; (2) it is exchanged"
    says = judge(asked, "0.3").says
    assert says == f"Two slips give this number: {named}. Which of them was it?"
    right, both, *others = group_answers(asked, ["0.3", "0.3000", "0.30005", "-0.5"])
    assert (both.says, both.count, both.answer) == (named, 3, "0.3000")
    assert [(each.answer, each.count, each.says) for each in others] == [("−0.5", 1, TURNED)]
    assert (right.answer, right.count, right.given) == ("0.5000", 0, ())


# ---------- what may be typed ----------

KINDS = ("number", "whole", "choice")


def is_kept(kind: str, text: str) -> str | None:
    """What is kept, if it can be read; held to what a server may keep."""
    try:
        spelling = read(kind, 3, text)
    except UnreadableError as error:
        assert str(error).startswith("That ")
        assert str(error).endswith(".")
        return None
    assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?", spelling)
    assert len(spelling) <= LONGEST
    assert read(kind, 3, spelling) == spelling
    return spelling


@given(
    st.text(st.characters(codec=None), max_size=30), st.text(max_size=90), st.sampled_from(KINDS)
)
def test_anything_may_be_typed(before, after, kind):
    """The verdict is a plain short sentence; a message that a server may log has nothing of what
    was typed in it."""
    with pytest.raises(UnreadableError) as refused:
        read(kind, 3, f"{before}§{after}")
    assert "§" not in str(refused.value)
    is_kept(kind, before)
    says = judge(a_question(make_exact(0.5), kind=kind), after).says
    assert len(says) < 600 and "\n" not in says


def test_one_spelling_of_one_answer():
    """However it is typed, with a comma, a real minus sign or blanks, the same is kept, with the
    decimals that were typed."""
    for kind, spelling, ways in (
        ("number", "-0.4300", ("-0.4300", " −.4300", "- 0,4300", "−\u00a00.4300", "-4.300e-1")),
        ("number", "0.43", (".43", "+0,43", "00.43")),
        ("number", "12345.5", ("12,345.5",)),
        ("number", "0.0", ("-0.0", "0.0")),
        ("number", "2", ("+2.", "2")),
        ("whole", "1296", ("1296", "1,296", "1296.0")),
    ):
        assert {read(kind, 0, way) for way in ways} == {spelling}
    places = [str(place) for place in range(12)]
    assert [read("choice", 12, place) for place in places] == places


def test_what_cannot_be_read_is_told():
    """In words, with what was typed, to the one who typed it."""
    for kind, text, told in (
        ("number", "", "is not a number"),
        ("number", "1,234", "can mean two numbers"),
        ("number", "1e400", "larger than any number"),
        ("number", "1/2", "is a fraction"),
        ("number", "34%", "in percent"),
        ("number", "1_0", "is not a number"),
        ("whole", "2.5", "has decimals"),
        ("whole", "1e400", "larger than any number"),
        ("choice", "D", "none of the options"),
    ):
        says = judge(a_question(1, kind=kind), text).says
        assert all(word in says for word in (told, *text.split())), says


# ---------- to take home ----------


def table(asked: Question, answers: list[str]) -> list[dict[str, str]]:
    """The result as the csv module reads it back."""
    told = {"number": 1, "place": "here", "asks": asked.asks}
    text = to_csv([told | to_data(asked, group_answers(asked, answers))])
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_for_each_group():
    """With its count, its slip, and what the others gave."""
    asked = make_for_cell("weights", Setup(), CELL)
    rows = table(asked, ["0.2300"] * 5 + ["0.4917"] * 2 + ["77", "78"] + ["0.49"])
    assert [(row["right"], row["answer"], row["count"]) for row in rows] == [
        ("yes", "0.4917", "2"),
        ("no", "0.2300", "5"),
        ("no", "0.49", "1"),
        ("no", OTHERS, "2"),
    ]
    assert rows[-1]["given most often"] == "77 (1); 78 (1)"
    assert "divide by d_k" in rows[1]["what it is"]
    assert {row["question"] for row in rows} == {asked.asks.replace("\n", " ")}


def test_a_readers_word_is_no_formula():
    """A cell that a spreadsheet would compute begins with an apostrophe; commas, quotes and line
    breaks come back as they were."""
    computed, plain = ("=1+1", "+a", "-a", "@a", "\ta", "＝a"), ('"a", b', "c\nd", "قلب", "e=f")
    words, shown = (*computed, *plain), [*(f"'{word}" for word in computed), *plain]
    slips = tuple(WrongResult(f"{word}!", place) for place, word in enumerate(words))
    asked = Question("x", "choice", "=cmd|' /C calc'!A0\n?", (8,), slips, "", words)
    rows = table(asked, ["0", "8", "8"])
    assert [row["answer"] for row in rows] == shown
    assert [row["what it is"] for row in rows] == [f"{each}!" for each in shown]
    assert rows[0]["question"] == "'=cmd|' /C calc'!A0 ?"
    assert [row["count"] for row in rows] == ["1", *["0"] * 7, "2", "0"]


# ---------- training ----------


def test_training_is_asked_about_as_it_ran():
    """The share that is asked for has the loss of its step, by PyTorch's own."""
    losses = training_store.get(SMALL, "attention").losses
    for variation in range(1, 8):
        exercise = make("training.1", SMALL, variation)
        step = int(re.search(r"In step (\d+)", exercise.asks)[1])
        share = torch.tensor([[exercise.answer.low]])
        found = 2 * F.nll_loss(share.log(), torch.tensor([0])).item()
        assert math.isclose(found, losses[step - 1], abs_tol=1e-3)
        check_judged_and_counted(exercise)
