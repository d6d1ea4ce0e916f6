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


def rows_of(rows, between: str, around: str = "{}") -> list[str]:
    return [around.format(between.join(row)) for row in rows]


def python(name, rows):
    return f"{name} = [{', '.join(rows_of(rows, ', ', '[{}]'))}]"


def numpy_code(name, rows):
    lines = "".join(f"    {row},  # comment\n" for row in rows_of(rows, ", ", "[{}]"))
    return f"{name} = np.array([\n{lines}])"


def numpy_print(name, rows):
    return f"print({name})\n{np.array([[float(cell) for cell in row] for row in rows])}"


def numpy_repr(name, rows):
    return f"{name} = {np.array([[float(cell) for cell in row] for row in rows])!r}"


def numpy_scalars(name, rows):
    scalars = [[f"np.float64({cell})" for cell in row] for row in rows]
    return f"{name}: [{', '.join(rows_of(scalars, ', ', '[{}]'))}]"


def torch_print(name, rows):
    return (
        f"{name}:"
        f" {torch.tensor([[float(cell) for cell in row] for row in rows], requires_grad=True)!r}"
    )


def parameter(name, rows):
    values = torch.tensor([[float(cell) for cell in row] for row in rows], requires_grad=True)
    return f"{name}\nParameter containing:\n{values!r}"


def tensorflow(name, rows):
    numbers = np.array([[float(cell) for cell in row] for row in rows])
    return f"{name} = <tf.Tensor: shape={numbers.shape}, dtype=float32, numpy=\n{numbers!r}>"


def latex(name, rows):
    body = r" \\ ".join(rows_of(rows, " & "))
    return rf"\mathbf{{{name}}} = \begin{{bmatrix}} {body} \end{{bmatrix}}"


def latex_array(name, rows):
    columns = "c" * len(rows[0])
    body = " \\\\\n".join(rows_of(rows, " & "))
    return (
        f"\\begin{{aligned}}\n{name} &="
        f" \\left[\\begin{{array}}{{{columns}}}\n{body}\n\\end{{array}}\\right]\n\\end{{aligned}}"
    )


def matlab(name, rows):
    return f"{name} = [{'; '.join(rows_of(rows, ' '))}];"


def matlab_print(name, rows):
    return f"{name} =\n\n" + "".join(f"   {row}\n" for row in rows_of(rows, "    "))


def r_code(name, rows):
    return (
        f"{name} <- matrix(c({', '.join(cell for row in rows for cell in row)}), nrow={len(rows)},"
        " byrow=TRUE)"
    )


def r_columns(name, rows):
    return (
        f"{name} <-"
        f" matrix(c({', '.join(cell for column in zip(*rows, strict=True) for cell in column)}),"
        f" nrow={len(rows)})"
    )


def r_print(name, rows):
    head = "     " + " ".join(f"[,{i + 1}]" for i in range(len(rows[0])))
    return f"> {name}\n{head}\n" + "\n".join(
        f"[{i + 1},] {row}" for i, row in enumerate(rows_of(rows, "   "))
    )


def markdown(name, rows):
    head = "| " + " | ".join(f"dim {'abcdefgh'[i]}" for i in range(len(rows[0]))) + " |"
    rule = "|" + "---|" * len(rows[0])
    return f"**{name}**\n\n{head}\n{rule}\n" + "\n".join(rows_of(rows, " | ", "| {} |"))


def csv_rows(name, rows):
    return f"{name}\n" + "\n".join(rows_of(rows, ","))


def tabs(name, rows):
    return f"{name}\n" + "\n".join(rows_of(rows, "\t"))


def decimal_commas(name, rows):
    return f"{name}\n" + "\n".join(
        rows_of([[cell.replace(".", ",") for cell in row] for row in rows], "\t")
    )


def bare(name, rows):
    return f"{name}:\n" + "\n".join(rows_of(rows, "  "))


def bracketed_rows(name, rows):
    return f"{name}:\n" + "\n".join(rows_of(rows, " ", "[{}]"))


def arrows(name, rows):
    words = (
        "please",
        "study",
        "man",
        "the",
        "cat",
        "sat",
        "on",
        "mat",
        "life",
        "short",
        *"abcdefghij",
    )
    return f"{name}\n" + "\n".join(
        f"{word} → {row}" for word, row in zip(words, rows_of(rows, ", ", "[{}]"), strict=False)
    )


def json_entry(name, rows):
    return f'{{"{name}": [{", ".join(rows_of(rows, ",", "[{}]"))}]}}'


def typographic(name, rows):
    return python(name, [[cell.replace("-", "−") for cell in row] for row in rows])


NOTATIONS = (
    python,
    numpy_code,
    numpy_print,
    numpy_repr,
    numpy_scalars,
    torch_print,
    parameter,
    tensorflow,
    latex,
    latex_array,
    matlab,
    matlab_print,
    r_code,
    r_columns,
    r_print,
    markdown,
    csv_rows,
    tabs,
    decimal_commas,
    bare,
    bracketed_rows,
    arrows,
    json_entry,
    typographic,
)
