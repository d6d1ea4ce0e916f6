"""Step 5: the softmax: raw, scaled and masked scores, exponentials, division by the row's sum."""

from typing import Any

from core.forward.trace import Trace
from core.ops import attention
from core.quiz.predictions import without_and_with_root
from core.reference.checks import largest
from core.text.text import labels
from core.weights.weights import may_attend_in_steps
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import masks as masks_said
from pages.shared.captions import weights as claims
from pages.shared.layout import predict, show
from pages.shared.layout.page import Parts
from pages.shared.page_components.weights import by_d_k, sampled_scores
from pages.shared.server import computed, run
from pages.shared.text import words

trace, focus = run.trace(), run.focus()
setup, names, asked_names = trace.setup, labels(trace.tokens), labels(trace.key_tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n, m, d_k = len(names), len(asked_names), setup.d_k
scores, weights = (trace.value(name)[head] for name in ("scores", "weights"))
may_attend = may_attend_in_steps(setup)
looks = words.attention(names[i], weights[i].tolist(), asked_names)

page = Parts()
PAIRS = "query key"
# From the raw scores to the softmax's input; in some setups ⁴√d_k divides queries and keys instead.
RAW = tuple(dict.fromkeys(("scores", *trace.stages("weights")[:-1])))
SHARED = ("exp", "weights")
in_order = list(trace)
tabled = in_order[in_order.index("scores") : in_order.index("weights") + 1]
made = [name for name in tabled[1:-1] if trace[name].call]  # copies need no formula
called = [f"{trace[name].symbol} are the {name} scores" for name in RAW[1:]]
called[0] += ", here as they were" if trace.value("scaled").equal(trace.value("scores")) else ""
last = trace[RAW[-1]].symbol
ready = words.sections.latex(trace[RAW[-1]])
TITLES = {name: f"{trace[name].symbol}, {name}" for name in RAW} | {
    "scores": "ω, raw",
    "shifted": f"{last} − m, less the row's largest",
    "exp": f"exp({last} − m)",
    "weights": "α = exp / row sum",
}
SYMBOLS = {"shifted": f"({last} − m)", "exp": f"exp({last} − m)"}
# The stages that each lecture beat shows.
IN_A_ROW = {"scaled": RAW, "powers": (RAW[-1], "shifted", "exp"), "shares": SHARED}


# The softmax's own steps between masked scores and weights.
def steps_of(trace: Trace) -> Trace:
    steps = trace.at({"head": head}, "masked")
    return steps.also("shifted", PAIRS, attention.shift, "masked").also(
        "exp", PAIRS, attention.exponentials, "masked"
    )


in_steps, held = steps_of(trace), run.held()
held_steps = steps_of(computed.traced(held)) if held and head < held.heads else None


def stage(name: str, top: float, rows: slice = slice(None), **look: Any) -> board.Matrix:
    """Return one stage as a matrix. Scores are coloured up to `top`; exponentials and weights have
    row sums."""
    look |= {"sums": True} if name in SHARED else {"top": top}
    look |= entries.SHARES_IN_GREY if name == "exp" else {}
    of, beside = (trace, None) if name in trace else (in_steps, held_steps)
    look |= {"beside": beside, "clickable": True, "symbol": SYMBOLS.get(name, "")}
    return entries.matrix(of, name, head, TITLES[name], rows=rows, **look)


@page.figure("scaled", "powers", "shares")
def draw_row():
    stages = IN_A_ROW.get(lecture.current_beat(), (*RAW, "shifted", *SHARED))
    top = max(
        largest(scores[i]), 1e-12
    )  # scaled to this row alone, or its numbers could be too pale
    board.matrices(
        *(
            stage(name, top, rows=slice(i, i + 1), hide_columns=place > 0, close=True)
            for place, name in enumerate(stages)
        ),
        key="board_weights_row",
        stacked=True,
        linked="column",
        main=len(stages) - 1,
        chosen=(0, j),
        chooses=board.choice(key="column"),
        plays={"as": "softmax"} if "exp" in stages else None,
        min_width=6,
        max_width=96,
        of_screen=0.5 if lecture.current_beat() == "shares" else 0.72,
        alt=f"The row of {names[i]} in {len(stages)} steps. Its weights: "
        + ", ".join(
            f"{name} {words.percent(share, 1)}"
            for share, name in zip(weights[i].tolist(), asked_names, strict=True)
        ),
    )
    if lecture.shows("shares") and not lecture.is_brief():
        show.plain(looks)
    if not may_attend[i, j]:
        show.plain(masks_said.describe_masked_pair(names[i], asked_names[j]))
    predict.show("weights", trace, focus, "row")


@page.closer("formula")
def draw_formula():
    show.formula_and_code(
        words.lines(
            *(words.formula(trace, name, (n, m)) for name in (*made, "weights")),
            rf"{words.role('weights', 'α_{ij}')} = "
            rf"\frac{{e^{{{ready}_{{ij}} - m_i}}}}"
            rf"{{\sum_{{l=1}}^{{{m}}} e^{{{ready}_{{il}} - m_i}}}} "
            rf"\quad m_i = \max_l {ready}_{{il}}",
        ),
        attention.softmax,
        attention.shift,
        *(trace[name].call.function for name in made),
        symbols=f"{'; '.join(called)}. :violet[**α**] (alpha) are the weights: "
        "$α_{ij}$ is the share of its attention that word $i$ gives to word $j$. "
        f"$m_i$ is the largest number of row $i$ of {last}, e = 2.718 …" + claims.divisor(setup),
    )


@page.closer("full", "shares")
def draw_chosen_share():
    for name in () if lecture.is_on() else made:
        show.one_line(trace, name, (head, i, j), words.cell(name, names[i], asked_names[j]))
    cell = trace["weights"].origin.open(trace, (head, i, j))
    show.share(cell, words.cell("weights", names[i], asked_names[j]), j)


@page.part(in_lecture=False)
def explain_the_power_of_e():
    show.why(
        "Why e to the power of a score, and not the score itself?",
        "Scores can be below 0, and their sum can be 0: divided by it, they are no shares. e to any"
        " number is above 0, and grows with it. So the order of the scores stays, and each share is"
        " above 0, however small. Only −∞, which a mask puts in a score's place, gives 0.",
    )


@page.part(in_lecture=False)
def explain_what_the_largest_is_for():
    show.why(
        "Why is the largest score m of the row subtracted first?",
        "e to a large number is too large for a computer. Subtracting m divides every exponential"
        " of the row, and so their sum, by the same eᵐ: the shares stay the same, and the largest"
        " exponential is e⁰ = 1.",
    )


@page.part(in_lecture=False)
def not_a_weight_that_is_learned():
    show.why(
        "Is an attention weight learned?",
        "No. An attention weight α is computed anew for each sentence, from its scores. Learned"
        " are the numbers of the table, W_q, W_k, W_v and W_o: training sets them once, and then"
        " they are the same for every sentence. Code often says weights for these too.",
    )


@page.part("along")
def along_the_row():
    show.why(
        "Why softmax along the row?",
        (
            "A row belongs to one query: it says how that word divides its attention. So each row"
            " must sum to 1. A column need not: a word may be looked at by all words or by none."
            " Run down the columns instead, the softmax still gives numbers that look like shares,"
            " but what one word gives no longer sums to 1. "
        )
        + claims.row_sums(),
        "along",
    )


@page.closer("root", "root", title="Why √d_k?")
def draw_with_and_without_the_root():
    both = without_and_with_root(trace)
    said = claims.division(names[i], *(each.value("weights")[head, i] for each in both))
    show.plain(said)
    look = {"rows": slice(i, i + 1), "close": True, "clickable": True}
    board.matrices(
        *(
            entries.matrix(
                each,
                "weights",
                head,
                f"α, {how} √d_k",
                called=how,
                hide_columns=how == "with",
                **look,
            )
            for how, each in zip(("without", "with"), both, strict=True)
        ),
        key="board_unscaled",
        stacked=True,
        linked="column",
        chosen=(0, j),
        chooses=board.choice(key="column"),
        max_width=96,
        of_screen=0.4,
        alt=said,
    )


@page.part("root")
def explain_what_the_root_is_for():
    show.why(
        "What do scores have to do with a root?",
        "A score is a sum of d_k products, and the more there are, the further scores lie apart, as"
        " a rule. Where one is far above the others, the softmax gives it nearly everything, and a"
        " small change of it hardly changes a weight: the slope is nearly zero, and training, which"
        " follows slopes, stops. Dividing by √d_k keeps them from spreading so far (Vaswani et al."
        " 2017).",
        "root",
    )


@page.closer("fold_variance", "variance", title="Why the root, and not d_k?")
def explain_why_a_root():
    sampled_scores.show(setup)


@page.closer("fold_curves", "curves", title="What changes as d_k grows?")
def draw_over_d_k():
    by_d_k.show(setup)


page.tables(trace, tabled)
page.check(trace, "weights")
page.draw()
