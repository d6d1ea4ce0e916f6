"""Step 7: all heads side by side, concatenated, multiplied by W_o."""

from core.analysis import contributions
from core.ops import heads
from core.reference import checks
from core.text.text import labels
from core.text.written import count
from pages.shared import board, lecture, panel
from pages.shared.board import entries
from pages.shared.captions import heads as claims
from pages.shared.layout import contribution, predict, show
from pages.shared.layout.page import Parts
from pages.shared.page_components.heads import ablation
from pages.shared.server import run
from pages.shared.text import elements, words

trace, focus = run.trace(), run.focus()
setup, names, asked_names = trace.setup, labels(trace.tokens), labels(trace.key_tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n, m, h, d_v = len(names), len(asked_names), setup.heads, setup.d_v
weights, context, concat, output = (
    trace.value(name) for name in ("weights", "context", "concat", "output")
)
out = output.shape[1]
b_o = trace["b_o"].value if "b_o" in trace else None
column = focus.column_of(out)
of_head = slice(head * d_v, (head + 1) * d_v)  # the head's columns of concat, its rows of W_o
inner = focus.column_of(d_v)
concat_column = of_head.start + inner
whole = (
    lecture.is_on() or n + h + d_v <= 40
)  # larger matrices would be too long; one word's row is shown instead
crowded = h * n > 150  # small pictures without numbers
MAX_TOLD = 6  # heads with a line of text below the figure

has_w_o = "w_o" in trace
study = trace.also("split", "head query d_v", heads.split, "concat", heads=h)
if has_w_o:
    study = study.also("contribution", "head query out", heads.contributions, "context", "w_o")
    parts, made_parts = study.value("contribution"), words.made_by(study, "contribution")
bias_latex = "" if b_o is None else f" + {words.write_with_shape('output', 'b_o', (out,))}"
times_w_o = (
    rf"\,{words.write_with_shape('output', 'W_o', (h * d_v, out))}{bias_latex}" if has_w_o else ""
)
blocks_latex = r"\;".join(
    [words.role("output", "Z_1"), r"\cdots", words.role("output", f"Z_{{{h}}}")][
        : 1 if h == 1 else 3
    ]
)
concat_latex = rf"\left[\,{blocks_latex}\,\right]"
only = ":orange[**Z₁**] is the context of the only head: here that is concat. "
several = ":orange[**Z₁**] to :orange[**Zₕ**] are the heads' contexts, side by side: concat. "

if not lecture.is_on():
    panel.control("part")

# The page's three parts, the last with or without W_o.
each_head, beside, with_w_o, without_w_o = Parts(), Parts(), Parts(), Parts()


@each_head.figure("heads", asks="heads")
def explain_what_each_head_looks_at():
    board.matrices(
        *map(weights_of, range(h)),
        key="board_heads",
        across=4 if crowded else min(h, 3 if n <= 10 else 2),
        main=head,
        chosen=(i, j),
        chooses=board.choice(
            {f"head {k + 1}": {"head": k + 1} for k in range(h)}, query="row", key="column"
        ),
        of_screen=0.7,
        max_zoom=1.5 if h <= 3 else 2,
        min_width=4,
        max_width=14 if crowded else 44,
        min_height=6,
        max_height=26 if not crowded else 10 if h * n <= 400 else 6,
        alt=(
            f"The weights of {count(h, 'head')}, {n} by {m}. In head {focus.head}, {names[i]} gives"
            f" most to {asked_names[int(weights[head, i].argmax())]},"
            f" {words.percent(weights[head, i].max().item())}."
        ),
    )
    if 1 < h <= MAX_TOLD and not lecture.is_on():
        show.plain("\n".join(claims.describe_largest_weights(weights, names[i], i, asked_names)))


def weights_of(k: int) -> board.Matrix:
    """Return one head's weights (head from 0); the selected head is framed."""
    frame = (0, n, 0, m) if k == head and h > 1 else None
    name, symbol = f"head {k + 1}", f"α_{k + 1}"
    return entries.matrix(
        trace,
        "weights",
        k,
        f"α, {name}",
        called=name,
        clickable=True,
        frame=frame,
        symbol=symbol,
        sums=not crowded and not lecture.is_on(),  # larger numbers take their place
    )


@each_head.part("why")
def explain_why_several():
    show.why(
        "Why several heads?",
        "One head has one set of shares for each word: what it gives to the verb it cannot give to"
        " the subject. Averaging both into one row would blur them. Heads look side by side, each"
        " with matrices of its own, small ones in the paper (Vaswani et al. 2017, section 3.2.2),"
        " and none knows what another found: W_o is the first to mix that. Trained heads do"
        " specialise; drawn ones do not.",
    )


@each_head.closer("fold_brought", title="Which word brings most?", in_lecture=False)
def draw_looked_at_and_brought():
    contribution.draw_weights_and_norms(trace, head, i, asked_names)


@beside.figure("concat", asks="concat")
def side_by_side():
    number, numbers = (
        words.number(concat[i, concat_column].item()),
        [f"{c // d_v + 1}·{c % d_v + 1}" for c in range(h * d_v)],
    )
    board.matrices(
        entries.matrix(
            trace,
            "concat",
            column_labels=numbers,
            wide=True,
            blocks=[k * d_v for k in range(1, h)],
            hide_columns=h * d_v <= board.SEEN_WHOLE,
            clickable=True,
            frame=(i, i + 1, of_head.start, of_head.stop),
        ),
        key="board_concat",
        stacked=True,
        chosen=(i, concat_column),
        chooses=board.choice(query="row", head=("column", d_v)),
        min_width=0.5,
        of_screen=0.62,
        alt=(
            f"Concat: {n} by {h * d_v}, in {count(h, 'block')} of {d_v}. Number {concat_column + 1}"
            f" of {names[i]} is {number}."
        ),
    )
    show.plain(
        f"{words.cell('concat', names[i], numbers[concat_column])}, number {inner + 1} of head"
        f" {focus.head}, is {words.cell('context', f'head {focus.head}', names[i], inner + 1)} ="
        f" {number}. It stands in column {concat_column + 1} of {h} · {d_v} = {h * d_v}."
    )


@beside.closer("cut", "cut", title="Cut into heads again")
def cut_again():
    elements.markdown(
        "The row that you follow, cut into heads again: (head · d_v) becomes (head, d_v)."
    )
    board.matrices(
        entries.matrix(
            study,
            "split",
            title="one word's row, cut",
            at={"query": i},
            wide=True,
            clickable=True,
            frame=(head, head + 1, 0, d_v),
        ),
        key="board_split",
        stacked=True,
        chosen=(head, inner),
        chooses=board.choice(head="row"),
        alt=(
            f"The concat row of {names[i]} as {count(h, 'row')} of {d_v}, one for each head. Head"
            f" {focus.head} has {words.number(concat[i, concat_column].item())} at place"
            f" {inner + 1}."
        ),
    )


@beside.closer("check", in_lecture=False)
def draw_way_back():
    same = checks.largest_difference(study.value("split"), context) == 0
    elements.markdown(
        ":material/check: Cut apart, concat is"
        f" {'equal to the last bit to' if same else '**not** equal to'} the heads' contexts."
    )


@beside.part(in_lecture=False)
def explain_why_cut_it_in_two_steps():
    show.why("Why not read it as (head, token, d_v) at once?", claims.TWO_STEPS)


@with_w_o.figure("output")
@without_w_o.figure("output")
def draw_output():
    board.matrices(
        entries.matrix(trace, "output", wide=True, clickable=True, frame=(i, i + 1, 0, out)),
        key="board_output",
        stacked=True,
        chosen=(i, column),
        chooses=board.choice(query="row", column="column"),
        of_screen=0.4,
        **(
            {"min_height": 8, "max_height": 14 if n <= 16 else 8}
            if n > 8 and not lecture.is_on()
            else {}
        ),
        alt=(
            f"The output Y, {n} by {out}: a row for each token."
            f" {words.cell('output', names[i], column + 1)} is"
            f" {words.number(output[i, column].item())}."
        ),
    )


@with_w_o.closer("own_part", "part", title="One head's part of it")
def explain_what_a_head_adds():
    if not lecture.is_on():
        elements.markdown(
            (
                f"Rows {of_head.start + 1} to {of_head.stop} of W_o belong"
                if d_v > 1
                else f"Row {of_head.stop} of W_o belongs"
            )
            + f" to head {focus.head} alone: "
            + ("its context" if whole else "the followed word's row of its context")
            + f" times {'them' if d_v > 1 else 'it'} is its contribution to the output."
        )


@with_w_o.closer("own_part", "part")
def draw_part_of_a_head():
    rows = slice(None) if whole else slice(i, i + 1)
    board.product(
        entries.matrix(trace, "context", head, f"Z, head {focus.head}", rows=rows),
        entries.matrix(
            trace,
            "w_o",
            title="its rows of W_o",
            axes=("d_v", "out"),
            rows=of_head,
            row_labels=board.number_labels(d_v),
        ),
        entries.matrix(study, "contribution", head, rows=rows, clickable=True),
        key="board_w_o",
        chosen=(i if whole else 0, column),
        chooses=board.choice(**({"query": "row"} if whole else {}), column="column"),
        alt=(
            f"Context of head {focus.head}, {n if whole else 1} by {d_v}, times its"
            f" {count(d_v, 'row')} of W_o gives its contribution:"
            f" {words.number(parts[head][i, column].item())} to column {column + 1} of {names[i]}."
        ),
    )


@with_w_o.part("parts")
def draw_parts_added_up():
    show.plain(f"Every head's contribution to {words.quote(names[i])}, and their sum, the output:")
    summands, dims = contributions.summands(parts, b_o)[:, i], board.number_labels(out)
    rows = [f"head {k + 1}" for k in range(h)] + ([] if b_o is None else ["bias"])
    top = checks.largest(summands, output[i])
    board.matrices(
        board.Matrix(
            "contributions",
            summands,
            rows,
            dims,
            ("head", "out"),
            "output",
            wide=True,
            top=top,
            made=made_parts,
        ),
        entries.matrix(
            trace,
            "output",
            rows=slice(i, i + 1),
            row_labels=["sum"],
            wide=True,
            clickable=True,
            top=top,
        ),
        key="board_contributions",
        stacked=True,
        linked="column",
        add_up=True,
        plays={"as": "rows", "heads": h, "each": d_v},
        main=1,
        chosen=(0, column),
        chooses=board.choice(column="column"),
        max_height=26 if lecture.is_on() else min(26, max(11, 130 // h)),
        min_height=11,
        of_screen=0.66,
        alt=(
            f"{count(h, 'contribution')} and their sum, the output of {names[i]}: "
            f"{words.number(output[i, column].item())} in column {column + 1}."
        ),
    )
    predict.show("heads", trace, focus)


@with_w_o.closer("check", in_lecture=False)
def draw_sum_is_the_product():
    apart = checks.largest_difference(contributions.add_up(parts, b_o), output)
    elements.markdown(
        ":material/check: The sum over heads and the single product concat · W_o "
        f"{show.difference(apart, checks.largest(output))}."
    )


@with_w_o.closer("full", in_lecture=False)
def draw_chosen_cell():
    cell = contributions.open_cell(parts, b_o, output, i, column)
    heads_of_it = [f"head {k + 1}" for k in range(h)]
    name = words.cell("output", names[i], column + 1)
    show.cell_sum(cell, name, "head", heads_of_it, "terms_heads")


@with_w_o.part("output")
def explain_why_w_o():
    show.why(
        "Why W_o?",
        "Side by side, the results of several heads lie in separate columns: nothing has combined"
        " them yet, and the row is as long as all heads together. W_o lets every number of the"
        " output draw on every head, and brings the row to the size that comes next. In a"
        " transformer the output is added to the input X (a residual connection), so it must have"
        " d_model numbers; the notebook behind this explorer maps to d_v instead (**Output size**"
        " in the setup).",
        "output",
    )


@without_w_o.part("part", "parts", "output")
def no_w_o():
    elements.markdown(claims.NO_W_O)


@with_w_o.closer("line", "line", title="All of it in one line")
@without_w_o.closer("line", "line", title="All of it in one line")
def one_line():
    symbols = {trace.compared[0]: "Q_h", "k_t": "K_h^⊤", "v": words.role("v", "V_h")}
    attention_latex = words.nested(trace, "context", symbols)
    of_all = (
        rf"\mathrm{{concat}}_{{h=1}}^{{{h}}}\left[\,{attention_latex}\,\right]"
        rf" {words.role('output', 'W_o')}{bias_latex}"
    )
    with elements.container(key="line"):
        elements.latex(
            rf"{words.write_with_shape('output', 'Y', (n, out))} ="
            rf" {of_all if has_w_o else attention_latex}"
        )
    with lecture.large():
        elements.markdown(claims.ONE_LINE)


def draw_formula():
    show.formula_and_code(
        rf"{words.write_with_shape('output', 'Y', (n, out))} = \underset{{\scriptstyle"
        rf" {n}{{\times}}{h}\cdot{d_v}}}{{{concat_latex}}}{times_w_o}",
        heads.concatenate,
        *([heads.combine] if has_w_o else []),
        *(
            [heads.contributions]
            if has_w_o and focus.part == "mixed by W_o" and not lecture.is_on()
            else []
        ),
        weights=trace["weights"].call.function,
        symbols=f"{only if h == 1 else several}:orange[**Y**] is the output"
        + (
            f": concat times **W_o**{'' if b_o is None else ', plus b_o'}."
            if has_w_o
            else ", here the only head's context."
        ),
    )


in_their_order = {
    "each head": each_head,
    "side by side": beside,
    "mixed by W_o": with_w_o if has_w_o else without_w_o,
}
on_screen = in_their_order.values() if lecture.is_on() else [in_their_order[focus.part]]
page = Parts([part for parts_of_it in on_screen for part in parts_of_it.parts])
page.closer("formula")(draw_formula)
if has_w_o:
    page.closer("sizes", title="Narrow, wide, free", in_lecture=False)(
        lambda: elements.markdown(claims.sizes(setup))
    )
    page.closer("heads_off", title="Which head counts most?", in_lecture=False)(
        lambda: ablation.show(parts, output, names, i)
    )
page.tables(trace, ["context", "concat", *(["w_o"] if has_w_o else []), "output"])
page.check(trace, "output")
page.draw()
