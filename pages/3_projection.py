"""Step 3: X times W_q, W_k and W_v."""

from core.ops import attention, embedding, norms, shapes
from core.reference import checks
from core.text.text import labels
from core.text.written import count
from core.training import training_store
from pages.shared import board, lecture, panel
from pages.shared.board import entries
from pages.shared.captions import common, edits, trained
from pages.shared.captions import projection as claims
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.link.beats import BEATS
from pages.shared.page_components.projection import qk_norm, rope
from pages.shared.server import run
from pages.shared.text import elements, words

OF_KIND = {"q": "query", "k": "key", "v": "value"}
KINDS, LETTERS = (
    {"queries": "q", "keys": "k", "values": "v"},
    {"x": "X", "memory_x": "M"},
)  # any other input is the normed X
# Without projections every beat shows the same, except the question, the code and the exercise.
LATER_BEATS = [
    beat.name
    for beat in BEATS["projection"]
    if beat.name not in ("question", "code", "ask", "answer")
]

trace, focus = run.trace(), run.focus()
setup, names, asked_names = trace.setup, labels(trace.tokens), labels(trace.key_tokens)
n, m, d_model = len(names), len(asked_names), setup.d_model
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
taken = trace.made_of(KINDS[focus.matrix])
called = {
    s: LETTERS.get(trace.made_of(s), "norm(X)") for s in KINDS.values()
}  # the input of each of the three
x, X = trace.value(taken), called[KINDS[focus.matrix]]
learned, given_at_once = "w_q" in trace, trace["q"].origin is None
training = (
    training_store.get(setup, "attention" if setup.layer == 1 else "stack")
    if setup.init == "trained"
    else None
)


def equation(symbol: str) -> str:
    """Return one of the three equations with this setup's shapes."""
    size = trace.value(symbol).shape[-1]
    given = LETTERS.get(trace.made_of(symbol), r"\mathrm{norm}(X)")
    rows = n if symbol == "q" else m
    if given_at_once:
        return words.write_with_shape(symbol, symbol.upper(), (rows, size))
    product = (
        f"{words.write_with_shape(symbol, symbol.upper(), (rows, size))} ="
        f" {words.write_with_shape('x', given, (rows, d_model))}"
    )
    if not learned:
        return product
    bias = (
        f" + {words.write_with_shape(symbol, f'b_{symbol}', (size,))}" if setup.bias == "on" else ""
    )
    return f"{product}\\;\\;{words.write_with_shape(symbol, f'W_{symbol}', (d_model, size))}{bias}"


# The page shows one of Q, K, V, for all tokens or for one, and one cell written out.
symbol = KINDS[focus.matrix]
w_name, b_name = f"w_{symbol}", f"b_{symbol}"
value = trace.select_head(symbol, head)
token, column = i if symbol == "q" else j, focus.column_of(value.shape[-1])
whose = names if symbol == "q" else asked_names
alone = focus.way == "one token"
bias = trace.select_head(b_name, head) if b_name in trace else None
cell = (
    trace[symbol].origin.open(trace, (*trace.head_index(symbol, head), token, column))
    if learned
    else None
)
name = words.cell(symbol, whose[token], column + 1)
with_weights, without_weights = Parts(), Parts()


@without_weights.part(*LATER_BEATS)
def draw_nothing_is_projected():
    if given_at_once:
        elements.markdown(claims.GIVEN_AT_ONCE)
        return
    elements.markdown(
        f"**This setup has no projections**: Q = {called['q']}, K = V = {called['k']}, one head, no"
        " W_o. It is the simplest attention there is. A score is the product of two rows, so long"
        " rows tend to get much attention. Choose **Projections: learned** in the setup to see"
        " what three matrices change."
    )


@without_weights.part(*LATER_BEATS)
def three_times_the_same():
    board.matrices(
        *(
            entries.matrix(
                trace, s, head, s.upper() if given_at_once else f"{s.upper()} = {letter}", wide=True
            )
            for s, letter in called.items()
        ),
        key="board_same",
        across=3,
        linked=not setup.memory and not given_at_once,
        chosen=(i, focus.column_of(setup.d_k)),
        alt=(
            f"Q, {n} by {setup.d_k}, K, {m} by {setup.d_k}, and V, {m} by {setup.d_v}, as they are"
            " given."
            if given_at_once
            else (
                f"Q, {n} by {d_model}, is equal to X, K and V, {m} by {d_model}, are equal to M. "
                if setup.memory
                else f"Q, K and V, each {n} by {d_model}, are all equal to {called['q']}. "
            )
            + f"{words.cell(trace.taken_in, names[i], 1)} is"
            f" {words.number(trace.value(trace.taken_in)[i, 0].item())}."
        ),
    )


@with_weights.figure(in_lecture=False)
def draw_three_products():
    """Draw the selected word's query, and the key and value of the word it attends to."""
    with show.beside("projection"):
        for each, row, names_of_it in (
            ("q", i, names),
            ("k", j, asked_names),
            ("v", j, asked_names),
        ):
            made_of, size = trace.made_of(each), trace.value(each).shape[-1]
            at = focus.column_of(size)
            board.product(
                entries.matrix(
                    trace,
                    made_of,
                    title=f"{called[each].lower()}, {words.isolate(names_of_it[row])}",
                    rows=slice(row, row + 1),
                    clickable=True,
                ),
                entries.matrix(trace, f"w_{each}", head, clickable=True),
                entries.matrix(trace, each, head, rows=slice(row, row + 1), clickable=True),
                bias=trace.select_head(f"b_{each}", head) if f"b_{each}" in trace else None,
                key=f"board_projection_{each}",
                one_row=True,
                chosen=(0, at),
                chooses=board.choice(
                    {name: {"column": None} for name in (made_of,)}, column="column"
                ),
                alt=(
                    f"The row of {names_of_it[row]}, {count(d_model, 'number')}, times W_{each} of"
                    f" head {focus.head}, {d_model} by {size}, gives its {OF_KIND[each]}."
                    f" {words.cell(each, names_of_it[row], at + 1)} is"
                    f" {words.number(trace.select_head(each, head)[row, at].item())}."
                ),
            )
    show.plain(common.describe_pair(names[i], asked_names[j]))


@with_weights.closer("full", in_lecture=False)
def draw_choices():
    with elements.container(key="choices"):
        left, right = elements.columns(2)
    with left:
        panel.control("matrix")
    with right:
        panel.control("way")


@with_weights.closer("full", "row", "matrix")
def draw_product():
    rows = slice(token, token + 1) if alone else slice(None)
    board.product(
        entries.matrix(trace, taken, title=X, rows=rows, clickable=True),
        entries.matrix(trace, w_name, head, clickable=True),
        entries.matrix(trace, symbol, head, rows=rows, clickable=True),
        bias=bias,
        key="board_projection",
        only=lecture.current_beat(),
        chosen=(0 if alone else token, column),
        chooses=board.choice(
            {taken: {"column": None}, w_name: {"query": None, "key": None}},
            column="column",
            **({} if alone else {"query" if symbol == "q" else "key": "row"}),
        ),
        alt=(
            f"{X}, {len(x[rows])} by {d_model}, times W_{symbol} of head {focus.head}, {d_model} by"
            f" {value.shape[-1]}, gives the {focus.matrix}. {name} is"
            f" {words.number(value[token, column].item())}."
        ),
    )


@with_weights.closer("formula")
@without_weights.closer("formula")
def draw_formula():
    show.formula_and_code(
        words.lines(*map(equation, KINDS.values())),
        *([attention.project] if learned else []),
        *([norms.rms_norm_with_gain] if setup.norms_heads and not lecture.is_on() else []),
        *(
            [embedding.rotary_angles, attention.rotate]
            if setup.turns and not lecture.is_on()
            else []
        ),
        symbols=(
            ":blue[**Q**] holds the queries, :red[**K**] the keys, :green[**V**] the values. d_k is"
            " the length of a query and of a key, d_v that of a value."
        )
        + (
            " :gray[**M**] holds the rows of the sentence of the keys."
            if setup.memory and not given_at_once
            else ""
        )
        + (" Rotary positions then turn Q and K, pair by pair." if setup.turns else "")
        + (" b_q, b_k and b_v are biases, a number for each column." if setup.bias == "on" else ""),
    )


@with_weights.closer("full", in_lecture=False)
def one_row_by_itself():
    if not alone:
        return
    apart = checks.compare_one_row(x, trace.select_head(w_name, head), bias, value, token)
    elements.markdown(
        ":material/check: One word's row by itself, and the same row out of all at once, "
        + show.difference(apart, checks.largest(value))
        + (
            ". A row of the result needs one row of X and nothing of the other words; that is why"
            " all of them can be computed at the same time."
        )
    )


@with_weights.part("vectors", "products", "sum", in_lecture=True)
def draw_terms():
    letter = X if X == "M" else X.lower()
    factors = (
        (f"{letter}, {words.isolate(whose[token])}", "x"),
        (f"W_{symbol}, column {column + 1}", symbol),
    )
    lecture.terms(cell, factors, name, board.number_labels(d_model), "terms_projection")


@with_weights.closer("full", in_lecture=False)
def draw_cell():
    show.cell_sum(cell, name, "d_model", board.number_labels(d_model), "terms_projection")
    elements.caption(
        f"W_{symbol} of head {focus.head} {trained.describe_origin(setup, training, setup.init)}"
        + edits.describe_edited_matrix(entries.matrix(trace, w_name, head))
        + (
            ""
            if bias is None
            else (
                " The bias is the last term."
                if d_model < board.SEEN_WHOLE
                else " The bias is a term, too."
            )
        )
    )


if setup.norms_heads:

    @with_weights.closer("normed", title="A norm of queries and keys", in_lecture=False)
    @without_weights.closer("normed", title="A norm of queries and keys", in_lecture=False)
    def what_a_norm_makes_of_it():
        qk_norm.rows(trace, symbol, head, column, whose, token)


if setup.turns:

    @with_weights.closer("turned", title="Turned by its place", in_lecture=False)
    @without_weights.closer("turned", title="Turned by its place", in_lecture=False)
    def what_a_turn_makes_of_it():
        rope.pair(trace, symbol, head, column, whose, token)


@with_weights.part("all", "sizes")
def all_three():
    show.heading("All three, for every word")
    board.matrices(
        frame_row("q", i),
        frame_row("k", j),
        frame_row("v", j),
        key="board_three",
        across=3,
        chosen=(i, focus.column_of(setup.d_k)),
        chooses=board.choice(
            {s: {"query" if s == "q" else "key": "row"} for s in KINDS.values()}, column="column"
        ),
        max_zoom=1.6,
        of_screen=0.72 if lecture.current_beat() == "all" else 0.42,
        alt=(
            f"Q, {n} by {setup.d_k}, from X; K, {m} by {setup.d_k}, and V, {m} by {setup.d_v},"
            " from M. "
            if setup.memory
            else (
                f"Q and K, {n} by {setup.d_k}, and V, {n} by {setup.d_v}, all three from the"
                " same X. "
            )
        )
        + f"{names[i]} has its row of Q, {asked_names[j]} its row of K and"
        " its row of V.",
    )
    if lecture.current_beat() != "sizes":
        elements.caption("The framed rows meet in the next steps.")


def frame_row(symbol: str, row: int) -> board.Matrix:
    """Return queries, keys or values with one row framed."""
    size = trace.value(symbol).shape[-1]
    return entries.matrix(
        trace, symbol, head, wide=True, clickable=True, frame=(row, row + 1, 0, size)
    )


@with_weights.part("three")
def explain_why_three():
    show.why(
        "Why three different matrices?",
        (
            "With one matrix for queries and keys, a word would look for its like. With two, it can"
            " look for what it lacks, and for a word that does not look for it in return. And what"
            " a word is found by (its key) can differ from what it passes on (its value): that"
            " needs the third."
        ),
        "three",
    )


@with_weights.part("sizes")
def explain_why_two_sizes():
    show.why(
        "Why may d_v differ from d_k?",
        "Queries and keys are multiplied with each other, so both need d_k numbers. Values are only"
        " added up; they can have any size. Many texts set all sizes equal and so hide which one is"
        " meant. Move d_v in the setup and see which shapes change on the following pages.",
        "sizes",
    )


@with_weights.closer("misfit", title="What if the sizes do not fit?", in_lecture=False)
def a_size_that_does_not_fit():
    """Show PyTorch's error for a product of sizes that the user chooses."""
    d_q, d_k = focus.d_q, setup.d_k
    left, right = (n, d_q), (d_k, m)
    panel.control("d_q")
    elements.latex(
        rf"{words.write_with_shape('q', 'Q', left)}\;\;{words.write_with_shape('k', 'K^⊤', right)}"
    )
    if refusal := shapes.refusal(left, right):
        elements.code(refusal, language=None)
    elements.markdown(claims.fit(setup, d_q))


page = with_weights if learned else without_weights
page.tables(
    trace,
    [
        *dict.fromkeys(("x", taken)),
        *(
            entry
            for entry in (
                *(w_name, b_name, symbol, f"gain_{symbol}", f"{symbol}_normed"),
                *("angles", "memory_angles", f"{symbol}_rotated"),
            )
            if learned and entry in trace
        ),
    ],
)
if not given_at_once:
    page.check(trace, "q", "k", "v", *(name for name in ("q_normed", "k_normed") if name in trace))
page.draw()
