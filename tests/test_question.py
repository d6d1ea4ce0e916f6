"""Questions, be they exercises or predictions: every answer is computed another way, whatever is
typed is judged and counted where it belongs, and nothing of it is lost."""

import csv
import io
import itertools
import json
import math
import re
from dataclasses import replace
from functools import cache

import pytest
import torch
import torch.nn.functional as F
from hypothesis import given, settings
from hypothesis import strategies as st
from strategies import FUZZ, focuses, setups
from torch import Tensor

from core import encoder, exercises, next_word, training_store, weights
from core.answers import LONGEST, Span, UnreadableError, fixed, parse, printed, read
from core.exercises import NAMES, make, of_cell
from core.predictions import MAKERS, MOST_BARS, ask
from core.question import TURNED, Opens, Question, Slip, Unposed, judge
from core.setup import Setup
from core.tally import MOST_GIVEN, OTHERS, as_csv, as_data, bars, in_rows, tally
from core.text import labels
from core.trace import run
from core.training import OPENED, out_of_row
from core.written import number
from tests.oracles import CHOICES, ORACLES, Ours, agrees, holds, predicted, projected, smaller

OF_STEPS = [name for name in NAMES if not name.startswith("training")]
VARIATIONS = st.integers(1, 99)
CELL = {"head": 1, "query": 2, "key": 5}  # “is” asks, “dessert” is asked: where all links begin
AT_CELL = Opens("weights", CELL)
PRIME = Setup(text="the cat saw the mat", d_model=11, d_k=5, d_v=7, heads=3, seed=13)
SMALL = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, steps=20, seed=71)


def made(name: str, setup: Setup, variation: int) -> Question | None:
    exercise = make(name, setup, variation)
    if isinstance(exercise, Unposed):
        assert exercise.why.endswith((".", "10."))
        return None
    return exercise


def a_question(answer: object, *slips: Slip, kind: str = "number") -> Question:
    return Question("x.1", kind, "?", (answer,), slips, "", opens=AT_CELL)


def typed(answer: object) -> str:
    """An answer as a reader would type what is printed; of options the place."""
    return number((answer.low + answer.high) / 2) if isinstance(answer, Span) else printed(answer)


def kept(asked: Question, answer: object) -> str:
    """What is kept of it."""
    return read(asked.kind, len(asked.options), typed(answer))


# ---------- what is asked, and its answer ----------


def test_every_page_has_three():
    """Thirty-six in all, six of them on the next word, and every one has an oracle in these
    tests."""
    assert len(NAMES) == 36
    assert all(
        len(exercises.of_page(path)) == (6 if path == "next" else 3) for path in exercises.MAKERS
    )
    assert {*ORACLES, *CHOICES, *exercises.of_page("training")} == set(NAMES)


def test_a_turned_number_is_asked_for():
    """Under rotary positions both numbers of a pair are asked for, as a matrix for each place turns
    them; the last number of an odd size is in no pair, and is asked for as it is."""
    setup = replace(SMALL, positions="rotary", d_k=5, init="xavier")
    of_setup = [made("projection.2", setup, variation) for variation in range(1, 61)]
    turned_ones = [one for one in of_setup if one and one.asks.endswith("turned?")]
    assert {one.opens.fields["column"] % 2 for one in turned_ones} == {0, 1}
    assert all(one.opens.fields["column"] < 5 for one in turned_ones)
    for one in turned_ones:
        assert agrees(one.answer, projected(Ours(setup, one)), 1)


def is_pytorchs(exercise: Question, setup: Setup) -> None:
    """Computed another way, from the weights and the places that the exercise opens, the answer is
    the same."""
    name, trace = exercise.name, run(setup)
    size = max(trace.value(entry).abs().max().item() for entry in ("scores", "context", "x"))
    ours = ORACLES[name](Ours(setup, exercise))
    # A weight moves by as much as its score is off.
    exact = (
        size
        if name not in ("weights.2", "masks.3", "context.3")
        else size * Ours(setup, exercise).factor()
    )
    if name.startswith("next"):
        exact = max(size, next_word.predict(setup).value("tempered").abs().max().item())
    assert agrees(exercise.answer, ours, exact), (exercise.asks, exercise.answer, ours)


def has_one_right_option(exercise: Question, setup: Setup) -> None:
    """Of the options of a choice, exactly one does what is asked, tried out by PyTorch."""
    right = [
        place for place, option in enumerate(exercise.options) if holds(exercise, setup, option)
    ]
    assert right == [exercise.answer], (exercise.asks, exercise.options)
    assert len(set(exercise.options)) == len(exercise.options) >= 2


OF_A_CELL = (
    "embedding.1",
    "projection.2",
    "scores.1",
    "weights.2",
    "context.1",
    "block.1",
    "block.2",
    "block.3",
)


SHOWN = {
    "scores": ("scores",),
    "weights": ("scores", "scaled", "masked", "weights"),
    "context": ("context",),
}


def stands_where_it_leads(slip: Slip, exercise: Question, setup: Setup) -> None:
    """“Where that number stands” never leads to the answer's own cell, and on the seven steps the
    number does stand there."""
    assert slip.opens != exercise.opens, slip
    if slip.opens and slip.opens.path in SHOWN and isinstance(slip.gives, Span):
        at, entries = slip.opens.fields, SHOWN[slip.opens.path]
        if "key" in at and slip.opens.path == "context":
            entries = ("weights",)  # that page has them too
        last = at["key"] if "key" in at else at["column"]
        there = [
            run(setup).value(entry)[at["head"] - 1, at["query"] - 1, last - 1].item()
            for entry in entries
        ]
        assert any(slip.gives.holds(value) for value in there if math.isfinite(value)), (
            slip,
            there,
        )


@settings(max_examples=15 * FUZZ)
@given(setups(), VARIATIONS)
def test_what_holds_of_every_exercise(setup, variation):
    """Of all exercises that a setup has: the answer is PyTorch's, of options one alone is right;
    each answer as printed is right, and what a slip gives is told, counted as that slip and found
    where it leads. Asked for by its place, one that drew a cell is the same."""
    for name in OF_STEPS:
        exercise = made(name, setup, variation)
        if exercise:
            (is_pytorchs if name in ORACLES else has_one_right_option)(exercise, setup)
            assert not set(exercise.answers) & {slip.gives for slip in exercise.slips}
            assert 2 <= len(exercise.hints) <= 3
            check_judged_and_counted(exercise)
            for slip in exercise.slips:
                stands_where_it_leads(slip, exercise, setup)
            if name in OF_A_CELL:
                assert of_cell(exercise.opens.path, setup, exercise.opens.fields) == exercise


@st.composite
def places(draw):
    """A setup's trace, a head and a query in it."""
    trace = run(draw(setups()))
    heads = len(trace.value("weights"))
    return trace, draw(st.integers(0, heads - 1)), draw(st.integers(0, len(trace.tokens) - 1))


@settings(max_examples=30 * FUZZ)
@given(place=places())
def test_what_holds_of_every_prediction(place):
    """Its truth is PyTorch's; each option is told by its sentence and is a group of its own, also
    with nobody."""
    for name in MAKERS:
        check_truth(name, place)
        if asked := ask(name, *place):
            check_judged_and_counted(asked.for_a_class())
            assert [bar[::2] for bar in bars(asked)] == [
                [label, number(value)] for label, value in asked.bars
            ]


def check_truth(name: str, place: tuple) -> None:
    """In every setup the numbers are those that PyTorch finds another way, those called right are
    the largest as printed, and no other is; without √d_k the largest weight never falls. Each
    option has a sentence."""
    trace, head, query = place
    setup, asked = trace.setup, ask(name, *place)
    if name == "heads" and setup.projections == "none":
        assert asked is None
        return
    wanted, seen = predicted(name, setup, head, query)
    assert (asked is None) == (len(seen if name == "root" else wanted) < 2)
    if asked is None:
        return
    found = torch.tensor([value for _, value in asked.bars], dtype=torch.float64)
    size = trace.value("scores").abs().max().item() * Ours(setup).factor()
    near = 1e-3 * max(1, wanted.abs().max().item()) + 1e-5 * size * (
        setup.d_k if name == "root" else 1
    )
    assert torch.allclose(found, wanted, rtol=1e-3, atol=near)
    assert asked.name == name
    assert asked.asks[0].isupper() and asked.asks.endswith("?")
    assert [slip.gives for slip in asked.slips] == list(range(len(asked.options)))
    assert all(slip.says.endswith(".") and "nan" not in slip.says for slip in asked.slips)
    texts = [number(value) for value in found.tolist()]
    if name == "root":
        assert 2 not in asked.answers
        assert (1 in asked.answers) == (texts[0] == texts[1])
        assert all(text in asked.solution or text == "1.0000" for text in texts)
        return
    assert wanted[list(asked.answers)].max() > wanted.max() - near
    assert {k for k, text in enumerate(texts) if text == number(found.max().item())} == set(
        asked.answers
    )
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
            told += number(row[heaviest].item()) in says and heaviest not in asked.answers
    assert told


def test_many_words_are_chosen_and_not_dragged():
    """Past a dozen, shares are not guessed one by one; nor are they by a class, which chooses the
    largest."""
    many = run(Setup(text=" ".join(f"w{k}" for k in range(MOST_BARS + 1)), d_model=5, d_k=3, d_v=7))
    asked = ask("weights", run(PRIME), 0, 1)
    assert (ask("weights", many, 0, 0).kind, asked.kind, asked.for_a_class().kind) == (
        "choice",
        "shares",
        "choice",
    )
    assert (
        asked.for_a_class().asks == "In head 1, which word will get most of the attention of “cat”?"
    )


# ---------- any cell may be asked for ----------

PATHS = ("embedding", "projection", "scores", "weights", "context", "heads", "block")


def cell_of(path: str, setup: Setup, exercise: Question) -> float:
    """The number that stands where the exercise leads, in the trace or in the layer's."""
    at = {
        name: place - 1 for name, place in exercise.opens.fields.items() if isinstance(place, int)
    }
    trace = run(replace(setup, layer=1) if path == "embedding" else setup)
    path = exercise.opens.path
    if path == "block":
        return (
            encoder.encode(setup)[at["layer"]]
            .value(exercise.opens.fields["stage"])[at["query"], at["column"]]
            .item()
        )
    if path == "projection":
        name = {"queries": "q", "keys": "k", "values": "v"}[exercise.opens.fields["matrix"]]
        turns = exercise.asks.endswith("turned?")
        row = at["query" if name == "q" else "key"]
        return trace.of_head(f"{name}_rotated" if turns else name, at["head"])[
            row, at["column"]
        ].item()
    if path in ("embedding", "heads"):
        return trace.value({"embedding": "embedded", "heads": "output"}[path])[
            at["query"], at["column"]
        ].item()
    last = at["column"] if path == "context" else at["key"]
    return trace.value(path)[at["head"], at["query"], last].item()


@settings(max_examples=25 * FUZZ)
@given(st.data())
def test_the_chosen_cell_is_asked_for(data):
    """Whatever a link looks at, the exercise is of that place and of no other, and its answer is
    the number that the trace has there, which PyTorch has too."""
    setup = data.draw(setups())
    focus = data.draw(focuses(setup))
    size = max(
        run(setup).value(entry).abs().max().item() for entry in ("scores", "context", "x", "output")
    )
    for path in PATHS:
        exercise = of_cell(path, setup, vars(focus))
        if isinstance(exercise, Unposed):
            assert exercise.why.endswith(".")
            untold = path == "block" and focus.stage not in (
                "resid_mid",
                "normed_1",
                "ffn_activated",
            )
            assert untold or setup.projections == "none"
            continue
        for name, place in exercise.opens.fields.items():
            most = math.inf if name != "column" else columns_of(exercise, setup)
            chosen = getattr(focus, name)
            assert place == (chosen if isinstance(place, str) else min(chosen, most)), (path, name)
        found = cell_of(path, setup, exercise)
        assert agrees(exercise.answer, found, size), (path, exercise.asks, found)
        if exercise.name in ORACLES and path != "heads":
            scale = size * (Ours(setup, exercise).factor() if exercise.name == "weights.2" else 1)
            assert agrees(exercise.answer, ORACLES[exercise.name](Ours(setup, exercise)), scale), (
                path,
                exercise.asks,
            )


def columns_of(exercise: Question, setup: Setup) -> int:
    """How many columns the matrix has that an exercise leads to."""
    at = exercise.opens.fields
    return (
        {
            "embedding": setup.d_model,
            "projection": setup.d_v if at.get("matrix") == "values" else setup.d_k,
            "context": setup.d_v,
            "heads": setup.out_size,
            "block": setup.d_ff if at.get("stage") == "ffn_activated" else setup.d_model,
        }[exercise.opens.path]
        if setup.projections != "none"
        else setup.d_model
    )


def test_an_output_is_what_pytorch_makes_of_all_heads():
    """Y's cell: concat times W_o in double precision, with its bias; one head alone is a slip that
    is told."""
    setup = Setup(text="the cat saw the mat", d_model=11, d_k=5, d_v=7, heads=3, seed=13, bias="on")
    exercise = of_cell("heads", setup, {"part": "mixed by W_o", "query": 3, "column": 5})
    own = weights.projections(setup)
    context = run(setup).value("context").double()
    whole = torch.nn.functional.linear(
        torch.cat([*context], dim=-1), own["w_o"].double().T, own["b_o"].double()
    )
    assert exercise.answer.holds(whole[2, 4].item())
    alone = (context[1] @ own["w_o"][7:14].double())[2, 4].item()
    assert "head 2 alone is counted" in judge(exercise, number(alone)).says


def test_of_another_figure_nothing_is_asked():
    """Where no maker asks for a cell, a sentence says so; nothing is raised."""
    for path, at in (
        ("masks", CELL),
        ("nowhere", {}),
        ("block", {"stage": "out"}),
        ("block", {}),
        ("heads", {"part": "?"}),
    ):
        assert of_cell(path, Setup(), at) == Unposed(path, of_cell("masks", Setup(), {}).why)
    assert of_cell("scores", Setup(), {"head": 99, "query": 0, "key": -4}).opens.fields == {
        "head": 3,
        "query": 1,
        "key": 1,
    }


# ---------- what is said of an answer, and where it is counted ----------


def check_judged_and_counted(asked: Question) -> None:
    """Each answer and each slip, typed as it is printed, is told, and is counted where it belongs;
    nobody is lost or counted twice."""
    right, wrong = (
        asked.answers,
        [slip.gives for slip in asked.slips if slip.gives not in asked.answers],
    )
    for answer in (*right, *wrong):
        text = kept(asked, answer)
        verdict, (group,) = (
            judge(asked, typed(answer)),
            [each for each in tally(asked, [text]) if each.count],
        )
        assert judge(asked, text) == verdict
        assert verdict.right is group.right is (answer in right), (asked, answer)
        slips = [slip for slip in asked.slips if slip.gives == answer]
        assert verdict.right or all(slip in verdict.slips for slip in slips)
        assert all(slip.says in group.says and (slip.says in verdict.says) for slip in slips), (
            asked,
            answer,
            group,
        )
        if verdict.right:
            assert (verdict.says, group.opens) == (asked.solution, asked.opens)
    if isinstance(asked.answer, Span):
        assert all(
            judge(asked, number(end)).right
            for end in (asked.answer.low, asked.answer.high, asked.answer.value)
        )
    first, second = (
        [kept(asked, answer) for answer in (*right, *wrong)] * 2,
        [kept(asked, answer) for answer in wrong],
    )
    votes = [tally(asked, vote) for vote in (first, second)]
    for vote, groups in zip((first, second), votes, strict=True):
        data = as_data(asked, groups)
        assert data["of"] == len(vote)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
    rows = in_rows(asked, votes)
    assert [sum(counts) for counts in zip(*(row["counts"] for row in rows), strict=True)] == [
        len(first),
        len(second),
    ]
    assert sum(row["counts"][0] for row in rows if row["right"]) == 2 * len(right)
    if asked.options:
        assert (
            [group.answer for group in votes[1]]
            == [row["answer"] for row in rows]
            == list(asked.options)
        )


@pytest.mark.parametrize("name", OF_STEPS)
def test_the_first_setup_has_them_all(name):
    """With the setup that every reader begins with, each exercise is posed, again and again, and
    has slips to make. No variation asks what the one before it asked, where there is anything to
    pick."""
    asked = [make(name, Setup(), variation) for variation in range(1, 13)]
    assert all(isinstance(exercise, Question) and exercise.slips for exercise in asked)
    assert asked[:5] == [make(name, Setup(), variation) for variation in range(1, 6)]
    if name not in (
        "vocabulary.3",
        "embedding.3",
        "heads.1",
        "heads.3",
        "masks.2",
    ):  # these have nothing to pick
        assert len({exercise.asks for exercise in asked}) > 2
    if len({exercise.asks for exercise in asked}) > 3:
        assert all(one.asks != following.asks for one, following in itertools.pairwise(asked))


def test_by_hand():
    """Score 9.0697 = 9.8764 − 2.0545 · 0.6600 + 0.2024 · 2.7132, what each slip makes of it, and
    where another cell's stands."""
    exercise = make("scores.1", Setup())
    assert "22 of them make 9.8764" in exercise.asks
    assert judge(exercise, "9.0697").right
    for answer, slip in {
        "24.3095": "query and key are exchanged",
        "1.8514": "the score is scaled already",
        "5.5663": "the factors are added",
        "-0.8068": "the sum of all the others is left out",
        "9.07": "rounded or cut to 2 decimals",
        "9.0677": "numbers on the way are rounded",
        "-9.0697": "the sign is turned round",
        "77": "No usual slip",
    }.items():
        verdict = judge(exercise, answer)
        assert verdict.right is False
        assert slip in verdict.says, (answer, verdict.says)
    asked = make("scores.2", Setup())
    assert [slip.opens.fields for slip in asked.slips[:3]] == [
        {"head": 1, "query": i, "key": j} for i, j in ((1, 2), (2, 2), (1, 1))
    ]


def test_a_class_by_hand():
    """58 students: 31 have α[is, dessert], 14 divided by d_k, 6 went down the column or took the
    cell across, which give one number, 5 rounded; of the others the numbers are told, most frequent
    first. In float64 these are the slips' numbers."""
    asked = of_cell("weights", Setup(), CELL)
    typed_in = (
        ["0.4917"] * 31
        + ["0,23"] * 14
        + ["0.0000"] * 6
        + ["0.49"] * 3
        + ["0.492"] * 2
        + ["77", "-3.50"]
    )
    found = tally(asked, [read("number", 0, text) for text in typed_in])
    assert [(group.answer, group.count, group.right) for group in found] == [
        ("0.4917", 31, True),
        ("0.2300", 14, False),
        ("1.4e−5", 6, False),
        ("0.49", 3, False),
        ("0.492", 2, False),
        (OTHERS, 2, False),
    ]
    scores = run(Setup()).value("scores")[0].double()
    ours = [
        (scores / Setup().d_k ** 0.5).softmax(1),
        (scores / Setup().d_k).softmax(1),
        (scores / Setup().d_k ** 0.5).softmax(0),
    ]
    of_row, of_d_k, of_column = (number(each[1, 4].item()) for each in ours)
    assert [of_row, of_d_k] == [group.answer for group in found[:2]]
    assert found[2].says in judge(asked, of_column).says
    told = [group.says for group in found]
    assert told[:2] == ["", "the scores are divided by d_k: it is √d_k"]
    assert "softmax runs down the column" in told[2]
    assert "row and column are exchanged" in told[2]
    assert "2 decimals" in told[3]
    assert "3 decimals" in told[4]
    assert found[2].opens.fields == {"head": 1, "query": 5, "key": 2}
    assert found[-1].given == (("−3.50", 1), ("77", 1))


def test_slips_of_one_number_are_told_together():
    """Both are named, counted (1) and (2); a class has them as one group, whose number is the one
    that stands where it leads."""
    across = Opens("weights", {"head": 1, "query": 5, "key": 2})
    slips = (
        Slip("it runs down", fixed(0.30001)),
        Slip("row and column are exchanged", fixed(0.30009), across),
    )
    asked = a_question(fixed(0.5), *slips)
    assert (
        judge(asked, "0.3").says
        == "Two slips give this number: (1) it runs down; (2) row and column are exchanged. Which"
        " of them was it?"
    )
    right, both, *others = tally(asked, ["0.3", "0.3000", "0.30005", "-0.5"])
    assert (both.says, both.count) == ("(1) it runs down; (2) row and column are exchanged", 3)
    assert (both.answer, both.opens) == ("0.3001", across)
    assert [(each.answer, each.count, each.says) for each in others] == [("−0.5", 1, TURNED)]
    assert (right.answer, right.count, right.given) == ("0.5000", 0, ())


def test_groups_stand_in_their_order():
    """The right answer, then slips with the most frequent first, then the others with the numbers
    given most often."""
    asked = a_question(1000, Slip("a", 1), Slip("b", 2), Slip("c", 3), kind="whole")
    answers = (
        ["7"] * 2
        + ["-8"] * 3
        + ["2"]
        + ["3"] * 2
        + [read("whole", 0, "1,000")]
        + [str(k) for k in range(50, 60)]
    )
    groups = tally(asked, answers)
    assert [(group.answer, group.says, group.count) for group in groups[:-1]] == [
        ("1,000", "", 1),
        ("3", "c", 2),
        ("2", "b", 1),
    ]
    assert (groups[-1].answer, groups[-1].count) == (OTHERS, 15)
    assert groups[-1].given[:2] == (("−8", 3), ("7", 2))
    assert len(groups[-1].given) == MOST_GIVEN


def test_what_is_not_finite_is_no_bar():
    """JSON has no infinity: such a number is written, and not drawn."""
    asked = Question(
        "x", "choice", "?", (0,), (), "A.", ("a", "b"), bars=(("a", math.inf), ("b", math.nan))
    )
    assert bars(asked) == [["a", None, "∞"], ["b", None, "–"]]


# ---------- slips ----------


def test_a_sentence_of_all_words_is_no_error():
    """Where the sentence has every word that could be added, vocabulary.2 says so in place of an
    error."""
    for setup in (
        Setup(text="Ants and bread five milk now often slow today water yes"),
        Setup(text="ABMQabcdfgjkmpquvwxyz0123456789", split="characters"),
    ):
        assert "has every word already" in make("vocabulary.2", setup).why


def test_a_vocabulary_with_the_words_of_training_has_slips_of_its_own():
    """With trained weights the language's words count, also for who lists a repeated word twice."""
    setup = Setup(text="we saw cat and cat and then we ran", init="trained")
    for variation in range(1, 30):
        exercise = make("vocabulary.1", setup, variation)
        token = setup.tokens[exercise.opens.fields["query"] - 1]
        gives = {slip.says.partition(":")[0]: slip.gives for slip in exercise.slips}
        twice = sum(
            word < token for word in [*setup.tokens, *(set(setup.vocabulary) - set(setup.tokens))]
        )
        assert gives.get("a word that occurs twice is listed twice", exercise.answer) == twice
        assert gives.get("the words of training are left out", exercise.answer) == smaller(
            setup.tokens, token
        )


@given(setups(), VARIATIONS)
def test_slips_in_counting_keys_are_of_this_mask(setup, variation):
    """masks.1 names a mask as left out only where it is on, and padding as hidden only where it
    is."""
    says = " ".join(slip.says for slip in make("masks.1", setup, variation).slips)
    causal, hidden, window = (
        "causal" in setup.mask,
        setup.padding != "unmasked",
        "window" in setup.mask,
    )
    for phrase, may in (
        ("the causal mask is left out", causal),
        ("the causal mask alone", causal and hidden),
        ("later words are counted", causal),
        ("a causal mask is taken: here there is none", not causal),
        ("padding is counted: a mask hides it", hidden and (window or not causal)),
        ("the window", window),
        ("with padding unmasked", not hidden),
    ):
        assert may or phrase not in says, (setup, says)


@pytest.mark.parametrize("name", ["weights.1", "weights.2"])
def test_a_wrong_divisor_is_told_beside_the_right_rule(name):
    """Where scaling is off, no slip says that √d_k is right; where it is on, none says that it is
    off."""
    for scale, wrong in (
        ("none", "it is √d_k"),
        ("sqrt", "scaling is off"),
        ("fourth-root", "scaling is off"),
    ):
        for variation in range(1, 6):
            slips = make(name, Setup(scale=scale, temperature=2.0), variation).slips
            assert slips
            assert not any(wrong in slip.says for slip in slips)
    off = make(name, Setup(scale="none", init="xavier")).slips
    assert any("√d_k: scaling is off" in slip.says for slip in off)


@pytest.mark.parametrize(
    ("name", "setup", "stands"),
    [
        ("masks.3", Setup(), True),
        ("masks.3", Setup(memory="the dog saw"), True),
        ("masks.3", Setup(memory="a dog", edits="embedding_table.3=0"), False),
        ("masks.3", Setup(layers=2, layer=2), False),
        ("masks.3", Setup(layers=2, layer=2, mask="causal"), True),
        ("masks.3", Setup(init="trained", steps=1, mask="window", window=1), False),
        ("masks.3", Setup(init="trained", steps=1, mask="causal"), True),
        (
            "masks.3",
            Setup(init="trained", steps=1, memory="cat", text="the cat saw the dog"),
            False,
        ),
        ("embedding.2", Setup(), True),
        ("embedding.2", Setup(init="trained", steps=1), False),
        ("embedding.2", Setup(init="given", given="x 1,2_3,4", text="a b"), False),
        ("masks.3", Setup(init="given", given="q 1_2 k 1_2 v 1_2", text="a b"), True),
        ("masks.3", Setup(init="given", given="q 1_2 k 1_2 v 1_2 mask 11_10", text="a b"), False),
        ("masks.3", Setup(init="given", given="q 1_2 k 1_2_3 v 1_2_3", text="a b"), False),
    ],
)
def test_show_me_leads_to_the_answer_or_nowhere(name, setup, stands):
    """A link with other choices shows the number that was asked for; where these change more than
    that, there is no link."""
    for variation in range(1, 5):
        exercise = make(name, setup, variation)
        assert exercise.opens.stands == stands
        if stands:
            at = {
                field: place - 1
                for field, place in exercise.opens.fields.items()
                if isinstance(place, int)
            }
            shown, _ = Setup.nearest(
                setup.as_link()
                | {k: v for k, v in exercise.opens.fields.items() if isinstance(v, str)}
            )
            place = [at[axis] for axis in ("head", "query", "key", "column") if axis in at]
            assert exercise.answer.holds(
                run(shown).value("weights" if name == "masks.3" else "x")[tuple(place)].item()
            )


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu"])
def test_a_slip_of_the_block_opens_its_own_number(activation):
    """What a slip of block.1 to block.3 gives stands where its link leads: a gate times a number is
    no gate."""
    setup = Setup(activation=activation, out="d_model")
    for name in ("block.1", "block.2", "block.3"):
        for slip in (
            slip
            for variation in range(1, 5)
            for slip in make(name, setup, variation).slips
            if slip.opens
        ):
            at = slip.opens.fields
            shown = (
                encoder.encode(setup)[at["layer"] - 1]
                .value(at["stage"])[at["query"] - 1, at["column"] - 1]
                .item()
            )
            assert slip.gives.holds(shown), slip


def test_a_spread_is_the_rows_own():
    """block.2 calls a number the spread only where it is the row's standard deviation as printed,
    and not √ε."""
    for setup in (
        Setup(),
        Setup(norm="pre"),
        Setup(norm="pre", edits="embedding_table=2"),
        Setup(d_model=1, out="d_model"),
    ):
        for variation in range(1, 6):
            exercise = make("block.2", setup, variation)
            layer = encoder.encode(setup)[exercise.opens.fields["layer"] - 1]
            rows = layer.value("resid_mid" if setup.norm == "post" else "x").double()
            spread = rows[exercise.opens.fields["query"] - 1].std(correction=0).item()
            told = re.search(r"standard deviation\) ([\d.,]+)\. What", exercise.asks)
            assert (told[1] == number(spread)) if told else "variance + ε" in exercise.asks
            assert told or not any(
                "spread" in text
                for text in (*exercise.hints, *(slip.says for slip in exercise.slips))
            )


def test_a_number_of_another_head_is_told():
    """Whoever reads head 1 where another head is asked for is told so."""
    for name, entry in (
        ("scores.1", "scores"),
        ("scores.2", "scores"),
        ("weights.1", "scaled"),
        ("context.1", "context"),
    ):
        told = False
        for variation in range(1, 12):
            exercise = make(name, Setup(), variation)
            at = exercise.opens.fields
            if at["head"] > 1:
                ours = (
                    run(Setup())
                    .value(entry)[
                        0, at["query"] - 1, at["column" if entry == "context" else "key"] - 1
                    ]
                    .item()
                )
                assert (
                    f"head 1 is taken: head {at['head']} is asked"
                    in judge(exercise, number(ours)).says
                )
                told = True
        assert told


# ---------- what may be typed ----------

KINDS = ("number", "whole", "shape", "choice")
ODD = [
    None,
    3,
    b"1",
    [],
    "",
    " ",
    "nan",
    "inf",
    "-∞",
    "1e400",
    "-1e400",
    "0e" + "9" * 40,
    "1e-" + "9" * 40,
    "٣",
    "６",
    "²",
    "0x10",
    "1" * 61,
    "." + "1" * 59,
    "1_0",
    "--1",
    "1 2",
    "1/2",
    "34%",
    "=1+1",
    "<b>1</b>",
    "\ud800",
    "\x00",
    "1\x00",
    "\u202e1",
    "1e",
    "e5",
    "9" * 60,
    "1e300",
    "x",
    "6x",
    "-1",
    "01",
    "3",
    "1.0",
    "\t",
    "1\n2",
    "×" * 60,
    True,
    float("nan"),
    "0.5 0.6",
    "-6 × 2",
]
READABLE = {
    "number": ("-1", "01", "3", "1.0", "1e300", "9" * 60),
    "whole": ("-1", "01", "3", "1.0", "9" * 60, "0e" + "9" * 40, "1e-" + "9" * 40),
    "shape": ("01", "3", "1 2", "1\n2", "0x10"),
    "choice": (),
}


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
def test_what_is_no_answer_is_refused_in_words(kind):
    """Whatever comes, nothing but UnreadableError is raised, and what is kept is a short plain
    spelling that is read as itself."""
    for text in ODD:
        spelling = is_kept(kind, text)
        assert (spelling is not None) == (isinstance(text, str) and text in READABLE[kind]), (
            text,
            spelling,
        )


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
    says = judge(
        replace(a_question(fixed(0.5), kind=kind), options=("a",) * 3 * (kind == "choice")), after
    ).says
    assert len(says) < 600
    assert "\n" not in says


TYPED = st.builds(
    "{}{}{}{}".format,
    st.sampled_from(("", "-", "−", "+", "- ", "–\u00a0")),
    st.sampled_from(("0", "5", "00", "12", "12,345", "")),
    st.sampled_from((".", ",", ".0", ".4917", ",4900", ".50", "")),
    st.sampled_from(("", "", "e5", "E-5", "e+0", "e−3")),
)


@given(TYPED)
def test_what_is_kept_is_judged_as_what_was_typed(text):
    """The spelling that is kept has the same number with the same decimals: what is said of it is
    what would be said of the text."""
    spelling = is_kept("number", text)
    for answer in (0.4917, 0.49, -0.49, 12345.4917, 5.0):
        asked = a_question(
            fixed(answer),
            Slip("a", fixed(5.4917)),
            Slip("b", fixed(0.5)),
            Slip("c", fixed(12345.0)),
        )
        verdict = judge(asked, text)
        assert (verdict.right is None) == (spelling is None)
        assert spelling is None or judge(asked, spelling) == verdict


def test_one_spelling_of_one_answer():
    """However it is typed, with a comma, a real minus sign or blanks, the same is kept, with the
    decimals that were typed."""
    for kind, spelling, ways in (
        ("number", "-0.4300", ("-0.4300", " −.4300", "- 0,4300", "−\u00a00.4300", "-4.300e-1")),
        ("number", "0.43", (".43", "+0,43", "00.43")),
        ("number", "12345.5", ("12,345.5",)),
        ("number", "0.0", ("-0.0", "0.0")),
        ("number", "2", ("+2.", "2")),
        ("shape", "6x16", ("6 × 16", "(6, 16)", "6x16", "torch.Size([6, 16])", "6 by 16")),
        ("whole", "1296", ("1296", "1,296", "1296.0")),
    ):
        assert {read(kind, 0, way) for way in ways} == {spelling}
    assert parse("number", 0, "٣") == 3
    assert [read("choice", 12, str(place)) for place in range(12)] == [
        str(place) for place in range(12)
    ]


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
        ("shape", "6 ×", "is not a shape"),
        ("shape", "six by two", "is not a shape"),
        ("choice", "D", "none of the options"),
    ):
        says = judge(
            replace(a_question(1, kind=kind), options=("a", "b") if kind == "choice" else ()), text
        ).says
        assert told in says
        assert all(word in says for word in text.split())


def test_an_exponent_counts_among_the_decimals():
    """An answer typed as 5e-1 has one decimal, and is not judged as a whole number."""
    asked = a_question(fixed(0.4917))
    assert "1 decimal;" in judge(asked, "5e-1").says
    assert "to 2 decimals" in judge(asked, "4.9E−1").says


def test_what_read_did_not_return_is_left_out():
    """A tally counts what is kept and nothing else: no text as typed, no option that is not
    there."""
    for asked in (make("scores.1", Setup()), ask("scores", run(Setup()), 0, 1)):
        junk = [
            "0.50x",
            "+1",
            "-0.0",
            "7e+3",
            " 1",
            "12",
            "-1",
            "a",
            "",
            None,
            1,
            ["1"],
            {},
            "=1",
            "1" * 99,
        ]
        good = {"number": ["12", "-1"], "choice": []}[asked.kind]
        assert [
            sum(group.count for group in tally(asked, each)) for each in (junk, [*junk, "1", "1"])
        ] == [
            len(good),
            len(good) + 2,
        ]


# ---------- to take home ----------


def table(asked: Question, *votes: list[str]) -> list[dict[str, str]]:
    """The result as the csv module reads it back."""
    rows = in_rows(asked, [tally(asked, answers) for answers in votes])
    return list(
        csv.DictReader(
            io.StringIO(
                as_csv([{"number": 1, "place": "here", "asks": asked.asks, "rows": rows}]),
                newline="",
            )
        )
    )


def test_a_second_vote_stands_beside_the_first():
    """A row for each group of either vote, a column for each vote, and the counts of each add
    up."""
    asked = of_cell("weights", Setup(), CELL)
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
    """A cell that a spreadsheet would compute begins with an apostrophe; commas, quotes and line
    breaks come back as they were."""
    words = ("=1+1", "+a", "-a", "@a", "\ta", '"a", b', "c\nd", "＝a", "قلب", "e=f")
    slips = tuple(Slip(f"{word}!", place) for place, word in enumerate(words))
    rows = table(
        Question("x", "choice", "=cmd|' /C calc'!A0\n?", (8,), slips, "", words), ["8"], ["0", "8"]
    )
    shown = [word if word in ('"a", b', "c\nd", "قلب", "e=f") else f"'{word}" for word in words]
    assert [row["answer"] for row in rows] == shown
    assert [row["what it is"] for row in rows] == [f"{each}!" for each in shown]
    assert rows[0]["question"] == "'=cmd|' /C calc'!A0 ?"
    assert [(row["vote 1"], row["vote 2"]) for row in rows] == [
        ("0", "1"),
        *[("0", "0")] * 7,
        ("1", "1"),
        ("0", "0"),
    ]
    typed_words = ask("scores", run(Setup(text="=1+1 +2 cat")), 0, 0)
    assert not any(row["answer"].startswith(("=", "+")) for row in table(typed_words, []))


# ---------- training ----------


@cache
def after_the_opened_step() -> tuple[Tensor, Tensor, Tensor, list[float]]:
    """W_q before and after step 10 of a training, Adam's running mean after it, in thousandths, and
    all losses."""
    training = training_store.begin(SMALL, "attention")
    while len(training.losses) < OPENED - 1:
        training.step()
    before = training.weights["w_q"]
    training.step()
    mean, after = (
        1000 * out_of_row(training._means[0], training.weights)["w_q"],
        training.weights["w_q"],
    )
    while not training.over:
        training.step()
    return before, after, mean, training.losses


@pytest.mark.parametrize("variation", range(1, 8))
def test_training_is_asked_about_as_it_ran(variation):
    """Loss, running mean and direction are those of PyTorch's Adam, made anew step by step."""
    before, after, mean, losses = after_the_opened_step()
    loss, running, way = (make(f"training.{k}", SMALL, variation) for k in (1, 2, 3))
    step = int(re.search(r"In step (\d+)", loss.asks)[1])
    share = loss.answer.low
    assert math.isclose(
        F.nll_loss(torch.tensor([[share]]).log(), torch.tensor([0])).item() * 2,
        losses[step - 1],
        abs_tol=1e-3,
    )
    place = tuple(running.opens.fields[field] - 1 for field in ("head", "row", "column"))
    assert running.answer.holds(mean[place].item())
    place = tuple(way.opens.fields[field] - 1 for field in ("head", "row", "column"))
    moved = "larger" if after[place] > before[place] else "smaller"
    assert way.options[way.answer] == f"It becomes {moved}."
    for exercise in (loss, running, way):
        check_judged_and_counted(exercise)


def test_no_step_without_ten():
    """A training of fewer steps, or without W_q, opens none: the exercise says so and asks
    nothing."""
    for setup in (replace(SMALL, steps=3), replace(SMALL, projections="none")):
        assert isinstance(make("training.2", setup), Unposed)
        assert isinstance(make("training.3", setup), Unposed)
