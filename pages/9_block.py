"""The transformer block: one word's vector on its way through."""


import torch

from core import block
from core.origin import Product
from core.text import labels
from core.written import short
from pages.shared import board, claims, computed, controls, elements, lecture, show, state, tables, words
from pages.shared.focus import STAGES

trace, focus = state.trace(), state.focus()
setup = trace.setup
names = labels(setup.tokens)
n, d_model = len(names), setup.d_model
i, column = focus.query - 1, focus.column_of(d_model)
x = trace.value("x")
weights, layers = computed.stacked(setup)
layer = layers[focus.layer - 1]
post = setup.norm == "post"

say = claims.in_tokens(setup)
show.header("block", claims.headline("block", setup))
norm, feed = r"\mathrm{norm}", r"\mathrm{feed}"
output = r"\mathrm{attention}"
token_rows = (n, d_model)
if post:
    formulas = (
        rf"{words.sized('x', 'N', token_rows)} = {norm}\big(X + {output}(X)\big)",
        rf"{words.sized('x', 'Out', token_rows)} = {norm}\big(N + {feed}(N)\big)",
    )
else:
    formulas = (
        rf"{words.sized('x', 'A', token_rows)} = X + {output}\big({norm}(X)\big)",
        rf"{words.sized('x', 'Out', token_rows)} = A + {feed}\big({norm}(A)\big)",
    )
bend = block.ACTIVATIONS[setup.activation]
show.formula_and_code(
    words.lines(
        *formulas,
        rf"{feed}(N) = \mathrm{{{setup.activation}}}\big(N\,{words.sized('v', 'W_1', (d_model, setup.d_ff))}\big)"
        rf"\,{words.sized('v', 'W_2', (setup.d_ff, d_model))}",
    ),
    block.add,
    block.layer_norm,
    bend,
    symbols="X comes in, Out goes on to the next block. "
    + ("N is the sum after attention, normed. " if post else "A is the sum after attention. ")
    + "What attention finds is called Y, what the feed-forward part finds F. "
    + "norm brings each row to mean 0 and spread 1, but a row of equal numbers to 0. W_1 takes a row to d_ff numbers, W_2 back to "
    "d_model"
    + (", each with a bias, b_1 and b_2." if setup.bias == "on" else "."),
)

TITLES = {
    "x": "X, input", "output": "Y, attention", "added": "X + Y", "normed": "N, normed" if post else "norm", "normed_2": "norm",
    "hidden": "H, widened" if setup.d_ff > d_model else "H", "bent": setup.activation, "fed": "F, feed-forward",
    "added_2": "N + F", "out": "out" if post else "X + Y + F, out",
}  # fmt: skip
# Where each stage stands: on the stream, or on a branch that leaves it and joins it again.
POST = (("x", ""), ("output", "both"), ("added", ""), ("normed", ""), ("fed", "both"), ("added_2", ""), ("out", ""))
PRE = (
    ("x", ""),
    ("normed", "leaves"),
    ("output", "joins"),
    ("added", ""),
    ("normed_2", "leaves"),
    ("fed", "joins"),
    ("out", ""),
)


def spreads(names):
    """Mean and standard deviation of the word's vector at each stage, as a reader would write them."""
    rows = torch.stack([layer.value(name)[i] for name in names])
    deviations, means = torch.std_mean(rows, dim=-1, correction=0)
    return {
        name: f"mean {words.number(round(mean, 4) + 0.0)}, spread {words.number(deviation)}"  # rounding's −0.0000 is 0
        for name, mean, deviation in zip(names, means.tolist(), deviations.tolist(), strict=True)
    }


def stage(name, branch):
    row = layer.value(name)[i : i + 1]
    role = "result" if name in ("output", "fed") else "x"
    made = board.matrix(
        name, row, [names[i]], board.numbered(d_model), ("token", "d_model"), role, TITLES[name], clickable=True
    )
    return made | {
        "note": spread[name], "branch": bool(branch), "onward": branch == "joins", "joins": branch in ("both", "joins"),
    }  # fmt: skip


way = POST if post else PRE
stages = [name for name, _ in way]
spread = spreads(stages)
with elements.container(key="choices"):
    opened = controls.choice("stage", "Stage to open below", [name for name in STAGES if name in layer])
lecture.question(names, i)

if lecture.shows("stream"):
    show.plain(f"{words.quoted(names[i])} on its way through layer {focus.layer} of {setup.layers}, from top to bottom:")
    board.show(
        {
            "view": "stream",
            "chosen": [0, column],
            "main": stages.index(opened) if opened in stages else stages.index("added"),
            "alt": f"The vector of {names[i]}, {claims.count(d_model, 'number')}, at {len(stages)} stages. "
            + " ".join(f"{TITLES[name]}: {spread[name]}." for name in stages),
            "matrices": [stage(name, branch) for name, branch in way],
        },
        "board_stream",
        board.choice({name: {"stage": name} for name in stages if name != "x"}, column="column"),
    )
    lengths = claims.lengths({name: layer.value(name)[i] for name in stages}, setup.norm)
    elements.caption(
        f"Each row has its own colour scale; its mean and spread (standard deviation) say how large it is. {lengths} Gain and shift "
        "of the norm are 1 and 0, as before training."
    )
    if not lecture.on() and setup.out == "d_v" and setup.projections == "learned" and setup.d_v != d_model:
        elements.markdown(
            f":material/info: On this page W_o leads back to d_model = {d_model}, whatever **Output size** says: {setup.d_v} "
            f"numbers could not be added to {d_model}. W_q, W_k and W_v of layer 1 are those of the seven steps."
        )

if lecture.shows("cell"):
    show.heading("The chosen cell in full")
    entry = layer[opened]
    at = min(column, entry.value.shape[1] - 1)
    cell = entry.origin.open(layer, (i, at))
    axis = layer[cell.terms[0].factors[0].name].dims[-1] if isinstance(entry.origin, Product) else "part"
    show.opened(entry.origin, cell, words.cell(opened, names[i], at + 1), tables.term_labels(cell), axis, "terms_block")

if lecture.shows("every"):
    show.heading(say("Every word"))
    last = "normed" if post else "added"
    board.show(
        {
            "view": "matrices",
            "across": 2,
            "linked": True,
            "chosen": [i, column],
            "main": next((k for k, name in enumerate(("x", "output", last, "out")) if name == opened), 1),
            "part": 0.78,
            "alt": f"Four stages of {claims.count(n, 'token')}: what comes in, what attention adds, the sum and what comes out: "
            f"{words.number(layer.value('out')[i, column].item())} in column {column + 1} of {names[i]}.",
            "matrices": [
                board.matrix(
                    name, layer.value(name), names, board.numbered(d_model), ("token", "d_model"),
                    "result" if name == "output" else "x", TITLES[name], wide=True, clickable=True,
                )
                for name in ("x", "output", last, "out")
            ],
        },
        "board_block",
        board.choice({name: {"stage": name} for name in ("output", last, "out")}, query="row", column="column"
        ),
    )  # fmt: skip
    elements.caption(say("Attention is the only part where words meet: norm and feed-forward work on each row by itself."))

if lecture.shows("norms"):
    show.heading("Post-norm and pre-norm, layer after layer")
    kinds = ("post", "pre")
    handed_on = computed.handed_on(setup)
    deviations = torch.stack([torch.stack(handed_on[kind]).std(dim=(1, 2), correction=0) for kind in kinds])
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "largest": 76,
            "chosen": [kinds.index(setup.norm), focus.layer - 1],
            "part": 0.34,
            "alt": "Standard deviation of all numbers after each layer. "
            + "; ".join(
                f"{kind}-norm from {short(row[0])} to {short(row[-1])}" for kind, row in zip(kinds, deviations.tolist(), strict=True)
            ),
            "matrices": [
                board.matrix(
                    "deviation", deviations, ["post-norm", "pre-norm"],
                    [f"layer {k + 1}" for k in range(setup.layers)], ("norm", "layer"), "x",
                "standard deviation after each layer", scale="plain",
                )
            ],
        },
        "board_norms",
    )  # fmt: skip
    elements.markdown(claims.norms(handed_on["post"], deviations[kinds.index("pre")].tolist()))

show.why(
    "Why add the input again?",
    "Without it a block would have to pass on everything worth keeping through its own matrices. With it, a block whose parts "
    "find little changes little, slopes have a short way to the lowest layer, and each part only has to find what to "
    "add. The sum needs both sides to have d_model numbers: that is why the paper's W_o leads back to d_model.",
)
show.why(
    "What does the feed-forward part do?",
    say("Attention mixes words but, for given weights, only adds values up. The feed-forward part works on each word by itself, ")
    + f"and bends: to d_ff numbers, {claims.bend(setup.activation)}, back to d_model. Two thirds of a usual model's weights "
    "stand there.",
    "feed",
)

show.table(layer, stages, "block")
show.check_layer(setup, focus.layer)
show.footer("block")
