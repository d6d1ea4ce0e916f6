"""Step 6: the weighted sum of the values."""

from core.analysis import geometry
from core.ops import attention
from core.reference import checks
from core.text.text import labels
from core.text.written import brief, count
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import context as claims
from pages.shared.captions import geometry as of_geometry
from pages.shared.layout import contribution, predict, show
from pages.shared.layout.page import Parts
from pages.shared.server import run
from pages.shared.text import elements, words

trace, focus = run.trace(), run.focus()
setup, names, asked_names = trace.setup, labels(trace.tokens), labels(trace.key_tokens)
head, i = focus.head - 1, focus.query - 1
n, m, d_v = len(names), len(asked_names), setup.d_v
column = focus.column_of(d_v)
weights, v, context = (trace.select_head(name, head) for name in ("weights", "v", "context"))
cell_name = words.cell("context", names[i], column + 1)


page = Parts()
cell = trace["context"].origin.open(trace, (head, i, column))


@page.figure("matrix")
def draw_product():
    board.product(
        entries.matrix(trace, "weights", head, "α, the weights", clickable=True),
        entries.matrix(trace, "v", head, "V, the values", axes=("key", "d_v"), clickable=True),
        entries.matrix(trace, "context", head, "Z, the context", clickable=True),
        key="board_context",
        one_row=not lecture.is_on(),
        chosen=(i, column),
        # A weight sets query and key, a value key and column, a context cell query and column.
        chooses=board.choice(
            {"weights": {"key": "column", "column": None}, "v": {"key": "row", "query": None}},
            query="row",
            column="column",
        ),
        alt=(
            f"Weights of head {focus.head}, {n} by {m}, times values, {m} by {d_v}, give the"
            f" context, {n} by {d_v}. {cell_name} is {words.number(context[i, column].item())}."
        ),
    )
    predict.show("context", trace, focus, "another")


@page.closer("formula")
def draw_formula():
    show.formula_and_code(
        words.lines(
            rf"{words.write_with_shape('output', 'Z', (n, d_v))} ="
            rf" {words.write_with_shape('weights', 'α', (n, m))}\;\;"
            + words.write_with_shape("v", "V", (m, d_v)),
            rf"{words.role('output', 'z_i')} = \sum_{{j=1}}^{{{m}}}"
            rf" {words.role('weights', 'α_{ij}')}\,{words.role('v', 'v_j')}",
        ),
        attention.mix,
        symbols=(
            ":orange[**Z**] is the context: $z_i$ is the row of word $i$, $v_j$ the value of"
            " word $j$"
        )
        + (" of the sentence of the keys." if setup.memory else "."),
    )


@page.part("vectors", "products", "sum", in_lecture=True)
def draw_terms():
    lecture.terms(
        cell,
        ((f"α, row {words.isolate(names[i])}", "weights"), (f"V, column {column + 1}", "v")),
        cell_name,
        asked_names,
        "terms_context",
    )


@page.closer("full", in_lecture=False)
def draw_chosen_cell():
    show.plain(claims.describe_contribution(weights[i], v[:, column], asked_names, column + 1))
    show.cell_sum(cell, cell_name, "key", asked_names, "terms_context")


@page.closer("fold_mixture", "mixture", title="The whole vector")
def draw_mixture():
    if not lecture.is_brief():
        show.plain(
            f"Each row is one token's value vector times the weight that {words.quote(names[i])}"
            f" gives it; the last row is their sum, z of {words.quote(names[i])}."
        )
    shares = weights[i].tolist()
    study = trace.at({**trace.places(head), "query": i}, "weights", "v")
    study = study.also("share", "query key d_v", attention.weighted_values, "weights", "v")
    weighted = study.value("share")[0]
    top = checks.largest(weighted, context[i])
    factors = [
        f"{brief(share)} × {words.isolate(name)}"
        for share, name in zip(shares, asked_names, strict=True)
    ]
    title = f"α × V, weights of {words.quote(names[i])} times values"
    board.matrices(
        entries.matrix(
            study,
            "share",
            title=title,
            at={"query": 0},
            row_labels=factors,
            role="v",
            wide=True,
            top=top,
        ),
        entries.matrix(
            trace,
            "context",
            head,
            "z",
            rows=slice(i, i + 1),
            row_labels=["sum"],
            wide=True,
            clickable=True,
            top=top,
        ),
        key="board_shares",
        stacked=True,
        linked="column",
        add_up=True,
        main=1,
        chosen=(0, column),
        chooses=board.choice(column="column"),
        of_screen=0.64,
        alt=f"{count(m, 'weighted value vector')} and their sum, the context of {names[i]}. "
        + words.attention(names[i], shares, asked_names),
    )
    if not lecture.is_brief():
        elements.caption(claims.mixture(column + 1, v[:, column]))


@page.closer("fold_brought", title="Which word brings most?", in_lecture=False)
def draw_looked_at_and_brought():
    contribution.draw_weights_and_norms(trace, head, i, asked_names)


@page.closer("plane", "plane", "why", title="It lies among the values")
def draw_mixture_as_a_way():
    plane, made = geometry.principal_plane(v), words.made(geometry.principal_plane, "v")
    if not lecture.is_on():
        elements.markdown(of_geometry.AMONG_THE_VALUES)
    places, mixed = plane.along(v), plane.along(context)
    axes = ("1st", "2nd")
    board.mixtures(
        board.Matrix(
            "values",
            places,
            asked_names,
            axes,
            ("key", "component"),
            "v",
            "V in its plane",
            made=made,
        ),
        board.Matrix(
            "mixed",
            mixed,
            names,
            axes,
            ("query", "component"),
            "output",
            "Z in the same plane",
            made=made,
        ),
        weights=weights,
        own=not setup.memory,
        axes=of_geometry.components(plane),
        key="board_mixtures",
        chosen=i,
        chooses=board.choice(query="row"),
        of_screen=0.72 if lecture.current_beat() == "plane" else 0.55,
        alt=(
            f"The {count(m, 'value')} of head {focus.head} and the context in the plane in which"
            f" the values vary most. A chain of weighted values leads from zero to z of {names[i]},"
            f" at {', '.join(map(words.number, mixed[i].tolist()))}. "
        )
        + words.attention(names[i], weights[i].tolist(), asked_names),
    )
    if not lecture.is_on():
        show.why(
            "How is this picture to be read?",
            f"{of_geometry.POINTS} {of_geometry.describe_flattening(plane, 'values')}",
        )


@page.part("why")
def explain_why_values_apart_from_keys():
    show.why(
        "Why values apart from keys?",
        "The key decides whether a word is found, the value what is then taken from it. If both"
        " were the same vector, a word could only pass on what it is found by. Separate values"
        " can also have a size of their own, d_v.",
    )


page.tables(trace, ["weights", "v", "context"])
page.check(trace, "context")
page.draw()
