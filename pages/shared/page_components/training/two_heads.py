"""The two heads of the repeated-letters task: their names, and one score through both."""

from html import escape

from core.analysis import induction
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.captions import induction as claims
from pages.shared.layout import show
from pages.shared.page_components.training.letter_row import Letters, name_of
from pages.shared.server import computed
from pages.shared.text import elements, words

TITLES = ("α on the place before, mean", "α after the last time, mean")  # by role
STEPS = {
    "projection": "its key",
    "scores": "the products of its score",
    "weights": "softmax",
    "context": "what it takes over",
}


def draw_names(of: Letters) -> None:
    """Draw each head's name and both its mean weights."""
    least = induction.thresholds(induction.rows(of.setup.seed))
    names = claims.names(of.found, least)
    with lecture.large():
        elements.markdown("\n\n".join(names))
        elements.caption(
            "Olsson et al. 2022, *In-context Learning and Induction Heads*. A head has a name from "
            f"{words.percent(induction.MARGIN)} above what it would have without finding anything."
        )
    made = words.made(induction.measure, "setup", "weights")
    board.matrices(
        *(
            entries.by_head(
                TITLES[k],
                score,
                TITLES[k],
                "weights",
                symbol="α",
                made=made,
                marks=score >= least[k],
                marked="enough",
                **entries.SHARES,
            )
            for k, score in enumerate(of.found.scores)
        ),
        key="board_jobs",
        across=2,
        linked="values",
        max_width=66,
        of_screen=0.5,
        min_width=50 if lecture.is_on() else None,
        min_height=26,
        alt=" ".join(names).replace("**", ""),
    )


def through_both_layers(of: Letters) -> None:
    """Draw one score of the upper head, with and without the lower one."""
    below, above = of.found.pair
    with_it, without = (computed.compute_row(of.setup, off)[above[0]] for off in (None, below))
    i, j = of.query, of.key
    scores, weights = (
        [one.value(name)[above[1], i, j].item() for one in (with_it, without)]
        for name in ("scores", "weights")
    )
    looks = computed.compute_row(of.setup)[below[0]].value("weights")[below[1], j, j - 1].item()
    show.plain(claims.brought(of.row, j, looks, below, above))
    said = claims.score(of.row, i, j, scores, weights, below, above)
    show.plain(said)
    made = words.made(induction.through, "setup", "weights", "row")
    board.matrices(
        *(
            board.Matrix(
                name,
                one.value("scores")[above[1], i : i + 1, : i + 1],
                [of.names[i]],
                of.names[: i + 1],
                ("query", "key"),
                "scores",
                f"ω, {name_of(above)}, {name}",
                symbol="ω",
                made=made,
            )
            for name, one in (("as it is", with_it), (f"without {name_of(below)}", without))
        ),
        key="board_through",
        stacked=True,
        linked="column",
        chosen=(0, j),
        max_width=66,
        of_screen=0.5,
        alt=said,
    )
    ways = ", ".join(
        f'<a href="./{escape(of.link(path, above))}" target="_self">{text}</a>'
        for path, text in STEPS.items()
    )
    elements.html(f'<p class="ab-way">Open this score in layer {above[0] + 1}: {ways}.</p>')
