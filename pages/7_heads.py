"""Step 7: all heads side by side, concatenated, mixed by W_o."""

import pyarrow as pa

from core import agreement, contributions, counts, heads
from core.text import labels
from pages.shared import board, claims, elements, entries, exercises, lecture, show, state, suggestions, words
from pages.shared.page import Page

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n, h, d_v = len(names), setup.heads, setup.d_v
weights, context, concat, output = (trace.value(name) for name in ("weights", "context", "concat", "output"))
out = output.shape[1]
column = focus.column_of(out)
of_head = slice(head * d_v, (head + 1) * d_v)  # the head's columns of concat, and its rows of W_o
inner = min(column, d_v - 1)
place = of_head.start + inner
say = claims.in_tokens(setup)

mixed = "w_o" in trace
parts = heads.contributions(context, trace.value("w_o")) if mixed else None
b_o = trace["b_o"].value if "b_o" in trace else None
bias_latex = "" if b_o is None else f" + {words.sized('result', 'b_o', (out,))}"
times_w_o = rf"\,{words.sized('result', 'W_o', (h * d_v, out))}{bias_latex}" if mixed else ""
blocks_latex = r"\;".join([words.role("result", "Z_1"), r"\cdots", words.role("result", f"Z_{{{h}}}")][: 1 if h == 1 else 3])
concat_latex = rf"\left[\,{blocks_latex}\,\right]"
contexts = (
    ":orange[**Z₁**] is the context of the only head: here that is concat. "
    if h == 1
    else say(
        ":orange[**Z₁**] to :orange[**Zₕ**] are the contexts of the h heads, side by side in one row for each word: that is concat. "
    )
)

show.header("heads", claims.headline("heads", setup))
show.formula_and_code(
    rf"{words.sized('result', 'Y', (n, out))} = \underset{{\scriptstyle {n}{{\times}}{h}\cdot{d_v}}}{{{concat_latex}}}{times_w_o}",
    heads.concatenate,
    *([heads.combine] if mixed else []),
    symbols=f"{contexts}:orange[**Y**] is the output, "
    + ("W_o the matrix that makes it of concat." if mixed else "here the only head's context."),
)
lecture.question(names, i)

# What every setup has, what only one with W_o has, and what stands in its place.
page, with_w_o, without_w_o = Page(), Page(), Page()


@page.part("heads")
def what_each_head_looks_at():
    show.heading("What each head looks at")
    crowded = h * n > 150  # small pictures without numbers, or the page would be metres long
    board.matrices(
        *map(weights_of, range(h)),
        key="board_heads",
        across=4 if crowded else min(h, 3 if n <= 10 else 2),
        main=head,
        chosen=(i, j),
        chooses=board.choice({f"head {k + 1}": {"head": k + 1} for k in range(h)}, query="row", key="column"),
        part=0.7,
        max_zoom=1.5 if h <= 3 else 2,
        min_width=4,
        max_width=14 if crowded else 44,
        min_height=6,
        max_height=10 if crowded else 26,
        alt=f"The weights of {claims.count(h, 'head')}, {n} by {n}. In head {focus.head}, {names[i]} gives most to "
        f"{names[int(weights[head, i].argmax())]}, {words.percent(weights[head, i].max().item())}.",
    )


def weights_of(k: int) -> board.Matrix:
    """Who looks at whom in one head (from 0), known by that head; the one that is followed is framed."""
    frame = (0, n, 0, n) if k == head and h > 1 else None
    return entries.matrix(trace, "weights", k, f"α, head {k + 1}", called=f"head {k + 1}", clickable=True, frame=frame)


@page.part(in_lecture=False)
def how_to_follow_a_head():
    elements.caption("Click a cell to follow that head and pair on every page.")


@page.part("why")
def why_several():
    show.why(
        "Why several heads?",
        say("One head has one set of shares for each word: ")
        + "what it gives to the verb it cannot give to the subject. Averaging both into one row would blur them. Heads look at "
        "different things side by side, each with matrices of its own, small ones in the paper (Vaswani et al. 2017, section 3.2.2). "
        "Trained heads do specialise" + claims.specialised(setup) + (claims.edited(setup, but=("w_o", "b_o")) if mixed else ""),
    )


@page.part("concat")
def what_side_by_side_is():
    show.heading("Side by side: concat, and the way back")
    if not lecture.on():
        elements.markdown(
            say(
                f"Each head made {claims.count(d_v, 'number')} for each word. Side by side that is one row of {h} · {d_v} = {h * d_v}"
            )
            + ("; the lines mark where a head ends" if h > 1 else "")
            + ". Nothing is computed here, numbers only move."
        )


@page.part("concat")
def side_by_side():
    number, numbers = words.number(concat[i, place].item()), [f"{c // d_v + 1}·{c % d_v + 1}" for c in range(h * d_v)]
    board.matrices(
        entries.matrix(
            trace, "concat", column_labels=numbers, wide=True, blocks=[k * d_v for k in range(1, h)], hide_columns=True,
            clickable=True, frame=(i, i + 1, of_head.start, of_head.stop),
        ),
        key="board_concat",
        stacked=True,
        chosen=(i, place),
        chooses=board.choice(query="row", head=("column", d_v)),
        plays={"as": "concat"},
        min_width=0.5,
        part=0.62,
        alt=f"Concat: {n} by {h * d_v}, in {claims.count(h, 'block')} of {d_v}. Number {place + 1} of {names[i]} is {number}.",
    )  # fmt: skip
    show.plain(
        f"{words.cell('concat', names[i], numbers[place])}, number {inner + 1} of head {focus.head}, is "
        f"{words.cell('context', f'head {focus.head}', names[i], inner + 1)} = {number}. It stands in column {place + 1} of {h * d_v}."
    )


@page.part("cut")
def cut_again():
    elements.markdown(
        "The row that you follow, cut into heads again: (head · d_v) becomes (head, d_v), and the cell stays the same."
    )
    board.matrices(
        board.Matrix(
            "split", heads.split(concat[i : i + 1], h)[:, 0], [f"head {k + 1}" for k in range(h)], board.numbered(d_v),
            ("head", "d_v"), "result", say("one word's row, cut"), wide=True, clickable=True, frame=(head, head + 1, 0, d_v),
        ),
        key="board_split",
        stacked=True,
        chosen=(head, inner),
        chooses=board.choice(head="row"),
        alt=f"The concat row of {names[i]} as {claims.count(h, 'row')} of {d_v}, one for each head. Head {focus.head} "
        f"has {words.number(concat[i, place].item())} at place {inner + 1}.",
    )  # fmt: skip


@page.part(in_lecture=False)
def the_way_back():
    same = agreement.largest_difference(heads.split(concat, h), context) == 0
    elements.markdown(
        f":material/check: Cut apart, concat is {'equal to the last bit to' if same else '**not** equal to'} the heads' "
        f"contexts.{say(claims.way_back(setup))}"
    )


@with_w_o.part("part")
def what_a_head_adds():
    show.heading("Mixed by W_o: every head's own part")
    if not lecture.on():
        elements.markdown(
            "The rows of W_o belong to heads: "
            + (f"rows {of_head.start + 1} to {of_head.stop} are" if d_v > 1 else f"row {of_head.stop} is")
            + f" multiplied with head {focus.head} alone. Here is that head's context times its rows, its contribution to the "
            "output."
        )
        elements.code(show.source(heads.contributions), language="python", wrap_lines=True)


@with_w_o.part("part")
def the_part_of_a_head():
    part, dims = parts[head], board.numbered(d_v)
    board.product(
        entries.matrix(trace, "context", head, f"Z, head {focus.head}"),
        entries.matrix(trace, "w_o", title="its rows of W_o", axes=("d_v", "out"), rows=of_head, row_labels=dims),
        board.Matrix("contribution", part, names, board.numbered(out), ("query", "out"), "result", clickable=True),
        key="board_w_o",
        chosen=(i, column),
        chooses=board.choice(query="row", column="column"),
        alt=f"Context of head {focus.head}, {n} by {d_v}, times its {claims.count(d_v, 'row')} of W_o gives its "
        f"contribution: {words.number(part[i, column].item())} to column {column + 1} of {names[i]}.",
    )


@with_w_o.part("parts")
def the_parts_added_up():
    show.plain(f"Every head's contribution to {words.quoted(names[i])}, and their sum, the output:")
    added = contributions.summands(parts, b_o)[:, i]
    rows = [f"head {k + 1}" for k in range(h)] + ([] if b_o is None else ["bias"])
    top = max(added.abs().max().item(), output[i].abs().max().item())
    board.matrices(
        board.Matrix("contributions", added, rows, board.numbered(out), ("head", "out"), "result", wide=True, top=top),
        entries.matrix(trace, "output", rows=slice(i, i + 1), row_labels=["sum"], wide=True, clickable=True, top=top),
        key="board_contributions",
        stacked=True,
        linked="column",
        add_up=True,
        plays={"as": "rows", "heads": h, "each": d_v},
        main=1,
        chosen=(0, column),
        chooses=board.choice(column="column"),
        part=0.66,
        alt=f"{claims.count(h, 'contribution')} and their sum, the output of {names[i]}: "
        f"{words.number(output[i, column].item())} in column {column + 1}.",
    )


@with_w_o.part(in_lecture=False)
def the_chosen_cell():
    apart = agreement.largest_difference(contributions.add_up(parts, b_o), output)
    elements.markdown(
        f":material/check: The sum over heads and the single product concat · W_o {show.difference(apart)} "
        f"(the largest output is {words.number(output.abs().max().item())} in size)."
    )
    show.heading("The chosen cell in full")
    cell = contributions.open_cell(parts, b_o, output, i, column)
    show.cell_sum(cell, words.cell("output", names[i], column + 1), "head", [f"head {k + 1}" for k in range(h)], "terms_heads")


@with_w_o.part("output")
def why_w_o():
    show.why(
        "Why W_o?",
        "Side by side, the results of several heads lie in separate columns: nothing has combined them yet, and the row is as long "
        "as all heads together. W_o lets every number of the output draw on every head, and brings the row to the size that "
        "comes next. In a transformer the output is added to the input X (a residual connection), so it must have d_model "
        "numbers; the notebook behind this explorer maps to d_v instead (**Output size** in the sidebar).",
        "output",
    )


@with_w_o.part(in_lecture=False)
def sizes():
    show.heading("Narrow, wide and free heads, on these sizes")
    narrow, d_model = counts.narrow(setup), setup.d_model
    rule = "d_k = d_v = d_model / heads" + ("" if narrow else f": {h} does not divide {d_model}")
    rows = [
        ("narrow", rule, *in_cells(narrow)),
        ("wide", "d_k = d_v = d_model", *in_cells(counts.wide(setup))),
        ("as set now", setup.sizes, *in_cells(counts.as_set(setup))),
    ]
    columns = ("heads are", "rule", "d_k", "d_v", "concat", "weights in all")
    table = pa.table([list(column) for column in zip(*rows, strict=True)], names=columns)
    elements.table(table, {}, alt="Sizes and number of weights for narrow, wide and the present heads.")
    elements.caption(
        f"Counted for d_model = {d_model}, {claims.count(h, 'head')} and the output size chosen ({setup.out}); biases "
        "apart. Where W_o maps back to d_model, narrow heads cost the same whatever their number: they share d_model out "
        "among themselves. Of h wide heads each has all of it, and they cost h times as much. The paper uses narrow ones, 8 of 64 for "
        "d_model = 512. Nothing in the mathematics ties d_k and d_v to d_model: W_o makes up for it."
    )


def in_cells(sizes: counts.HeadSizes | None) -> list[str]:
    """A kind of heads in a row of the table; dashes where there is none."""
    return [str(sizes.d_k), str(sizes.d_v), str(sizes.concat), f"{sizes.parameters:,}"] if sizes else ["–"] * 4


@without_w_o.part("part", "parts", "output")
def no_w_o():
    elements.markdown(
        "**This setup has no W_o.** Without projections there is one head, and its context is the output: the last matrix "
        "above is the result. Choose **Projections: learned** in the sidebar for several heads and W_o."
    )


@with_w_o.part("line")
@without_w_o.part("line")
def one_line():
    show.heading("All of it in one line")
    inside = "Q_h K_h^⊤" if setup.scale == "none" else rf"\frac{{Q_h K_h^⊤}}{{\sqrt{{{setup.d_k}}}}}"
    inside = rf"\frac{{1}}{{{setup.temperature:g}}} \cdot {inside}" if setup.temperature != 1 else inside
    inside += r" + \text{mask}" if setup.mask != "none" else ""
    attention_latex = rf"\mathrm{{softmax}}_{{\text{{row}}}}\!\left({inside}\right) {words.role('v', 'V_h')}"
    side_by_side = rf"\mathrm{{concat}}_{{h=1}}^{{{h}}}\left[\,{attention_latex}\,\right]"
    whole = f"{side_by_side} {words.role('result', 'W_o')}{bias_latex}" if mixed else attention_latex
    with elements.container(key="line"):
        elements.latex(rf"{words.sized('result', 'Y', (n, out))} = {whole}")
    with lecture.large():
        elements.markdown(claims.one_line(setup))


page.draw()
(with_w_o if mixed else without_w_o).draw()
rows = f"{of_head.start + 1}-{of_head.stop}" if d_v > 1 else f"{of_head.stop}"
off = suggestions.Suggestion(
    f"Head {focus.head} off: its rows of W_o = 0",
    f"w_o.{rows}=0",
    lambda before, after: claims.head_off(before, after, i),
)
suggestions.offer(setup, "heads", off)
exercises.show("heads")
show.table(trace, ["context", "concat", *(["w_o"] if mixed else []), "output"], "heads")
show.check(trace, "output")
show.footer("heads")
