"""Step 3: X times W_q, W_k and W_v."""


from core import attention
from core.text import labels
from pages.shared import board, claims, controls, elements, lecture, show, state, words

KINDS = {"queries": ("q", "d_k"), "keys": ("k", "d_k"), "values": ("v", "d_v")}

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
n, d_model = len(names), setup.d_model
x, head = trace.value("x"), focus.head - 1

learned = "w_q" in trace
say = claims.in_tokens(setup)
show.header("projection", claims.headline("projection", setup))


def equation(symbol: str, size: int) -> str:
    if not learned:
        return f"{words.sized(symbol, symbol.upper(), (n, size))} = {words.sized('x', 'X', (n, d_model))}"
    bias = f" + {words.sized(symbol, f'b_{symbol}', (size,))}" if setup.bias == "on" else ""
    w = words.sized(symbol, f"W_{symbol}", (d_model, size))
    return f"{words.sized(symbol, symbol.upper(), (n, size))} = {words.sized('x', 'X', (n, d_model))}\\;\\;{w}{bias}"


equations = [equation(s, z) for s, z in (("q", setup.d_k), ("k", setup.d_k), ("v", setup.d_v))]
show.formula_and_code(
    words.lines(*equations),
    *([attention.project] if learned else []),
    symbols=":blue[**Q**] holds the queries, :red[**K**] the keys, :green[**V**] the values: a row for each token. "
    + ("W_q, W_k and W_v are the matrices that make them. " if learned else "")
    + "d_k is the length of a query and of a key, d_v that of a value."
    + (" b_q, b_k and b_v are biases, a number for each column." if setup.bias == "on" else ""),
)

lecture.question(names, focus.query - 1)


def without_weights():
    if lecture.shown() in ("question", "code"):
        return
    elements.markdown(
        "**This setup has no projections.** Queries, keys and values are the embedded sentence itself: Q = K = V = X, one "
        "head, no W_o. It is the simplest attention there is: only the embedding table"
        + (" and the positions" if setup.positions == "learned" else "")
        + say(
            " could be learned. The score of a word with itself is its own squared length, so words with long vectors tend to get "
            "much attention, from themselves and from others, and the score of i with j is that of j with i. "
        )
        + "Choose **Projections: learned** in the sidebar to see what three matrices change."
    )
    dims = board.numbered(d_model)
    board.show(
        {
            "view": "matrices",
            "across": 3,
            "linked": True,
            "chosen": [focus.query - 1, focus.column_of(d_model)],
            "alt": f"Q, K and V, each {n} by {d_model}, are all equal to X. "
            f"{words.cell('x', names[focus.query - 1], 1)} is {words.number(x[focus.query - 1, 0].item())}.",
            "matrices": [
                board.matrix(s, trace.value(s)[0], names, dims, ("token", size), s, f"{s.upper()} = X", wide=True)
                for s, size in KINDS.values()
            ],
        },
        "board_same",
    )
    show.table(trace, ["x"], "projection")


def all_three():
    show.heading(say("All three, for every word"))
    i, j = focus.query - 1, focus.key - 1
    board.show(
        {
            "view": "matrices",
            "across": 3,
            "chosen": [i, focus.column_of(setup.d_k)],
            "most": 1.6,
            "alt": f"Q and K, {n} by {setup.d_k}, and V, {n} by {setup.d_v}, all three from the same X. {names[i]} asks with its "
            f"row of Q, {names[j]} is found by its row of K and answers with its row of V.",
            "matrices": [
                board.matrix(
                    s, trace.value(s)[head], names, board.numbered(trace.value(s).shape[-1]), ("token", size), s, s.upper(),
                    wide=True, clickable=True, marks=[[row, row + 1, 0, trace.value(s).shape[-1]]],
                )
                for (s, size), row in zip(KINDS.values(), (i, j, j), strict=True)
            ],
        },
        "board_three",
        board.choice({s: {"query" if s == "q" else "key": "row"} for s, _ in KINDS.values()}, column="column"),
    )  # fmt: skip
    elements.caption(
        say(
            "The framed rows are the ones that meet in the next steps: the query of a word that asks, key and value of one that is "
            "asked."
        )
    )


def with_weights():
    with elements.container(key="choices"):
        left, right = elements.columns(2)
    with left:
        kind = controls.choice("matrix", "Which of the three", list(KINDS))
    with right:
        way = controls.choice("way", "Computed", ["all at once", "one token"])
    symbol, size_name = KINDS[kind]
    size = setup.d_k if size_name == "d_k" else setup.d_v
    token = (focus.query if symbol == "q" else focus.key) - 1
    column = focus.column_of(size)
    rows = slice(token, token + 1) if way == "one token" else slice(None)
    w, bias = trace.value(f"w_{symbol}")[head], trace.get(f"b_{symbol}")
    b = None if bias is None else bias.value[head]
    whole = trace.value(symbol)[head]
    dims, sizes = board.numbered(d_model), board.numbered(size)
    if lecture.shows("row", "matrix"):
        board.show(
            {
                "view": "product",
                "axes": ["words", "dims", "dims"],
                "only": lecture.shown(),
                "chosen": [0 if way == "one token" else token, column],
                "bias": None if b is None else board.pack(b),
                "alt": f"X, {len(x[rows])} by {d_model}, times W_{symbol} of head {focus.head}, {d_model} by {size}, gives the "
                f"{kind}. {words.cell(symbol, names[token], column + 1)} is {words.number(whole[token, column].item())}.",
                "matrices": [
                    board.matrix("x", x[rows], names[rows], dims, ("token", "d_model"), "x", "X", clickable=True),
                    board.matrix(
                        f"w_{symbol}", w, dims, sizes, ("d_model", size_name), symbol, f"W_{symbol}", clickable=True
                    ),
                    board.matrix(
                        symbol, whole[rows], names[rows], sizes, ("token", size_name), symbol, symbol.upper(), clickable=True
                    ),
                ],
            },
            "board_projection",
            board.choice({"x": {"column": None}, f"w_{symbol}": {"query": None, "key": None}},
                column="column",
                **({} if way == "one token" else {"query" if symbol == "q" else "key": "row"}),
            ),
        )
    if way == "one token" and not lecture.on():
        apart = (attention.project(x[rows], w, b)[0] - whole[token]).abs().max().item()
        elements.markdown(
            say(":material/check: One word's row by itself, and the same row out of all at once, ")
            + show.difference(apart)
            + say(
                ". A row of the result needs one row of X and nothing of the other words; that is why all of them can be computed "
                "at the same time."
            )
        )
    cell = trace[symbol].origin.open(trace, (head, token, column))
    name = words.cell(symbol, names[token], column + 1)
    if lecture.on():
        factors = ((f"x, {words.isolated(names[token])}", "x"), (f"W_{symbol}, column {column + 1}", symbol))
        lecture.terms(cell, factors, name, dims, "terms_projection")
    else:
        show.heading("The chosen cell in full")
        show.cell_sum(cell, name, "d_model", dims, "terms_projection")
        elements.caption(
            f"W_{symbol} of head {focus.head} is drawn from the seed, {setup.init}; training would change it."
            + (" The bias is the last term." if b is not None else "")
        )
    if lecture.shows("all"):
        all_three()
    show.why(
        "Why three different matrices?",
        say(
            "With one matrix for all three, the score of word i with word j would equal the score of j with i, and long vectors "
            "would tend to win everywhere. With two, one word can look for another without being looked for in return. And what "
            "makes a word worth finding (its key) need not be what it has to tell (its value): hence the third."
        ),
        "three",
    )
    show.why(
        "Why may d_v differ from d_k?",
        "Queries and keys are multiplied with each other, so both need d_k numbers. Values are only added up; they can have "
        "any size. Many texts set all sizes equal and so hide which one is meant. Move d_v in the sidebar and see which "
        "shapes change on the following pages.",
        "sizes",
    )
    show.table(trace, ["x", f"w_{symbol}", *([f"b_{symbol}"] if b is not None else []), symbol], "projection")


if learned:
    with_weights()
else:
    without_weights()
show.check(trace, "q", "k", "v")
show.footer("projection")
