"""Step 2: each id selects a row of the table; positions are added if there are any."""

from core.analysis import geometry
from core.ops import embedding
from core.text.text import labels
from core.text.written import count, write_after_sign
from core.training import training_store
from core.weights import weights
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import edits, trained
from pages.shared.captions import geometry as claims
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.page_components.embedding import residual_stream, second_sentence
from pages.shared.server import computed, run
from pages.shared.text import elements, words

trace, focus = computed.embedded(run.setup()), run.focus()
setup, names = trace.setup, labels(trace.tokens)
vocabulary = labels(trace.vocabulary)
ids, table = trace.value("ids"), trace.value("embedding_table")
n, size, d_model = (
    len(names),
    len(vocabulary),
    table.shape[-1],
)  # a table may be narrower than the model
i, column = focus.query - 1, focus.column_of(d_model)
row = int(ids[i])
with_positions, has_part, is_normed = "positions" in trace, "part" in trace, "summed" in trace
is_x = not (with_positions or is_normed)
LOOKED_UP = "X = E[ids], the rows looked up" if is_x else "E[ids], the rows looked up"
learned = training_store.get(setup, "attention") if setup.init == "trained" else None
unseen = weights.list_unseen_words(setup)


page = Parts()


@page.figure("lookup")
def draw_lookup():
    ids_and_words = [row_label(place, word) for place, word in enumerate(trace.vocabulary)]
    board.matrices(
        entries.matrix(
            trace,
            "embedding_table",
            title="E, the table",
            row_labels=ids_and_words,
            wide=True,
            frame=(row, row + 1, 0, d_model),
        ),
        entries.matrix(
            trace,
            "embedded",
            title=LOOKED_UP,
            wide=True,
            clickable=True,
            frame=(i, i + 1, 0, d_model),
        ),
        key="board_lookup",
        across=2,
        max_zoom=1.5,
        main=1,
        chosen=(i, column),
        chooses=board.choice(query="row", column="column"),
        plays={"as": "lookup", "ids": ids.tolist()},
        # A long table is shown whole, with the selected rows beside or below it.
        **({"min_height": 12, "max_height": 12} if size > 16 and not lecture.is_on() else {}),
        alt=(
            f"Left: the table, {size} by {d_model}, a row for each entry of the vocabulary. Right:"
            f" the rows that the sentence looks up, in its order. {names[i]} has row {row}, counted"
            " from 0."
        ),
    )
    if learned:
        elements.caption(
            "• A word of your sentence. "
            + ("* Not seen in training: its row is drawn." if unseen else "")
        )


def row_label(place: int, word: str) -> str:
    """Return a row's label: id and word, and for trained weights a mark for words of the sentence
    or not in training."""
    label = f"{place} {words.isolate(vocabulary[place])}"
    if not learned:
        return label
    return ("• " if word in trace.tokens else "") + label + (" *" if word in unseen else "")


@page.closer("formula")
def draw_formula():
    added = ["P"] * with_positions + ["S"] * has_part
    plus = "".join(f" + {words.write_with_shape('x', letter, (n, d_model))}" for letter in added)
    rows = rf"{words.write_with_shape('x', 'E', (size, d_model))}[\,\text{{ids}}\,]{plus}"
    row = rf"E_{{\text{{id}}_t}}{' + p_t' if with_positions else ''}{' + s' if has_part else ''}"
    projected = r"\,W_\text{in} + b_\text{in}" if "narrow" in trace else ""
    show.formula_and_code(
        words.lines(
            rf"{words.write_with_shape('x', 'X', (n, setup.d_model))} = "
            + (rf"\mathrm{{norm}}({rows})" if is_normed else rows)
            + projected,
            "x_t = " + (rf"\mathrm{{norm}}({row})" if is_normed else row) + projected,
            *second_sentence.formula(trace),
        ),
        embedding.embed,
        *([embedding.sinusoidal] if setup.positions == "sinusoidal" else []),
        *made_with(),
        symbols=(
            ":gray[**E**] is the table, :gray[**X**] the rows of the sentence, $x_t$ that of token"
            " $t$. Under a symbol stands its shape: rows × columns. d_model is how many numbers"
            " stand for one word."
        )
        + (" :gray[**P**] holds a row for each place." if with_positions else "")
        + (
            " :gray[**M**] are the rows of the sentence of the keys, from the same table."
            if setup.memory
            else ""
        )
        + (
            " :gray[**S**] has the row of each word's part: the first text, or the one after it."
            if has_part
            else ""
        )
        + (" The norm is that of **Block**." if is_normed else ""),
    )


def made_with():
    """Return the functions that compute X from the selected rows."""
    return [
        trace[name].call.function
        for name in ("summed", "narrow", "x")
        if name in trace and trace[name].call
    ]


@page.closer("full", in_lecture=False)
def draw_cell():
    value = trace.value("embedded")[i, column].item()
    show.plain(
        f"{words.cell('embedded', names[i], column + 1)} ="
        f" {words.cell('embedding_table', vocabulary[row], column + 1)} {words.equals(value)}:"
        f" {words.quote(names[i])} has id {row}, so row {row} of the table is copied, counted"
        " from 0."
    )
    if not is_x:
        draw_cell_in_x()
    explain_table_source()


def explain_table_source():
    if nearest := trained.nearest_row(setup, table, row):
        show.plain(nearest)
    elements.caption(
        f"The table {trained.describe_origin(setup, learned, 'normal')} No single number in a row"
        " has a meaning of its own."
        + edits.describe_edited_matrix(entries.matrix(trace, "embedding_table"))
    )


def draw_cell_in_x():
    summed = "summed" if "summed" in trace else "x"
    cell = trace[summed].origin.open(trace, (i, column))
    name = words.cell(summed, names[i], column + 1)
    first, *further = (term.value for term in cell.terms)
    terms = " + ".join([words.number(first), *map(write_after_sign, further)])
    added = ["the row of its place"] * with_positions + [
        "the row of its part of the text"
    ] * has_part
    more = f", plus {' and '.join(added)}" if added else ""
    show.plain(f"{name} = {terms} {words.equals(cell.value)}: the row of the table{more}.")
    if summed != "x":
        normed = trace["x"].origin.open(trace, (i, column))
        show.plain(
            f"{words.cell('x', names[i], column + 1)} {words.equals(normed.value)}: {normed.rule}."
        )
    if note := show.rounding_note(cell):
        elements.caption(note)


@page.part(in_lecture=False)
def draw_sentence_that_is_asked():
    if setup.memory:
        second_sentence.rows(trace, focus.key - 1, column)


@page.part("positions")
def explain_where_a_word_stands():
    if with_positions:
        show.heading("Where a word stands")
        draw_sum_with_positions()
    else:
        no_positions()


def draw_sum_with_positions():
    name = "summed" if is_normed else "x"  # X is the norm of the sum
    value = trace.value(name)[i, column].item()
    board.matrices(
        entries.matrix(trace, "embedded", title="E[ids]", wide=True),
        entries.matrix(trace, "positions", title=f"+ P, {setup.positions}", wide=True),
        entries.matrix(
            trace,
            name,
            title="+ S, the sum" if has_part else "= the sum" if is_normed else "= X",
            wide=True,
            clickable=True,
        ),
        key="board_positions",
        across=3,
        linked=True,
        main=2,
        chosen=(i, column),
        chooses=board.choice(query="row", column="column"),
        alt=(
            f"The rows looked up, the positions, and their sum {name}, each {n} by {d_model}. "
            f"{words.cell(name, names[i], column + 1)} is {words.number(value)}."
        ),
    )


def no_positions():
    show.why(
        "Where does a word stand?",
        "Nothing is added here. Unless a mask, rotary positions or ALiBi tell it, the"
        " computation does not know the order of the words: shuffle them and every word gets"
        " the same output as before. **Positions: sinusoidal** adds the paper's waves,"
        " **learned** a row for each place. **Rotary** turns pairs of numbers of queries and"
        " keys by their places instead, as Projection shows (Su et al. 2021). **ALiBi** lowers"
        " scores by the distance, as Weights shows (Press et al. 2022).",
        "positions",
    )


if setup.real:

    @page.closer("layers_given", title="What each layer is given", in_lecture=False)
    def what_each_layer_is_given():
        residual_stream.layer_by_layer(setup, names, focus)


@page.part("positions")
def draw_words_as_points():
    if lecture.is_on() and with_positions:
        return
    show.heading("The words as points")
    rows = trace.value("x")
    plane, made = geometry.principal_plane(rows), words.made(geometry.principal_plane, "x")
    study = trace.also("cosines", "token token", geometry.cosines, "x")
    if not (lecture.is_on() or learned or setup.real or setup.numbers is not None):
        elements.markdown(
            "The table was drawn, so which words stand close together says nothing of what they"
            " mean."
        )
    board.points(
        board.Matrix(
            "points",
            plane.of(rows),
            names,
            ("1st", "2nd"),
            ("token", "component"),
            "x",
            "X in its plane",
            made=made,
        ),
        entries.matrix(study, "cosines", title="cosines of X, in all its dimensions", role="x"),
        axes=claims.components(plane),
        key="board_points",
        chosen=i,
        chooses=board.choice(query="row"),
        of_screen=0.46,
        alt=(
            f"The {count(n, 'row')} of X in the plane of their first two principal components. "
            f"{names[i]} stands at {', '.join(map(words.number, plane.of(rows)[i].tolist()))}."
        ),
    )
    if not lecture.is_on():
        show.why(
            "Are two points as close as they look?",
            claims.describe_flattening(plane, "rows of X"),
        )


@page.part(in_lecture=False)
def explain_what_a_lookup_is():
    show.why(
        "Why is a lookup a product?",
        "Write each id as a row of zeros with a single 1, and multiply with the table. Every term"
        " but one is zero. So the table is a matrix like W_q, and can be learned like any other.",
    )


tabled = (
    "embedding_table",
    "embedded",
    "positions",
    "part",
    "summed",
    "narrow",
    "x",
    "memory_embedded",
    "memory_positions",
    "memory_x",
)
page.tables(trace, [name for name in tabled if name in trace])
page.check(trace, "embedded")
page.draw()
