"""What two heads do together where letters begin again: named, one score through both, switched
off, and why one layer cannot."""

from html import escape

import torch

from core import induction, lessons
from pages.shared import board
from pages.shared.board import entries
from pages.shared.frame import lecture, show
from pages.shared.link import write_link
from pages.shared.parts.training.letters import MEASURED, Head, Letters, by_head, name_of
from pages.shared.said import elements, words
from pages.shared.said.claims import induction as claims
from pages.shared.server import computed

TITLES = ("α on the place before, mean", "α after the last time, mean")  # by the job
STEPS = {
    "projection": "its key",
    "scores": "the products of its score",
    "weights": "softmax",
    "context": "what it takes over",
}


def called(of: Letters) -> None:
    """Draw what each head is called."""
    show.heading("Every head, and what it does")
    with lecture.large():
        elements.markdown("\n\n".join(claims.names(of.found, induction.thresholds(of.setup.seed))))
        elements.caption(
            "Olsson et al. 2022, *In-context Learning and Induction Heads*. A head has a name from "
            f"{induction.MARGIN:g} above what it would have without finding anything."
        )


def every_head(of: Letters) -> None:
    """Draw both mean weights of every head."""
    least, made = (
        induction.thresholds(of.setup.seed),
        words.made(induction.measure, "setup", "weights"),
    )
    board.matrices(
        *(
            by_head(
                score,
                TITLES[k],
                "weights",
                "α",
                made,
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
        min_width=50 if lecture.on() else None,
        min_height=26,
        alt=" ".join(claims.names(of.found, induction.thresholds(of.setup.seed))).replace("**", ""),
    )


def through_both_layers(of: Letters) -> None:
    """Draw one score of the upper head, with the lower one and without."""
    below, above = of.found.pair
    if below[0] >= above[0] or of.setup.projections == "none":
        if lecture.on():
            elements.markdown(claims.no_two_layers(of.setup))
        return
    show.heading("One score, through both layers", "full")
    with_it, without = (computed.in_a_row(of.setup, off)[above[0]] for off in (None, below))
    i, j = of.query, of.key
    scores, weights = (
        [one.value(name)[above[1], i, j].item() for one in (with_it, without)]
        for name in ("scores", "weights")
    )
    if not lecture.on():
        looks = computed.in_a_row(of.setup)[below[0]].value("weights")[below[1], j, j - 1].item()
        show.plain(claims.brought(of.row, j, looks, below, above))
    said = claims.score(of.row, i, j, scores, weights, below, above)
    with lecture.large():
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
    if not lecture.on():
        ways = ", ".join(
            f'<a href="./{escape(of.link(path, above))}" target="_self">{text}</a>'
            for path, text in STEPS.items()
        )
        elements.html(f'<p class="ab-way">Open this score in layer {above[0] + 1}: {ways}.</p>')


def switched_off(of: Letters) -> None:
    """Draw each head switched off in turn."""
    if of.setup.projections == "none":
        if lecture.on():
            elements.markdown(claims.no_w_o())
        return
    show.heading("Switch it off")
    if induction.multiplications(of.setup) > lessons.BUDGET // 2:
        elements.markdown(
            f"To switch off {of.setup.layers * of.setup.heads} heads of this size one after the"
            " other would take too long."
        )
        return
    if of.without is None:
        show.plain(MEASURED)
        return
    said = claims.off(of.found, of.without)
    with lecture.large():
        elements.markdown(said)
    each, size = of.without.values(), of.found.scores.shape[1:]
    right, loss = (
        torch.tensor([getattr(one, name) for one in each]).view(size)
        for name in ("accuracy", "loss")
    )
    made = words.made(induction.without_each, "setup", "weights")
    board.matrices(
        by_head(right, "right, without it", "output", "right", made, **entries.SHARES_IN_GREY),
        by_head(loss, "loss in nats, without it", "output", "loss", made, scale="plain"),
        key="board_off",
        across=2,
        linked="values",
        max_width=66,
        of_screen=0.45,
        min_width=50 if lecture.on() else None,
        min_height=26,
        alt=said.replace("**", ""),
    )
    if not lecture.on():
        ways = ", ".join(
            f"[head {claims.head(at)}]({_off(of, at)})" for at in dict.fromkeys(of.found.pair)
        )
        elements.markdown(f"Switch it off yourself, by edits of W_o that all pages follow: {ways}.")


def _off(of: Letters, at: Head) -> str:
    """Return this page's link with a head switched off, which says what is right then; all others
    follow it."""
    looked_at = {"query": of.query + 1, "key": of.key + 1}
    return f"training?{write_link(induction.off(of.with_row, *at).as_link() | looked_at)}"


def why_not_one_layer(of: Letters) -> None:
    """Draw what a key of layer 1 does not hold."""
    show.heading("Why can one layer not find it?")
    moved = computed.keys_moved(of.setup, of.key)
    said = claims.keys(of.row, of.key, moved)
    with lecture.large():
        show.plain(said)
    title = f"how far the key of {of.names[of.key]} moves, as a share of its length"
    board.matrices(
        by_head(
            moved,
            title,
            "k",
            "moved",
            words.made(induction.keys_moved, "setup", "weights", "row", "place"),
            scale="plain",
        ),
        key="board_keys",
        max_width=66,
        of_screen=0.5,
        alt=said,
    )
