"""The overview: what attention is for, and the whole computation as one picture."""

from urllib.parse import urlencode

import streamlit as st

from core.text import labels
from pages.shared import board, lecture, show, state, words
from pages.shared.steps import STEPS, find, number

trace = state.trace()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = setup.head - 1, setup.query - 1, setup.key - 1
n = len(names)
weights = trace.value("weights")[head]
sure = int((weights.max(dim=-1).values > 0.99).sum())
looks = words.attention(names[i], weights[i].tolist(), names)


def claim():
    st.title("Attention explorer", anchor=False)
    st.markdown(
        "**Follow any number in self-attention back to the word it came from.** Every number on these pages is computed from "
        "the sentence in the sidebar. Change a word or a size and all of it changes; click a cell and it is written out."
    )


def picture_of_looks():
    board.show(
        {
            "view": "flow",
            "chosen": [i, j],
            "says": [words.attention(name, row, names) for name, row in zip(names, weights.tolist(), strict=True)],
            "alt": f"Lines from each of the {n} words to each, as thick as the attention it gives. {looks}",
            "matrices": [
                board.matrix(
                    "weights", weights, names, names, ("query", "key"), "weights", "α, who looks at whom",
                    scale="sequential", top=1,
                )
            ],
        },
        "board_flow",
        state.on_choice("board_flow", query="row"),
    )  # fmt: skip


def picture_of_weights():
    board.show(
        {
            "view": "matrices",
            "chosen": [i, j],
            "largest": 84,
            "high": 34,
            "part": 0.68,
            "alt": f"The weights of head {setup.head}: how each of the {n} words divides its attention. {looks}",
            "matrices": [
                board.matrix(
                    "weights", weights, names, names, ("query", "key"), "weights", "α, who looks at whom",
                    scale="sequential", top=1, clickable=True, marks=[[i, i + 1, 0, n]],
                )
            ],
        },
        "board_overview",
        state.on_choice("board_overview", query="row", key="column"),
    )  # fmt: skip


def what_for():
    st.markdown(
        "In *the cat drank because it was thirsty*, the word *it* means little until it takes something over from *cat*. "
        "Attention is how: each word asks all words, itself included, and shares out 1 among them: the lines that leave it, or "
        "its row of the matrix. Its new vector is a mixture of what they answer, their value vectors, in these proportions."
    )


def not_trained():
    st.markdown(
        "The matrices here are drawn at random, not trained, so *who* looks at whom means nothing yet; *how* it is computed is "
        "how a trained model does it. Click a cell to follow that pair of words."
        + (
            f" {sure} of {n} words give nearly all to one: with these weights scores lie far apart (**Weights** says why; "
            "**Weights drawn: xavier**, under **Choices**, is milder)."
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
        "words": [f"{place} {word}" for place, word in enumerate(labels(trace.vocabulary))],
        "title": "ids",
        "shape": f"{len(trace.vocabulary)} words",
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
    output = "W_o mixes the heads." if "w_o" in trace else "One head, no W_o."
    board.show(
        {
            "view": "map",
            "alt": "The seven steps as a chain of pictures, each a link to its page",
            "stages": [
                stage("vocabulary", "Each different word has a number.", vocabulary_picture),
                stage("embedding", "The number picks a row of a table.", picture("x", "x", "X")),
                stage(
                    "projection", projected,
                    picture("q", "q", "Q"), picture("k", "k", "K"), picture("v", "v", "V"),
                ),
                stage("scores", "Every query times every key.", picture("scores", "result", "ω")),
                stage("weights", "Scaled, then shares of 1 along each row.", picture("weights", "weights", "α")),
                stage("context", "The values, mixed by the weights.", picture("context", "result", "Z")),
                stage("heads", f"{setup.heads} side by side. {output}", picture("output", "result", "Y")),
                beyond,
            ],
        },
        "board_map",
        state.nothing,
    )  # fmt: skip
    st.caption(
        f"Shapes are rows × columns, live: {n} tokens, d_model = {setup.d_model}, d_k = {setup.d_k}, d_v = {setup.d_v}, "
        f"{setup.heads} {'head' if setup.heads == 1 else 'heads'}; what belongs to one head is shown of head {setup.head}. Cells: "
        "teal below zero, rust above, the background at zero; weights in violet."
    )


def history():
    show.heading("Why attention was invented")
    left, middle, right = st.columns(3, gap="medium")
    left.markdown(
        "**One vector for a whole sentence.** The first translation networks read a sentence word by word and kept what they "
        "had understood in one vector of fixed size. The translation had to be written from that alone. The longer the sentence, "
        "the more was lost."
    )
    middle.markdown(
        "**Looking back.** Bahdanau, Cho and Bengio (2014) kept the vector $h_j$ of every word and let each step of the "
        "translation take a mixture of them, $c_i$, with weights $α_{ij}$ that say where to look:"
    )
    middle.latex(r"c_i = \sum_j α_{ij}\, h_j")
    right.markdown(
        "**Attention alone.** Vaswani et al. (2017) dropped the word-by-word reading. Each word of a sentence looks at all words of "
        "the same sentence: self-attention. All at once, no matter how far apart. The seven steps here are its "
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
    with st.container(key="looks"):  # side by side by the style sheet
        picture_of_looks()
        picture_of_weights()
    with st.container(key="told"):
        what_for()
        not_trained()
if lecture.shows("map"):
    the_map()
if lecture.shows("history"):
    history()
show.footer("")
