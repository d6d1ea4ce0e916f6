"""Rotary positions: scores depend only on distance, so a shifted sentence has the same ones."""

from core.analysis import rope
from core.forward.trace import Trace
from core.reference import checks
from pages.shared import board
from pages.shared.board import entries
from pages.shared.captions import projection as claims
from pages.shared.text import elements, words

PLACES = (1, 10, 100)


def scores(trace: Trace, head: int, pair: tuple[int, int]) -> None:
    """Draw one head's scores (from 0) as they are and shifted by the last of `PLACES`, with the
    difference for each."""
    value = trace.value("scores")
    before = [trace.made_of(name) for name in trace.compared]  # before rotation
    moved = {
        by: rope.scores_moved(*map(trace.value, before), by, **trace.setup.rotary) for by in PLACES
    }
    apart = {by: checks.largest_difference(each, value) for by, each in moved.items()}
    elements.markdown(claims.only_distance(apart, checks.largest(value)))
    look = {"top": max(checks.largest(value[head]), 1e-12), "clickable": True}
    later = trace.also(
        "moved",
        "head query key",
        rope.scores_moved,
        *before,
        by=PLACES[-1],
        **trace.setup.rotary,
    )
    board.matrices(
        entries.matrix(trace, "scores", head, "ω, from the first place on", **look),
        entries.matrix(
            later, "moved", head, f"ω, {PLACES[-1]} places later", role="scores", symbol="ω", **look
        ),
        key="board_moved",
        across=2,
        linked="values",
        chosen=pair,
        chooses=board.choice(query="row", key="column"),
        of_screen=0.5,
        alt=f"The scores of {len(trace.tokens)} tokens, and the same {PLACES[-1]} places later: "
        f"{words.number(moved[PLACES[-1]][head][pair].item())} for the chosen pair.",
    )
