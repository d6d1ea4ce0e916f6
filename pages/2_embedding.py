"""Step 2: each id picks a row of the table; positions are added if there are any."""


from core import embedding
from core.text import labels
from pages.shared import board, claims, elements, lecture, show, state, words

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
vocabulary = labels(trace.vocabulary)
n, size, d_model = len(names), len(vocabulary), setup.d_model
i, column = focus.query - 1, focus.column_of(d_model)
ids, table, x = trace.value("ids"), trace.value("embedding_table"), trace.value("x")
row = int(ids[i])
with_positions = "positions" in trace
say = claims.in_tokens(setup)
dims = board.numbered(d_model)

show.header("embedding", claims.headline("embedding", setup))
lecture.question(names, i)
plus = f" + {words.sized('x', 'P', (n, d_model))}" if with_positions else ""
functions = [embedding.embed]
if setup.positions == "sinusoidal":
    functions.append(embedding.sinusoidal)
if with_positions:
    functions.append(embedding.add_positions)
show.formula_and_code(
    words.lines(
        rf"{words.sized('x', 'X', (n, d_model))} = {words.sized('x', 'E', (size, d_model))}[\,\text{{ids}}\,]{plus}",
        rf"x_t = E_{{\text{{id}}_t}}{' + p_t' if with_positions else ''}",
    ),
    *functions,
    symbols=say(
        ":gray[**E**] is the table, a row for each word of the vocabulary; :gray[**X**] the rows of the sentence, one for "
        "each token, $x_t$ the one of token $t$. Under a symbol stands its shape: rows × columns. d_model is how many numbers "
        "stand for one word"
    )
    + ("; :gray[**P**] holds a row for each place." if with_positions else "."),
)


def wide(name, values, rows, title, axis, **more):
    return board.matrix(name, values, rows, dims, (axis, "d_model"), "x", title, wide=True, **more)


if lecture.shows("lookup"):
    ids_and_words = [f"{place} {words.isolated(word)}" for place, word in enumerate(vocabulary)]
    board.show(
        {
            "view": "matrices",
            "across": 2,
            "chosen": [i, column],
            "main": 1,
            "alt": f"Left: the table, {size} by {d_model}, a row for each entry of the vocabulary. Right: the rows that the "
            f"sentence looks up, in its order. {names[i]} has row {row}, counted from 0.",
            "matrices": [
                wide("embedding_table", table, ids_and_words, "E, the table", "word", marks=[[row, row + 1, 0, d_model]]),
                wide(
                    "embedded", trace.value("embedded"), names, "rows looked up", "token",
                    clickable=True, marks=[[i, i + 1, 0, d_model]],
                ),
            ],
        },
        "board_lookup",
        board.choice(query="row", column="column"),
    )  # fmt: skip

if not lecture.on():
    show.heading("The chosen cell in full")
    looked_up = trace.value("embedded")[i, column].item()
    show.plain(
        f"{words.cell('embedded', names[i], column + 1)} = {words.cell('embedding_table', vocabulary[row], column + 1)} = "
        f"{words.number(looked_up)}: {words.quoted(names[i])} has id {row}, so row {row} of the table is copied, counted from 0."
    )
    if with_positions:
        cell = trace["x"].origin.open(trace, (i, column))
        parts = " + ".join(words.number(term.value) for term in cell.terms)
        name = words.cell("x", names[i], column + 1)
        show.plain(f"{name} = {parts} = {words.number(cell.value)}: the row of the table, plus the row of its place.")
        elements.caption(show.rounding_note(cell))
    elements.caption(
        say(
            "The table is drawn at random, from a normal distribution of mean 0 and standard deviation 1, with the seed in the "
            "sidebar; training would change it until words that are used alike have rows that are alike. No single number in a row "
            "has a meaning of its own."
        )
    )

if lecture.shows("positions"):
    show.heading(say("Where a word stands"))
    if with_positions:
        position = trace.value("positions")
        board.show(
            {
                "view": "matrices",
                "layout": "stack",
                "linked": True,
                "chosen": [i, column],
                "main": 2,
                "alt": f"The rows looked up, the positions, and their sum x, each {n} by {d_model}. "
                f"{words.cell('x', names[i], column + 1)} is {words.number(x[i, column].item())}.",
                "matrices": [
                    wide("embedded", trace.value("embedded"), names, "rows looked up", "token"),
                    wide("positions", position, names, f"+ P, {setup.positions} positions", "token"),
                    wide("x", x, names, "= X", "token", clickable=True),
                ],
            },
            "board_positions",
            board.choice(query="row", column="column"),
        )
    else:
        with lecture.large():
            elements.markdown(
                "Nothing is added here, so X is the rows as they were looked up. "
                + say(
                    "The computation does not know the order of the words: shuffle them and every word gets the same output as "
                    "before. "
                    if setup.mask == "none"
                    else "Only the causal mask tells the computation anything of the order of the words. "
                )
                + "Choose **Positions: sinusoidal** in the "
                "sidebar to add the paper's waves, or **learned** for a random row for each place."
            )

if lecture.shows("product"):
    show.heading("The same as a multiplication")
    if not lecture.on():
        elements.markdown(
            "A lookup is a matrix product in disguise: write each id as a row of zeros with a single 1, and multiply. Every term "
            "but one is zero. That is why the table can be learned like any other weight matrix."
        )
    hot = embedding.one_hot(ids, size)
    board.show(
        {
            "view": "product",
            "axes": ["words", "words", "dims"],
            "chosen": [i, column],
            "alt": f"One-hot rows, {n} by {size}, times the table, {size} by {d_model}, give the rows looked up. The 1 "
            f"of {names[i]} stands at {vocabulary[row]}.",
            "matrices": [
                board.matrix("one_hot", hot, names, vocabulary, ("token", "word"), "x", "one-hot ids", scale="plain"),
                board.matrix("embedding_table", table, vocabulary, dims, ("word", "d_model"), "x", "E"),
                board.matrix(
                    "embedded", hot @ table, names, dims, ("token", "d_model"), "x", "one-hot · E", clickable=True
                ),
            ],
        },
        "board_one_hot",
        board.choice(query="row", column="column"),
    )
    if not lecture.on():
        apart = (hot @ table - trace.value("embedded")).abs().max().item()
        elements.markdown(f":material/check: The product and the lookup {show.difference(apart)}.")

show.table(trace, ["embedding_table", "embedded", *(["positions"] if with_positions else []), "x"], "embedding")
show.check(trace, "embedded")
show.footer("embedding")
