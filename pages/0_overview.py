"""The overview: one attention arc, the whole computation as one diagram, and the user's own
sentence."""

from html import escape

from core.text.text import labels
from core.text.written import count
from core.training import training_store
from core.weights.weights import list_unseen_words
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import edits, training
from pages.shared.captions import overview as claims
from pages.shared.layout import figure, show
from pages.shared.layout.page import Parts
from pages.shared.link.fields import FIELDS
from pages.shared.link.layout import FOR_TEACHERS
from pages.shared.page_components.model import map_units
from pages.shared.page_components.overview import opening, pipeline
from pages.shared.server import run
from pages.shared.text import elements, words

trace, focus = run.trace(), run.focus()
setup, names, asked_names = trace.setup, labels(trace.tokens), labels(trace.key_tokens)
head, i, j = focus.head - 1, focus.query - 1, focus.key - 1
n = len(names)
weights = trace.value("weights")[head]
says = [
    words.attention(name, row, asked_names)
    for name, row in zip(names, weights.tolist(), strict=True)
]
looks = says[i]
looked = opening.looks()[opening.ENDINGS.index(focus.ending)]
page = Parts()


@page.part("question", in_lecture=True)
def draw_question():
    with lecture.large("large_more"):
        explain_purpose()
    lecture.question(names, i)


@page.part(in_lecture=False)
def draw_title():
    with elements.container(key="first"):  # a first visit shows this and the scene
        elements.title("Attention explorer", anchor=False)
        elements.markdown(
            "What a word means depends on the words around it. In attention each word divides its"
            " attention among them, and takes something over from each."
            + (
                ""
                if "ending" in focus.hide
                else " Choose another last word, and see where it looks."
            )
        )


@page.part("meaning")
def draw_scene():
    board.opening(
        words=[opening.WORDS[0].capitalize(), *opening.WORDS[1:]],
        endings=opening.looks(),
        breaks=opening.BREAKS,
        sets=opening.sets(),
        way=None if lecture.is_on() else "How does it know?",
        fixed="ending" in focus.hide,
        label=FIELDS["ending"].label,
        key="board_opening",
        chosen=(opening.ENDINGS.index(focus.ending),),
        alt=looked.said,
        of_screen=0.6,
    )


@page.part("looks", in_lecture=True)
def explain_who_looks_at_whom():
    kept = map_units.list_kept(setup, focus)
    whole = entries.matrix(trace, "weights", head, "α, who looks at whom")
    is_whole = len(kept) == n
    places = "row" if is_whole else ("cell", [[place + 1] for place in kept])
    board.flow(
        whole if is_whole else whole.part(kept, kept),
        says=says if is_whole else [f"{says[place]} {say_held(kept, place)}" for place in kept],
        key="board_flow",
        chosen=(i, j) if is_whole else tuple(kept.index(k) if k in kept else 0 for k in (i, j)),
        chooses=board.choice({"asked": {"query": None, "key": places}}, query=places),
        alt=f"Lines from each of {count(n, 'word')} to each, as thick as the attention it gives. "
        + looks,
    )


def say_held(kept: list[int], query: int) -> str:
    """State how much of a word's row goes to the special pieces that are left out."""
    held = 1 - weights[query, kept].sum().item()
    return f"Left out are special pieces, with {words.percent(held)}."


@page.part("picture", in_lecture=True)
def one_row_in_words():
    show.plain(looks)


@page.part("picture", in_lecture=True)
def draw_weights():
    board.matrices(
        entries.matrix(
            trace,
            "weights",
            head,
            "α, who looks at whom",
            clickable=True,
            frame=(i, i + 1, 0, len(asked_names)),
        ),
        key="board_overview",
        chosen=(i, j),
        chooses=board.choice(query="row", key="column"),
        max_width=84,
        max_height=34,
        of_screen=0.68,
        alt=(
            f"The weights of head {focus.head}: how each of {count(n, 'word')} divides its"
            " attention. "
        )
        + looks,
    )


@page.part(in_lecture=False)
def your_own_sentence():
    figure.held_and_present()
    with elements.container(key="looks"):  # placed side by side by the style sheet
        explain_who_looks_at_whom()
        draw_weights()
    explain_what_it_means()


def explain_purpose():
    elements.markdown(
        "In *the cat drank because it was thirsty*, the word *it* means little until it takes"
        " something over from *cat*. Attention is how: "
        + (
            "each word's query is held against the keys of those that it may look at, and 1 is"
            " shared out among them: the lines that leave it, or its row of the matrix. Its"
            " context is a mixture of their value vectors, in these proportions."
        )
    )


def explain_what_it_means():
    part = "attention" if setup.layer == 1 else "stack"
    result = training_store.get(setup, part) if setup.init == "trained" else None
    meaning = claims.mean_something(setup, result)
    meaning += edits.describe_edits(setup) if result is None else ""
    elements.markdown(f"{meaning} Click a cell to follow that pair of words.")
    if never := training.unseen_words(list_unseen_words(setup)):
        show.plain(never)


@page.part("map")
def draw_map():
    every_matrix = (
        "every matrix but K and V, which are made of M, the sentence of the keys"
        if setup.memory
        else "every matrix"
    )
    show.heading("The whole computation as one machine")
    board.pipeline(
        stations=pipeline.stations(trace, head),
        says=[
            f"{words.quote(names[k])} is row {k + 1} of {every_matrix}. {says[k]}" for k in range(n)
        ],
        key="board_map",
        chosen=(i, j),
        chooses=board.choice({"heads": {"head": "row", "query": None}}, query="row"),
        after=pipeline.list_later_pages(),
        of_screen=0.74,
        max_zoom=1.4,
        alt=(
            f"From {count(n, 'word')} to the output as one drawing. The arrow keys go from word to"
            " word, and Enter "
        )
        + "chooses one.",
    )
    whose = (
        f"layer {setup.layer}, head {focus.head}"
        if setup.real or setup.layer > 1
        else f"head {focus.head}"
    )
    elements.caption(
        f"In {whose}: click a part to open its page. Teal is below zero, rust above, violet a"
        " weight."
    )
    if not lecture.is_on():
        bring, notebooks = (
            f'<a href="./{path}?{escape(run.now().link)}" target="_self">{FOR_TEACHERS[path]}</a>'
            for path in ("bring", "notebooks")
        )
        elements.html(
            f'<p class="ab-way">{bring} takes your matrices and checks your solution. {notebooks}'
            " shows what these pages grew out of, and its mistakes.</p>"
        )


@page.closer("fold_history", "history", title="Why was attention invented?")
def history():
    left, middle, right = elements.columns(3, gap="medium")
    with left:
        elements.markdown(
            "**One vector for a whole sentence.** The first translation networks read a sentence"
            " word by word and kept what they had understood in one vector of fixed size. The"
            " translation had to be written from that alone. The longer the sentence, the more was"
            " lost."
        )
    with middle:
        elements.markdown(
            "**Looking back.** Bahdanau, Cho and Bengio (2014) kept the vector $h_j$ of every word"
            " and let each step of the translation take a mixture of them, $c_i$, with weights"
            " $α_{ij}$ that say where to look:"
        )
        elements.latex(r"c_i = \sum_j α_{ij}\, h_j")
    with right:
        elements.markdown(
            "**Attention alone.** Vaswani et al. (2017) dropped the word-by-word reading. Each word"
            " of a sentence looks at all words of the same sentence: self-attention. All at once,"
            " no matter how far apart. Between two sentences it stayed, as cross-attention (section"
            " 3.2.3): under **Sentence of the keys** you can see it. The seven steps here are its"
            " heart; around it, a transformer adds positions, residual connections, normalisation"
            " and a feed-forward part."
        )


page.draw()
