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

from core import encoder, exercises, next_word, training_store
from core.answers import LONGEST, Span, UnreadableError, fixed, parse, printed, read
from core.exercises import NAMES, make, of_cell
from core.predictions import MAKERS, MOST_BARS, ask
from core.question import TURNED, Opens, Question, Slip, Unposed, judge
from core.setup import Setup
from core.tally import MOST_GIVEN, OTHERS, as_csv, as_data, bars, in_rows, tally
from core.text import labels
from core.trace import Trace, run
from core.written import number
from tests.oracles import CHOICES, ORACLES, Asked, agrees, predicted, smaller

OF_STEPS = [name for name in NAMES if not name.startswith("training")]
VARIATIONS = st.integers(1, 99)
CELL = {"head": 1, "query": 2, "key": 5}  # “is” asks, “dessert” is asked: where all links begin
AT_CELL = Opens("weights", CELL)
PRIME = Setup(text="the cat saw the mat", d_model=11, d_k=5, d_v=7, heads=3, seed=13)
SMALL = Setup(init="trained", d_model=7, d_k=3, d_v=5, heads=2, steps=20, seed=71)


def a_question(answer: object, *slips: Slip, kind: str = "number") -> Question:
    options = ("a", "b", "c") if kind == "choice" else ()
    return Question("x.1", kind, "?", (answer,), slips, "", options, opens=AT_CELL)


def typed(answer: object) -> str:
    """An answer as a reader would type what is printed; of options the place."""
    return number((answer.low + answer.high) / 2) if isinstance(answer, Span) else printed(answer)


def kept(asked: Question, answers: list) -> list[str]:
    """What is kept of these answers."""
    return [read(asked.kind, len(asked.options), typed(answer)) for answer in answers]


# ---------- what is asked, and its answer ----------


def test_every_page_has_three():
    """But six on the next word and one on training; and every one has an oracle in these tests."""
    for path in exercises.MAKERS:
        assert len(exercises.of_page(path)) == {"next": 6, "training": 1}.get(path, 3)
    of_training = exercises.of_page("training")
    assert {*ORACLES, *CHOICES, *of_training} == {*NAMES, "heads.output"}


def is_pytorchs(exercise: Question, setup: Setup) -> None:
    """The answer is made of PyTorch's numbers, at the places that the exercise opens; of options
    exactly one does what is asked."""
    o = Asked(setup, exercise)
    if exercise.name in CHOICES:
        right = CHOICES[exercise.name](o, exercise.options)
        assert right == [exercise.options[exercise.answer]], (exercise.asks, exercise.options)
        assert len(set(exercise.options)) == len(exercise.options) >= 2
        return
    entries = ("scores", "context", "x", "output")
    size = max(run(setup).value(entry).abs().max().item() for entry in entries)
    if exercise.name in ("weights.2", "masks.3", "context.3"):
        size /= o.root * setup.temperature  # a weight moves by as much as its score is off
    if exercise.name.startswith("next"):
        size = max(size, next_word.predict(setup).value("tempered").abs().max().item())
    found = ORACLES[exercise.name](o)
    assert agrees(exercise.answer, found, size), (exercise.asks, exercise.answer, found)


SHOWN = {"scores": ["scores"], "weights": ["scores", "scaled", "masked", "weights"]}


def stands_where_it_leads(slip: Slip, exercise: Question, setup: Setup) -> None:
    """“Where that number stands” never leads to the answer's own cell, and on the seven steps the
    number does stand there."""
    assert slip.opens != exercise.opens, slip
    path, at = (slip.opens.path, slip.opens.fields) if slip.opens else ("", {})
    if path in ("scores", "weights", "context") and isinstance(slip.gives, Span):
        entries = SHOWN.get(path, ["weights" if "key" in at else "context"])
        cell = at["head"] - 1, at["query"] - 1, at.get("key", at.get("column")) - 1
        there = [run(setup).value(entry)[cell].item() for entry in entries]
        assert any(slip.gives.holds(value) for value in there if math.isfinite(value)), slip


OF_A_CELL = (
    *("embedding.1", "projection.2", "scores.1", "weights.2"),
    *("context.1", "block.1", "block.2", "block.3"),
)


@settings(max_examples=15 * FUZZ)
@given(setups(), VARIATIONS)
def test_what_holds_of_every_exercise(setup, variation):
    """Of all exercises that a setup has: the answer is PyTorch's, of options one alone is right;
    each answer as printed is right, and what a slip gives is told, counted as that slip and found
    where it leads. Asked for by its place, one that drew a cell is the same."""
    for name in OF_STEPS:
        exercise = make(name, setup, variation)
        if isinstance(exercise, Unposed):
            assert exercise.why.endswith((".", "10."))
            continue
        is_pytorchs(exercise, setup)
        assert not set(exercise.answers) & {slip.gives for slip in exercise.slips}
        assert 2 <= len(exercise.hints) <= 3
        check_judged_and_counted(exercise)
        for slip in exercise.slips:
            stands_where_it_leads(slip, exercise, setup)
        if name in OF_A_CELL:
            assert of_cell(exercise.opens.path, setup, exercise.opens.fields) == exercise


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
            check_judged_and_counted(asked.for_a_class())
            written = [[label, number(value)] for label, value in asked.bars]
            assert [bar[::2] for bar in bars(asked)] == written


def check_truth(name: str, asked: Question | None, trace: Trace, head: int, query: int) -> None:
    """The numbers are those that PyTorch finds another way, those called right are the largest as
    printed, and no other is; without √d_k the largest weight never falls."""
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
        assert 2 not in asked.answers
        assert (1 in asked.answers) == (texts[0] == texts[1])
        assert all(text in asked.solution or text == "1.0000" for text in texts)
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
            told += number(row[heaviest].item()) in says and heaviest not in asked.answers
    assert told


def test_many_words_are_chosen_and_not_dragged():
    """Past a dozen, shares are not guessed one by one; nor are they by a class, which chooses the
    largest."""
    many = " ".join(f"w{k}" for k in range(MOST_BARS + 1))
    assert ask("weights", run(replace(PRIME, text=many)), 0, 0).kind == "choice"
    asked = ask("weights", run(PRIME), 0, 1)
    of_class = asked.for_a_class()
    assert (asked.kind, of_class.kind) == ("shares", "choice")
    assert of_class.asks == "In head 1, which word will get most of the attention of “cat”?"


# ---------- any cell may be asked for ----------


@settings(max_examples=25 * FUZZ)
@given(setups(), st.data())
def test_the_chosen_cell_is_asked_for(setup, data):
    """Whatever a link looks at, the exercise is of that place and of no other, and its answer is
    the number that PyTorch has there."""
    focus = data.draw(focuses(setup))
    asked_of = ("resid_mid", "normed_1", "ffn_activated")
    for path in ("embedding", "projection", "scores", "weights", "context", "heads", "block"):
        exercise = of_cell(path, setup, vars(focus))
        if isinstance(exercise, Unposed):
            assert exercise.why.endswith(".")
            untold = path == "block" and focus.stage not in asked_of
            assert untold or setup.projections == "none"
            continue
        for name, place in exercise.opens.fields.items():
            chosen = getattr(focus, name)  # past the last column the last is taken
            assert place == chosen or (name == "column" and place < chosen), (path, name)
        is_pytorchs(exercise, setup)


def test_of_another_figure_nothing_is_asked():
    """Where no maker asks for a cell, a sentence says so; nothing is raised. Past the last place
    the last is taken."""
    for path, at in (
        *(("masks", CELL), ("nowhere", {}), ("block", {"stage": "out"})),
        *(("block", {}), ("heads", {"part": "?"})),
    ):
        assert of_cell(path, Setup(), at) == Unposed(path, of_cell("masks", Setup(), {}).why)
    found = of_cell("scores", Setup(), {"head": 99, "query": 0, "key": -4})
    assert found.opens.fields == {"head": 3, "query": 1, "key": 1}


# ---------- what is said of an answer, and where it is counted ----------


def check_judged_and_counted(asked: Question) -> None:
    """Each answer and each slip, typed as it is printed, is told, and is counted where it belongs;
    nobody is lost or counted twice."""
    right = list(asked.answers)
    wrong = [slip.gives for slip in asked.slips if slip.gives not in right]
    for answer in (*right, *wrong):
        (text,) = kept(asked, [answer])
        verdict = judge(asked, typed(answer))
        (group,) = (each for each in tally(asked, [text]) if each.count)
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
    given = [kept(asked, [*right, *wrong]) * 2, kept(asked, wrong)]
    votes = [tally(asked, vote) for vote in given]
    for vote, groups in zip(given, votes, strict=True):
        data = as_data(asked, groups)
        assert data["of"] == len(vote)
        assert json.loads(json.dumps(data, allow_nan=False)) == data
    rows = in_rows(asked, votes)
    counts = zip(*(row["counts"] for row in rows), strict=True)
    assert [sum(each) for each in counts] == [len(vote) for vote in given]
    assert sum(row["counts"][0] for row in rows if row["right"]) == 2 * len(right)
    if asked.options:
        assert [group.answer for group in votes[1]] == list(asked.options)
        assert [row["answer"] for row in rows] == list(asked.options)


NOTHING_TO_PICK = ("vocabulary.3", "embedding.3", "heads.1", "heads.3", "masks.2")


def test_the_first_setup_has_them_all():
    """With the setup that every reader begins with, each exercise is posed, again and again, and
    has slips to make. No variation asks what the one before it asked, where there is anything to
    pick."""
    for name in OF_STEPS:
        asked = [make(name, Setup(), variation) for variation in range(1, 13)]
        assert all(isinstance(exercise, Question) and exercise.slips for exercise in asked)
        assert asked[:5] == [make(name, Setup(), variation) for variation in range(1, 6)]
        kinds = len({exercise.asks for exercise in asked})
        assert kinds > 2 or name in NOTHING_TO_PICK
        if kinds > 3:
            pairs = itertools.pairwise(asked)
            assert all(one.asks != following.asks for one, following in pairs), name


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
    places = [slip.opens.fields for slip in make("scores.2", Setup()).slips[:3]]
    assert places == [{"head": 1, "query": i, "key": j} for i, j in ((1, 2), (2, 2), (1, 1))]


def test_a_class_by_hand():
    """58 students: 31 have α[is, dessert], 14 divided by d_k, 6 went down the column or took the
    cell across, which give one number, 5 rounded; of the others the numbers are told, most frequent
    first. In float64 these are the slips' numbers."""
    asked = of_cell("weights", Setup(), CELL)
    counts = {"0.4917": 31, "0,23": 14, "0.0000": 6, "0.49": 3, "0.492": 2, "77": 1, "-3.50": 1}
    everybody = [text for text, count in counts.items() for _ in range(count)]
    found = tally(asked, [read("number", 0, text) for text in everybody])
    assert [(group.answer, group.count) for group in found] == [
        *(("0.4917", 31), ("0.2300", 14), ("1.4e−5", 6), ("0.49", 3), ("0.492", 2), (OTHERS, 2))
    ]
    assert [group.right for group in found] == [True, *[False] * 5]
    scores = run(Setup()).value("scores")[0].double()
    in_rows = [(scores / divisor).softmax(1)[1, 4].item() for divisor in (24**0.5, 24)]
    assert [number(each) for each in in_rows] == [group.answer for group in found[:2]]
    down_the_column = (scores / 24**0.5).softmax(0)[1, 4].item()
    assert found[2].says in judge(asked, number(down_the_column)).says
    told = [group.says for group in found]
    assert told[:2] == ["", "the scores are divided by d_k: it is √d_k"]
    assert "softmax runs down the column" in told[2]
    assert "row and column are exchanged" in told[2]
    assert "2 decimals" in told[3] and "3 decimals" in told[4]
    assert found[2].opens.fields == {"head": 1, "query": 5, "key": 2}
    assert found[-1].given == (("−3.50", 1), ("77", 1))


def test_slips_of_one_number_are_told_together():
    """Both are named, counted (1) and (2); a class has them as one group, whose number is the one
    that stands where it leads."""
    across = Opens("weights", {"head": 1, "query": 5, "key": 2})
    two = Slip("it runs down", fixed(0.30001)), Slip("it is exchanged", fixed(0.30009), across)
    asked, named = a_question(fixed(0.5), *two), "(1) it runs down; (2) it is exchanged"
    says = judge(asked, "0.3").says
    assert says == f"Two slips give this number: {named}. Which of them was it?"
    right, both, *others = tally(asked, ["0.3", "0.3000", "0.30005", "-0.5"])
    assert (both.says, both.count) == (named, 3)
    assert (both.answer, both.opens) == ("0.3001", across)
    assert [(each.answer, each.count, each.says) for each in others] == [("−0.5", 1, TURNED)]
    assert (right.answer, right.count, right.given) == ("0.5000", 0, ())


def test_groups_stand_in_their_order():
    """The right answer, then slips with the most frequent first, then the others with the numbers
    given most often."""
    asked = a_question(1000, Slip("a", 1), Slip("b", 2), Slip("c", 3), kind="whole")
    others = ["7", "7", "-8", "-8", "-8", *map(str, range(50, 60))]
    groups = tally(asked, ["2", "3", "3", read("whole", 0, "1,000"), *others])
    told = [(group.answer, group.says, group.count) for group in groups[:-1]]
    assert told == [("1,000", "", 1), ("3", "c", 2), ("2", "b", 1)]
    assert (groups[-1].answer, groups[-1].count) == (OTHERS, 15)
    assert groups[-1].given[:2] == (("−8", 3), ("7", 2))
    assert len(groups[-1].given) == MOST_GIVEN


def test_what_is_not_finite_is_no_bar():
    """JSON has no infinity: such a number is written, and not drawn."""
    asked = replace(a_question(0, kind="choice"), bars=(("a", math.inf), ("b", math.nan)))
    assert bars(asked) == [["a", None, "∞"], ["b", None, "–"]]


# ---------- slips ----------


def test_a_sentence_of_all_words_is_no_error():
    """Where the sentence has every word that could be added, vocabulary.2 says so in place of an
    error."""
    setup = Setup(text="Ants and bread five milk now often slow today water yes")
    assert "has every word already" in make("vocabulary.2", setup).why


def test_a_vocabulary_with_the_words_of_training_has_slips_of_its_own():
    """With trained weights the language's words count, also for who lists a repeated word twice."""
    setup = Setup(text="we saw cat and cat and then we ran", init="trained")
    further = set(setup.vocabulary) - set(setup.tokens)
    for variation in range(1, 30):
        exercise = make("vocabulary.1", setup, variation)
        token = setup.tokens[exercise.opens.fields["query"] - 1]
        gives = {slip.says.partition(":")[0]: slip.gives for slip in exercise.slips}
        twice = sum(word < token for word in [*setup.tokens, *further])
        assert gives.get("a word that occurs twice is listed twice", exercise.answer) == twice
        left_out = gives.get("the words of training are left out", exercise.answer)
        assert left_out == smaller(setup.tokens, token)


@given(setups(), VARIATIONS)
def test_slips_in_counting_keys_are_of_this_mask(setup, variation):
    """masks.1 names a mask as left out only where it is on, and padding as hidden only where it
    is."""
    says = " ".join(slip.says for slip in make("masks.1", setup, variation).slips)
    causal, window = "causal" in setup.mask, "window" in setup.mask
    hidden = setup.padding != "unmasked"
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


def test_a_wrong_divisor_is_told_beside_the_right_rule():
    """Where scaling is off, no slip says that √d_k is right; where it is on, none says that it is
    off."""
    off = {"none": "it is √d_k", "sqrt": "scaling is off", "fourth-root": "scaling is off"}
    for name, scale, variation in itertools.product(("weights.1", "weights.2"), off, range(1, 6)):
        slips = make(name, Setup(scale=scale, temperature=2.0), variation).slips
        assert slips
        assert not any(off[scale] in slip.says for slip in slips)
    slips = make("weights.1", Setup(scale="none", init="xavier")).slips
    assert any("√d_k: scaling is off" in slip.says for slip in slips)


TRAINED = {"init": "trained", "steps": 1}


@pytest.mark.parametrize(
    ("name", "fields", "stands"),
    [
        ("masks.3", {}, True),
        ("masks.3", {"memory": "the dog saw"}, True),
        ("masks.3", {"memory": "a dog", "edits": "embedding_table.3=0"}, False),
        ("masks.3", {"layers": 2, "layer": 2}, False),
        ("masks.3", {"layers": 2, "layer": 2, "mask": "causal"}, True),
        ("masks.3", TRAINED | {"mask": "window", "window": 1}, False),
        ("masks.3", TRAINED | {"mask": "causal"}, True),
        ("masks.3", TRAINED | {"memory": "cat", "text": "the cat saw the dog"}, False),
        ("embedding.2", {}, True),
        ("embedding.2", TRAINED, False),
        ("embedding.2", {"given": "x 1,2_3,4"}, False),
        ("masks.3", {"given": "q 1_2 k 1_2 v 1_2"}, True),
        ("masks.3", {"given": "q 1_2 k 1_2 v 1_2 mask 11_10"}, False),
        ("masks.3", {"given": "q 1_2 k 1_2_3 v 1_2_3"}, False),
    ],
)
def test_show_me_leads_to_the_answer_or_nowhere(name, fields, stands):
    """A link with other choices shows the number that was asked for; where these change more than
    that, there is no link."""
    setup = Setup(**({"init": "given", "text": "a b"} if "given" in fields else {}), **fields)
    for variation in range(1, 5):
        exercise = make(name, setup, variation)
        assert exercise.opens.stands == stands
        if stands:
            at = exercise.opens.fields
            choices = {field: value for field, value in at.items() if isinstance(value, str)}
            shown, _ = Setup.nearest(setup.as_link() | choices)
            place = tuple(at[axis] - 1 for axis in ("head", "query", "key", "column") if axis in at)
            entry = "weights" if name == "masks.3" else "x"
            assert exercise.answer.holds(run(shown).value(entry)[place].item())


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu"])
def test_a_slip_of_the_block_opens_its_own_number(activation):
    """What a slip of block.1 to block.3 gives stands where its link leads: a gate times a number is
    no gate."""
    setup = Setup(activation=activation, out="d_model")
    for name, variation in itertools.product(("block.1", "block.2", "block.3"), range(1, 5)):
        for slip in make(name, setup, variation).slips:
            at = slip.opens.fields if slip.opens else None
            if at:
                stage = encoder.encode(setup)[at["layer"] - 1].value(at["stage"])
                shown = stage[at["query"] - 1, at["column"] - 1].item()
                assert slip.gives.holds(shown), slip


@pytest.mark.parametrize(
    "fields",
    [
        *({}, {"norm": "pre"}, {"norm": "pre", "edits": "embedding_table=2"}),
        {"d_model": 1, "out": "d_model"},
    ],
    ids=str,
)
def test_a_spread_is_the_rows_own(fields):
    """block.2 calls a number the spread only where it is the row's standard deviation as printed,
    and not √ε."""
    setup = Setup(**fields)
    for variation in range(1, 6):
        exercise = make("block.2", setup, variation)
        layer = encoder.encode(setup)[exercise.opens.fields["layer"] - 1]
        rows = layer.value("resid_mid" if setup.norm == "post" else "x").double()
        spread = rows[exercise.opens.fields["query"] - 1].std(correction=0).item()
        told = re.search(r"standard deviation\) ([\d.,]+)\. What", exercise.asks)
        assert (told[1] == number(spread)) if told else "variance + ε" in exercise.asks
        texts = (*exercise.hints, *(slip.says for slip in exercise.slips))
        assert told or not any("spread" in text for text in texts)


def test_a_number_of_another_head_is_told():
    """Whoever reads head 1 where another head is asked for is told so."""
    entries = {"scores.1": "scores", "weights.1": "scaled", "context.1": "context"}
    for name, entry in entries.items():
        exercise = next(
            each
            for each in (make(name, Setup(), variation) for variation in range(1, 12))
            if each.opens.fields["head"] > 1
        )
        at = exercise.opens.fields
        cell = 0, at["query"] - 1, at.get("key", at.get("column")) - 1
        says = judge(exercise, number(run(Setup()).value(entry)[cell].item())).says
        assert f"head 1 is taken: head {at['head']} is asked" in says
    exercise = of_cell("heads", PRIME, {"part": "mixed by W_o", "query": 3, "column": 5})
    context, w_o = run(PRIME).value("context")[1], run(PRIME).value("w_o")[7:14]
    assert "head 2 alone is counted" in judge(exercise, number((context @ w_o)[2, 4].item())).says


# ---------- what may be typed ----------

KINDS = ("number", "whole", "shape", "choice")
NINES = "9" * 40
ODD = [
    *(None, 3, b"1", [], True, float("nan"), "", " ", "\t", "1\n2", "\ud800", "\x00", "1\x00"),
    *("nan", "inf", "-∞", "1e400", "-1e400", "٣", "６", "²", "0x10", "1_0", "--1", "1/2", "34%"),
    *("=1+1", "<b>1</b>", "\u202e1", "1e", "e5"),
    *("1" * 61, "." + "1" * 59, "9" * 60, "×" * 60, "0e" + NINES, "1e-" + NINES, "1 2"),
    *("0.5 0.6", "-6 × 2", "1e300", "x", "6x", "-1", "01", "3", "1.0"),
]
READABLE = {
    "number": ("-1", "01", "3", "1.0", "1e300", "9" * 60),
    "whole": ("-1", "01", "3", "1.0", "9" * 60, "0e" + NINES, "1e-" + NINES),
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
        is_readable = isinstance(text, str) and text in READABLE[kind]
        assert (is_kept(kind, text) is not None) == is_readable, text


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
    says = judge(a_question(fixed(0.5), kind=kind), after).says
    assert len(says) < 600 and "\n" not in says


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
    slips = [Slip(f"{value}", fixed(value)) for value in (5.4917, 0.5, 12345.0)]
    for answer in (0.4917, 0.49, -0.49, 12345.4917, 5.0):
        asked = a_question(fixed(answer), *slips)
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
        ("shape", "6 ×", "is not a shape"),
        ("shape", "six by two", "is not a shape"),
        ("choice", "D", "none of the options"),
    ):
        says = judge(a_question(1, kind=kind), text).says
        assert all(word in says for word in (told, *text.split())), says


def test_an_exponent_counts_among_the_decimals():
    """An answer typed as 5e-1 has one decimal, and is not judged as a whole number."""
    asked = a_question(fixed(0.4917))
    assert "1 decimal;" in judge(asked, "5e-1").says
    assert "to 2 decimals" in judge(asked, "4.9E−1").says


def test_what_read_did_not_return_is_left_out():
    """A tally counts what is kept and nothing else: no text as typed, no option that is not
    there."""
    junk = ["0.50x", "+1", "-0.0", "7e+3", " 1", "a", "", "=1", None, 1, ["1"], {}, "1" * 99]
    for asked, good in (
        (make("scores.1", Setup()), ["12", "-1", "1", "1"]),
        (ask("scores", run(Setup()), 0, 1), ["1", "1"]),
    ):
        groups = tally(asked, [*junk, "12", "-1", "1", "1"])
        assert sum(group.count for group in groups) == len(good)


# ---------- to take home ----------


def table(asked: Question, *votes: list[str]) -> list[dict[str, str]]:
    """The result as the csv module reads it back."""
    rows = in_rows(asked, [tally(asked, answers) for answers in votes])
    text = as_csv([{"number": 1, "place": "here", "asks": asked.asks, "rows": rows}])
    return list(csv.DictReader(io.StringIO(text, newline="")))


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
    computed, plain = ("=1+1", "+a", "-a", "@a", "\ta", "＝a"), ('"a", b', "c\nd", "قلب", "e=f")
    words, shown = (*computed, *plain), [*(f"'{word}" for word in computed), *plain]
    slips = tuple(Slip(f"{word}!", place) for place, word in enumerate(words))
    asked = Question("x", "choice", "=cmd|' /C calc'!A0\n?", (8,), slips, "", words)
    rows = table(asked, ["8"], ["0", "8"])
    assert [row["answer"] for row in rows] == shown
    assert [row["what it is"] for row in rows] == [f"{each}!" for each in shown]
    assert rows[0]["question"] == "'=cmd|' /C calc'!A0 ?"
    counts = [row["vote 1"] + row["vote 2"] for row in rows]
    assert counts == ["01", *["00"] * 7, "11", "00"]


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
