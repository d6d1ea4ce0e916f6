"""The QK norm of some models: an RMS norm with a gain on each head's queries and keys."""

from collections.abc import Sequence

from core.forward.trace import Trace
from pages.shared import board
from pages.shared.board import entries
from pages.shared.captions import projection as claims
from pages.shared.layout import show
from pages.shared.text import elements, tables, words


def rows(
    trace: Trace, symbol: str, head: int, column: int, names: Sequence[str], chosen: int
) -> None:
    """Draw one head's queries or keys before and after, and the chosen cell; indices from 0. Values
    have only the text."""
    elements.markdown(claims.HEADS_NORMED)
    name = f"{symbol}_normed"
    if name not in trace:
        return
    letter, shape = symbol.upper(), trace.select_head(name, head).shape
    elements.latex(
        rf"{words.write_with_shape(symbol, f'{letter}_n', shape)} = γ_{symbol} \cdot"
        rf" \frac{{{words.role(symbol, letter)}}}"
        rf"{{\sqrt{{\mathrm{{mean}}_\text{{row}}({words.role(symbol, letter)}^2) + ε}}}}"
    )
    cell = trace[name].origin.open(trace, (*trace.head_index(name, head), chosen, column))
    title = words.cell(name, names[chosen], column + 1)
    gain, row = f"gain_{symbol}", "query" if symbol == "q" else "key"
    board.matrices(
        *(
            entries.matrix(trace, each, head, wide=True, clickable=True)
            for each in (symbol, gain, name)
        ),
        key="board_normed",
        across=3,
        linked="column",
        main=2,
        chosen=(chosen, column),
        chooses=board.choice({gain: {"query": None, "key": None}}, **{row: "row"}, column="column"),
        of_screen=0.42,
        alt=(
            f"{letter}, {words.times(shape)}, before and after the norm. {title} is"
            f" {words.number(cell.value)}."
        ),
    )
    show.cell_of(trace[name].origin, cell, title, tables.term_labels(cell), "part", "terms_normed")
