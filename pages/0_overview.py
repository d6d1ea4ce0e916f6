"""The overview: what attention is for, and the whole computation as one picture."""

from core.text import labels
from pages.shared import board, claims, elements, entries, lecture, show, state, words
from pages.shared.link import write_link
from pages.shared.page import Page
from pages.shared.steps import STEPS, find, number

trace, focus = state.trace(), state.focus()
setup, names = trace.setup, labels(trace.tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n = len(names)
weights = trace.value("weights")[head]
sure = claims.sure(weights, trace.value("masked")[head])
say = claims.in_tokens(setup)
looks = words.attention(names[i], weights[i].tolist(), names)
link = write_link(setup.as_link())
page = Page()


@page.part(in_lecture=True)
def the_beat():
    lecture.header("", find("").sentence)


@page.part("question", in_lecture=True)
def the_question():
    with lecture.large("large_more"):
        what_for()
    lecture.question(names, i)


@page.part("looks", in_lecture=True)
def who_looks_at_whom():
    board.show(
        {
            "view": "flow",
            "chosen": [i, j],
            "says": [words.attention(name, row, names) for name, row in zip(names, weights.tolist(), strict=True)],
            "alt": say(f"Lines from each of {claims.count(n, 'word')} to each, as thick as the attention it gives. ") + looks,
            "matrices": [entries.matrix(trace, "weights", head, "α, who looks at whom")],
        },
        "board_flow",
        board.choice(query="row"),
    )


@page.part("picture", in_lecture=True)
def one_row_in_words():
    show.plain(looks)


@page.part("picture", in_lecture=True)
def the_weights():
    board.show(
        {
            "view": "matrices",
            "chosen": [i, j],
            "largest": 84,
            "high": 34,
            "part": 0.68,
            "alt": say(f"The weights of head {focus.head}: how each of {claims.count(n, 'word')} divides its attention. ")
            + looks,
            "matrices": [
                entries.matrix(trace, "weights", head, "α, who looks at whom", clickable=True, marks=[[i, i + 1, 0, n]]),
            ],
        },
        "board_overview",
        board.choice(query="row", key="column"),
    )


@page.part(in_lecture=False)
def the_first_screen():
    elements.title("Attention explorer", anchor=False)
    elements.markdown(
        "**Follow any number in self-attention back to the word it came from.** Every number of the seven steps is computed "
        "from the sentence in the sidebar. Change a word or a size and see what follows from it; click a cell and it is written out."
    )
    with elements.container(key="looks"):  # side by side by the style sheet
        who_looks_at_whom()
        the_weights()
    with elements.container(key="told"):
        what_for()
        not_trained()


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


@page.part("map")
def the_map():
    show.heading("The whole computation: click a part to open its page")
    board.show(
        {
            "view": "map",
            "alt": "The seven steps as a chain of pictures, each a link to its page",
            "stages": [*the_seven_steps(), the_pages_after()],
        },
        "board_map",
    )
    elements.caption(
        f"Shapes are rows × columns, live: {claims.count(n, 'token')}, d_model = {setup.d_model}, d_k = {setup.d_k}, "
        f"d_v = {setup.d_v}, {claims.count(setup.heads, 'head')}; what belongs to one head is shown of head {focus.head}. Cells: "
        "teal below zero, rust above, the background at zero; weights in violet."
    )


def the_seven_steps() -> list[dict]:
    """What each step is on the map."""
    projected = "W_q, W_k, W_v make queries, keys and values." if "w_q" in trace else "No weights: Q = K = V = X."
    looked_up = "The number picks a row of a table" + ("; its place adds another." if "positions" in trace else ".")
    shared = ("S" if setup.scale == "none" and setup.temperature == 1 else "Scaled, then s") + "hares of 1 along each row."
    return [
        stage("vocabulary", say("Each different word has a number."), the_vocabulary()),
        stage("embedding", looked_up, picture("x")),
        stage("projection", projected, picture("q"), picture("k"), picture("v")),
        stage("scores", "Every query times every key.", picture("scores")),
        stage("weights", shared, picture("weights")),
        stage("context", "The values, mixed by the weights.", picture("context")),
        stage("heads", claims.heads_and_output(setup), picture("output")),
    ]


def the_pages_after() -> dict:
    """The last place on the map: what comes after the seven steps."""
    after = STEPS[number(find("heads")) + 1 :]
    titles = {"words": [step.title for step in after], "title": "", "shape": f"{len(after)} pages", "role": "x"}
    return {
        "page": after[0].path,
        "href": link_to(after[0].path),
        "title": "And then",
        "text": "What is built around attention, and the five notebooks with their mistakes.",
        "matrices": [titles],
    }


def stage(path: str, text: str, *pictures: dict) -> dict:
    """One step on the map: its page, what happens there in a sentence, and what it makes."""
    step = find(path)
    title = f"{number(step)} · {step.title}"
    return {"page": path, "href": link_to(path), "title": title, "text": text, "matrices": list(pictures)}


def link_to(path: str) -> str:
    """Another page with this setup."""
    return f"{path}?{link}" if link else path


def picture(name: str) -> dict:
    """An entry without labels, too small to read them."""
    matrix = entries.matrix(trace, name, head)
    return matrix | {"rows": [], "cols": [], "shape": words.times((matrix["n"], matrix["m"]))}


def the_vocabulary() -> dict:
    """The vocabulary's words with their ids, where other steps have a matrix."""
    return {
        "words": [f"{place} {words.isolated(word)}" for place, word in enumerate(labels(trace.vocabulary))],
        "title": "ids",
        "shape": say(claims.count(len(trace.vocabulary), "word")),
        "role": "x",
    }


@page.part("history")
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


page.draw()
show.footer("")
