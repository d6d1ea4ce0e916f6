"""A pasted text is read as it is meant, in any notation, or asked about, or refused in a sentence;
nothing is wrong in silence."""

import json
import sys
from decimal import Decimal

import pytest
import torch
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pasted_texts import NOTATIONS, SHORT, arrows, bracketed_rows, brought, decimal_commas, python

from core.importing.matrices import find_matrices
from core.importing.parsing import parse
from tests.strategies import FUZZ

NAMES = {
    "x": ("X", "inputs", "embeddings"),
    "memory_x": ("memory", "encoder_output"),
    "w_q": ("Wq", "W_Q", "w_query"),
    "w_k": ("Wk", "W_K", "W_key"),
    "w_v": ("WV", "W_v", "w_value"),
    "w_o": ("W_O", "Wo", "W_out"),
    "b_q": ("b_q", "query_bias"),
    "b_k": ("bk", "key_bias"),
    "b_v": ("b_V", "value_bias"),
    "b_o": ("b_o",),
    "q": ("Q", "queries"),
    "k": ("K", "keys"),
    "v": ("V", "values"),
}


def decimals(numbers):
    """The numbers of nested tuples, exactly."""
    if isinstance(numbers, tuple | list):
        return tuple(map(decimals, numbers))
    return Decimal(str(numbers))


def written(draw, name, alias, numbers) -> str:
    """One matrix in one notation; several heads one below the other with their numbers, or stacked
    in one list."""
    if name.startswith("b_"):
        flat = numbers if name == "b_o" else [cell for row in numbers for cell in row]
        return f"{alias} = [{', '.join(flat)}]"
    if name in ("x", "memory_x", "w_o"):
        return draw(notations(numbers))(alias, numbers)
    if len(numbers) == 1:
        return draw(notations(numbers[0]))(alias, numbers[0])
    if 1 in (len(numbers[0]), len(numbers[0][0])) or draw(st.booleans()):
        heads = ", ".join(python("", head).removeprefix(" = ") for head in numbers)
        return f"{alias} = [{heads}]"
    return "\n".join(
        draw(notations(head))(f"{alias}_{i}", head) for i, head in enumerate(numbers, start=1)
    )


def notations(rows):
    """Those that can hold these rows: of a number by itself nobody can say that it is a matrix, nor
    of 1,5 below 2,5 that it is one column."""
    if len(rows) == len(rows[0]) == 1:
        return st.just(python)
    one_row, one_column = len(rows) == 1, len(rows[0]) == 1
    not_these = (bracketed_rows, arrows) if one_row else (decimal_commas,) if one_column else ()
    return st.sampled_from([one for one in NOTATIONS if one not in not_these])


@settings(
    max_examples=60 * FUZZ,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
@given(st.data())
def test_matrices_in_any_notation_come_back_equal(data):
    """Each matrix in a notation and under a name of its own; what both ways of lying fit is X W,
    and what comes to one row is one word."""
    mine = data.draw(brought(("x", "q"), numbers=SHORT))
    aliases = {name: data.draw(st.sampled_from(NAMES[name])) for name in mine.names}
    texts = [written(data.draw, name, aliases[name], getattr(mine, name)) for name in mine.names]
    text = "\n\n".join(data.draw(st.permutations(texts)))
    questions = {question.name: question for question in parse(text).questions}
    assert set(questions) <= {"orientation", "heads", "rows"}, (questions, text)
    fixed = {"orientation": None, "heads": "1", "rows": "one word"}
    answers = {name: fixed[name] or questions[name].answers[0] for name in questions}
    read_back = parse(text).given(**answers, scale=mine.scale)
    for name in mine.names:
        assert decimals(getattr(read_back, name)) == decimals(getattr(mine, name)), (name, text)


QKV = "Q = [[2, 1], [0, 3]]\nK = [[1, 0], [2, 2]]\nV = [[5, 1], [1, 4]]\n"
OF_QKV = {"q": [[2, 1], [0, 3]], "k": [[1, 0], [2, 2]], "v": [[5, 1], [1, 4]]}
WS = "W_Q = [[1, 0], [2, 1]]\nW_K = [[0, 1], [1, 1]]\nW_V = [[3, 0], [1, 2]]\n"
OF_X = {
    "x": [[1, 2], [3, 0]],
    "w_q": [[1, 0], [2, 1]],
    "w_k": [[0, 1], [1, 1]],
    "w_v": [[3, 0], [1, 2]],
}
RIGHT = {
    "as pandas prints a frame": (
        "Q\n      0    1\nsun 2.0  1.0\neat 0.0  3.0\n\nK\n      0    1\nsun 1.0  0.0\n"
        "eat 2.0  2.0\n\nV\n      0    1\nsun 5.0  1.0\neat 1.0  4.0",
        OF_QKV,
    ),
    "as R and Julia print": (
        "> Q\n    d1 d2\nsun  2  1\neat  0  3\n> K\n    d1 d2\nsun  1  0\neat  2  2\n"
        "julia> V\n2×2 Matrix{Int64}:\n 5  1\n 1  4",
        OF_QKV,
    ),
    "columns with numbers": (
        "\tQ1\tQ2\tK1\tK2\tV1\tV2\nsun\t2\t1\t1\t0\t5\t1\neat\t0\t3\t2\t2\t1\t4",
        OF_QKV,
    ),
    "several prints, then what they print": (
        "print(keys)\nprint(queries)\nprint(values)\n\n"
        "[[1. 0.]\n [2. 2.]]\n[[2. 1.]\n [0. 3.]]\n[[5. 1.]\n [1. 4.]]",
        OF_QKV,
    ),
    "columns with numbers beside a heading of words": (
        "word Q1 Q2 K1 K2 V1 V2\nsun 2 1 1 0 5 1\neat 0 3 2 2 1 4",
        OF_QKV,
    ),
    "columns with numbers in a table": (
        "| Q1 | Q2 | K1 | K2 | V1 | V2 |\n|--|--|--|--|--|--|\n| 2 | 1 | 1 | 0 | 5 | 1 |\n"
        "| 0 | 3 | 2 | 2 | 1 | 4 |",
        OF_QKV,
    ),
    "prints on one line": (
        "print(Q); print(K.round(2)); print(V)\n"
        "[[2. 1.]\n [0. 3.]]\n[[1. 0.]\n [2. 2.]]\n[[5. 1.]\n [1. 4.]]",
        OF_QKV,
    ),
    "line numbers": (
        "1 Q =\n2 2 1\n3 0 3\n4 K =\n5 1 0\n6 2 2\n7 V =\n8 5 1\n9 1 4",
        OF_QKV,
    ),
    "a shape behind a name": ("X = [[1, 2], [3, 0]]\n" + WS + "\nQ = X  [2, 2]\n", OF_X),
    "as knitr prints": (
        "#> Q = [[2, 1], [0, 3]]\n#> K = [[1, 0], [2, 2]]\nV = [[5, 1], [1, 4]]",
        OF_QKV,
    ),
    "arrows as comments": (
        QKV.replace("1], [0", "1],  ← one\n [0").replace("]]", "]] <- two"),
        OF_QKV,
    ),
    "rows in brackets": ("X = [1 2]\n    [3 0]\n" + WS, OF_X),
    "vectors in a table": (
        "Input X\n\n| word | vector |\n|--|--|\n| a | (1, 2) |\n| b | (3, 0) |\n" + WS,
        OF_X,
    ),
    "a table headed Q K V": (
        "| t | Q | K | V |\n|---|---|---|---|\n| a | [2, 1] | [1, 0] | [5, 1] |\n"
        "| b | [0, 3] | [2, 2] | [1, 4] |",
        OF_QKV,
    ),
    "a table with a matrix a row": (
        "| | a | b |\n|--|--|--|\n| Q | [2,1] | [0,3] |\n"
        "| K | [1,0] | [2,2] |\n| V | [5,1] | [1,4] |",
        OF_QKV,
    ),
    "decimal commas": (
        "q1 = (0,5; 1,0), q2 = (2,0; 3,5)\nk1 = (1; 0), k2 = (2; 2)\nv1 = (5; 1), v2 = (1; 4)",
        OF_QKV | {"q": [[0.5, 1], [2, 3.5]]},
    ),
    "a sentence around": (
        "The queries use W_Q = [[1, 0], [2, 1]], the keys W_K = [[0, 1], [1, 1]] and the values"
        " W_V = [[3, 0], [1, 2]]. Input: X = [[1, 2], [3, 0]]",
        OF_X,
    ),
    "a solution that is no number": (
        QKV + "Q K^T = [[q·k, …], [a, b]]\n = [[2, 6], [0, 6]]",
        OF_QKV,
    ),
    "X by rows and whole": ("x₁ = [1, 2]\nx₂ = [3, 0]\nX = [[1, 2], [3, 0]]\n" + WS, OF_X),
    "all in one comment": ("# Given " + QKV.replace("\n", " "), OF_QKV),
    "a tuple": (
        "(Q, K, V) = (np.array([[2, 1], [0, 3]]), np.array([[1, 0], [2, 2]]),"
        " np.array([[5, 1], [1, 4]]))",
        OF_QKV,
    ),
    "arguments of a call": ("y = f(" + QKV.replace("\n", ", ") + "scale=8)\ng([q, k, v])", OF_QKV),
    "side by side under names": (
        "Q\t\t\tK\t\t\tV\n2\t1\t\t1\t0\t\t5\t1\n0\t3\t\t2\t2\t\t1\t4",
        OF_QKV,
    ),
    "beside their names": (
        "Q =       K =       V =\n[2 1]     [1 0]     [5 1]\n[0 3]     [2 2]     [1 4]",
        OF_QKV,
    ),
    "one value for three": (
        "X = [[1, 2], [3, 0]]\nW_Q = W_K = W_V = [[1, 0], [0, 1]]",
        {"x": OF_X["x"]} | {name: [[1, 0], [0, 1]] for name in ("w_q", "w_k", "w_v")},
    ),
    "numbered steps": (QKV + "Step 4. × V → [[1, 2], [3, 4]]", OF_QKV),
    "rows of one word": (
        "X = [[1, 2], [3, 0]]\n" + WS + "q_a = x_a W_Q = [1, 2] × W_Q = [5, 2]",
        OF_X,
    ),
    "a product before its result": (
        "Q = [[1, 0]] [[2], [1]]^T = [[2, 1], [0, 3]]\n" + QKV.partition("\n")[2],
        OF_QKV,
    ),
    "a session": (
        ">>> Q = np.array([[2, 1],\n...               [0, 3]])\n"
        ">>> K = np.matrix('1 0; 2 2')\n>>> V = eye(2)",
        OF_QKV | {"v": [[1, 0], [0, 1]]},
    ),
    "Rust, C and Java": (
        "let q = array![[2.0, 1.0], [0.0, 3.0]];\n"
        "float K[2][2] = {{1.0f, 0.0f}, {2.0f, 2.0f}}; // k\n"
        "double[][] V = {{5, 1}, {1, 4}};",
        OF_QKV,
    ),
    "YAML": (
        "Q:\n  - [2, 1]\n  - [0, 3]\nK:\n  - - 1\n    - 0\n  - - 2\n    - 2\nV: [[5, 1], [1, 4]]",
        OF_QKV,
    ),
    "cells that are calculated": (
        "Q = [[4/2, 1], [0·1, √9]]\nK = [[1, 0], [2, 1*1 + 1 = 2]]\nV = [[5, 1], [1, 4]]",
        OF_QKV,
    ),
    "signs of all kinds": (
        "\u200bQ = [[2,\u200b 1], [0, 3]]\nK = [[1, 0], [−2, 2]]\nV = [[5, 1], [1, 4]] % v",
        OF_QKV | {"k": [[1, 0], [-2, 2]]},
    ),
    "names beside rows": ("Q\t2\t1\n\t0\t3\nK\t1\t0\n\t2\t2\nV\t5\t1\n\t1\t4", OF_QKV),
    "a name for each row": (
        "q_sun 2 1\nq_eat 0 3\nk_sun 1 0\nk_eat 2 2\nv_sun 5 1\nv_eat 1 4",
        OF_QKV,
    ),
    "a list that is reshaped": (
        QKV.replace("[[2, 1], [0, 3]]", "torch.tensor([2, 1, 0, 3]).reshape(2, 2)"),
        OF_QKV,
    ),
    "transposes": ("Q = [[2, 0], [1, 3]].T\nK^T = [[1, 2], [0, 2]]\nV = [5 1; 1 4]", OF_QKV),
    "words before rows": ("cat → [1, 2]\ndog → [3, 0]\n" + WS, OF_X),
    "its own Q and K": (
        "X = [[1, 3], [2, 0]]\n" + WS + "Q = [[1, 3], [4, 6]]\nK = [[2, 0], [3, 3]]",
        OF_X | {"w_q": [[1, 2], [0, 1]], "w_v": [[3, 1], [0, 2]]},
    ),
}


@pytest.mark.parametrize("kind", RIGHT)
def test_what_has_a_name_beside_it_is_right(kind):
    text, right = RIGHT[kind]
    reading = parse(text)
    assert not reading.open, reading.open
    mine = reading.given(heads=1)
    for name, numbers in right.items():
        found = getattr(mine, name)
        found = found[0] if isinstance(found[0][0], tuple) else found
        assert [[float(cell) for cell in row] for row in found] == numbers, (name, reading)


ASKED = {
    "rows with numbers beside them": ("first row 1: 1 0\nfirst row 2: 0 1\n", "line_1"),
    "one row of four": ("Q = 2 0 0 1\nK = 1 1 0 2\nV = 3 1 1 4", "rows"),
    "one word alone": ("X = [[1, 2]]\n" + WS, "rows"),
    "no name": (QKV.replace("V =", "Then"), "line_3"),
    "prose further away": (
        QKV.replace("V =", "The values of this are printed below\nnow"),
        "line_4",
    ),
    "what is only like a name": (QKV.replace("Q =", "Q_grad ="), "line_1"),
    "a call that may turn it": (
        QKV.replace("[[2, 1], [0, 3]]", "np.stack([[2, 1], [0, 3]], 1)"),
        "line_1",
    ),
    "two of one name": ("Q = [[9, 9], [9, 9]]\n" + QKV, "q"),
    "several of all": ("X = [[1, 2], [3, 0]]\n" + WS + WS.replace("1", "4"), "w_q"),
    "W before X": ("X = [[1, 2], [3, 0]]\n" + WS + "with Q = W_Q X", "orientation"),
    "some heads": ("With 2 heads:\nX = [[1, 2], [3, 0]]\n" + WS, "heads"),
    "a cell that is a letter": (QKV.replace("[2, 1]", "[2, a]"), "cells_q"),
    "a mask of both kinds": (QKV + "mask = [[1, 0], [0, 1]]", "mask_means"),
}


@pytest.mark.parametrize("kind", ASKED)
def test_what_is_not_sure_is_asked(kind):
    """Nothing is made of it until it is answered."""
    text, name = ASKED[kind]
    reading = parse(text)
    assert name in [question.name for question in reading.open]
    with pytest.raises(ValueError, match="Answer"):
        reading.given()


REFUSED = {
    "only sizes": ("d_model = 4\nnum_heads = 2\n" + WS, "X is missing"),
    "sizes in a call": ("var Q = array<f32>([4]);\nQ[0] = 2.0; Q[1] = 0.0;", "one number alone"),
    "digits run together": ("Q=[20\u200b01]\nK=[10\u200b12]\nV=[31\u200b14]", "run together"),
    "commas of two kinds": ("Q = [0,5;1,0]\nK = [1,0;2,0]\nV = [1,0;3,0]", "0,5 one number?"),
    "a factor": (QKV.replace("Q =", "Q = 0.5 *"), "part of a calculation"),
    "a sum": (QKV.replace("3]]", "3]] + 1"), "part of a calculation"),
    "an ellipsis": (QKV.replace("[2, 1]", "[2, ...]"), "Line 1: Q is not read: an ellipsis"),
    "an ellipsis for rows": (QKV.replace("[2, 1]", "[2, 1], ..."), "Q is missing"),
    "an ellipsis before another": (
        QKV.replace("[2, 1]", "[2, ...]").replace("\n", " "),
        "Q is missing",
    ),
    "rows without brackets": ("Q\n2 1\n... 3\n" + QKV.partition("\n")[2], "Q is not read"),
    "rows in brackets": ("Q = [2 1]\n    [0 3 1]\n" + QKV.partition("\n")[2], "Q is not read"),
    "rows of two lengths": (QKV.replace("[2, 1]", "[2]"), "not of one length: one has 1"),
    "never closed": (QKV.replace("4]]", "4]"), "never closed"),
    "X without its matrices": (
        "X = [[1, 2], [3, 0]]\n" + WS.replace("]]", ", ...]]"),
        "W_q is not read: an ellipsis",
    ),
    "never closed, with others behind": (
        "X = [[1, 2], [3, 0]]\n" + WS.replace("2, 1]]", "2, 1"),
        "W_q is missing",
    ),
    "a row that is missing": ("x_1 = [1, 2]\nx_3 = [3, 0]\n" + WS, "one is missing"),
    "infinity": (QKV.replace("[2, 1]", "[2, inf]"), "which only a mask may"),
    "shapes": (QKV.replace("[[1, 0], [2, 2]]", "[[1, 0, 1]]"), "do not fit together"),
    "nothing": ("hello", "No matrix was found"),
    "too long": ("1 " * 200_000, "longer than 200 kB"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_what_cannot_be_read_is_said_with_its_line(kind):
    text, says = REFUSED[kind]
    reading = parse(text)
    assert says in " ".join(reading.messages)
    with pytest.raises(ValueError, match=r"."):
        reading.given()


def test_answers_make_it_whole():
    """A name for what has none, numbers that are typed, one row cut in two, columns."""
    assert decimals(parse(ASKED["no name"][0], line_3="v").given().v) == decimals([OF_QKV["v"]])
    typed = parse(ASKED["a cell that is a letter"][0], cells_q="2,7_0,3").given()
    assert decimals(typed.q) == ((decimals([2, 7]), decimals([0, 3])),)
    row = parse("Q = 2 0 0 1\nK = 1 1 0 2\nV = 3 1 1 4", rows="one word").given()
    assert decimals(row.k) == ((decimals([1, 1, 0, 2]),),)
    nothing = parse("", cells_q="1,0", cells_k="1,0_0,1", cells_v="1_2").given()
    assert nothing.sizes["key"] == 2
    turned = parse("X = [[1, 2], [3, 0]]\n" + WS).given(orientation="X W^T")
    assert decimals(turned.w_q) == ((decimals([1, 2]), decimals([0, 1])),)
    each = dict.fromkeys(("w_q", "w_k", "w_v"), "one for each head")
    assert len(parse(ASKED["several of all"][0], **each).given().w_q) == 2
    with pytest.raises(ValueError, match="no answer"):
        parse(ASKED["two of one name"][0], q="line 9")


def test_a_step_that_cannot_be_read_stops_nothing():
    """It is left unchecked, in one line."""
    reading = parse(QKV + "alpha = [[0.5, ?], [0.1, 0.9]]\nZ = [[1, 2], [3]]")
    assert reading.given().names == ("q", "k", "v")
    assert "Line 4: α has a cell that is no number; it is not checked." in reading.messages
    assert any(one.startswith("Line 5: Z is not read") for one in reading.messages)


def test_a_module_as_it_is_printed_is_read():
    """A printed state_dict() is the layer that it is of: W_q, W_k and W_v in one, as (out, in)."""
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(6, 2)
    mine = parse(f"X = {torch.randn(3, 6).tolist()}\n{layer.state_dict()}").given(heads=2)
    w_v = torch.tensor([[[float(cell) for cell in row] for row in head] for head in mine.w_v])
    right = layer.in_proj_weight[12:].detach()
    torch.testing.assert_close(w_v.mT.flatten(0, 1), right, atol=1e-4, rtol=0)


def test_a_matrix_of_more_rows_than_matrices_are_read_is_whole():
    """Rows without brackets are counted by themselves, and not as matrices."""
    rows = "\n".join(f"{i} 1" for i in range(250))
    assert parse(f"X\n{rows}").matrices["x"].shape == (250, 2)


def test_heads_side_by_side_are_cut_by_as_many_as_are_said():
    text = f"num_heads = 2\nX = {json.dumps([[1, 2], [3, 0], [1, 1]])}\n" + WS
    assert len(parse(text).given().w_q) == 2


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("X = np.array([\n  [1, 0],  # cat\n  [0, 1],  # sat\n])", ("cat", "sat")),
        ("X:\ncat,1,0\nsat,0,1", ("cat", "sat")),
        ('tokens = ["the", "cat"]\nX = [[1, 0], [0, 1]]', ("the", "cat")),
        ('X = {"Hello": [1, 0], ",": [0, 1], "world": [1, 1]}', ("Hello", ",", "world")),
        ("X:\nI: 1 0\na: 0 1\ndata: 1 1", ("I", "a", "data")),
        ("X = [\n  [1, 0],  # Input 1\n  [0, 2],  # Input 2\n]", ()),
    ],
)
def test_words_beside_rows_become_the_tokens(text, tokens):
    assert parse(text).tokens == tokens


NAMED = {
    "x": ("E:", "inputs = torch.tensor(", "The embeddings are:", "the input matrix X:"),
    "w_q": (
        "W^Q =",
        r"\mathbf{W}^Q_1 =",
        "encoder.layer.0.attention.self.query.weight",
        "Q = 1, W_Q:",
    ),
    "w_k": ("Key weights:", "W^{(K)}"),
    "w_o": ("out_proj.weight", "W^O"),
    "b_q": ("query_bias =", "q_proj.bias"),
    "q": ("Q = X W_Q =", "Keys, then Q (2 × 2) =", "print(Q)\n"),
    "scores": (r"\omega =", r"QK^\top =", "np.dot(Q, K.T)", "attn_scores ="),
    "scaled": (r"\frac{QK^T}{\sqrt{d_k}} =", "QK^T / √d_k =", "ω′ ="),
    "weights": ("alpha =", r"\mathrm{softmax}(QK^T/√d_k) =", "The attention weights are:"),
    "context": ("Z =", "attention(Q, K, V) =", "α V =", "Head 1 output:"),
    "output": ("output =", "MultiHead(Q, K, V) ="),
    "": ("où", "dinner =", "× V →", "divided by 8 gives the values and so on"),
}


@pytest.mark.parametrize("name", NAMED)
def test_names_as_people_write_them(name):
    found = {
        label: "".join(each.name for each in find_matrices(f"{label} [[1, 2], [3, 4]]").entries)
        for label in NAMED[name]
    }
    assert found == dict.fromkeys(NAMED[name], name)


SIGNS = (
    r"[ ] ( ) { } 1 0.5 - − , ; | & \\ \begin{bmatrix} \end{bmatrix} W_q X Q K V alpha = : → ..."
    r" np.array( tensor( W_o mask 1?2 nan % -inf c( matrix( nrow=2 b_q in_proj_weight x_1 q_cat Z"
    r""" ' " eye(3) ٣ 1. 1/2 1e400 √ ^ \frac{1}{0}"""
)
PIECES = (*SIGNS.split(), "\n", "\t", " ", "# cat", "head 1", "\0")
GARBAGE = st.lists(st.sampled_from(PIECES), max_size=60)


@settings(max_examples=200 * FUZZ, deadline=None)
@given(st.text() | GARBAGE.map(" ".join) | GARBAGE.map("".join))
def test_garbage_makes_a_sentence_and_no_exception(text):
    reading = parse(text)
    assert reading.messages or reading.matrices or reading.questions
    try:
        reading.given()
    except ValueError as error:
        assert str(error)


@pytest.mark.parametrize(
    "piece",
    (
        "[",
        "[1,",
        "(1 ",
        "1\n",
        "\\",
        '"',
        "x_1 = [1]\n",
        "1 2 3\n",
        "c(1,",
        "| 1 | 2 |\n",
        "# [[1,\n",
    ),
)
def test_the_work_grows_with_the_text_and_not_faster(piece):
    """Calls are counted: four times the text makes at most five times as many."""
    calls = []
    for letters in (8_000, 32_000):
        count = 0

        def call(*_):
            nonlocal count
            count += 1

        sys.setprofile(call)
        parse(piece * (letters // len(piece)))
        sys.setprofile(None)
        calls.append(count)
    assert calls[1] < 5 * calls[0] + 1000
