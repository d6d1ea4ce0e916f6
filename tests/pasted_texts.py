"""What people bring, drawn; and the notations in which they write it."""

import numpy as np
import torch
from hypothesis import strategies as st

from core.fields.user_matrices import AXES, UserMatrices

NUMBERS = st.decimals(-1000, 1000, allow_nan=False, allow_infinity=False, places=3).map(
    str
) | st.integers(-99, 99).map(str)
SHORT = st.decimals(-99, 99, allow_nan=False, allow_infinity=False, places=2).map(
    str
)  # as a print of torch holds them


@st.composite
def nested(draw, *shape: int, numbers=NUMBERS):
    """Numbers of this shape, as they are typed."""
    if not shape:
        return draw(numbers)
    return tuple(draw(nested(*shape[1:], numbers=numbers)) for _ in range(shape[0]))


@st.composite
def brought(draw, kinds: tuple[str, ...] = ("x", "table", "q"), numbers=NUMBERS) -> UserMatrices:
    """What somebody may bring: X, or a table, or Q, K and V; with projections or without, biases,
    W_o, a mask, a scale."""
    sizes = dict(
        zip(
            ("token", "d_model", "d_k", "d_v", "out"),
            draw(st.permutations((1, 2, 3, 4, 5))),
            strict=True,
        )
    )
    sizes["kv_head"] = draw(st.integers(1, 2))
    sizes["head"] = sizes["kv_head"] * draw(st.integers(1, 2))
    kind = draw(st.sampled_from(kinds))
    asked = kind != "table" and draw(st.booleans())
    sizes["memory"] = sizes["key"] = draw(st.integers(1, 6)) if asked else sizes["token"]
    sizes["word"] = sizes["token"]
    learned = kind != "q" and draw(st.booleans())
    names = {"x": ["x"], "table": ["table"], "q": ["q", "k", "v"]}[kind]
    names += ["memory_x"] if asked and kind == "x" else []
    names += ["w_q", "w_k", "w_v"] if learned else []
    names += [name for name in ("b_q", "b_k", "b_v") if learned and draw(st.booleans())]
    if not learned and kind != "q":
        sizes |= {"head": 1, "d_v": sizes["d_model"]}
    sizes["head·d_v"] = sizes["head"] * sizes["d_v"]
    names += draw(st.sampled_from(([], ["w_o"], ["w_o", "b_o"])))
    values = {
        name: draw(nested(*(sizes[axis] for axis in AXES[name]), numbers=numbers)) for name in names
    }
    if kind == "table":
        values["words"] = tuple(
            draw(st.permutations(("a", "b,c", "d_e", "100%", "%2C", "é")))[: sizes["word"]]
        )
    elif draw(st.booleans()):
        values["mask"] = tuple(
            tuple(draw(st.booleans()) for _ in range(sizes["key"])) for _ in range(sizes["token"])
        )
    return UserMatrices(**values, scale=draw(st.sampled_from(("sqrt", "none", "3", "0.50"))))


# ---------- notations: a name and rows of texts, as somebody writes them ----------

WORDS = ("please", "study", "man", "the", "cat", "sat", "on", "mat", "life", "short", *"abcdefghij")


def tensor_of(rows, **more) -> torch.Tensor:
    return torch.tensor([[float(cell) for cell in row] for row in rows], **more)


def array_of(rows) -> np.ndarray:
    return tensor_of(rows, dtype=torch.double).numpy()


def fill(whole: str, between: str, row: str, cells: str, cell: str = "{}"):
    """A notation: how a row holds its cells, and the whole its rows; {n} and {m} are how many of
    both, {words} a word for each row."""

    def write(name, rows):
        sizes = {"n": len(rows), "m": len(rows[0])}
        lines = [
            row.format(cells.join(map(cell.format, each)), word=word, **sizes)
            for each, word in zip(rows, WORDS, strict=False)
        ]
        return whole.format(
            name=name, rows=between.join(lines), columns="c" * len(rows[0]), **sizes
        )

    return write


python = fill("{name} = [{rows}]", ", ", "[{}]", ", ")
bracketed_rows = fill("{name}:\n{rows}", "\n", "[{}]", " ")
arrows = fill("{name}\n{rows}", "\n", "{word} → [{}]", ", ")


def decimal_commas(name, rows):
    text = fill("\n{rows}", "\n", "{}", "\t")("", rows)
    return name + text.replace(".", ",")


def r_columns(name, rows):
    cells = ", ".join(cell for column in zip(*rows, strict=True) for cell in column)
    return f"{name} <- matrix(c({cells}), nrow={len(rows)})"


def r_print(name, rows):
    head = "     " + " ".join(f"[,{i + 1}]" for i in range(len(rows[0])))
    return f"> {name}\n{head}\n" + "\n".join(
        f"[{i + 1},] {'   '.join(row)}" for i, row in enumerate(rows)
    )


def markdown(name, rows):
    head = "".join(f" dim {letter} |" for letter in "abcdefgh"[: len(rows[0])])
    rule = "|" + "---|" * len(rows[0])
    return f"**{name}**\n\n|{head}\n{rule}\n{fill('{rows}', chr(10), '| {} |', ' | ')('', rows)}"


NOTATIONS = (
    python,
    fill("{name} = np.array([\n{rows}\n])", "\n", "    [{}],  # comment", ", "),
    lambda name, rows: f"print({name})\n{array_of(rows)}",
    lambda name, rows: f"{name} = {array_of(rows)!r}",
    fill("{name}: [{rows}]", ", ", "[{}]", ", ", "np.float64({})"),
    lambda name, rows: f"{name}: {tensor_of(rows, requires_grad=True)!r}",
    lambda name, rows: f"{name}\nParameter containing:\n{tensor_of(rows, requires_grad=True)!r}",
    lambda name, rows: (
        f"{name} = <tf.Tensor: shape={array_of(rows).shape}, dtype=float32, numpy=\n"
        f"{array_of(rows)!r}>"
    ),
    fill(r"\mathbf{{{name}}} = \begin{{bmatrix}} {rows} \end{{bmatrix}}", r" \\ ", "{}", " & "),
    fill(
        "\\begin{{aligned}}\n{name} &= \\left[\\begin{{array}}{{{columns}}}\n{rows}\n"
        "\\end{{array}}\\right]\n\\end{{aligned}}",
        " \\\\\n",
        "{}",
        " & ",
    ),
    fill("{name} = [{rows}];", "; ", "{}", " "),  # MATLAB
    fill("{name} =\n\n{rows}\n", "\n", "   {}", "    "),
    fill("{name} <- matrix(c({rows}), nrow={n}, byrow=TRUE)", ", ", "{}", ", "),
    r_columns,
    r_print,
    markdown,
    fill("{name}\n{rows}", "\n", "{}", ","),
    fill("{name}\n{rows}", "\n", "{}", "\t"),
    decimal_commas,
    fill("{name}:\n{rows}", "\n", "{}", "  "),
    bracketed_rows,
    arrows,
    fill('{{"{name}": [{rows}]}}', ", ", "[{}]", ","),
    lambda name, rows: python(name, rows).replace("-", "−"),
)
