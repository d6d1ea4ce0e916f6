"""Attention weights beside contributions: a word's weight, and the length of the vector it adds."""

from collections.abc import Sequence

from core.analysis import contributions
from core.forward.trace import Trace
from pages.shared import board
from pages.shared.board import entries
from pages.shared.captions import context as claims
from pages.shared.layout import show
from pages.shared.text import words


def draw_weights_and_norms(trace: Trace, head: int, query: int, names: Sequence[str]) -> None:
    """Draw one query's weights and each word's share of the contributions; `head` and `query` from
    0."""
    w_o = trace.value("w_o") if "w_o" in trace else None
    lengths = contributions.compute_norms(trace.value("weights"), trace.value("v"), w_o)[
        head, query
    ]
    shares = lengths / lengths.sum().clamp(min=1e-30)
    weights = trace.value("weights")[head, query]
    show.plain(claims.brings(weights.tolist(), shares.tolist(), names))
    board.matrices(
        entries.matrix(
            trace, "weights", head, rows=slice(query, query + 1), row_labels=["looked at"]
        ),
        board.Matrix(
            "brought",
            shares[None],
            ["brings"],
            names,
            ("", "key"),
            "output",
            "share of all |α v W_o|",
            scale="plain",
            top=1,
            hide_columns=True,
            symbol="brings",
            made=words.made(contributions.compute_norms, "weights", "v", "w_o"),
        ),
        key="board_brought",
        stacked=True,
        linked="values",
        chosen=(0, int(weights.argmax())),
        max_width=66,
        alt=claims.brings(weights.tolist(), shares.tolist(), names),
    )
