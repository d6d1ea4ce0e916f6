"""A pasted text is read as it is meant, in any notation, or asked about, or refused in a sentence;
nothing is read half."""

import re
import sys
from decimal import Decimal

import pytest
import torch
from given_texts import (
    NOTATIONS,
    SHORT,
    arrows,
    bracketed_rows,
    brought,
    decimal_commas,
    matlab,
    nested,
    python,
)
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from core.given.naming import named
from core.given.reading import read
from core.given.values import Given
from core.trace import run
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
    return tuple(map(decimals, numbers)) if isinstance(numbers, tuple) else Decimal(numbers)


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
    if 1 in (len(numbers[0]), len(numbers[0][0])) or draw(
        st.booleans()
    ):  # Q_1 = [1 2] may be a word's row as well as a head's
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


@settings(max_examples=60 * FUZZ, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.data())
def test_matrices_in_any_notation_come_back_equal(data):
    """Each matrix in a notation and under a name of its own; what both ways of lying fit is said to
    be X W."""
    mine = data.draw(brought(("x", "q"), numbers=SHORT))
    aliases = {name: data.draw(st.sampled_from(NAMES[name])) for name in mine.names}
    texts = [written(data.draw, name, aliases[name], getattr(mine, name)) for name in mine.names]
    text = "\n\n".join(data.draw(st.permutations(texts)))
    reading = read(text)
    answers = (
        {"heads": "1"} if any(question.name == "heads" for question in reading.questions) else {}
    )
    for question in reading.questions:
        assert question.name in ("orientation", "heads"), (question, text)
        if question.name == "orientation":
            answers["orientation"] = question.answers[0]
    read_back = reading.given(**answers, scale=mine.scale)
    for name in mine.names:
        assert decimals(getattr(read_back, name)) == decimals(getattr(mine, name)), (name, text)


@settings(max_examples=50, deadline=None)
@given(st.data())
def test_heads_side_by_side_are_cut_by_as_many_as_are_said(data):
    """Concatenated heads, W_Q of all heads in one matrix, are the same as one matrix each."""
    heads, d_model, d_k, d_v = (data.draw(st.integers(2, 4)) for _ in range(4))
    sizes = {"w_q": d_k, "w_k": d_k, "w_v": d_v}
    each = {name: data.draw(nested(heads, d_model, size)) for name, size in sizes.items()}
    x = data.draw(nested(3, d_model))
    wide = {
        name: [[cell for head in parts for cell in head[row]] for row in range(d_model)]
        for name, parts in each.items()
    }
    text = "\n".join(
        [
            f"num_heads = {heads}",
            python("X", x),
            *(matlab(name, rows) for name, rows in wide.items()),
        ]
    )
    read_back = read(text).given(
        **({"orientation": "X W"} if "orientation" in str(read(text).questions) else {})
    )
    for name, parts in each.items():
        assert decimals(getattr(read_back, name)) == decimals(parts)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_columns_and_stored_matrices_are_turned_where_only_that_fits(data):
    """(out, in) as a library stores it, and words as columns, give the same numbers as X W."""
    x, w = data.draw(nested(5, 3)), [data.draw(nested(3, size)) for size in (2, 2, 4)]
    turned = [tuple(zip(*rows, strict=True)) for rows in w]
    stored = "\n".join(
        [
            python("X", x),
            *(python(name, rows) for name, rows in zip(("W_q", "W_k", "W_v"), turned, strict=True)),
        ]
    )
    columns = stored.replace(python("X", x), python("X", tuple(zip(*x, strict=True))))
    plain = Given(x=x, w_q=w[0], w_k=w[1], w_v=w[2])
    for text in (stored, columns):
        reading = read(text)
        assert reading.given() == plain
        assert "turned" in reading.matrices["w_q"].why
        assert not reading.open


STYLES = {
    "bare": ("", ""),
    "brackets": ("[", "]"),
    "numpy": ("[", "]"),
    "pipes": ("| ", " |"),
    "drawn": ("⎡", "⎤"),
}


@settings(max_examples=60 * FUZZ, deadline=None)
@given(st.data())
def test_matrices_side_by_side_are_the_same_as_one_after_the_other(data):
    """As on paper: rows beside rows, the name at the first row, or in the middle where brackets are
    drawn; of unlike height too."""
    style, keys = data.draw(st.sampled_from(sorted(STYLES))), data.draw(st.integers(2, 5))
    mine = {
        "q": data.draw(nested(5, 3)),
        "k": data.draw(nested(keys, 3)),
        "v": data.draw(nested(keys, 2)),
    }
    opens, closes = STYLES[style]
    high, at = 5, 2 if style == "drawn" and keys == 5 else 0
    columns = []
    for name, rows in mine.items():
        cells = [f"{opens}{' '.join(f'{cell:>7}' for cell in row)}{closes}" for row in rows]
        if style == "numpy":
            cells = [
                f"{'[' if i == 0 else ' '}{cell}{']' if i == len(cells) - 1 else ''}"
                for i, cell in enumerate(cells)
            ]
        cells += [""] * (high - len(cells))
        labels = [f"{name.upper()} = " if i == at else " " * 4 for i in range(high)]
        wide = max(map(len, cells)) + 3
        columns.append(
            [label + cell.ljust(wide) for label, cell in zip(labels, cells, strict=True)]
        )
    text = "\n".join(map("".join, zip(*columns, strict=True)))
    read_back = read(text).given(
        **({"orientation": "rows"} if "orientation" in str(read(text).questions) else {}), heads=1
    )
    for name, rows in mine.items():
        assert decimals(getattr(read_back, name)) == decimals((rows,)), text


def test_what_fits_both_ways_is_said_and_can_be_turned():
    """A square W may lie either way: X W is meant, it is said at the matrix, and an answer turns
    it."""
    text = (
        "X = [[1, 2], [3, 4], [5, 6]]\nW_q = W_K = [[1, 2], [0, 1]]\nW_k = [[1, 1], [0, 1]]\nW_v ="
        " [[2, 0], [1, 2]]"
    )
    reading = read(text)
    assert reading.given().w_v == ((("2", "0"), ("1", "2")),)
    assert "it can be turned" in reading.matrices["w_v"].why
    assert reading.given(orientation="X W^T").w_v == ((("2", "1"), ("0", "2")),)


COLUMN = r"{}_{} = \begin{{pmatrix}} {} \\ {} \end{{pmatrix}}, "


def test_a_vector_for_each_word_is_a_row():
    """Words written one by one, as columns or as matrices of one row, are X, or Q, K and V; of
    columns x, W x is meant."""
    x = [(1, 0), (0, 1), (1, 1)]
    columns = "".join(COLUMN.format("x", k, *row) for k, row in enumerate(x, start=1))
    reading = read(
        columns
        + "".join(
            rf"W^{name} = \begin{{pmatrix}} 1 & 2 \\ 3 & 4 \end{{pmatrix}} " for name in "QKV"
        )
    )
    assert reading.matrices["x"].numbers == (("1", "0"), ("0", "1"), ("1", "1"))
    assert run(reading.setup()).value("q")[0].tolist() == [
        [1, 3],
        [2, 4],
        [3, 7],
    ]  # W^Q x, not x W^Q
    columns = "".join(
        COLUMN.format(name, k, *row)
        for name in "qkv"
        for k, row in enumerate(x if name != "q" else x[:1], start=1)
    )
    rows = "".join(
        f"{name}{k} = np.array([[{one}, {two}]])\n"
        for name in "qkv"
        for k, (one, two) in enumerate(x, start=1)
    )
    assert [found.shape for found in read(columns).matrices.values()] == [
        (1, 1, 2),
        (1, 3, 2),
        (1, 3, 2),
    ]
    assert [found.shape for found in read(rows).matrices.values()] == [(1, 3, 2)] * 3


def test_what_a_library_keeps_in_one_matrix_is_cut_in_three():
    """nn.MultiheadAttention's in_proj_weight is (3·d_model, d_model), stored (out, in), W_q
    first."""
    text = """
in_proj_weight Parameter containing:
tensor([[ 1.,  2.], [ 3.,  4.], [ 5.,  6.], [ 7.,  8.], [ 9., 10.], [11., 12.]], requires_grad=True)
in_proj_bias tensor([0.1000, 0.2000, 0.3000, 0.4000, 0.5000, 0.6000])
out_proj.weight tensor([[1., 0.], [2., 1.]])
X = [[1, 0], [0, 1], [1, 1]]
"""
    mine = read(text).given(heads=2)
    assert mine.w_q == ((("1",), ("2",)), (("3",), ("4",)))
    assert mine.b_k == (("0.3000",), ("0.4000",))
    assert mine.w_o == (("1", "2"), ("0", "1"))


QKV = "Q = [[1, 0], [0, 2]]\nK = [[1, 0], [0, 1]]\nV = [[1, 2], [3, 4]]\n"
TWO = (("1", "2"), ("3", "4"))
OUT = [
    "Q = X W_q = [[1, 0], [0, 1]] [[1, 2], [3, 4]] = [[1, 2], [3, 4]]",
    (
        r"Q = \left[\begin{array}{cc}9&9\\8&8\end{array}\right]\begin{bmatrix}1\\0\end{bmatrix} ="
        r" \begin{bmatrix}1&2\\3&4\end{bmatrix}"
    ),
    "Q = [[2, 4], [6, 8]] / 2 = [[1, 2], [3, 4]]",
    "Q = 0.5 * [[2, 4], [6, 8]] = [[1, 2], [3, 4]]",
    "Q = np.array([[1, 3], [2, 4]]).T",
    "Q = [1 3; 2 4]'",
    r"Q = \begin{bmatrix}1&3\\2&4\end{bmatrix}^{\top}",
    "Q (2 × 2) = [[1, 2], [3, 4]]",
]


@pytest.mark.parametrize("text", OUT)
def test_what_comes_out_of_a_calculation_is_what_is_read(text):
    """The last matrix of a chain, and one that is turned about where it stands."""
    mine = read(f"{text}\nK = [[1, 0], [0, 1]]\nV = [[1, 2], [3, 4]]").given(
        orientation="rows", heads=1
    )
    assert mine.q == (TWO,)


@pytest.mark.parametrize(
    "part",
    [
        "0.5 * [[2, 4], [6, 8]]",
        "[[2, 4], [6, 8]] * 0.5",
        "1/2 [[2, 4], [6, 8]]",
        "-[[1, 2], [3, 4]]",
        "[[1, 2]] + [[1, 2]]",
        r"\frac{1}{2}\begin{bmatrix}2&4\\6&8\end{bmatrix}",
        "\n\n   1.0e+03 *\n\n    1.0 2.0\n    3.0 4.0",
    ],
)
def test_a_part_of_a_calculation_is_left_out_with_its_line(part):
    """Its numbers are not those of what stands before the =, and no other part's are."""
    found = read(f"K = [[1, 0], [0, 1]]\nV = [[1, 2], [3, 4]]\nQ = {part}")
    says = (
        "Line [37]: a matrix is left out, since it is a part of a calculation there: write down"
        " what comes out."
    )
    assert re.fullmatch(says, *found.left_out)
    assert "q" not in found.matrices


@pytest.mark.parametrize(
    "label",
    [
        "Q @ K.T",
        "Q*K.T",
        "Q·K^T",
        "queries @ keys.T",
        r"$Q \times K^\top$",
        "np.dot(Q, K.T)",
        "torch.matmul(q, k.transpose(-2, -1))",
    ],
)
def test_a_product_of_queries_and_keys_is_not_turned_about(label):
    """What is turned in Q Kᵀ is K, and the scores stand as they are."""
    found = read(f"{QKV}{label} = [[1, 5], [0, 2]]").solution["scores"]
    assert list(found.cells.values()) == ["1", "5", "0", "2"]


@pytest.mark.parametrize(
    ("text", "scale"),
    [
        ("scale = 1.0 / math.sqrt(d_k)", "sqrt"),
        ("scale = 1/8", "8"),
        ("scale: 8", "8"),
        ("scale = 0.5 * 2", "sqrt"),
        ("On a scale 1 to 10", "sqrt"),
    ],
)
def test_what_scores_are_divided_by(text, scale):
    assert read(f"{QKV}{text}").given(orientation="rows", heads=1).scale == scale


def test_a_decimal_comma_in_braces_is_one():
    """0{,}5 is LaTeX's way of 0,5."""
    text = QKV.replace("[[1, 2], [3, 4]]", r"\begin{pmatrix}0{,}5&1\\2&0{,}25\end{pmatrix}")
    assert read(text).given(orientation="rows", heads=1).v == ((("0.5", "1"), ("2", "0.25")),)


def test_a_decimal_comma_between_cells_is_one():
    """Where & parts the cells, 0,5 is one number; in a formula with & before its equals sign, a
    list's commas part numbers."""
    text = QKV.replace("[[1, 2], [3, 4]]", r"\begin{pmatrix}-0,5&1\\2&0,25\end{pmatrix}")
    assert read(text).given(orientation="rows", heads=1).v == ((("-0.5", "1"), ("2", "0.25")),)
    assert read(QKV.replace("V =", "V &=").replace(", ", ",")).given(
        orientation="rows", heads=1
    ).v == ((("1", "2"), ("3", "4")),)


def test_a_comment_that_shows_what_comes_out_is_read():
    """As documentation prints results; code that is switched off is not read."""
    shown = (
        "print(Q @ K.T)\n# tensor([[1., 0.],\n#         [1., 1.]])\nweights = softmax(scores / 2) "
        " # => [[0.5, 0.5], [0.2, 0.8]]\n"
    )
    reading = read(f"# Q = [[9, 9], [9, 9]]\n{QKV}\n{shown}# shape [2, 2]")
    assert reading.matrices["scores"].numbers == ((("1", "0"), ("1", "1")),)
    assert reading.matrices["weights"].numbers == ((("0.5", "0.5"), ("0.2", "0.8")),)
    assert not any(question.name == "q" for question in reading.questions)


def test_a_module_as_it_is_printed_is_read():
    """A printed state_dict() is the layer that it is of."""
    torch.manual_seed(0)
    layer = torch.nn.MultiheadAttention(6, 2)
    reading = read(f"X = {torch.randn(3, 6).tolist()}\n{layer.state_dict()}")
    mine = reading.given(heads=2)
    assert reading.matrices["w_q"].why.startswith("line 2 calls it “in_proj_weight”")
    torch.testing.assert_close(
        torch.tensor(
            [[[float(cell) for cell in row] for row in head] for head in mine.w_v]
        ).mT.flatten(0, 1),
        layer.in_proj_weight[12:].detach(),
        atol=1e-4,
        rtol=0,
    )


def test_rows_are_put_to_the_words_beside_them():
    """K and Z with the words in another order than X; α's columns have no words, so its rows
    stay."""
    first = "the → [1, 0]\ncat → [0, 2]\nsat → [3, 1]\n"
    rows = "sat: 1 2 3\nThe: 4 5 6\ncat: 7 8 9"
    text = (
        f"{first}W_q = [[1, 0], [0, 1]]\nW_k = [[1, 1], [0, 1]]\nW_v = [[1, 0, 0], [2, 1,"
        f" 0]]\nZ:\n{rows}\nalpha:\n{rows}"
    )
    reading = read(text)
    assert reading.matrices["context"].numbers == (
        (("4", "5", "6"), ("7", "8", "9"), ("1", "2", "3")),
    )
    assert reading.matrices["weights"].numbers[0][0] == ("1", "2", "3")
    assert "Z has its rows in another order" in str(reading.messages)


def test_a_row_says_which_one_it_is():
    """“softmax of row 2” is the second row of α."""
    reading = read(f"{QKV}\nsoftmax of row 1: [0.6, 0.4]\nsoftmax of row 2: [0.3, 0.7]")
    assert reading.matrices["weights"].numbers == ((("0.6", "0.4"), ("0.3", "0.7")),)


def test_heads_of_one_column_are_no_words():
    """Two heads of one column share one key: Q's columns stay heads where as words they fit no
    K."""
    mine = read("Q_1 = [[1], [2]]\nQ_2 = [[3], [4]]\nK = [[5]]\nV = [[6, 7, 8]]").given()
    assert (mine.q, mine.k) == (((("1",), ("2",)), (("3",), ("4",))), ((("5",),),))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("please → [1, 0]\nstudy → [0, 2]\nman → [1, 1]", ("please", "study", "man")),
        ("X = np.array([\n  [1, 0],  # cat\n  [0, 1],  # sat\n])", ("cat", "sat")),
        ("| token | d1 | d2 |\n|---|---|---|\n| cat | 1 | 0 |\n| sat | 0 | 1 |", ("cat", "sat")),
        ("cat,1,0\nsat,0,1", ("cat", "sat")),
        ('tokens = ["the", "cat"]\nX = [[1, 0], [0, 1]]', ("the", "cat")),
        ("word_1 = array([1, 0, 0])\nword_2 = array([0, 1, 0])", ("word_1", "word_2")),
        (
            r"X = \begin{bmatrix} \text{cat} & 1 & 0 \\ \text{sat} & 0 & 1 \end{bmatrix}",
            ("cat", "sat"),
        ),
        ("1 X\n2 cat: 1 0\n3 sat: 0 1", ("cat", "sat")),
        ('X = {"Hello": [1, 0], ",": [0, 1], "world": [1, 1]}', ("Hello", ",", "world")),
        ("the: [1, 0]\ndata: [0, 1]\n!: [1, 1]", ("the", "data", "!")),
        ("X:\nI: 1 0\na: 0 1\ndata: 1 1", ("I", "a", "data")),
        ("X = [\n  [1, 0],  # Input 1\n  [0, 2],  # Input 2\n]", ()),
    ],
)
def test_words_beside_rows_become_the_tokens(text, tokens):
    reading = read(text + "\nW_q = [[1], [1]]" * (len(tokens) == 3))
    assert reading.tokens == tokens
    assert not reading.left_out


@pytest.mark.parametrize(
    ("name", "labels"),
    [
        ("x", ("X = ", "E:", "inputs = torch.tensor(", "The embeddings are:")),
        (
            "w_q",
            (
                "Wq:",
                "W_Q =",
                "w_query =",
                "W^Q =",
                "WQ1 =",
                r"\mathbf{W}^Q_1 =",
                "encoder.layer.0.attention.self.query.weight",
            ),
        ),
        ("w_k", ("('self_attn.k_proj.weight', tensor(", "Key weights:", "W^{(K)}")),
        ("w_o", ("W_O =", "out_proj.weight", "W^O")),
        ("w_qkv", ("in_proj_weight", "h.0.attn.c_attn.weight")),
        ("b_q", ("query_bias =", "b_q", "q_proj.bias")),
        ("q", ("Q = X W_Q =", "X W^Q =", "The query matrix Q is")),
        ("scores", (r"\omega =", "scores", "QK^T =", r"QK^\top =", "attn_scores =")),
        (
            "scaled",
            (
                r"\frac{QK^T}{\sqrt{d_k}} =",
                "scaled scores",
                "QK^T / √d_k =",
                r"\frac{S}{\sqrt{2}} =",
                "ω′ =",
                r"\omega^{\prime}_1 =",
            ),
        ),
        (
            "weights",
            (
                "alpha =",
                "attention_weights:",
                "softmax(QK^T/√d_k) =",
                "The attention weights are:",
                "A =",
            ),
        ),
        ("context", ("Z =", "context", "attention(Q, K, V) =", "α V =")),
        ("output", ("output =", "Y:", "MultiHead(Q, K, V) =")),
    ],
)
def test_names_as_people_write_them(name, labels):
    assert {label: named(label).name for label in labels} == dict.fromkeys(labels, name)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("X = [[1, 2, ...], [3, 4]]", "an ellipsis"),
        ("X = [[1, 2], [3]]", "not of one length: one has 2, another 1"),
        ("W_q = [1?2?11?]", "lost its signs"),
        ("X = [[1, two], [3, 4]]", "“two” is no number"),
        ("X = [[1/2, 1], [3, 4]]", "is a fraction"),
        ("X = [[1, 2], [3, 4]", "never closed"),
        ("X = [[1,, 2], [3, 4]]", "a place between two commas is empty"),
        ("X\n1 0 1\n0 1", "not of one length"),
        ("X = [[1, inf], [3, 4]]", "holds ∞"),
        ("Q = [[1, 2]]\nK = [[1, 2, 3]]\nV = [[1]]", "do not fit together"),
        (
            "X = [[1, 2]]\nW_q = [[1, 1, 1, 1, 1], [0, 0, 0, 0, 0], [1, 1, 1, 1, 1]]",
            "does not fit X",
        ),
        ("hello", "No matrix was found"),
        ("1 " * 200_000, "longer than 200 kB"),
        ("1," * 60_000, "more than 60,000 numbers"),
        ("eye(64)\n" * 20, "too many numbers"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_line(text, says):
    """Nothing is read half: as long as something is left out, nothing is made of the rest."""
    reading = read(text)
    assert says in " ".join(reading.messages)
    with pytest.raises(ValueError, match=r"."):
        reading.given()


def test_two_matrices_of_one_name_are_asked_about():
    text = "X = [[1, 2]]\nQ = [[1, 2]]\nK = [[1, 2]]\nK = [[3, 4]]\nV = [[1, 1]]"
    (question,) = read(text.replace("X = [[1, 2]]\n", "")).open
    assert (question.name, question.answers) == ("k", ("line 2", "line 3"))
    with pytest.raises(ValueError, match="which one"):
        read(text).given()
    assert read(text).given(k="line 4", orientation="rows").k == ((("3", "4"),),)


def test_a_mask_is_asked_about_only_where_both_meanings_can_be():
    """Of 1 and 0 it may be either; of 0 and −∞, and where a row would see nothing, it is
    decided."""
    qkv = "Q = [[1, 0], [0, 1]]\nK = [[1, 0], [0, 1]]\nV = [[1, 0], [0, 1]]\n"
    assert read(qkv + "mask = [[0, -inf], [0, 0]]").given().mask == ((True, False), (True, True))
    assert read(qkv + "mask = [[0, 1], [0, 0]]").given().mask == ((True, False), (True, True))
    assert read(qkv + "mask = [[1, 0], [1, 1]]").given().mask == ((True, False), (True, True))
    both = read(qkv + "mask = [[1, 0], [0, 1]]")
    assert [question.name for question in both.open] == ["mask_means"]
    assert both.given(mask_means="hidden").mask == ((False, True), (True, False))


PARTS = (
    r"[ ] ( ) { } 1 0.5 - − , ; | & \\ \begin{bmatrix} \end{bmatrix} W_q X Q K V alpha = : → ..."
    r" np.array( tensor( W_o mask 1?2 nan % "
    r"""-inf c( matrix( nrow=2 b_q in_proj_weight x_1 q_cat Z table embedding.weight ' " eye(3)"""
    r""" ٣ 1. 1/2 1e400"""
)
PIECES = (*PARTS.split(), "\n", "\t", " ", "# cat", "head 1", "\0")
GARBAGE = st.lists(st.sampled_from(PIECES), max_size=60)


@settings(max_examples=200 * FUZZ, deadline=None)
@given(st.text() | GARBAGE.map(" ".join) | GARBAGE.map("".join))
def test_garbage_makes_a_sentence_and_no_exception(text):
    reading = read(text)
    assert reading.messages or reading.matrices or reading.questions
    try:
        reading.given()
    except ValueError as error:
        assert str(error)


PIECES = (
    "[",
    "[1,",
    "(1 ",
    "1\n",
    "\\",
    "\\begin{bmatrix}",
    '"',
    "x_1 = [1]\n",
    "1 2 3\n",
    "c(1,",
    "x = ",
)


@pytest.mark.parametrize("piece", [*PIECES, "Q = 1 2 K = 3 4\n", "# [[1,\n", "[('b', tensor("])
def test_the_work_grows_with_the_text_and_not_faster(piece):
    """Calls are counted: four times the text makes at most five times as many."""
    calls = []
    for letters in (8_000, 32_000):
        count = 0

        def call(*_):
            nonlocal count
            count += 1

        sys.setprofile(call)
        read(piece * (letters // len(piece)))
        sys.setprofile(None)
        calls.append(count)
    assert calls[1] < 5 * calls[0] + 1000
