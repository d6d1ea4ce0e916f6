"""The classifier's page for a pretrained model, which has no classes: it shows the model's own
task."""

from textwrap import shorten

import torch

from core import Setup
from core.analysis import outputs
from core.forward import encoder
from core.ops import classes
from core.text import text
from pages.shared import board
from pages.shared.layout import show
from pages.shared.layout.page import Parts
from pages.shared.server import computed, run
from pages.shared.text import words

MAX = 12  # shown next tokens


def draw() -> None:
    """Draw similar sentences or the next token, and the computation in the drawer."""
    setup, page = run.setup(), Parts()
    of_sentences = setup.real.is_of_sentences
    page.part()(lambda: (draw_sentences if of_sentences else draw_next_piece)(setup))
    page.closer("formula")(formula_of_sentences if of_sentences else formula_of_the_next_piece)
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
        r"\bar z = \frac{1}{n}\sum_t z_t \qquad \cos(a, b) = \frac{\bar z_a \cdot \bar z_b}{|\bar"
        r" z_a|\,|\bar z_b|}",
        classes.mean_over_words,
        outputs.unit,
        outputs.cosines,
        symbols=(
            "$z_t$ is what the last layer hands on for a word, $\\bar z$ the mean of a sentence's"
            " words; padding does not count."
        ),
    )


def draw_next_piece(setup: Setup) -> None:
    """Draw the most probable next tokens."""
    best = outputs.largest(computed.next_piece(setup), setup, MAX)
    names, shares = (
        [words.quote(text.shorten(piece)) for piece, _ in best],
        [share for _, share in best],
    )
    said = f"After “{setup.text}” the likeliest is {names[0]}: {words.percent(shares[0], 1)}."
    board.matrices(
        board.Matrix(
            "next",
            torch.tensor([shares]),
            [""],
            names,
            ("", "piece"),
            "none",
            f"shares of the {len(names)} likeliest pieces",
            scale="plain",
            top=1,
            symbol="p",
            made=words.made(outputs.next_piece, "setup"),
        ),
        key="board_next",
        chosen=(0, 0),
        max_width=84,
        max_height=44,
        of_screen=0.4,
        alt=said,
    )
    show.plain(said)


def formula_of_the_next_piece() -> None:
    """Draw how the next token's probabilities are computed."""
    show.formula_and_code(
        r"p = \mathrm{softmax}\big(z_n E^⊤\big)",
        outputs.next_piece,
        encoder.stack,
        symbols=(
            "$z_n$ is the last word's row after the last norm, $E$ the embedding table, which"
            " serves again."
        ),
    )
