"""The transformer block: one word's vector on its way through."""

from core import block, encoder, norms, training_store
from core.origin import Product, Sum
from core.text import labels
from core.written import count, short
from pages.shared import board, panel
from pages.shared.board import entries
from pages.shared.frame import lecture, show
from pages.shared.frame.page import Parts
from pages.shared.link.focus import Focus
from pages.shared.parts.block import layer_weights
from pages.shared.said import elements, tables, words
from pages.shared.said.claims import block as claims
from pages.shared.said.claims import common, trained
from pages.shared.server import (
    computed,
    run,
)

setup, focus = run.setup(), run.focus()
names = labels(setup.tokens)
n, d_model = len(names), setup.d_model
i, column = focus.query - 1, focus.column_of(d_model)
layer = computed.layer(setup, focus.layer)
beside = entries.layer_held(focus.layer)
post = setup.norm == "post"
say = common.in_tokens(setup)

# As the formula writes them.
ACTIVATION = setup.activation.partition("_")[0]  # gelu_tanh is gelu by another formula
GATED = setup.activation == "swiglu"
INSIDE = (  # the feed-forward part
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
# Which stages stand on a branch beside the residual stream: one that leaves the stream, joins it
# again, or does both.
POST = {
    "x": "",
    "output": "both",
    "resid_mid": "",
    "normed_1": "",
    "ffn_out": "both",
    "resid_post": "",
    "out": "",
}
PRE = {
    "x": "",
    "normed_1": "leaves",
    "output": "joins",
    "resid_mid": "",
    "normed_2": "leaves",
    "ffn_out": "joins",
    "out": "",
}
branches = POST if post else PRE
stages = list(branches)


def formulas():
    """Return the block's two sums under the setup's norm, and its feed-forward part, as LaTeX."""
    norm, feed, output = r"\mathrm{norm}", r"\mathrm{feed}", r"\mathrm{attention}"
    rows = (n, d_model)
    if post:
        sums = (
            rf"{words.sized('x', 'N', rows)} = {norm}\big(X + {output}(X)\big)",
            rf"{words.sized('x', 'Out', rows)} = {norm}\big(N + {feed}(N)\big)",
        )
    else:
        sums = (
            rf"{words.sized('x', 'A', rows)} = X + {output}\big({norm}(X)\big)",
            rf"{words.sized('x', 'Out', rows)} = A + {feed}\big({norm}(A)\big)",
        )
    up, down = (
        words.sized("v", "W_1", (d_model, setup.d_ff)),
        words.sized("v", "W_2", (setup.d_ff, d_model)),
    )
    if GATED:
        gate = words.sized("v", r"W_{gate}", (d_model, setup.d_ff))
        return words.lines(
            *sums,
            rf"{feed}(N) = \Big(\mathrm{{silu}}\big(N\,{gate}\big) \odot N\,{up}\Big)\,{down}",
        )
    return words.lines(*sums, rf"{feed}(N) = \mathrm{{{ACTIVATION}}}\big(N\,{up}\big)\,{down}")


def called(name: str) -> str:
    """Call a stage by its letter, where it has one, else by its formula."""
    return TITLES[name].split(" =")[0]


def symbol(name: str) -> str:
    """Return what one number of a stage is called; a sum stands in brackets."""
    return {"x": "x", "output": "y"}.get(name) or (
        f"({called(name)})" if " + " in called(name) else called(name)
    )


stage = focus.stage if focus.stage in layer else Focus().stage

page = Parts()


def written_spreads(rows):
    """Write mean and standard deviation of the word's vector at each stage as a reader would."""
    return {
        # rounding's −0.0000 is 0
        name: (
            f"mean {words.number(round(mean, 4) + 0.0)}, spread {words.number(standard_deviation)}"
        )
        for name, (mean, standard_deviation) in block.spreads(rows).items()
    }


def stage_row(name: str, note: str) -> board.Stage:
    """Return the word's row at one stage; where it stands on a branch, how that meets the
    stream."""
    row = entries.matrix(
        layer,
        name,
        title=TITLES[name],
        axes=("token", "d_model"),
        rows=slice(i, i + 1),
        beside=beside,
        clickable=True,
    )
    return board.Stage(row, note, branches[name])


@page.figure("stream")
def the_stream():
    rows = {name: layer.value(name)[i] for name in stages}
    notes = written_spreads(rows)
    board.stream(
        *(stage_row(name, note) for name, note in notes.items()),
        hidden=layer.value("ffn_activated")[i],
        activation=ACTIVATION,
        key="board_stream",
        main=stages.index(stage if stage in stages else "resid_mid"),
        chosen=(0, column),
        chooses=board.choice(
            {name: {"stage": name} for name in stages if name != "x"}, column="column"
        ),
        alt=f"The vector of {names[i]}, {count(d_model, 'number')}, at {len(stages)} stages. "
        + " ".join(f"{TITLES[name]}: {note}." for name, note in notes.items()),
    )
    way = (
        f"{words.quoted(names[i])} on its way through layer {focus.layer} of {setup.layers}."
        " Spread: standard deviation."
    )
    show.plain(way + claims.another_y(setup))
    if lecture.on():
        elements.caption(how_long_the_parts_are())


def how_long_the_parts_are() -> str:
    """Say what each part adds, beside what it is added to."""
    return claims.lengths(
        {name: layer.value(name)[i] for name in stages}, setup.norm, setup.norm_kind
    )


@page.part()
def the_formula():
    show.formula_and_code(
        formulas(),
        block.add,
        norms.rms_norm if setup.norm_kind == "rms" else norms.layer_norm,
        block.ACTIVATIONS[setup.activation],
        *([block.let_through] if GATED else []),
        symbols=claims.what_a_norm_does(setup)
        + (
            "The gate is W_gate's product through silu: it says how much of each number of H goes"
            " on. "
            if GATED
            else ""
        )
        + "W_1 takes a row to d_ff numbers, H, and W_2 back to d_model"
        + (", each with a bias, b_1 and b_2." if setup.bias == "on" else "."),
    )


@page.part(in_lecture=False)
def what_the_stack_learned():
    if setup.init == "trained":
        show.why(
            "What have these weights learned?",
            trained.stack_learned(setup, training_store.get(setup, "stack")),
        )


@page.part()
def which_stage():
    with elements.container(key="stage"):  # so that a link can hide it
        titles = {called(name): name for name in TITLES if name in layer and name != "x"}
        panel.tabs(
            "Stage to open below",
            {title: {"stage": name} for title, name in titles.items()},
            called(stage),
            visible=True,
        )


@page.before_exercises("cell")
def the_chosen_cell():
    show.heading(f"The chosen cell in full: {TITLES[stage]}", "full")
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
        [called(term.factors[0].name) for term in cell.terms]
        if isinstance(entry.origin, Sum)
        else []
    )
    if parts and not lecture.on():
        show.two_added(cell, name, parts)
    else:
        show.cell_of(
            entry.origin, cell, name, parts or tables.term_labels(cell), axis, "terms_block"
        )


@page.part("every")
def every_word():
    show.heading(say("Every word"))
    pictures = ("x", "output", "normed_1" if post else "resid_mid", "out")
    board.matrices(
        *(
            entries.matrix(
                layer,
                name,
                title=TITLES[name] if lecture.on() else called(name),
                axes=("token", "d_model"),
                beside=beside,
                wide=True,
                clickable=True,
                symbol=symbol(name),
            )
            for name in pictures
        ),
        key="board_block",
        across=4 if d_model <= 16 and not lecture.on() else 2,
        linked=True if lecture.on() else "values",  # a lecture has no room for four lines
        main=pictures.index(stage if stage in pictures else "output"),
        chosen=(i, column),
        chooses=board.choice(
            {name: {"stage": name} for name in pictures[1:]}, query="row", column="column"
        ),
        of_screen=0.78,
        **(
            {"min_height": 8, "max_height": 8} if n > 16 and not lecture.on() else {}
        ),  # all four in one line
        alt=(
            f"Four stages of {count(n, 'token')}: what comes in, what attention adds, the sum and"
            f" what comes out: {words.number(layer.value('out')[i, column].item())} in column"
            f" {column + 1} of {names[i]}."
        ),
    )
    elements.caption(
        say(
            "Attention is the only part where words meet: norm and feed-forward work on each row by"
            " itself."
        )
    )


@page.part("norms")
def the_two_norms():
    if not setup.real:  # a model has the norm that it learned with
        show.folded("Which norm keeps rows from growing?", "fold_norms", both_norms)


def both_norms():
    """Show how large the rows are after each layer, with either norm."""
    outs = computed.handed_on(setup)
    norms, standard_deviations = list(outs), encoder.standard_deviations(outs)
    of_each = dict(zip(norms, standard_deviations.tolist(), strict=True))
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
            alt="Standard deviation of all numbers after each layer. "
            + "; ".join(
                f"{norm}-norm from {short(row[0])} to {short(row[-1])}"
                for norm, row in of_each.items()
            ),
        )
        elements.markdown(claims.norms(outs["post"], of_each["pre"], setup.norm_kind))


page.draw()
show.why(
    "Why add the input again?",
    "Without it a block would have to carry everything worth keeping through its own matrices."
    " With it, each part only has to find what to add: a part that adds little changes little, and"
    " in training the gradient has a short way down to the lowest layer."
    f" {claims.back_to_d_model(setup)}",
)
if not lecture.on():
    show.why("How much does each part add?", how_long_the_parts_are())
show.why(
    "What does the feed-forward part do?",
    say(
        "Attention mixes words, but for given weights it only adds values up. The feed-forward part"
        " works on each word by itself: "
    )
    + f"it takes the row to d_ff numbers, {claims.negatives_become(setup.activation)}, and back to"
    " d_model. About two thirds of a usual transformer block's weights are there.",
    "feed",
)
layer_weights.show(setup, layer, focus)
show.table(layer, stages, "block")
show.check_layer(setup, focus.layer)
