"""The overview: what attention is for, and the whole computation as one picture."""

from urllib.parse import urlencode

from core.text import labels
from pages.shared import board, claims, elements, lecture, show, state, words
from pages.shared.steps import STEPS, find, number

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n = len(names)
weights = trace.value("weights")[head]
sure = claims.sure(weights, trace.value("masked")[head])
say = claims.in_tokens(setup)
looks = words.attention(names[i], weights[i].tolist(), names)


def claim():
    elements.title("Attention explorer", anchor=False)
    elements.markdown(
        "**Follow any number in self-attention back to the word it came from.** Every number of the seven steps is computed "
        "from the sentence in the sidebar. Change a word or a size and see what follows from it; click a cell and it is written out."
    )


def picture_of_looks():
    board.show(
        {
            "view": "flow",
            "chosen": [i, j],
            "says": [words.attention(name, row, names) for name, row in zip(names, weights.tolist(), strict=True)],
            "alt": say(f"Lines from each of {claims.count(n, 'word')} to each, as thick as the attention it gives. ") + looks,
            "matrices": [
                board.matrix(
                    "weights", weights, names, names, ("query", "key"), "weights", "α, who looks at whom",
                    scale="sequential", top=1,
                )
            ],
        },
        "board_flow",
        board.choice(query="row"),
    )  # fmt: skip


def picture_of_weights():
    board.show(
        {
            "view": "matrices",
            "chosen": [i, j],
            "largest": 84,
            "high": 34,
            "part": 0.68,
            "alt": say(f"The weights of head {focus.head}: how each of {claims.count(n, 'word')} divides its attention. ") + looks,
            "matrices": [
                board.matrix(
                    "weights", weights, names, names, ("query", "key"), "weights", "α, who looks at whom",
                    scale="sequential", top=1, clickable=True, marks=[[i, i + 1, 0, n]],
                )
            ],
        },
        "board_overview",
        board.choice(query="row", key="column"),
    )  # fmt: skip


def what_for():
    elements.markdown(
        "In *the cat drank because it was thirsty*, the word *it* means little until it takes something over from *cat*. "
        "Attention is how: "
        + say(
            f"each word asks {'all words, itself included,' if setup.mask == 'none' else 'itself and the words before it'} and "
            "shares out 1 among them: the lines that leave it, or its row of the matrix. Its new vector is a mixture of what they "
            "answer, their value vectors, in these proportions."
        )
    )


def not_trained():
    elements.markdown(
        "The matrices here are drawn at random, not trained, so *who* looks at whom means nothing yet; *how* it is computed is "
        "how a trained model does it. Click a cell to follow that pair of "
        + say("words.")
        + say(
            f" {sure} of {n} words give nearly all to one: with these weights scores lie far apart (**Weights** says why; "
            "**Weights drawn: xavier**, under **Choices**, is as a rule milder)."
            if sure > 1 and setup.projections == "learned" and setup.init == "uniform"
            else ""
        )
    )


query = urlencode(setup.as_query())


def picture(name, role, title):
    entry = trace[name]
    values = entry.value[head] if entry.dims[0] == "head" else entry.value
    axes = entry.dims[1:] if entry.dims[0] == "head" else entry.dims
    more = {"scale": "sequential", "top": 1} if name == "weights" else {}
    made = board.matrix(name, values, [], [], axes, role, title, **more)
    return made | {"shape": words.times(values.shape)}


def stage(path, text, *pictures):
    step = find(path)
    return {
        "page": path,
        "href": f"{path}?{query}" if query else path,
        "title": f"{number(step)} · {step.title}",
        "text": text,
        "matrices": list(pictures),
    }


def the_map():
    show.heading("The whole computation: click a part to open its page")
    vocabulary_picture = {
        "words": [f"{place} {words.isolated(word)}" for place, word in enumerate(labels(trace.vocabulary))],
        "title": "ids",
        "shape": say(claims.count(len(trace.vocabulary), "word")),
        "role": "x",
    }
    pages_after = STEPS[number(find("heads")) + 1 :]
    beyond = {
        "page": pages_after[0].path,
        "href": f"{pages_after[0].path}?{query}" if query else pages_after[0].path,
        "title": "And then",
        "text": "What is built around attention, and the five notebooks with their mistakes.",
        "matrices": [
            {"words": [step.title for step in pages_after], "title": "", "shape": f"{len(pages_after)} pages", "role": "x"}
        ],
    }
    projected = "W_q, W_k, W_v make queries, keys and values." if "w_q" in trace else "No weights: Q = K = V = X."
    looked_up = "The number picks a row of a table" + ("; its place adds another." if "positions" in trace else ".")
    shared = ("S" if setup.scale == "none" and setup.temperature == 1 else "Scaled, then s") + "hares of 1 along each row."
    board.show(
        {
            "view": "map",
            "alt": "The seven steps as a chain of pictures, each a link to its page",
            "stages": [
                stage("vocabulary", say("Each different word has a number."), vocabulary_picture),
                stage("embedding", looked_up, picture("x", "x", "X")),
                stage(
                    "projection", projected,
                    picture("q", "q", "Q"), picture("k", "k", "K"), picture("v", "v", "V"),
                ),
                stage("scores", "Every query times every key.", picture("scores", "result", "ω")),
                stage("weights", shared, picture("weights", "weights", "α")),
                stage("context", "The values, mixed by the weights.", picture("context", "result", "Z")),
                stage("heads", claims.heads_and_output(setup), picture("output", "result", "Y")),
                beyond,
            ],
        },
        "board_map",
    )  # fmt: skip
    elements.caption(
        f"Shapes are rows × columns, live: {claims.count(n, 'token')}, d_model = {setup.d_model}, d_k = {setup.d_k}, "
        f"d_v = {setup.d_v}, {claims.count(setup.heads, 'head')}; what belongs to one head is shown of head {focus.head}. Cells: "
        "teal below zero, rust above, the background at zero; weights in violet."
    )


def history():
    show.heading("Why attention was invented")
    left, middle, right = elements.columns(3, gap="medium")
    with left:
        elements.markdown(
            "**One vector for a whole sentence.** The first translation networks read a sentence word by word and kept what they "
            "had understood in one vector of fixed size. The translation had to be written from that alone. The longer the sentence, "
            "the more was lost."
        )
    with middle:
        elements.markdown(
            "**Looking back.** Bahdanau, Cho and Bengio (2014) kept the vector $h_j$ of every word and let each step of the "
            "translation take a mixture of them, $c_i$, with weights $α_{ij}$ that say where to look:"
        )
        elements.latex(r"c_i = \sum_j α_{ij}\, h_j")
    with right:
        elements.markdown(
            "**Attention alone.** Vaswani et al. (2017) dropped the word-by-word reading. Each word of a sentence looks at all words "
            "of the same sentence: self-attention. All at once, no matter how far apart. The seven steps here are its "
            "heart; around it, a transformer adds positions, residual connections, normalisation and a feed-forward part."
        )


if lecture.on():
    lecture.header("", find("").sentence)
    if lecture.shows("question"):
        with lecture.large("large_more"):
            what_for()
    lecture.question(names, i)
    if lecture.shows("looks"):
        picture_of_looks()
    if lecture.shows("picture"):
        show.plain(looks)
        picture_of_weights()
else:
    claim()
    with elements.container(key="looks"):  # side by side by the style sheet
        picture_of_looks()
        picture_of_weights()
    with elements.container(key="told"):
        what_for()
        not_trained()
if lecture.shows("map"):
    the_map()
if lecture.shows("history"):
    history()
show.footer("")
