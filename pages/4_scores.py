"""Step 4: every query times every key."""

from torch import Tensor

from core.analysis import geometry
from core.text.text import labels
from core.text.written import count
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import geometry as claims
from pages.shared.captions import projection
from pages.shared.layout import predict, show
from pages.shared.layout.page import Parts
from pages.shared.page_components.scores import shifted_sentence
from pages.shared.server import run
from pages.shared.text import elements, words

trace, focus = run.trace(), run.focus()
setup, names, asked_names = trace.setup, labels(trace.tokens), labels(trace.key_tokens)
asks, asked = trace.compared  # after rotation, if positions are rotary
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n, m, d_k = len(names), len(asked_names), setup.d_k
value = trace.value("scores")[head]
pair = words.cell("scores", names[i], asked_names[j])


page = Parts()
q_symbol, k_symbol = trace[asks].symbol, trace["k_t"].symbol
cell = trace["scores"].origin.open(trace, (head, i, j))


@page.figure("row", "matrix")
def draw_product():
    board.product(
        entries.matrix(trace, asks, head, axes=("query", "d_k"), clickable=True),
        entries.matrix(trace, "k_t", head, axes=("d_k", "key"), clickable=True),
        entries.matrix(trace, "scores", head, "ω, the scores", clickable=True),
        key="board_scores",
        only=lecture.current_beat(),
        one_row=not lecture.is_on(),
        chosen=(i, j),
        # A cell of Q sets the query, of Kᵀ the key, a score both.
        chooses=board.choice(
            {asks: {"key": None}, "k_t": {"query": None}}, query="row", key="column"
        ),
        alt=(
            f"Scores of head {focus.head}. Queries stand at the left, keys on top, each score where"
            f" they cross. {pair} is {words.number(value[i, j].item())}; {names[i]} scores highest"
            f" with {asked_names[int(value[i].argmax())]}."
        ),
    )
    predict.show("scores", trace, focus, "another")


@page.closer("formula")
def draw_formula():
    show.formula_and_code(
        words.lines(
            rf"{words.write_with_shape('scores', 'ω', (n, m))} ="
            rf" {words.write_with_shape('q', q_symbol, (n, d_k))}"
            rf"\;\;{words.write_with_shape('k', k_symbol, (d_k, m))}",
            rf"{words.role('scores', 'ω_{ij}')} = \sum_{{p=1}}^{{{d_k}}}"
            rf" {words.role('q', 'q_{ip}')}\,{words.role('k', 'k_{jp}')}",
        ),
        trace["scores"].call.function,
        symbols=(
            ":yellow[**ω**] (omega) holds the scores: $ω_{ij}$ is what query $i$ scores with key"
            " $j$. :red[**Kᵀ**] is K turned over: each key is a column."
        )
        + projection.describe_rotation(setup)
        + projection.across(setup),
    )


@page.part("vectors", "products", "sum", in_lecture=True)
def draw_terms():
    lecture.terms(
        cell,
        ((f"q, {words.isolate(names[i])}", "q"), (f"k, {words.isolate(asked_names[j])}", "k")),
        pair,
        board.number_labels(d_k),
        "terms_scores",
    )
    if lecture.is_brief():
        with lecture.large():
            show.plain(claims.largest_product(cell))


@page.closer("full", in_lecture=False)
def draw_pair():
    show.plain(f"Query {words.quote(names[i])}, key {words.quote(asked_names[j])}.")
    show.cell_line(cell, pair)
    show.cell_chart(cell, pair, "d_k", board.number_labels(d_k), "terms_scores")


if setup.turns:

    @page.closer("moved", title="Only the distance counts", in_lecture=False)
    def where_the_sentence_stands():
        shifted_sentence.scores(trace, head, (i, j))


@page.part("angle")
def draw_angle():
    show.heading("The same score as two lengths and an angle")
    query = trace.value(asks)[head, i]
    length = geometry.lengths(query[None]).item()
    if length == 0:
        show.plain(claims.no_direction(names[i]))
        return
    draw_keys_in_plane(query, length)
    if not lecture.is_on():
        elements.markdown(claims.SHADOW)
        show.why("Are all angles in this picture true?", claims.IN_ONE_PLANE)


def draw_keys_in_plane(query: Tensor, length: float):
    """Draw the selected query (d_k,) with this length and all keys as arrows in one plane."""
    made = words.made(geometry.project_into_query_plane, asks, asked)
    rows = geometry.parts_of_scores(
        geometry.project_into_query_plane(query, trace.select_head(asked, head)), value[i]
    )
    title = f"keys around the query of {words.quote(names[i])}"
    board.key_arrows(
        board.Matrix(
            "fan",
            rows,
            asked_names,
            board.OF_A_KEY,
            ("key", "number"),
            "k",
            title,
            symbol="keys",
            made=made,
        ),
        query=names[i],
        length=length,
        key="board_fan",
        chosen=j,
        chooses=board.choice(key="row"),
        of_screen=0.72 if lecture.is_on() else 0.42,
        alt=f"{count(m, 'key')} of head {focus.head}, drawn around the query of {names[i]}. "
        + claims.fan(names[i], asked_names[j], length, rows[j].tolist()),
    )


@page.part("why")
def explain_why_a_dot_product():
    show.why(
        "Why a dot product?",
        "It is positive when the angle between two vectors is less than 90°, negative when it is"
        " more, zero at a right angle, and its size grows with both lengths. For all pairs at once"
        " it is a single matrix product, which is what hardware does best. Bahdanau's attention of"
        " 2014 used a small network for each pair instead. The paper finds both alike for small"
        " d_k, the network better for large d_k, unless the product is scaled: that is the next"
        " step (Vaswani et al. 2017, section 3.2.1).",
    )


page.tables(trace, [asks, asked, "scores"])
page.check(trace, "scores")
page.draw()
