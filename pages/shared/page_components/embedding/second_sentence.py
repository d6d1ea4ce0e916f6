"""The second sentence of cross-attention: rows of the same table, with its own positions."""

from core.forward.trace import Trace
from core.text.text import labels
from core.text.written import count
from pages.shared import board
from pages.shared.board import entries
from pages.shared.layout import show
from pages.shared.text import elements, words


def formula(trace: Trace) -> list[str]:
    """Return the equation of its rows M as LaTeX, [] for self-attention."""
    if "memory_x" not in trace:
        return []
    m, d_model = trace.value("memory_x").shape
    plus = (
        f" + {words.write_with_shape('x', 'P_M', (m, d_model))}"
        if "memory_positions" in trace
        else ""
    )
    table = words.write_with_shape("x", "E", trace.value("embedding_table").shape)
    return [
        rf"{words.write_with_shape('x', 'M', (m, d_model))} = {table}[\,\text{{ids}}_M\,]{plus}"
    ]


def rows(trace: Trace, key: int, column: int) -> None:
    """Draw the selected rows, the positions and their sum; token and column from 0."""
    asked = labels(trace.memory_tokens)
    show.heading("The sentence of the keys")
    with_positions = "memory_positions" in trace
    elements.markdown(
        "Its words are looked up in the same table"
        + (
            ", and its places count from its own first word: M = E[ids] + P."
            if with_positions
            else ": M = E[ids]."
        )
    )
    titles = {
        "memory_embedded": "E[ids]",
        "memory_positions": f"+ P, {trace.setup.positions}",
        "memory_x": "= M",
    }
    shown = [name for name in titles if name in trace]
    board.matrices(
        *(
            entries.matrix(trace, name, title=titles[name], wide=True, clickable=name == "memory_x")
            for name in shown
        ),
        key="board_memory",
        across=len(shown),
        linked=True,
        main=len(shown) - 1,
        chosen=(key, column),
        chooses=board.choice(key="row", column="column"),
        alt=(
            f"The rows of the {count(len(asked), 'token')} of the sentence of the keys."
            f" {words.cell('memory_x', asked[key], column + 1)} is"
            f" {words.number(trace.value('memory_x')[key, column].item())}."
        ),
    )
