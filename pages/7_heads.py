"""Step 7: all heads side by side, concatenated, mixed by W_o."""

import pyarrow as pa
import torch

from core import heads
from core.origin import Cell, Ref, Term
from core.text import labels
from pages.shared import board, claims, elements, lecture, show, state, words

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n, h, d_v = len(names), setup.heads, setup.d_v
weights, context, concat, output = (trace.value(name) for name in ("weights", "context", "concat", "output"))
out = output.shape[1]
column = focus.column_of(out)
mixed = "w_o" in trace

say = claims.in_tokens(setup)
show.header("heads", claims.headline("heads", setup))
biased = f" + {words.sized('result', 'b_o', (out,))}" if "b_o" in trace else ""
w_o = rf"\,{words.sized('result', 'W_o', (h * d_v, out))}{biased}" if mixed else ""
blocks_latex = r"\;".join(
    [words.role("result", "Z_1"), r"\cdots", words.role("result", f"Z_{{{h}}}")][: 1 if h == 1 else 3]
)
concat_latex = rf"\left[\,{blocks_latex}\,\right]"
show.formula_and_code(
    rf"{words.sized('result', 'Y', (n, out))} = \underset{{\scriptstyle {n}{{\times}}{h}\cdot{d_v}}}{{{concat_latex}}}{w_o}",
    heads.concatenate,
    *([heads.combine] if mixed else []),
    symbols=(
        ":orange[**Z₁**] is the context of the only head: here that is concat. "
        if h == 1
        else say(
            ":orange[**Z₁**] to :orange[**Zₕ**] are the contexts of the h heads, side by side in one row for each word: that is "
            "concat. "
        )
    )
    + ":orange[**Y**] is the output, "
    + ("W_o the matrix that makes it of concat." if mixed else "here the only head's context."),
)

lecture.question(names, i)

if lecture.shows("heads"):
    show.heading("What each head looks at")
    crowded = h * n > 150  # small pictures without numbers, or the page would be metres long
    board.show(
        {
            "view": "matrices",
            "across": 4 if crowded else min(h, 3 if n <= 10 else 2),
            "chosen": [i, j],
            "main": head,
            "smallest": 4,
            "largest": 14 if crowded else 44,
            "low": 6,
            "part": 0.7,
            "most": 1.5 if h <= 3 else 2,
            "high": 10 if crowded else 26,
            "alt": f"The weights of {claims.count(h, 'head')}, {n} by {n}. In head {focus.head}, {names[i]} gives most to "
            f"{names[int(weights[head, i].argmax())]}, {words.percent(weights[head, i].max().item())}.",
            "matrices": [
                board.matrix(
                    f"head {k + 1}", weights[k], names, names, ("query", "key"), "weights", f"α, head {k + 1}",
                    scale="sequential", top=1, clickable=True, marks=[[0, n, 0, n]] if k == head and h > 1 else [],
                )
                for k in range(h)
            ],
        },
        "board_heads",
        board.choice({f"head {k + 1}": {"head": k + 1} for k in range(h)}, query="row", key="column"),
    )  # fmt: skip
    if not lecture.on():
        elements.caption("Click a cell to follow that head and pair on every page.")

show.why(
    "Why several heads?",
    say("One head has one set of shares for each word: ")
    + "what it gives to the verb it cannot give to the subject. Averaging both into one row would blur them. Heads look at "
    "different things side by side, each with matrices of its own, small ones in the paper (Vaswani et al. 2017, section 3.2.2). "
    "Trained heads do specialise"
    + ("; these are drawn at random." if mixed else "."),
)

blocks = [k * d_v for k in range(1, h)]
wide_dims = [f"{c // d_v + 1}·{c % d_v + 1}" for c in range(h * d_v)]
place = head * d_v + min(column, d_v - 1)
inner = place - head * d_v
if lecture.shows("concat"):
    show.heading("Side by side: concat, and the way back")
    if not lecture.on():
        elements.markdown(
            say(f"Each head made {claims.count(d_v, 'number')} for each word. Side by side that is one row of {h} · {d_v} = {h * d_v}")
            + ("; the lines mark where a head ends" if h > 1 else "")
            + ". Nothing is computed here, numbers only move."
        )
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "chosen": [i, place],
            "smallest": 0.5,
            "part": 0.62,
            "alt": f"Concat: {n} by {h * d_v}, in {claims.count(h, 'block')} of {d_v}. Number {place + 1} of "
            f"{names[i]} is {words.number(concat[i, place].item())}.",
            "matrices": [
                board.matrix(
                    "concat", concat, names, wide_dims, ("query", "head·d_v"), "result", "concat", wide=True, blocks=blocks,
                    hideColumns=True, clickable=True, marks=[[i, i + 1, head * d_v, (head + 1) * d_v]],
                )
            ],
        },
        "board_concat",
        board.choice(query="row", head=("column", d_v)),
    )  # fmt: skip
    show.plain(
        f"{words.cell('concat', names[i], wide_dims[place])}, number {inner + 1} of head {focus.head}, is "
        f"{words.cell('context', f'head {focus.head}', names[i], inner + 1)} = {words.number(concat[i, place].item())}. It stands "
        f"in column {place + 1} of {h * d_v}."
    )

if lecture.shows("cut"):
    elements.markdown(
        "The row that you follow, cut into heads again: (head · d_v) becomes (head, d_v), and the cell stays the same."
    )
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "chosen": [head, inner],
            "alt": f"The concat row of {names[i]} as {claims.count(h, 'row')} of {d_v}, one for each head. Head {focus.head} "
            f"has {words.number(concat[i, place].item())} at place {inner + 1}.",
            "matrices": [
                board.matrix(
                    "split", heads.split(concat[i : i + 1], h)[:, 0], [f"head {k + 1}" for k in range(h)], board.numbered(d_v),
                    ("head", "d_v"), "result", say("one word's row, cut"), wide=True, clickable=True, marks=[[head, head + 1, 0, d_v]],
                )
            ],
        },
        "board_split",
        board.choice(head="row"),
    )  # fmt: skip
    if not lecture.on():
        same = torch.equal(heads.split(concat, h), context)
        elements.markdown(
            f":material/check: Cut apart, concat is {'equal to the last bit to' if same else '**not** equal to'} the heads' "
            f"contexts.{say(claims.way_back(setup))}"
        )


def mixing():
    parts = heads.contributions(context, trace.value("w_o"))
    rows = slice(head * d_v, (head + 1) * d_v)
    sizes, dims = board.numbered(out), board.numbered(d_v)
    if lecture.shows("part"):
        show.heading("Mixed by W_o: every head's own part")
        if not lecture.on():
            elements.markdown(
                "The rows of W_o belong to heads: "
                + (f"rows {rows.start + 1} to {rows.stop} are" if d_v > 1 else f"row {rows.stop} is")
                + f" multiplied with head {focus.head} alone. Here is that head's context times its rows, its contribution to the "
                "output."
            )
            elements.code(show.source(heads.contributions), language="python", wrap_lines=True)
        board.show(
            {
                "view": "product",
                "axes": ["words", "dims", "dims"],
                "chosen": [i, column],
                "alt": f"Context of head {focus.head}, {n} by {d_v}, times its {claims.count(d_v, 'row')} of W_o gives its "
                f"contribution: {words.number(parts[head, i, column].item())} to column {column + 1} of {names[i]}.",
                "matrices": [
                    board.matrix(
                        "context", context[head], names, dims, ("query", "d_v"), "result", f"Z, head {focus.head}"
                    ),
                    board.matrix("w_o", trace.value("w_o")[rows], dims, sizes, ("d_v", "out"), "result", "its rows of W_o"),
                    board.matrix(
                        "contribution",
                        parts[head],
                        names,
                        sizes,
                        ("query", "out"),
                        "result",
                        "contribution",
                        clickable=True,
                    ),
                ],
            },
            "board_w_o",
            board.choice(query="row", column="column"),
        )
    bias = trace.get("b_o")
    added = parts[:, i] if bias is None else torch.cat([parts[:, i], bias.value[None]])
    top = max(added.abs().max().item(), output[i].abs().max().item())
    labels_of_rows = [f"head {k + 1}" for k in range(h)] + ([] if bias is None else ["bias"])
    if lecture.shows("parts"):
        show.plain(f"Every head's contribution to {words.quoted(names[i])}, and their sum, the output:")
        board.show(
            {
                "view": "matrices",
                "layout": "stack",
                "linked": "column",
                "addUp": True,
                "part": 0.66,
                "chosen": [0, column],
                "main": 1,
                "alt": f"{claims.count(h, 'contribution')} and their sum, the output of {names[i]}: "
                f"{words.number(output[i, column].item())} in column {column + 1}.",
                "matrices": [
                    board.matrix(
                        "contributions",
                        added,
                        labels_of_rows,
                        sizes,
                        ("head", "out"),
                        "result",
                        "contributions",
                        wide=True,
                        top=top,
                    ),
                    board.matrix(
                        "output",
                        output[i : i + 1],
                        ["sum"],
                        sizes,
                        ("query", "out"),
                        "result",
                        "Y",
                        wide=True,
                        clickable=True,
                        top=top,
                    ),
                ],
            },
            "board_contributions",
            board.choice(column="column"),
        )
    if not lecture.on():
        whole = parts.sum(dim=0) + (0 if bias is None else bias.value)
        apart = (whole - output).abs().max().item()
        elements.markdown(
            f":material/check: The sum over heads and the single product concat · W_o {show.difference(apart)} "
            f"(the largest output is {words.number(output.abs().max().item())} in size)."
        )
        show.heading("The chosen cell in full")
        terms = [
            Term((Ref("contribution", (k, i, column), parts[k, i, column].item()),), parts[k, i, column].item())
            for k in range(h)
        ]
        if bias is not None:
            b = bias.value[column].item()
            terms.append(Term((Ref("b_o", (column,), b),), b))
        cell = Cell(tuple(terms), output[i, column].item(), "the sum over heads")
        show.cell_sum(cell, words.cell("output", names[i], column + 1), "head", labels_of_rows[:h], "terms_heads")
    show.why(
        "Why W_o?",
        "Side by side, the results of several heads lie in separate columns: nothing has combined them yet, and the row is as long "
        "as all heads together. W_o lets every number of the output draw on every head, and brings the row to the size that "
        "comes next. In a transformer the output is added to the input X (a residual connection), so it must have d_model "
        "numbers; the notebook behind this explorer maps to "
        "d_v instead (**Output size** in the sidebar).",
        "output",
    )


def sizes():
    show.heading("Narrow, wide and free heads, on these sizes")
    d_model, d_k = setup.d_model, setup.d_k
    kinds = [
        ("narrow", "d_k = d_v = d_model / heads", *([d_model // h] * 2 if d_model % h == 0 else [None] * 2)),
        ("wide", "d_k = d_v = d_model", d_model, d_model),
        ("as set now", setup.sizes, d_k, d_v),
    ]
    made = pa.table(
        {
            "heads are": [kind for kind, *_ in kinds],
            "rule": [rule + ("" if k else f": {h} does not divide {d_model}") for _, rule, k, _ in kinds],
            "d_k": [str(k or "–") for _, _, k, _ in kinds],
            "d_v": [str(v or "–") for *_, v in kinds],
            "concat": [str(h * v if v else "–") for *_, v in kinds],
            "weights in all": [f"{count(k, v):,}" if k else "–" for _, _, k, v in kinds],
        }
    )
    elements.table(made, {}, alt="Sizes and number of weights for narrow, wide and the present heads.")
    elements.caption(
        f"Counted for d_model = {d_model}, {claims.count(h, 'head')} and the output size chosen ({setup.out}); biases "
        "apart. Where W_o maps back to d_model, narrow heads cost the same whatever their number: they share d_model out "
        "among themselves. Of h wide heads each has all of it, and they cost h times as much. The paper uses narrow ones, 8 of 64 for "
        "d_model = 512. Nothing in the mathematics ties d_k and d_v to d_model: W_o makes up for it."
    )


def count(d_k: int, d_v: int) -> int:
    return h * setup.d_model * (2 * d_k + d_v) + h * d_v * (d_v if setup.out == "d_v" else setup.d_model)


if mixed:
    mixing()
    if not lecture.on():
        sizes()
elif lecture.shows("part", "parts", "output"):
    elements.markdown(
        "**This setup has no W_o.** Without projections there is one head, and its context is the output: the last matrix "
        "above is the result. Choose **Projections: learned** in the sidebar for several heads and W_o."
    )


def one_line():
    show.heading("All of it in one line")
    inside = "Q_h K_h^⊤" if setup.scale == "none" else rf"\frac{{Q_h K_h^⊤}}{{\sqrt{{{setup.d_k}}}}}"
    inside = rf"\frac{{1}}{{{setup.temperature:g}}} \cdot {inside}" if setup.temperature != 1 else inside
    inside += r" + \text{mask}" if setup.mask != "none" else ""
    attended = rf"\mathrm{{softmax}}_{{\text{{row}}}}\!\left({inside}\right) {words.role('v', 'V_h')}"
    side_by_side = rf"\mathrm{{concat}}_{{h=1}}^{{{h}}}\left[\,{attended}\,\right]"
    made = f"{side_by_side} {words.role('result', 'W_o')}{biased}" if mixed else attended
    with elements.container(key="line"):
        elements.latex(rf"{words.sized('result', 'Y', (n, out))} = {made}")
    with lecture.large():
        elements.markdown(
            claims.one_line(setup)
        )


if lecture.shows("line"):
    one_line()
show.table(trace, ["context", "concat", *(["w_o"] if mixed else []), "output"], "heads")
show.check(trace, "output")
show.footer("heads")
