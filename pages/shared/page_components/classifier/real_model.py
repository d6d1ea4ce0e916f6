"""The classifier's page for a pretrained model, which has no classes: it shows the model's own
task."""

from html import escape
from textwrap import shorten

from core import Setup
from core.analysis import outputs
from core.ops import classes
from pages.shared import board
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.server import computed, run
from pages.shared.text import elements, words


def draw() -> None:
    """Draw similar sentences, and the computation in the drawer; of a model of next words, where
    its task is shown."""
    setup, page = run.setup(), Parts()
    if not setup.real.is_of_sentences:
        why = f"{setup.real.name} has no classes: it says what comes next."
        board.nothing(nothing=why, key="board_classes", alt=why)
        way = f'<a href="./next?{escape(run.now().link)}" target="_self">Next word</a>'
        elements.html(f'<p class="ab-way">{way} shows how.</p>')
        return
    page.part()(lambda: draw_sentences(setup))
    page.closer("formula")(formula_of_sentences)
    page.draw()


def draw_sentences(setup: Setup) -> None:
    """Draw every sentence beside every other."""
    focus = run.focus()
    vectors = computed.sentence_vectors(setup)
    likeness = outputs.cosines(vectors)
    sentences = (setup.text, *filter(None, setup.others.split("\n")))
    labels = [
        f"{k}: {shorten(line, 32, placeholder=' …')}" for k, line in enumerate(sentences, start=1)
    ]
    i = focus.sentence - 1
    ranked = sorted((likeness[i, k].item(), k) for k in range(len(labels)) if k != i)
    said = (
        f"Nearest to sentence {i + 1} is sentence {ranked[-1][1] + 1}: cosine"
        f" {words.number(ranked[-1][0])}."
        if ranked
        else ""
    )
    board.matrices(
        board.Matrix(
            "cosines",
            likeness,
            labels,
            board.number_labels(len(labels)),
            ("sentence", "sentence"),
            "none",
            "cosine of each pair",
            top=1,
            clickable=True,
            made=words.made(outputs.cosines, "sentence_vectors"),
            symbol="cosine",
        ),
        key="board_cosines",
        chosen=(i, ranked[-1][1] if ranked else i),
        chooses=board.choice(sentence="row"),
        max_width=84,
        of_screen=0.6,
        alt=f"The cosine of each pair of {len(labels)} sentences. {said}",
    )
    show.plain(said)


def formula_of_sentences() -> None:
    """Draw how two sentences are compared."""
    show.formula_and_code(
        r"\mathrm{mean} = \frac{1}{n}\sum_t \mathrm{Out}_t \qquad \cos(a, b) ="
        r" \frac{\mathrm{mean}_a \cdot \mathrm{mean}_b}{|\mathrm{mean}_a|\,|\mathrm{mean}_b|}",
        classes.mean_over_words,
        outputs.unit,
        outputs.cosines,
        symbols=(
            "$\\mathrm{Out}_t$ is what the last layer hands on for a word, mean that of a"
            " sentence's words; padding does not count."
        ),
    )
