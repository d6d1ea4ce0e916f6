"""A solution is checked as a teacher does it: rounded right numbers are right, a slip is named,
what follows is not marked again.

The oracle is numpy in double precision, with slips written down a second time.
"""

import json

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from core import Setup, run
from core.fields.nested import flat
from core.fields.user_matrices import UserMatrices
from core.grading.grading import grade, grade_text
from core.layers import model, steps
from core.trace.origin import Copy
from core.trace.step import Step
from tests.strategies import FUZZ

STEPS = ("q", "k", "v", "scores", "scaled", "weights", "context", "output")


def softmax(numbers, base=np.e, axis=-1):
    powers = np.power(base, numbers - numbers.max(axis=axis, keepdims=True))
    return powers / powers.sum(axis=axis, keepdims=True)


def solved(x, w_q, w_k, w_v, w_o, scale=None, **instead) -> dict[str, np.ndarray]:
    """Every step of one head in float64; `instead` makes steps another way, of those before it."""
    made = {"x": x, "w_q": w_q, "w_k": w_k, "w_v": w_v, "w_o": w_o}
    root = np.sqrt(w_q.shape[1])
    usual = {
        "q": lambda m: m["x"] @ m["w_q"],
        "k": lambda m: m["x"] @ m["w_k"],
        "v": lambda m: m["x"] @ m["w_v"],
        "scores": lambda m: m["q"] @ m["k"].T,
        "scaled": lambda m: m["scores"] / (scale or root),
        "weights": lambda m: softmax(m["scaled"]),
        "context": lambda m: m["weights"] @ m["v"],
        "output": lambda m: m["context"] @ m["w_o"],
    }
    with np.errstate(all="ignore"):
        for name in STEPS:
            made[name] = instead.get(name, usual[name])(made)
    return made


SLIPS = {
    ("q", "turned"): lambda m: m["x"] @ m["w_q"].T,
    ("q", "w first"): lambda m: m["w_q"] @ m["x"],
    ("q", "w_k"): lambda m: m["x"] @ m["w_k"],
    ("v", "w_k"): lambda m: m["x"] @ m["w_k"],
    ("v", "rows"): lambda m: m["w_v"],
    ("scores", "exchanged"): lambda m: m["k"] @ m["q"].T,
    ("scores", "v"): lambda m: m["q"] @ m["v"].T,
    ("scores", "qq"): lambda m: m["q"] @ m["q"].T,
    ("scores", "kk"): lambda m: m["k"] @ m["k"].T,
    ("scores", "unturned"): lambda m: m["q"] @ m["k"],
    ("scaled", "unscaled"): lambda m: m["scores"],
    ("scaled", "d_k"): lambda m: m["scores"] / 3,
    ("scaled", "times"): lambda m: m["scores"] * np.sqrt(3),
    ("scaled", "transposed"): lambda m: m["scores"].T / np.sqrt(3),
    ("weights", "columns"): lambda m: softmax(m["scaled"], axis=0),
    ("weights", "all"): lambda m: softmax(m["scaled"].ravel()).reshape(3, 3),
    ("weights", "transposed"): lambda m: softmax(m["scaled"]).T,
    ("weights", "powers"): lambda m: np.exp(m["scaled"]),
    ("weights", "shares"): lambda m: m["scaled"] / m["scaled"].sum(axis=1, keepdims=True),
    ("weights", "scaled after"): lambda m: softmax(m["scores"]) / np.sqrt(3),
    ("weights", "base 2"): lambda m: softmax(m["scaled"], base=2),
    ("weights", "base 10"): lambda m: softmax(m["scaled"], base=10),
    ("context", "turned"): lambda m: m["weights"].T @ m["v"],
    ("context", "k"): lambda m: m["weights"] @ m["k"],
    ("context", "q"): lambda m: m["weights"] @ m["q"],
    ("context", "x"): lambda m: m["weights"] @ m["x"],
    ("context", "scaled"): lambda m: m["scaled"] @ m["v"],
    ("context", "rounded"): lambda m: m["weights"].round(1) @ m["v"],
    ("output", "turned"): lambda m: m["context"] @ m["w_o"].T,
    ("output", "w_o"): lambda m: m["context"],
    ("q", "sign"): lambda m: -(m["x"] @ m["w_q"]),
    ("scores", "sign"): lambda m: -(m["q"] @ m["k"].T),
    ("output", "sign"): lambda m: -(m["context"] @ m["w_o"]),
}


@st.composite
def homework(draw, n=3, d_model=3, d_k=3, d_v=3):
    """X and its matrices, of numbers with one decimal, or of few whole ones, as exercises have
    them."""
    random, whole = np.random.default_rng(draw(st.integers(0, 2**32 - 1))), draw(st.booleans())
    sizes = ((n, d_model), (d_model, d_k), (d_model, d_k), (d_model, d_v), (d_v, d_model))
    return [
        random.integers(-2, 3, size) * 1.0 if whole else random.integers(-20, 21, size) / 10
        for size in sizes
    ]


def given_of(parts, **more) -> UserMatrices:
    names = ("x", "w_q", "w_k", "w_v", "w_o")
    return UserMatrices(
        **{name: part.tolist() for name, part in zip(names, parts, strict=True)}, **more
    )


def text_of(made, decimals=4, names=STEPS) -> str:
    """A solution as somebody writes it, every number to so many decimals."""
    lines = []
    for name in names:
        rows = "], [".join(", ".join(f"{cell:.{decimals}f}" for cell in row) for row in made[name])
        lines.append(f"{name} = [[{rows}]]")
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("written", "verdict"), [("0.80", "right"), ("0.77", "wrong"), ("0.84", "wrong")]
)
def test_a_large_weight_has_no_more_room_than_rounding_gives_it(written, verdict):
    """0.8044 is right; where scores are rounded to two decimals a weight near 1 moves little,
    though an exponential moves much."""
    text = (
        "Q = [[1, 0], [0, 2]]\nK = [[1, 0], [0, 1]]\nV = [[1, 2], [3, 4]]\nalpha = [[0.67, 0.33],"
        f" [0.20, {written}]]"
    )
    assert grade_text(text, orientation="rows", heads=1).verdicts["weights"][0][1][1] == verdict


@settings(max_examples=30, deadline=None)
@given(
    homework(4, 3, 2, 5),
    st.sampled_from((2, 3, 4, 6)),
    st.sampled_from((None, 1.0, 8.0)),
    st.booleans(),
)
def test_right_numbers_are_right_however_many_decimals_they_have(
    parts, decimals, scale, as_columns
):
    """Also those of somebody to whom a word is a column, and who turns every matrix."""
    made = solved(*parts, scale=scale)
    made = {name: numbers.T for name, numbers in made.items()} if as_columns else made
    report = grade(
        given_of(parts, scale="sqrt" if scale is None else str(scale)), text_of(made, decimals)
    )
    assert set(report.verdicts) == set(STEPS)
    for name in STEPS:
        assert set(flat(report.verdicts[name])) == {"right"}, (name, str(report))
    assert report.all_right
    assert not report.slips


@settings(max_examples=30, deadline=None)
@given(homework(4, 3, 2, 5), st.sampled_from((2, 3)))
def test_numbers_that_were_rounded_on_the_way_are_not_wrong(parts, decimals):
    """Each step is made of the rounded one before it, as with pencil and paper."""
    rounding = {
        name: (
            lambda m, name=name: solved(
                m["x"],
                m["w_q"],
                m["w_k"],
                m["w_v"],
                m["w_o"],
                **{
                    before: lambda _, before=before: m[before]
                    for before in STEPS[: STEPS.index(name)]
                },
            )[name].round(decimals)
        )
        for name in STEPS
    }
    report = grade(given_of(parts), text_of(solved(*parts, **rounding), decimals))
    for name in STEPS:
        assert set(flat(report.verdicts[name])) <= {"right", "rounded"}, (name, str(report))


@pytest.mark.parametrize(("step", "key"), SLIPS)
@settings(max_examples=10 * FUZZ, deadline=None)  # 20 puts each slip into 200 drawn setups
@given(data=st.data())
def test_each_slip_is_named_once_and_what_comes_after_follows(step, key, data):
    """Every slip of the list, put into a solution that is right before it and consistent after
    it."""
    parts = data.draw(homework())
    right = solved(*parts)
    made = solved(*parts, **{step: SLIPS[step, key]})
    apart = abs(made[step] - right[step])
    assume(np.isfinite(made[step]).all() and apart.max() > 0.02 and abs(made[step]).max() < 1e4)
    report = grade(given_of(parts), text_of(made))
    slip = report.slips[step]
    assert key in (slip.key, *(other.key for other in slip.also)), (str(report), slip)
    assert set(report.slips) == {step}, str(report)
    for name in STEPS:
        allowed = (
            {"right"} if STEPS.index(name) < STEPS.index(step) else {"right", "rounded", "follows"}
        )
        assert name == step or set(flat(report.verdicts[name])) <= allowed, (name, str(report))


@settings(max_examples=40, deadline=None)
@given(homework(), st.sampled_from(("columns", "all", "base 2")))
def test_a_slip_is_named_from_what_comes_after_it_alone(parts, key):
    """Where the step with the slip was not written, the next one shows it."""
    made = solved(*parts, weights=SLIPS["weights", key])
    assume(abs(made["context"] - solved(*parts)["context"]).max() > 0.05)
    report = grade(given_of(parts), text_of(made, names=("context",)))
    slip = report.slips["context"]
    assert key in (slip.key, *(other.key for other in slip.also))


@settings(max_examples=30, deadline=None)
@given(
    homework(),
    st.sampled_from(("scores", "weights", "context")),
    st.integers(0, 2),
    st.integers(0, 2),
    st.floats(0.3, 3.0),
)
def test_no_slip_is_named_for_a_number_that_none_explains(parts, step, row, column, error):
    """One cell that is off by anything is that cell's arithmetic, and only that cell is marked."""
    made = solved(*parts)
    wrong = made[step].copy()
    wrong[row, column] += error + 0.0123
    report = grade(given_of(parts), text_of({**made, step: wrong}, names=(step,)))
    verdicts = report.verdicts[step][0]
    assert verdicts[row][column] == "wrong"
    assert [flat(verdicts).count(kind) for kind in ("wrong", "right")] == [1, 8]
    assert report.slips[step].key in (
        "arithmetic",
        "term",
        "sign",
        "rounded",
        *(key for _, key in SLIPS),
    )


def test_rounding_on_the_way_is_named_by_its_decimals():
    """Five decimals of numbers that were made of weights with two: wrong as they are written, and
    it is said why."""
    mine = UserMatrices(q=[[1, 0], [0, 1]], k=[[1, 0], [0, 1]], v=[[1, 2], [3, 4]])
    weights = softmax(np.eye(2) / np.sqrt(2)).round(2)
    report = grade(mine, text_of({"context": weights @ [[1, 2], [3, 4]]}, 5, ("context",)))
    assert str(report) in [
        f"Z: 4 cells are off by no more than rounding to {k} decimals on the way makes."
        for k in (2, 3, 4)
    ]


@pytest.mark.parametrize(
    "said",
    [
        r"A = \mathrm{softmax}(S/\sqrt{2})",
        r"\operatorname{softmax}\left(\frac{QK^T}{\sqrt{2}}\right)",
    ],
)
def test_a_number_in_a_formula_is_no_matrix(said):
    """What LaTeX writes before a matrix may hold a number in braces of its own."""
    mine = UserMatrices(q=[[1, 0], [0, 1]], k=[[1, 0], [0, 1]], v=[[1, 2], [3, 4]])
    assert (
        str(grade(mine, rf"{said} = \begin{{bmatrix}} 0.67 & 0.33 \\ 0.33 & 0.67 \end{{bmatrix}}"))
        == "α is right."
    )


def test_one_term_is_named_where_it_is_left_out():
    mine = UserMatrices(q=[[1, 2]], k=[[3, 5], [2, 1]], v=[[1], [2]])
    report = grade(mine, "scores = [[3, 4]]")
    assert "the second term, 10.0000, is left out" in str(report)
    assert report.verdicts["scores"] == ((("wrong", "right"),),)


@pytest.mark.parametrize(
    ("wrote", "key"),
    [
        ([[0.5, 0.5, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]], "unmasked"),
        ([[0.5, 0.0, 0.0], [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]], "after"),
    ],
)
def test_slips_with_a_mask(wrote, key):
    """The mask left out, and after the softmax: found where the scores are known by heart."""
    scores = np.log([[0.5, 0.5, 1e-12], [0.5, 0.5, 1e-12], [0.25, 0.25, 0.5]])
    mine = UserMatrices(
        q=np.eye(3).tolist(),
        k=scores.T.round(9).tolist(),
        v=np.eye(3).tolist(),
        scale="none",
        mask=[[True, False, False], [True, True, False], [True, True, True]],
    )
    report = grade(mine, f"alpha = {wrote}")
    assert report.slips["weights"].key == key, str(report)


@pytest.mark.parametrize(
    ("wrote", "key"), [("turned", "mask turned"), ("inverted", "mask inverted")]
)
def test_a_mask_put_the_wrong_way_is_named_where_it_is_written(wrote, key):
    """Masked scores themselves, with −∞ where others are right."""
    mine = UserMatrices(
        q=np.eye(3).tolist(),
        k=np.eye(3).tolist(),
        v=np.eye(3).tolist(),
        mask=np.tri(3).tolist(),
        scale="none",
    )
    may = np.tri(3).T if wrote == "turned" else 1 - np.tri(3)
    report = grade(mine, f"masked = {np.where(may, np.eye(3), -np.inf).tolist()}")
    assert report.slips["masked"].key == key, str(report)
    assert "stands −∞" in str(grade(mine, "masked = [[-inf, -inf, 1], [0, 0, -inf], [-inf, 0, 0]]"))


def test_several_heads_are_checked_by_head():
    """Heads may be written one by one, or stacked; a slip in one of them is marked there."""
    setup = Setup(text="the cat sat", heads=2, d_model=4, d_k=2, d_v=3)
    trace = run(setup)
    weights = trace.value("weights").double()
    stacked = (
        f"alpha = {json.dumps(weights.tolist())}\nconcat ="
        f" {json.dumps(trace.value('concat').tolist())}"
    )
    assert grade(setup, stacked).all_right
    first, second = weights
    report = grade(trace, f"alpha_1 = {first.tolist()}\nalpha_2 = {second.T.tolist()}")
    assert set(flat(report.verdicts["weights"][0])) == {"right"}
    assert "wrong" in flat(report.verdicts["weights"][1])
    assert report.slips["weights"].key == "transposed"


def test_a_text_with_both_is_read_and_checked():
    """One sheet: what is given, then the steps; the paragraph says it as a teacher would."""
    report = grade_text(
        """
X: cat 1 0
   sat 0 2
W_q = [[1, 0], [0, 1]]
W_k = [[1, 1], [0, 1]]
W_v = [[1, 0], [0, 1]]
Q = [[1, 0], [0, 2]]
scores = [[1, 0], [2, 4]]
scaled = [[0.71, 0], [1.41, 2.83]]
alpha = [[0.33, 0.06], [0.67, 0.94]]
Z = [[0.33, 0.12], [0.67, 1.88]]
""",
        orientation="X W",
        heads=1,
    )
    assert (
        str(report)
        == "Q, ω and ω′ are right. α: your softmax runs down the columns. Z follows from your α."
    )
    assert report.verdicts["context"] == ((("follows", "follows"), ("follows", "follows")),)


THREE = UserMatrices(
    q=[[1, 0, 2], [0, 1, 1], [1, 1, 0]],
    k=[[2, 1, 0], [1, 0, 1], [0, 2, 1]],
    v=np.eye(3).tolist(),
)
SCORES = np.array([[2.0, 3, 2], [1, 1, 3], [3, 1, 2]])


@pytest.mark.parametrize(
    ("name", "numbers", "is_right"),
    [
        ("scores", SCORES / np.sqrt(3), "ω′"),
        ("scaled", softmax(SCORES / np.sqrt(3)), "α"),
    ],
)
def test_the_numbers_of_a_later_step_are_right_with_a_word_on_their_name(name, numbers, is_right):
    """Scaled scores that are called scores are not wrong nine times."""
    report = grade(THREE, text_of({name: numbers}, 2, (name,)))
    assert report.all_right and not report.slips
    assert f"are the numbers of {is_right}, and right as such" in str(report)


def test_two_slips_in_one_step_are_both_named():
    """Not divided, and the softmax down the columns: either alone explains nothing."""
    report = grade(THREE, text_of({"weights": softmax(SCORES, axis=0)}, 3, ("weights",)))
    slip = report.slips["weights"]
    assert slip.key == "unscaled, columns" and slip.sure, str(report)


@pytest.mark.parametrize(("decimals", "sure"), [(1, False), (3, True)])
def test_a_slip_is_named_plainly_only_where_decimals_tell_it_from_chance(decimals, sure):
    """Two words at one decimal leave a hundred matrices, and the catalogue many of these."""
    mine = UserMatrices(q=[[1, 0], [0, 2]], k=[[1, 1], [0, 1]], v=[[1, 0], [0, 1]])
    scaled = np.array([[1, 0], [2, 2]]) / np.sqrt(2)
    written = text_of({"weights": softmax(scaled, axis=0)}, decimals, ("weights",))
    report = grade(mine, written)
    assert report.slips["weights"].sure == sure, str(report)
    assert ("It may be that your softmax runs down the columns" in str(report)) != sure


def test_no_slip_explains_made_up_weights():
    """Of matrices of two words and one decimal, a quarter was explained by some slip."""
    random, plain = np.random.default_rng(54), 0
    for _ in range(40):
        parts = [random.integers(-20, 21, (2, 2)) / 10 for _ in range(5)]
        made_up = {"weights": random.dirichlet((1, 1), 2)}
        slip = grade(given_of(parts), text_of(made_up, 1, ("weights",))).slips.get("weights")
        plain += slip is not None and slip.sure and slip.key not in ("arithmetic", "term", "coarse")
    assert not plain


def test_one_column_that_agrees_explains_no_slip():
    """Q whose last column alone is what W_k makes is not K taken for Q."""
    made = solved(*(parts := [np.arange(k, k + 9).reshape(3, 3) % 5 / 2 for k in range(5)]))
    mixed = np.column_stack([made["q"][:, :2], made["k"][:, 2]])
    report = grade(given_of(parts), text_of({"q": mixed}, 2, ("q",)))
    assert "wrong" in flat(report.verdicts["q"])
    assert "q" not in report.slips or report.slips["q"].key != "w_k"


def test_a_step_that_is_made_of_another_one_more_is_graded_with_it(monkeypatch):
    """A step put in between two others on the forward path changes what is right after it."""
    doubled = Step(lambda scaled: 2 * scaled, Copy, "doubled", "2ω′", steps.PAIRS)

    def double(setup, record):
        record.apply(doubled, "scaled")
        return "doubled"

    monkeypatch.setattr(model, "before_mask", double)
    report = grade(THREE, text_of({"weights": softmax(2 * SCORES / np.sqrt(3))}, 3, ("weights",)))
    assert report.all_right, str(report)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("scores = [[2, ?, 2], [1, 1, 3], [3, 1, 2]]", "ω has a cell that is no number; it is not"),
        ("scores = [[2, 3, 2, 1], [1, 1, 3]]", "rows are not of one length"),
        ("scores = [[2, 3], [1, 1]]", "ω is 2 × 2 here, and 3 × 3 was expected; it is not checked"),
    ],
)
def test_a_step_that_cannot_be_read_stops_no_other(text, says):
    alpha = text_of({"weights": softmax(SCORES / np.sqrt(3))}, 3, ("weights",))
    report = str(grade(THREE, f"{text}\n{alpha}"))
    assert report.startswith("α is right.") and says in report


@pytest.mark.parametrize(
    "text",
    [
        "Q K^T = [[1, 2], [3, 4]] [[5, 6], [7, 8]]^T = [[17, 23], [39, 53]]",
        "QKᵀ = [[1, 2], [3, 4]][[5, 6], [7, 8]]^T = [[17, 23], [39, 53]]",
        "Attention scores\n17 23\n39 53",
        "Head 1 output = [[1, 0], [0, 1]]",
    ],
)
def test_what_is_graded_is_the_result_and_the_name_beside_it(text):
    """Not a factor of a product, nor the two columns under a name of two words."""
    mine = UserMatrices(q=[[1, 2], [3, 4]], k=[[5, 6], [7, 8]], v=[[0, 1], [1, 0]])
    report = grade(mine, text.replace("[[1, 0], [0, 1]]", "[[0.99, 0.01], [1, 0]]"))
    assert report.all_right and set(report.verdicts) <= {"scores", "context"}, str(report)


@settings(max_examples=100, deadline=None)
@given(
    st.text()
    | st.lists(
        st.sampled_from(
            ("alpha", "=", "[", "]", "0.5", ",", "Z", "scores_1", "head 3", "\n", "-inf", "1e9")
        )
    ).map("".join)
)
def test_any_text_is_checked_without_an_exception(text):
    report = grade(UserMatrices(x=[[1, 0], [0, 2]]), text)
    assert str(report) or report.verdicts
