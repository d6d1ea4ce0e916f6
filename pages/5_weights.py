"""Step 5: raw, scaled, masked, e to the power, divided by the row's sum."""

import math

import pandas as pd
import streamlit as st

from core import attention, masks, spread
from core.text import labels
from pages.shared import board, charts, show, state, words

trace = state.trace()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = setup.head - 1, setup.query - 1, setup.key - 1
n, d_k = len(names), setup.d_k
exps = attention.exponentials(trace.value("masked"))
weights = trace.value("weights")[head]
DIVISORS = {"sqrt": rf"\sqrt{{{d_k}}}", "fourth-root": rf"\sqrt[4]{{{d_k}}}\sqrt[4]{{{d_k}}}", "none": "1"}

show.header("weights")
temperature = "" if setup.temperature == 1 else rf"\cdot {setup.temperature:g}"
mask_note = r" + \text{mask}" if setup.mask != "none" else ""
scale_functions = {"sqrt": [attention.scale], "none": [attention.scale], "fourth-root": [attention.scale_both_sides]}
show.formula_and_code(
    words.lines(
        rf"{words.sized('weights', 'α', (n, n))} = \mathrm{{softmax}}_{{\text{{row}}}}\!\left("
        rf"\frac{{{words.sized('result', 'ω', (n, n))}}}{{{DIVISORS[setup.scale]}{temperature}}}{mask_note}\right)",
        rf"α_{{ij}} = \frac{{e^{{ω''_{{ij}}}}}}{{\sum_{{m=1}}^{{{n}}} e^{{ω''_{{im}}}}}}",
    ),
    *scale_functions[setup.scale],
    *([attention.mask] if setup.mask != "none" else []),
    attention.exponentials,
    attention.softmax,
)

STAGES = (
    ("scores", "1 · raw", trace.value("scores")[head], "result", {}),
    ("scaled", "2 · scaled", trace.value("scaled")[head], "result", {}),
    ("masked", "3 · masked", trace.value("masked")[head], "result", {}),
    ("exp", "4 · e to the power", exps[head], "weights", {"scale": "sequential", "top": 1}),
    ("weights", "5 · divided by the row sum: α", weights, "weights", {"scale": "sequential", "top": 1}),
)


def row_sums(name, values):
    return {"sums": board.pack(values.sum(dim=-1))} if name in ("exp", "weights") else {}


show.heading("One row, step by step")
share = weights[i].tolist()
ranked = sorted(zip(share, names, strict=True), reverse=True)[:2]
show.plain(
    f"“{names[i]}” gives " + " and ".join(f"{part:.0%} of its attention to “{name}”" for part, name in ranked) + "."
)
board.show(
    {
        "view": "matrices",
        "layout": "stack",
        "linked": "column",
        "chosen": [0, j],
        "main": 4,
        "alt": f"The row of {names[i]} in five steps. Its weights: "
        + ", ".join(f"{name} {part:.1%}" for part, name in zip(share, names, strict=True)),
        "matrices": [
            board.matrix(
                name, values[i : i + 1], [names[i]], names, ("query", "key"), role, title,
                clickable=True, hideColumns=place > 0, close=True, **more, **row_sums(name, values[i : i + 1]),
            )
            for place, (name, title, values, role, more) in enumerate(STAGES)
        ],
    },
    "board_weights_row",
    state.on_choice("board_weights_row", lambda cell: {"key": cell["column"] + 1}),
)  # fmt: skip
cell = trace["weights"].origin.open(trace, (head, i, j))
total = sum(term.value for term in cell.terms)
show.plain(
    f"weights[{names[i]}, {names[j]}] = {words.number(cell.terms[j].value)} / {words.number(total)} = "
    f"{words.number(cell.value)}: {cell.rule}."
)
st.caption(
    "Before e is raised to a score, the row's largest is subtracted: the quotient stays the same and nothing overflows, so "
    "the largest becomes e⁰ = 1. "
    + (
        "No mask is on, so step 3 repeats step 2."
        if setup.mask == "none"
        else "Where a word may not look, the mask puts −∞, and e to −∞ is 0."
    )
)

show.heading("Every row")
board.show(
    {
        "view": "matrices",
        "across": 3 if n <= 8 else 2,
        "linked": True,
        "chosen": [i, j],
        "main": 4,
        "largest": 46,
        "alt": f"Five matrices of {n} by {n}: raw, scaled, masked, e to the power, weights. Each row of weights sums to 1.",
        "matrices": [
            board.matrix(
                name,
                values,
                names,
                names,
                ("query", "key"),
                role,
                title,
                clickable=True,
                **more,
                **row_sums(name, values),
            )
            for name, title, values, role, more in STAGES
        ],
    },
    "board_weights",
    state.on_choice("board_weights", lambda cell: {"query": cell["row"] + 1, "key": cell["column"] + 1}),
)

show.heading("Why divide by √d_k?")
raw = attention.mask(trace.value("scores")[head], masks.MASKS[setup.mask](n))[i : i + 1]
raw_row, scaled_row = attention.softmax(raw), attention.softmax(attention.scale(raw, d_k))
show.plain(
    f"The row of “{names[i]}” without and with the division. Its largest weight is "
    f"{words.number(raw_row.max().item())} without and {words.number(scaled_row.max().item())} with it."
)
board.show(
    {
        "view": "matrices",
        "layout": "stack",
        "linked": "column",
        "chosen": [0, j],
        "alt": f"Weights of {names[i]} without scaling and with: the largest is {raw_row.max().item():.1%} without and "
        f"{scaled_row.max().item():.1%} with it.",
        "matrices": [
            board.matrix(
                name, values, [names[i]], names, ("query", "key"), "weights", title,
                scale="sequential", top=1, hideColumns=place > 0, close=True, clickable=True,
            )
            for place, (name, title, values) in enumerate(
                (("unscaled", "softmax(ω)", raw_row), ("scaled", "softmax(ω / √d_k)", scaled_row))
            )
        ],
    },
    "board_unscaled",
    state.on_choice("board_unscaled", lambda cell: {"key": cell["column"] + 1}),
)  # fmt: skip
measured = spread.measure(setup, trace.value("x"))
power = spread.growth(measured)
first, last = measured[0], measured[-1]
st.markdown(
    "A score is a sum of d_k products, so longer vectors make scores that lie further apart. Where one score stands far above "
    "the others, the softmax gives it nearly everything, its slope is nearly zero, and training stops moving. Dividing by "
    "√d_k keeps the spread in hand (Vaswani et al. 2017, section 3.2.1, note 4). Below, for d_k from 1 to 512: the standard "
    "deviation of all scores; a row's largest weight; and the largest slope w(1 − w) of the softmax in a row, which is "
    "0.25 at most and is what learning has to pass through. The last two are means over the rows."
)
CURVES = (
    ("spread of the scores", "log", lambda s: (s.deviation, s.deviation / s.d_k**0.5)),
    ("largest weight", "share", lambda s: s.largest_weight),
    ("largest slope", "slope", lambda s: s.slope),
)
for place, (title, kind_of_scale, both) in zip(st.columns(3), CURVES, strict=True):
    rows = [
        {"d_k": s.d_k, "kind": kind, "value": value, "mine": d_k}
        for s in measured
        for kind, value in zip(("not scaled", "divided by √d_k"), both(s), strict=True)
        if s.deviation > 0
    ]
    place.vega_lite_chart(
        pd.DataFrame(rows, columns=["d_k", "kind", "value", "mine"]).round(6),
        charts.over_d_k(title, kind_of_scale),
        key=f"spread_{kind_of_scale}",
        alt=f"{title} over d_k from 1 to 512. Not scaled it goes from {both(first)[0]:.3g} to {both(last)[0]:.3g}, "
        f"divided by √d_k from {both(first)[1]:.3g} to {both(last)[1]:.3g}.",
    )
NOTES = {
    "normal": "The paper's argument assumes queries and keys of mean 0 and independent parts: then the power is 0.5, and √d_k "
    "is just right. Weights drawn from a normal distribution come close to that.",
    "uniform": "The paper's argument assumes parts of mean 0, which gives a power of 0.5. These weights lie between 0 and 1, "
    "mean 0.5: all parts of a query lean the same way, the products add up instead of cancelling, and the power is nearer "
    "1. Dividing by √d_k helps, but not enough. Set **Weights drawn** to normal and compare.",
    "xavier": "Xavier's bound shrinks as d_k grows, faster than the scores can: here the spread falls by itself for large "
    "d_k, and dividing by √d_k makes the weights more even still. Real models draw with a bound that depends on "
    "d_model alone.",
}
if not math.isnan(power):
    st.caption(
        f"Drawn from this setup's own words and its own kind of weights ({setup.init}), seed {setup.seed}; the dashed line is "
        f"your d_k = {d_k}. From d_k = 8 on, the spread grows like d_k to the power {power:.2f}. {NOTES[setup.init]}"
    )
show.why(
    "Why softmax along the row?",
    "A row belongs to one query: it says how that word divides its attention. So each row must sum to 1, and the columns "
    "need not: a word may be looked at by all or by nobody. Run along the wrong axis, the weights still look like "
    "probabilities, but what flows into one word no longer sums to 1. One of the notebooks behind this explorer does just "
    "that and gets sums from 0.002 to 4.",
)

show.table(trace, ["scores", "scaled", "masked", "weights"], "weights")
show.check(trace, "weights")
show.footer("weights")
