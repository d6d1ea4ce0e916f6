"""The next word: a probability for each word from the stack's last row (or the [MASK] row), then
sampling."""

from dataclasses import replace

from core.analysis import attribution
from core.forward import masked_lm, next_word
from core.forward.word_origins import TopK, TopP
from core.ops.attention import softmax
from core.reference.checks import largest
from core.text.text import isolate
from pages.shared import board, lecture, panel
from pages.shared.board import entries
from pages.shared.captions import kv_cache
from pages.shared.captions import next_word as said
from pages.shared.layout import compare, show
from pages.shared.layout.page import Drawn, Parts
from pages.shared.link import pinned
from pages.shared.page_components.next import candidates, lens, why
from pages.shared.page_components.next import logits as logits_board
from pages.shared.server import computed, run
from pages.shared.text import elements, words

setup, focus = run.setup(), run.focus()
covered = masked_lm.looks_ahead(setup)  # BERT-style models predict the word at [MASK]
if why_none := masked_lm.explain_no_word(setup):
    board.nothing(nothing=why_none, key="board_next_word", alt=why_none)
    candidates.way_to_a_trained_one()
    raise Drawn
trace, at = computed.said(setup), masked_lm.place(setup) if covered else None
logits, d_model, size = trace.value("logits"), setup.d_model, len(trace.value("logits"))
shown = next_word.shown(trace)
names = candidates.name_pieces(trace, shown)
opened = focus.column_of(len(shown))
place, word = shown[opened], names[opened]
normed = "normed_top" in trace
TOP = "normed_top" if normed else "last"
ROW = "t" if covered else "norm(Out_n)" if normed else "Out_n"
LOGITS = r"\mathrm{logits}"

if lecture.current_beat() == "question":
    asked = "Which word stands there?" if covered else "Which word comes next?"
    pieces = [isolate(token.replace("\n", "↵")) for token in setup.tokens]
    board.words(
        names=pieces if covered else [*pieces, "…"],
        said=asked,
        query=len(setup.tokens) if at is None else at,
        key="board_question",
        alt=f"{setup.text} … {asked}",
    )

page = Parts()


@page.part("shares")
def draw_stage():
    candidates.draw(setup, trace, shown, opened, at=at)


@page.figure("shares")
def explain_what_the_shares_are_worth():
    lines = [*filter(None, (said.explain_shares(setup), said.cut(trace)))]
    if lines and not lecture.is_brief():
        show.plain(" ".join(lines))
    if not setup.learns_words and not setup.real:
        candidates.way_to_a_trained_one()


@page.part("path")
def draw_from_the_logits_to_the_shares():
    show.heading("From the logits to the shares")
    kinds = {"top_k": TopK, "top_p": TopP}
    steps = [
        name
        for name in candidates.TITLES
        if name not in kinds or candidates.cuts(trace, kinds[name])
    ]
    top = max(largest(logits[shown], trace.value("tempered")[shown]), 1e-12)
    if not lecture.is_on():
        panel.tabs(
            "Words' temperature",
            temperatures(),
            f"{setup.word_temperature:g}" if focus.held is None else "",
            visible=True,
        )
        with elements.container(key="held_temperatures"):
            compare.show(at_temperatures=True)
    board.matrices(
        *(
            entries.matrix(
                trace,
                name,
                columns=shown,
                column_labels=names,
                title=candidates.title(setup, name),
                hide_columns=k > 0,
                close=True,
                clickable=True,
                symbol=candidates.SYMBOLS[name],
                **(entries.SHARES_IN_GREY if k >= len(steps) - 2 else {"top": top}),
            )
            for k, name in enumerate(steps)
        ),
        key="board_path",
        stacked=True,
        linked="column",
        main=len(steps) - 2,
        chosen=(0, opened),
        chooses=board.choice(column="column"),
        min_width=6,
        max_width=84,
        of_screen=0.64,
        alt=(
            f"From logits to shares in {len(steps)} steps, for the likeliest {len(shown)} of"
            f" {size:,}."
        ),
    )
    show.plain(candidates.write_out_share(setup, trace, place, word))


def temperatures() -> dict[str, dict[str, str]]:
    """Return links to three temperatures, and to two of them side by side."""
    low, high = "0.1", "3"
    beside = pinned.write(replace(setup, word_temperature=float(low)))
    return {each: {"word_temperature": each, "vs": ""} for each in (low, "1", high)} | {
        f"{low} beside {high}": {"word_temperature": high, "vs": beside}
    }


other = None if covered else attribution.other_word(trace, place, focus.instead)
ON_WHY = ("rather", "brings", "by_word", "largest", "off")

if covered:

    @page.closer("why", *ON_WHY, "lens", title="Why this word?")
    def no_sum():
        with lecture.large():
            show.plain(
                "The row at [MASK] goes through one more layer with an activation: a logit here is"
                " no sum of what heads bring, so it is not taken apart."
            )

else:

    @page.closer("why", *ON_WHY, title=why.title(trace, place, other))
    def why_this_word():
        why.draw(trace, place, other, focus)

    @page.closer("lens", "lens", title=lens.TITLE)
    def what_each_layer_would_say():
        lens.draw(trace, focus)


@page.closer("formula")
def draw_formula():
    u = r"U" if setup.unembedding == "own" else r"E^\top"
    last = r"\mathrm{Out}_n"
    row = ROW if covered else rf"\mathrm{{norm}}({last})" if normed else last
    cutting = [
        f
        for f, kind in ((next_word.keep_top_k, TopK), (next_word.keep_top_p, TopP))
        if candidates.cuts(trace, kind)
    ]
    choosing = next_word.largest if setup.choose == "greedy" else next_word.draw
    show.formula_and_code(
        words.lines(
            rf"{words.write_with_shape('output', LOGITS, (size,))} ="
            rf" {words.role('x', row)}\,{words.write_with_shape('x', u, (d_model, size))}"
            + (" + b" if covered else ""),
            rf"{words.write_with_shape('output', 'p', (size,))} = \mathrm{{softmax}}\big("
            + (r"\text{cut}\," if cutting else "")
            + rf"\tfrac{{{LOGITS}}}{{{setup.word_temperature:g}}}\big)",
        ),
        next_word.logits,
        next_word.divide_by_temperature,
        *cutting,
        *([] if lecture.is_on() else [softmax]),
        choosing,
        symbols=(
            "$t$ is the row at [MASK] after one more layer and a norm, $b$ a number of each piece's"
            " own, $p$ the share of each piece. "
            if covered
            else "$\\mathrm{Out}_n$ is what the stack hands on for the last word, $p$ the share of"
            " each word. "
        )
        + (
            "$U$ is a matrix of its own."
            if setup.unembedding == "own"
            else "$E$ is the embedding table once more."
        ),
    )


@page.closer("full", "logits")
def draw_from_the_row_to_the_logits():
    show.heading(
        "From the row at [MASK] to the logits" if covered else "From the last row to the logits"
    )
    logits_board.draw(trace, shown, names, opened, TOP, ROW, "piece" if covered else "word")


@page.part()
def draw_questions():
    if not lecture.is_on():
        show.why(
            "What do temperature, top-k and top-p do?",
            (
                "All three leave the order of the words as it is. Dividing all logits by a small"
                " temperature makes their differences larger, so the likeliest word gets nearly"
                " everything; by a large one, all become alike. Top-k lets the k likeliest words"
                " come, whatever their shares. Top-p lets as few come as have the share p together:"
                " few where the model is sure, many where it is not. **Greedy** always takes the"
                " likeliest."
            ),
        )
        if not covered:
            show.why(
                "Why the last word's row, and no other?",
                "Each row says what comes after its own word, and what comes after the others is"
                " there already. Under a causal mask the last word is also the only one that may"
                " look at all of them.",
            )
            show.why("What does one word more cost?", kv_cache.describe_saving(trace.setup))
    show.why(
        "Why is the table used twice?",
        (
            "A row of the table says what a word is like. The last row says what the next word"
            " should be like. The more the two point the same way, the larger their product. So the"
            " same table can serve at both ends (Press and Wolf 2017), and need not be learned"
            " twice. With **Unembedding: own** it is a matrix of its own."
        ),
    )


if not setup.real:
    page.tables(trace, ["last", "unembedding", *candidates.TITLES])


@page.closer("check", in_lecture=False)
def draw_shares_against_pytorch():
    check = computed.filled_checked(setup) if covered else computed.next_word_checked(setup)
    way = check.function if covered else "`F.linear`, then `F.softmax`"
    show.check_line(f"`probabilities` and {way}, {show.difference(check.largest, check.size)}")


page.draw()
