"""Rotary positions: each pair of dimensions of a query or key is rotated by its position."""

from collections.abc import Sequence

from core.forward.trace import Trace
from core.ops import attention
from pages.shared import board
from pages.shared.board import entries
from pages.shared.captions import projection as claims
from pages.shared.layout import show
from pages.shared.text import elements, words


def pair(
    trace: Trace, symbol: str, head: int, column: int, names: Sequence[str], chosen: int
) -> None:
    """Draw the pair of dimensions with `column` for every word, before and after; all from 0.

    For values, and an odd size's last dimension, draw only the text.
    """
    of_places = "memory_angles" if symbol == "k" and trace.setup.memory else "angles"
    angles = trace.value(of_places)
    elements.markdown(claims.PAIRS_TURNED)
    k = column // 2
    if symbol == "v" or k >= angles.shape[-1]:
        return
    source = trace.made_of(f"{symbol}_rotated")  # the normed rows if there is a QK norm
    before, after = (
        trace.select_head(name, head)[:, 2 * k : 2 * k + 2]
        for name in (source, f"{symbol}_rotated")
    )
    made = words.made(attention.rotate, source, of_places)
    axes, numbers = ("token", "number"), [str(2 * k + 1), str(2 * k + 2)]
    said = claims.one_turned(names[chosen], chosen, symbol, k, angles[chosen, k].item())
    board.rotation(
        board.Matrix(
            "before",
            before,
            names,
            numbers,
            axes,
            symbol,
            entries.TITLES[source],
            made=words.made_by(trace, source),
        ),
        board.Matrix(
            "after",
            after,
            names,
            numbers,
            axes,
            symbol,
            entries.TITLES[f"{symbol}_rotated"],
            made=made,
        ),
        angles=angles[:, k].tolist(),
        key="board_turned",
        chosen=chosen,
        chooses=board.choice(**{"query" if symbol == "q" else "key": "row"}),
        of_screen=0.52,
        alt=said,
    )
    show.plain(said)
