"""Step 5: raw, scaled, masked, e to the power, divided by the row's sum."""

import pyarrow as pa

from core import attention, masks
from core.text import labels
from core.written import short
from pages.shared import board, charts, claims, computed, elements, lecture, show, state, words

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n, d_k = len(names), setup.d_k
scores, scaled, masked, weights = (trace.value(name)[head] for name in ("scores", "scaled", "masked", "weights"))
shifted = attention.shift(masked)
exps = shifted.exp()
allowed = masks.MASKS[setup.mask](n)
say = claims.in_tokens(setup)
DIVISORS = {"sqrt": rf"\sqrt{{{d_k}}}", "fourth-root": rf"\sqrt[4]{{{d_k}}} \cdot \sqrt[4]{{{d_k}}}", "none": ""}
SCALES = {"sqrt": attention.scale, "fourth-root": attention.scale_both_sides, "none": attention.temper}

show.header("weights", claims.headline("weights", setup))
divisor = r" \cdot ".join(
    part for part in (DIVISORS[setup.scale], f"{setup.temperature:g}" * (setup.temperature != 1)) if part
)
masking = setup.mask != "none"
scaled_symbol, masked_symbol = "ω'", "ω''"
ready = masked_symbol if masking else scaled_symbol  # what goes into the softmax
raw = words.role("result", "ω")
steps = [rf"{words.sized('result', scaled_symbol, (n, n))} = " + (rf"\frac{{{raw}}}{{{divisor}}}" if divisor else raw)]
if masking:
    steps.append(rf"{words.role('result', ready)} = {words.role('result', scaled_symbol)} + \text{{mask}}")
show.formula_and_code(
    words.lines(
        r" \qquad ".join(steps),
        rf"{words.sized('weights', 'α', (n, n))} = \mathrm{{softmax}}_{{\text{{row}}}}({words.role('result', ready)})",
        rf"{words.role('weights', 'α_{ij}')} = \frac{{e^{{{ready}_{{ij}} - m_i}}}}{{\sum_{{l=1}}^{{{n}}} e^{{{ready}_{{il}} - m_i}}}} "
        rf"\quad m_i = \max_l {ready}_{{il}}",
    ),
    attention.softmax,
    attention.shift,
    SCALES[setup.scale],
    *([attention.mask] if masking else []),
    symbols=f"ω′ are the scaled scores{'' if divisor else ', here as they were'}{', ω″ the masked ones' if masking else ''}. "
    ":violet[**α**] (alpha) holds the weights: "
    + say("$α_{ij}$ is the share of its attention that word $i$ gives to word $j$. ")
    + f"$m_i$ is the largest {'masked' if masking else 'scaled'} score of row $i$, $l$ runs through all keys, e = 2.718 …"
    + claims.temperature(setup),
)

lecture.question(names, i)
looks = words.attention(names[i], weights[i].tolist(), names)

largest_score = scores.abs().max().item()
SHARES = {"scale": "sequential", "top": 1}
last = "ω″" if masking else "ω′"
RAW = (
    ("scores", "ω, raw", scores, "result", {"top": largest_score}),
    ("scaled", "ω′, scaled", scaled, "result", {"top": largest_score}),
    *([("masked", "ω″, masked", masked, "result", {"top": largest_score})] if masking else []),
)
SHIFT = ("shifted", f"{last} − m, less the row's largest", shifted, "result", {})
SHARED = (
    ("exp", f"exp({last} − m)", exps, "weights", SHARES),
    ("weights", "α = exp / row sum", weights, "weights", SHARES),
)
# In the picture of one row, the row's own largest score has the deepest colour.
IN_A_ROW = {"top": max(scores[i].abs().max().item(), 1e-12)}


def row_sums(name, values):
    return {"sums": board.pack(values.sum(dim=-1))} if name in ("exp", "weights") else {}


if lecture.shows("scaled", "powers", "shares"):
    show.heading("One row, step by step")
    if lecture.shows("shares"):
        show.plain(looks)
    if not allowed[i, j]:
        show.plain(
            f"{words.quoted(names[i])} may not look at {words.quoted(names[j])}, which comes later: the causal mask makes that "
            "score −∞ and its weight 0."
        )
    # In a lecture the row is written step by step.
    parts = {"scaled": RAW, "powers": (RAW[-1], SHIFT, SHARED[0]), "shares": SHARED}
    in_a_row = parts.get(lecture.shown(), (*RAW, SHIFT, *SHARED))
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "linked": "column",
            "largest": 96,
            "chosen": [0, j],
            "part": 0.5 if lecture.shown() == "shares" else 0.72,
            "main": len(in_a_row) - 1,
            "alt": f"The row of {names[i]} in {len(in_a_row)} steps. Its weights: "
            + ", ".join(f"{name} {part:.1%}" for part, name in zip(weights[i].tolist(), names, strict=True)),
            "matrices": [
                board.matrix(
                    name, values[i : i + 1], [names[i]], names, ("query", "key"), role, title,
                    clickable=True, hideColumns=place > 0, close=True, **row_sums(name, values[i : i + 1]),
                    **(IN_A_ROW if role == "result" else more),
                )
                for place, (name, title, values, role, more) in enumerate(in_a_row)
            ],
        },
        "board_weights_row",
        board.choice(key="column"),
    )  # fmt: skip
    if lecture.shows("shares"):
        cell = trace["weights"].origin.open(trace, (head, i, j))
        show.share(cell, words.cell("weights", names[i], names[j]), j)
    if not lecture.on():
        elements.caption(
            "Before e is raised to a score, the row's largest is subtracted. That divides numerator and denominator by the same "
            "number, so the shares stay what they are, and nothing overflows: the largest becomes e⁰ = 1. "
            + (say("Where a word may not look, the mask puts −∞, and e to −∞ is 0.") if masking else "")
        )

if lecture.shows("matrix"):
    show.heading("Every row")
    board.show(
        {
            "view": "matrices",
            "across": 2,
            "most": 1.6,
            "linked": True,
            "chosen": [i, j],
            "main": 1 if lecture.on() else len(RAW) + 1,
            "largest": 46,
            "alt": f"Matrices of {n} by {n}, the last of them the weights: each row sums to 1. {looks}",
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
                for name, title, values, role, more in ((RAW[-1], SHARED[-1]) if lecture.on() else (*RAW, *SHARED))
            ],
        },
        "board_weights",
        board.choice(query="row", key="column"),
    )

if lecture.shows("root"):
    show.heading("Why divide by √d_k?")
    raw = attention.mask(scores, allowed)[i : i + 1]
    raw_row, scaled_row = attention.softmax(raw), attention.softmax(attention.scale(raw, d_k))
    before, after = ((row[0], score[0]) for row, score in ((raw_row, raw), (scaled_row, attention.scale(raw, d_k))))
    show.plain(claims.division(names[i], before, after, d_k))
    board.show(
        {
            "view": "matrices",
            "layout": "stack",
            "linked": "column",
            "largest": 96,
            "chosen": [0, j],
            "part": 0.4,
            "alt": f"Weights of {names[i]} without scaling and with: the largest is {claims.largest_weight(*before)} without and "
            f"{claims.largest_weight(*after)} with it.",
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
        board.choice(key="column"),
    )  # fmt: skip
    elements.markdown(
        "A score is a sum of d_k products, so as a rule longer vectors make scores that lie further apart. Where one score stands "
        "far above the others, the softmax gives it nearly everything, and moving a score a little hardly moves any weight: the "
        "slope is nearly zero, and training, which follows slopes, stops. Dividing by √d_k is there to keep the spread in hand "
        "(Vaswani et al. 2017, section 3.2.1, note 4)."
    )

CURVES = (
    ("spread of the scores", "log", lambda s: (s.deviation, s.deviation / s.d_k**0.5)),
    ("largest weight", "share", lambda s: s.largest_weight),
    ("largest slope", "slope", lambda s: s.slope),
)
KINDS = ("not scaled", "divided by √d_k")


def draw_curves(measured):
    for place, (title, scale, both) in zip(elements.columns(3), CURVES, strict=True):
        values = {kind: [both(s)[k] for s in measured] for k, kind in enumerate(KINDS)}
        curve = pa.table(
            {
                "d_k": [s.d_k for s in measured] * len(KINDS),
                "kind": [kind for kind in KINDS for _ in measured],
                "value": [value for kind in KINDS for value in values[kind]],
                "mine": [d_k] * len(KINDS) * len(measured),
            }
        )
        (first, first_scaled), (last, last_scaled) = both(measured[0]), both(measured[-1])
        with place:
            elements.chart(
                curve,
                charts.over_d_k(title, scale, projected=lecture.on()),
                key=f"spread_{scale}",
                alt=f"The {title} over d_k from 1 to 512. Not scaled it goes from {short(first)} to {short(last)}, divided by √d_k "
                f"from {short(first_scaled)} to {short(last_scaled)}. A line stands at your d_k, {d_k}.",
            )
    grows = claims.growth(measured)
    if lecture.on():
        elements.markdown(grows)
        return
    drawn = "none" if setup.projections == "none" else setup.init
    kind = "without projections" if drawn == "none" else f"with weights drawn {drawn}"
    elements.caption(
        "Drawn for d_k from 1 to 512: the standard deviation of all scores; the largest weight of a row; and the largest slope "
        "w(1 − w) in a row, 0.25 at most. The last two are means over the rows. "
        f"{say('Your words')}, {kind}, seed {setup.seed}. {claims.left_out(setup)}{grows} {claims.why_it_grows(measured, drawn)}"
    )


if lecture.shows("curves"):
    measured = computed.spreads(setup)
    if measured[-1].deviation > 0:
        draw_curves(measured)
    else:
        elements.caption(
            say("With these words all scores are equal, so there is no spread to draw. Type a sentence with different words.")
        )

show.why(
    "Why softmax along the row?",
    say(
        "A row belongs to one query: it says how that word divides its attention. So each row must sum to 1, and the columns "
        "need not: a word may be looked at by all or by nobody. Run along the wrong axis, the weights still look like "
        "probabilities, but what one word gives away no longer sums to 1. "
    )
    + claims.row_sums(),
    "along",
)

show.table(trace, ["scores", "scaled", "masked", "weights"], "weights")
show.check(trace, "weights")
show.footer("weights")
