"""Questions to a class: an answer is kept in one spelling, each slip is counted under its name, and any cell may be asked for."""

import csv
import io
import json
import math
import re
from collections import Counter

import pytest
import torch
from core.exercises.answers import UnreadableError
from core.exercises.exercise import LETTERS, Opens, fixed
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import focuses, setups

from core import encoder, exercises, predictions, question, weights
from core.exercises import Exercise, Slip, Unposed, judge, make, of_cell
from core.predictions import MAKERS, Prediction
from core.question import LONGEST, OTHERS, Question, as_csv, as_data, read, tally
from core.setup import Setup
from core.trace import run
from core.written import number
from tests.test_exercises import OF_STEPS, ORACLES, TIMES, VARIATIONS, Ours, agrees, made, typed
from tests.test_predict import PRIME, places

CELL = {"head": 1, "query": 2, "key": 5}  # “is” asks, “dessert” is asked: where all links begin
KINDS = ("number", "whole", "shape", "choice")


def kept(asked: Question, answer: object) -> str:
    """What is kept of an answer typed as it is printed; of an exercise's letter, the option's place."""
    text = str(LETTERS.index(answer)) if asked.kind == "choice" else typed(answer)
    return read(asked.kind, len(asked.options), text)


@settings(max_examples=20 * TIMES)
@given(setups(), VARIATIONS)
def test_each_answer_is_counted_where_it_belongs(setup, variation):
    """The answer as printed is right, every slip's number is counted under that slip's name, and nobody is lost or counted twice."""
    for name in OF_STEPS:
        exercise = made(name, setup, variation)
        if exercise is None:
            continue
        asked = question.of(exercise)
        assert (asked.asks, asked.options) == (exercise.question, exercise.options)
        (group,) = [each for each in tally(asked, [kept(asked, exercise.answer)]).groups if each.count]
        assert (group.right, group.opens) == (True, exercise.opens)
        for slip in exercise.slips:
            (group,) = [each for each in tally(asked, [kept(asked, slip.gives)]).groups if each.count]
            assert not group.right
            assert slip.says in group.says, (name, slip, group)
        answers = [exercise.answer, *(slip.gives for slip in exercise.slips)] * 2
        whole = tally(asked, [kept(asked, answer) for answer in answers])
        assert sum(group.count for group in whole.groups) == whole.of == len(answers)
        assert (whole.solution, whole.opens) == (exercise.solution, exercise.opens)
        assert json.loads(json.dumps(as_data(whole), allow_nan=False)) == as_data(whole)


def test_a_class_by_hand():
    """58 students: 31 have α[is, dessert], 14 divided by d_k, 6 went down the column or took the cell across, which give one number,
    5 rounded; of the others the numbers are told, most frequent first."""
    asked = question.of(of_cell("weights", Setup(), CELL))
    typed_in = ["0.4917"] * 31 + ["0,23"] * 14 + ["0.0000"] * 6 + ["0.49"] * 3 + ["0.492"] * 2 + ["77", "-3.50"]
    found = tally(asked, [read("number", 0, text) for text in typed_in])
    assert [(group.answer, group.count, group.right) for group in found.groups] == [
        ("0.4917", 31, True),
        ("0.2300", 14, False),
        ("1.4e−5", 6, False),
        ("0.49", 3, False),
        ("0.492", 2, False),
        (OTHERS, 2, False),
    ]
    told = [group.says for group in found.groups]
    assert told[:2] == ["", "the scores are divided by d_k: it is √d_k"]
    assert "softmax runs down the column" in told[2]
    assert "row and column are exchanged" in told[2]
    assert "2 decimals" in told[3]
    assert "3 decimals" in told[4]
    assert found.groups[2].opens.fields == {"head": 1, "query": 5, "key": 2}
    assert found.groups[-1].given == (("−3.50", 1), ("77", 1))


def test_slips_of_one_number_are_one_group():
    """Both are named, counted (1) and (2); the number shown is the one that stands where the group leads."""
    across = Opens("weights", {"head": 1, "query": 5, "key": 2})
    slips = (Slip("it runs down", fixed(0.30001)), Slip("row and column are exchanged", fixed(0.30009), across))
    exercise = Exercise("x.1", "?", "number", fixed(0.5), slips, ("",), "It is 0.5.", Opens("weights", CELL))
    right, both, *others = tally(question.of(exercise), ["0.3", "0.3000", "0.30005", "-0.5"]).groups
    assert (both.says, both.count) == ("(1) it runs down; (2) row and column are exchanged", 3)
    assert (both.answer, both.opens) == ("0.3001", across)
    assert [(each.answer, each.count) for each in others] == [("−0.5", 1)]
    assert others[0].says == exercises.verdict.TURNED
    assert (right.answer, right.count, right.given) == ("0.5000", 0, ())


def test_groups_stand_in_their_order():
    """The right answer, then slips with the most frequent first, then the others with the numbers given most often."""
    slips = (Slip("a", 1), Slip("b", 2), Slip("c", 3))
    exercise = Exercise("x.1", "?", "whole", 1000, slips, ("",), "", Opens("weights", CELL))
    answers = ["7"] * 2 + ["-8"] * 3 + ["2"] + ["3"] * 2 + [read("whole", 0, "1,000")] + [str(k) for k in range(50, 60)]
    groups = tally(question.of(exercise), answers).groups
    assert [(group.answer, group.says, group.count) for group in groups[:-1]] == [("1,000", "", 1), ("3", "c", 2), ("2", "b", 1)]
    assert groups[-1].answer == OTHERS
    assert groups[-1].count == 15
    assert groups[-1].given[:2] == (("−8", 3), ("7", 2))
    assert len(groups[-1].given) == question.MOST_GIVEN


# ---------- what is kept of an answer ----------

ODD = [
    None, 3, b"1", [], "", " ", "nan", "inf", "-∞", "1e400", "-1e400", "0e" + "9" * 40, "1e-" + "9" * 40, "٣", "６", "²", "0x10",
    "1" * 61, "." + "1" * 59, "1_0", "--1", "1 2", "1/2", "34%", "=1+1", "<b>1</b>", "\ud800", "\x00", "1\x00", "\u202e1", "1e", "e5",
    "9" * 60, "1e300", "x", "6x", "-1", "01", "3", "1.0", "\t", "1\n2", "×" * 60, True, float("nan"),
]  # fmt: skip


def is_kept(kind: str, text: object) -> str | None:
    """What is kept, if it can be read; held to what a server may keep."""
    try:
        spelling = read(kind, 3, text)
    except UnreadableError as error:
        assert str(error).startswith("That ")
        assert str(error).endswith(".")
        return None
    assert re.fullmatch(r"-?[0-9]+(\.[0-9]+)?(e-?[0-9]+)?|[0-9]+(x[0-9]+)*", spelling)
    assert len(spelling) <= LONGEST
    assert read(kind, 3, spelling) == spelling
    return spelling


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("text", ODD, ids=ascii)
def test_what_is_no_answer_is_refused_in_words(kind, text):
    """Whatever comes, nothing but UnreadableError is raised, and what is kept is a short plain spelling that is read as itself."""
    spelling = is_kept(kind, text)
    readable = {
        "number": ("-1", "01", "3", "1.0", "1e300", "9" * 60),
        "whole": ("-1", "01", "3", "1.0", "9" * 60, "0e" + "9" * 40, "1e-" + "9" * 40),
        "shape": ("01", "3", "1 2", "1\n2", "0x10"),
        "choice": (),
    }[kind]
    assert (spelling is not None) == (isinstance(text, str) and text in readable), spelling


@given(st.text(st.characters(codec=None), max_size=30), st.text(max_size=30), st.sampled_from(KINDS))
def test_nothing_typed_is_echoed(before, after, kind):
    """A message that a server may log has nothing of what was typed in it."""
    with pytest.raises(UnreadableError) as refused:
        read(kind, 3, f"{before}§{after}")
    assert "§" not in str(refused.value)
    is_kept(kind, before)


TYPED = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("", "-", "−", "+", "- ", "–\u00a0")),
    st.sampled_from(("0", "5", "00", "12", "12,345", "")),
    st.sampled_from((".", ",", ".0", ".4917", ",4900", ".50", "")),
    st.sampled_from(("", "", "e5", "E-5", "e+0", "e−3")),
)


@given(TYPED)
def test_what_is_kept_is_judged_as_what_was_typed(text):
    """The spelling that is kept has the same number with the same decimals: what is said of it is what would be said of the text."""
    spelling = is_kept("number", text)
    for answer in (0.4917, 0.49, -0.49, 12345.4917, 5.0):
        slips = (Slip("a", fixed(5.4917)), Slip("b", fixed(0.5)), Slip("c", fixed(12345.0)))
        exercise = Exercise("x.1", "?", "number", fixed(answer), slips, ("",), "", Opens("weights", CELL))
        verdict = judge(exercise, text)
        assert (verdict.right is None) == (spelling is None)
        assert spelling is None or judge(exercise, spelling) == verdict


def test_one_spelling_of_one_answer():
    """However it is typed, the same is kept, with the decimals that were typed."""
    for spelling, ways in {
        "-0.4300": ("-0.4300", " −.4300", "- 0,4300", "-4.300e-1"),
        "0.43": (".43", "+0,43", "00.43"),
        "12345.5": ("12,345.5",),
        "0.0": ("-0.0", "0.0"),
    }.items():
        assert {read("number", 0, way) for way in ways} == {spelling}
    assert {read("shape", 0, way) for way in ("6 × 16", "(6, 16)", "6x16", "torch.Size([6, 16])")} == {"6x16"}
    assert {read("whole", 0, way) for way in ("1296", "1,296", "1296.0")} == {"1296"}
    assert [read("choice", 12, str(place)) for place in range(12)] == [str(place) for place in range(12)]


def test_what_read_did_not_return_is_left_out():
    """A tally counts what is kept and nothing else: no text as typed, no option that is not there."""
    for asked in (question.of(make("scores.1", Setup())), question.of(predictions.ask("scores", run(Setup()), 0, 1))):
        junk = ["0.50x", "+1", "-0.0", "7e+3", " 1", "12", "-1", "a", "", None, 1, ["1"], {}, "=1", "1" * 99]
        good = {"number": ["12", "-1"], "choice": []}[asked.kind]
        assert tally(asked, junk).of == len(good)
        assert tally(asked, [*junk, "1", "1"]).of == len(good) + 2


# ---------- any cell may be asked for ----------

PATHS = ("embedding", "projection", "scores", "weights", "context", "heads", "block")


def cell_of(path: str, setup: Setup, exercise: Exercise) -> float:
    """The number that stands where the exercise leads, in the trace or in the layer's."""
    at = {name: place - 1 for name, place in exercise.opens.fields.items() if isinstance(place, int)}
    trace = run(Setup(**{**as_fields(setup), "layer": 1}) if path == "embedding" else setup)
    path = exercise.opens.path
    if path == "block":
        return encoder.encode(setup)[at["layer"]].value(exercise.opens.fields["stage"])[at["query"], at["column"]].item()
    if path == "projection":
        name = {"queries": "q", "keys": "k", "values": "v"}[exercise.opens.fields["matrix"]]
        turns = exercise.question.endswith("turned?")
        row = at["query" if name == "q" else "key"]
        return trace.of_head(f"{name}_rotated" if turns else name, at["head"])[row, at["column"]].item()
    if path in ("embedding", "heads"):
        return trace.value({"embedding": "embedded", "heads": "output"}[path])[at["query"], at["column"]].item()
    last = at["column"] if path == "context" else at["key"]
    return trace.value(path)[at["head"], at["query"], last].item()


def as_fields(setup: Setup) -> dict[str, object]:
    return {name: getattr(setup, name) for name in Setup.__dataclass_fields__}


@settings(max_examples=40 * TIMES)
@given(st.data())
def test_the_chosen_cell_is_asked_for(data):
    """Whatever a link looks at, the exercise is of that place and of no other, and its answer is the number that the trace has there,
    which PyTorch has too."""
    setup = data.draw(setups())
    focus = data.draw(focuses(setup))
    fields = vars(focus)
    size = max(run(setup).value(entry).abs().max().item() for entry in ("scores", "context", "x", "output"))
    for path in PATHS:
        exercise = of_cell(path, setup, fields)
        if isinstance(exercise, Unposed):
            assert exercise.why.endswith(".")
            untold = path == "block" and focus.stage not in ("resid_mid", "normed_1", "ffn_activated")
            assert untold or setup.projections == "none"
            continue
        for name, place in exercise.opens.fields.items():
            most = math.inf if name != "column" else columns_of(exercise, setup)
            assert place == (fields[name] if isinstance(place, str) else min(fields[name], most)), (path, name)
        found = cell_of(path, setup, exercise)
        assert agrees(exercise.answer, found, size), (path, exercise.question, found)
        if exercise.name in ORACLES and path != "heads":
            scale = size * (Ours(setup, exercise).factor() if exercise.name == "weights.2" else 1)
            assert agrees(exercise.answer, ORACLES[exercise.name](Ours(setup, exercise)), scale), (path, exercise.question)


def columns_of(exercise: Exercise, setup: Setup) -> int:
    """How many columns the matrix has that an exercise leads to."""
    at = exercise.opens.fields
    return {
        "embedding": setup.d_model,
        "projection": setup.d_v if at.get("matrix") == "values" else setup.d_k,
        "context": setup.d_v,
        "heads": setup.out_size,
        "block": setup.d_ff if at.get("stage") == "ffn_activated" else setup.d_model,
    }[exercise.opens.path] if setup.projections != "none" else setup.d_model  # fmt: skip


@settings(max_examples=20 * TIMES)
@given(setups(), VARIATIONS)
def test_a_chosen_cell_is_asked_for_in_the_words_of_a_drawn_one(setup, variation):
    """Question, answer, slips and hints are those of the exercise that drew the same place."""
    for name in ("embedding.1", "projection.2", "scores.1", "weights.2", "context.1", "block.1", "block.2", "block.3"):
        drawn = made(name, setup, variation)
        if drawn:
            assert of_cell(drawn.opens.path, setup, drawn.opens.fields) == drawn


def test_an_output_is_what_pytorch_makes_of_all_heads():
    """Y's cell: concat times W_o in double precision, with its bias; one head alone is a slip that is told."""
    setup = Setup(text="the cat saw the mat", d_model=11, d_k=5, d_v=7, heads=3, seed=13, bias="on")
    exercise = of_cell("heads", setup, {"part": "mixed by W_o", "query": 3, "column": 5})
    own = weights.projections(setup)
    context = run(setup).value("context").double()
    whole = torch.nn.functional.linear(torch.cat([*context], dim=-1), own["w_o"].double().T, own["b_o"].double())
    assert exercise.answer.holds(whole[2, 4].item())
    alone = (context[1] @ own["w_o"][7:14].double())[2, 4].item()
    assert "head 2 alone is counted" in judge(exercise, number(alone)).says


def test_the_softmax_down_the_column_has_its_number():
    """Of the cell that all links begin with, by float64: who goes down the column, divides by d_k or does not scale is told so."""
    exercise = of_cell("weights", Setup(), CELL)
    scores = run(Setup()).value("scores")[0].double()
    for numbers, told in (
        ((scores / 24**0.5).softmax(dim=0), "down the column"),
        ((scores / 24).softmax(dim=1), "divided by d_k"),
        (scores.softmax(dim=1), "not scaled"),
    ):
        assert Setup().d_k == 24
        assert told in judge(exercise, number(numbers[1, 4].item())).says


def test_of_another_figure_nothing_is_asked():
    """Where no maker asks for a cell, a sentence says so; nothing is raised."""
    for path, fields in (("masks", CELL), ("nowhere", {}), ("block", {"stage": "out"}), ("block", {}), ("heads", {"part": "?"})):
        assert of_cell(path, Setup(), fields) == Unposed(path, of_cell("masks", Setup(), {}).why)
    assert of_cell("scores", Setup(), {"head": 99, "query": 0, "key": -4}).opens.fields == {"head": 3, "query": 1, "key": 1}


# ---------- predictions ----------


@given(place=places())
def test_the_largest_as_printed_is_right(place):
    """Every option is a group in its order, also with nobody; right are those whose number is printed as the largest is; the numbers
    are there to be drawn."""
    trace, head, query = place
    for name in MAKERS:
        asked = predictions.ask(name, trace, head, query)
        if asked is None:
            continue
        posed = question.of(asked)
        assert (posed.kind, posed.options) == ("choice", asked.choices)
        assert not posed.asks[0].islower()
        assert "divide its attention" not in posed.asks
        votes = [str(k) for k in range(len(asked.choices)) for _ in range(k + 1)]
        found = tally(posed, votes)
        assert [group.answer for group in found.groups] == list(asked.choices)
        assert [group.count for group in found.groups] == [k + 1 for k in range(len(asked.choices))]
        assert [group.says for group in found.groups] == list(asked.says)
        assert [group.count for group in tally(posed, []).groups] == [0] * len(asked.choices)
        values = [value for _, value in found.bars]
        if name == "root":
            before, after = values
            assert found.groups[1].right == (number(before) == number(after))
        else:
            printed = [number(value) for value in values]
            assert [group.right for group in found.groups] == [each == number(max(values)) for each in printed]
            assert [bar[0] for bar in as_data(found)["bars"]] == list(asked.choices)
            assert [bar[2] for bar in as_data(found)["bars"]] == printed
        json.dumps(as_data(found), allow_nan=False)


def test_of_shares_the_largest_is_asked_for():
    """A class chooses one word; a single reader draws all shares."""
    asked = predictions.ask("weights", run(PRIME), 0, 1)
    assert asked.kind == "shares"
    assert question.of(asked).asks == "In head 1, which word will get most of the attention of “cat”?"


def test_what_is_not_finite_is_no_bar():
    """JSON has no infinity: such a number is written, and not drawn."""
    asked = Prediction("choice", "?", ("a", "b"), (0,), ("A.", "B."), (("a", math.inf), ("b", math.nan)))
    assert as_data(tally(question.of(asked), []))["bars"] == [["a", None, "∞"], ["b", None, "–"]]


# ---------- to take home ----------


def table(asked: Question, *votes: list[str]) -> list[dict[str, str]]:
    """The result as the csv module reads it back."""
    return list(csv.DictReader(io.StringIO(as_csv(asked, [tally(asked, answers) for answers in votes]), newline="")))


def test_a_second_vote_stands_beside_the_first():
    """A row for each group of either vote, a column for each vote, and the counts of each add up."""
    asked = question.of(of_cell("weights", Setup(), CELL))
    first = ["0.2300"] * 5 + ["0.4917"] * 2 + ["77", "78"] + ["0.49"]
    second = ["0.4917"] * 8 + ["77"] + ["0.9283"]
    rows = table(asked, first, second)
    assert [(row["right"], row["answer"], row["vote 1"], row["vote 2"]) for row in rows] == [
        ("yes", "0.4917", "2", "8"),
        ("no", "0.2300", "5", "0"),
        ("no", "0.49", "1", "0"),
        ("no", "0.9283", "0", "1"),
        ("no", OTHERS, "2", "1"),
    ]
    assert rows[-1]["given most often"] == "77 (2); 78 (1)"
    assert "divided by d_k" in rows[1]["what it is"]
    assert {row["question"] for row in rows} == {asked.asks.replace("\n", " ")}


def test_a_readers_word_is_no_formula():
    """A cell that a spreadsheet would compute begins with an apostrophe; commas, quotes and line breaks come back as they were."""
    words = ("=1+1", "+a", "-a", "@a", "\ta", '"a", b', "c\nd", "＝a", "قلب", "e=f")
    says = tuple(f"{word}!" for word in words)
    asked = Question("=cmd|' /C calc'!A0\n?", "choice", words, Prediction("choice", "?", words, (8,), says, ()))
    rows = table(asked, ["8"], ["0", "8"])
    shown = [word if word in ('"a", b', "c\nd", "قلب", "e=f") else f"'{word}" for word in words]
    assert [row["answer"] for row in rows] == shown
    assert [row["what it is"] for row in rows] == [f"{each}!" for each in shown]
    assert rows[0]["question"] == "'=cmd|' /C calc'!A0 ?"
    assert [(row["vote 1"], row["vote 2"]) for row in rows] == [("0", "1"), *[("0", "0")] * 7, ("1", "1"), ("0", "0")]
    typed_words = run(Setup(text="=1+1 +2 cat"))
    assert not any(
        row["answer"].startswith(("=", "+")) for row in table(question.of(predictions.ask("scores", typed_words, 0, 0)), [])
    )


@settings(max_examples=15 * TIMES)
@given(setups(), VARIATIONS, st.data())
def test_the_table_has_everybody(setup, variation, data):
    """For any exercise and any two votes, each column adds up to those who voted."""
    exercise = made(data.draw(st.sampled_from(OF_STEPS)), setup, variation)
    if exercise is None:
        return
    asked = question.of(exercise)
    possible = [kept(asked, answer) for answer in (exercise.answer, *(slip.gives for slip in exercise.slips))]
    possible += [] if asked.options else ["7", "77", "777"]
    votes = [data.draw(st.lists(st.sampled_from(possible), max_size=9)) for _ in range(2)]
    rows = table(asked, *votes)
    assert [sum(int(row[f"vote {k}"]) for row in rows) for k in (1, 2)] == [len(votes[0]), len(votes[1])]
    right = Counter(judge(exercise, LETTERS[int(each)] if asked.options else each).right for each in votes[1])
    assert sum(int(row["vote 2"]) for row in rows if row["right"] == "yes") == right[True]
