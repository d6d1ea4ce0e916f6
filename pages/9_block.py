"""The transformer block: one word's vector from input to output."""

from core.forward import encoder
from core.layers import block
from core.ops import norms
from core.text.text import labels
from core.text.written import count
from core.trace.origin import Product, Sum
from core.training import training_store
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import block as claims
from pages.shared.captions import trained
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.link.focus import Focus
from pages.shared.page_components.block import layer_weights
from pages.shared.server import (
    computed,
    run,
)
from pages.shared.text import elements, tables, words

setup, focus = run.setup(), run.focus()
names = labels(setup.tokens)
n, d_model = len(names), setup.d_model
i, column = focus.query - 1, focus.column_of(d_model)
layer = computed.layer(setup, focus.layer)
beside = entries.layer_held(focus.layer)
post = setup.norm == "post"

# As written in the formula.
ACTIVATION = setup.activation.partition("_")[0]  # gelu_tanh is an approximation of gelu
GATED = setup.activation == "swiglu"
INSIDE = (  # in the feed-forward part
    {"ffn_hidden": "H", "ffn_gate": "G", "ffn_opened": "silu(G)", "ffn_activated": "silu(G) · H"}
    if GATED
    else {"ffn_hidden": "H", "ffn_activated": f"{ACTIVATION}(H)"}
)
TITLES = (
    {
        "x": "X",
        "output": "Y = attention(X)",
        "resid_mid": "X + Y",
        "normed_1": "N = norm(X + Y)",
        **INSIDE,
        "ffn_out": "F = feed(N)",
        "resid_post": "N + F",
        "out": "Out = norm(N + F)",
    }
    if post
    else {
        "x": "X",
        "normed_1": "norm(X)",
        "output": "Y = attention(norm(X))",
        "resid_mid": "A = X + Y",
        "normed_2": "norm(A)",
        **INSIDE,
        "ffn_out": "F = feed(norm(A))",
        "out": "Out = A + F",
    }
)
# How each stage's branch meets the residual stream: leaves it, joins it, or both. The gate has the
# same input as H.
POST = {
    "x": "",
    "output": "both",
    "resid_mid": "",
    "normed_1": "",
    "ffn_hidden": "leaves",
    "ffn_gate": "leaves",
    "ffn_opened": "goes on",
    "ffn_activated": "goes on",
    "ffn_out": "joins",
    "resid_post": "",
    "out": "",
}
PRE = {
    "x": "",
    "normed_1": "leaves",
    "output": "joins",
    "resid_mid": "",
    "normed_2": "leaves",
    "ffn_hidden": "goes on",
    "ffn_gate": "goes past",
    "ffn_opened": "goes on",
    "ffn_activated": "goes on",
    "ffn_out": "joins",
    "out": "",
}
branches = {name: how for name, how in (POST if post else PRE).items() if name in TITLES}
stages = [name for name in branches if name not in INSIDE]  # stages of size d_model


def formulas():
    """Return the two residual sums and the feed-forward part as LaTeX."""
    norm, feed, output = r"\mathrm{norm}", r"\mathrm{feed}", r"\mathrm{attention}"
    rows = (n, d_model)
    if post:
        sums = (
            rf"{words.write_with_shape('x', 'N', rows)} = {norm}\big(X + {output}(X)\big)",
            rf"{words.write_with_shape('x', 'Out', rows)} = {norm}\big(N + {feed}(N)\big)",
        )
    else:
        sums = (
            rf"{words.write_with_shape('x', 'A', rows)} = X + {output}\big({norm}(X)\big)",
            rf"{words.write_with_shape('x', 'Out', rows)} = A + {feed}\big({norm}(A)\big)",
        )
    up, down = (
        words.write_with_shape("v", "W_1", (d_model, setup.d_ff)),
        words.write_with_shape("v", "W_2", (setup.d_ff, d_model)),
    )
    if GATED:
        gate = words.write_with_shape("v", r"W_{gate}", (d_model, setup.d_ff))
        return words.lines(
            *sums,
            rf"{feed}(N) = \Big(\mathrm{{silu}}\big(N\,{gate}\big) \odot N\,{up}\Big)\,{down}",
        )
    return words.lines(*sums, rf"{feed}(N) = \mathrm{{{ACTIVATION}}}\big(N\,{up}\big)\,{down}")


def name_stage(name: str) -> str:
    """Return a stage's letter, or else its formula."""
    return TITLES[name].split(" =")[0]


def symbol(name: str) -> str:
    """Return the symbol of one number of a stage; a sum stands in brackets."""
    return {"x": "x", "output": "y"}.get(name) or (
        f"({name_stage(name)})" if " + " in name_stage(name) else name_stage(name)
    )


stage = focus.stage if focus.stage in layer else Focus().stage

page = Parts()


def notes_on(rows):
    """Return each stage's rounded mean and standard deviation, and the count of positive numbers in
    the feed-forward part."""
    spreads = {
        # avoids −0.0000
        name: (
            f"mean {words.number(round(mean, 4) + 0.0)}, spread {words.number(standard_deviation)}"
        )
        for name, (mean, standard_deviation) in block.spreads(
            {name: rows[name] for name in stages}
        ).items()
    }
    return {
        name: spreads.get(name) or f"{int((row > 0).sum())} of {len(row)} above 0"
        for name, row in rows.items()
    }


def stage_row(name: str, note: str) -> board.Stage:
    """Return the word's row at one stage and how its branch meets the residual stream."""
    row = entries.matrix(
        layer,
        name,
        title=TITLES[name],
        axes=("token", "d_ff" if name in INSIDE else "d_model"),
        rows=slice(i, i + 1),
        beside=beside,
        clickable=True,
    )
    return board.Stage(row, note, branches[name], name in INSIDE)


@page.figure("stream")
def draw_stream():
    notes = notes_on({name: layer.value(name)[i] for name in branches})
    board.residual_stream(
        *(stage_row(name, note) for name, note in notes.items()),
        key="board_stream",
        main=list(branches).index(stage),
        chosen=(0, focus.column_of(layer.value(stage).shape[1])),
        chooses=board.choice(
            {name: {"stage": name} for name in branches if name != "x"}, column="column"
        ),
        alt=f"The vector of {names[i]}, {count(d_model, 'number')}, at {len(branches)} stages. "
        + " ".join(f"{TITLES[name]}: {note}." for name, note in notes.items()),
    )
    way = (
        f"{words.quote(names[i])} on its way through layer {focus.layer} of {setup.layers}."
        " Spread: standard deviation."
    )
    show.plain(way)
    if lecture.is_on():
        elements.caption(describe_lengths())


def describe_lengths() -> str:
    """Compare the length of each part's output with the vector it is added to."""
    return claims.lengths({name: layer.value(name)[i] for name in stages}, setup.norm)


@page.closer("formula")
def draw_formula():
    show.formula_and_code(
        formulas(),
        block.add,
        norms.rms_norm if setup.norm_kind == "rms" else norms.layer_norm,
        block.ACTIVATIONS[setup.activation],
        *([block.gate] if GATED else []),
        symbols=claims.NORMS[setup.norm_kind]
        + (
            "The gate is W_gate's product through silu: it says how much of each number of H goes"
            " on. "
            if GATED
            else ""
        )
        + "W_1 takes a row to d_ff numbers, H, and W_2 back to d_model"
        + (", each with a bias, b_1 and b_2." if setup.bias == "on" else "."),
    )


@page.closer("full", "cell")
def draw_chosen_cell():
    show.heading(TITLES[stage])
    entry = layer[stage]
    at = min(column, entry.value.shape[1] - 1)
    cell = entry.origin.open(layer, (i, at))
    axis = (
        layer[cell.terms[0].factors[0].name].dims[-1]
        if isinstance(entry.origin, Product)
        else "part"
    )
    name = words.cell(symbol(stage), names[i], at + 1)
    parts = (
        [name_stage(term.factors[0].name) for term in cell.terms]
        if isinstance(entry.origin, Sum)
        else []
    )
    if parts and not lecture.is_on():
        show.two_added(cell, name, parts)
    else:
        show.cell_of(
            entry.origin, cell, name, parts or tables.term_labels(cell), axis, "terms_block"
        )


if not setup.real:  # a pretrained model keeps the norm it was trained with

    @page.closer("fold_norms", "norms", title="Which norm keeps rows from growing?")
    def both_norms():
        """Show the size of the rows after each layer, with either norm."""
        outs = computed.compute_outputs(setup)
        norms, standard_deviations = list(outs), encoder.standard_deviations(outs)
        of_each = dict(zip(norms, standard_deviations.tolist(), strict=True))
        said = claims.norms(of_each)
        with show.beside("norms"):
            board.matrices(
                board.Matrix(
                    "standard_deviation",
                    standard_deviations,
                    [f"{norm}-norm" for norm in norms],
                    [f"layer {k + 1}" for k in range(setup.layers)],
                    ("norm", "layer"),
                    "x",
                    "standard deviation after each layer",
                    scale="plain",
                    symbol="standard deviation",
                    made=words.made(encoder.standard_deviations, "outs"),
                ),
                key="board_norms",
                stacked=True,
                chosen=(norms.index(setup.norm), focus.layer - 1),
                max_width=76,
                of_screen=0.34,
                alt=f"Standard deviation of all numbers after each layer. {said.replace('**', '')}",
            )
            elements.markdown(said)


@page.closer("layer_weights", in_lecture=False, title="The layer's matrices: change them by hand")
def draw_layers_weights():
    layer_weights.draw(setup, layer, focus)


@page.part()
def draw_questions():
    if setup.init == "trained" and not lecture.is_on():
        show.why(
            "What have these matrices learned?",
            trained.describe_learning(setup, training_store.get(setup, "stack"), "stack"),
        )
    show.why(
        "Why add the input again?",
        "Without it a block would have to carry everything worth keeping through its own matrices."
        " With it, each part only has to find what to add: a part that adds little changes little,"
        " and in training the gradient has a short way down to the lowest layer."
        f" {claims.back_to_d_model(setup)}",
    )
    if not lecture.is_on():
        show.why("How much does each part add?", describe_lengths())
    show.why(
        "What does the feed-forward part do?",
        (
            "Attention mixes words, but for given attention weights it only adds values up. The"
            " feed-forward part works on each word by itself: "
        )
        + f"it takes the row to d_ff numbers, {claims.NEGATIVES_BECOME[setup.activation]}, and back"
        " to d_model. About two thirds of a usual transformer block's parameters are there.",
        "feed",
    )


page.tables(layer, stages)


@page.closer("check", in_lecture=False)
def draw_layer_against_pytorch():
    show.check_layer(setup, focus.layer)


page.draw()
