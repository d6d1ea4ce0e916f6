"""From one row to the logits: the row times the unembedding, and the chosen logit's terms."""

from dataclasses import replace

from core.forward.trace import Trace
from core.text.written import count
from pages.shared import board, lecture
from pages.shared.board import entries
from pages.shared.layout import show
from pages.shared.text import words

KEY = "board_logits_of_words"


def matrix_of(trace: Trace) -> str:
    """Return the unembedding's symbol: the transposed table, or a matrix of its own."""
    return "U" if trace.setup.unembedding == "own" else "Eᵀ"


def draw(
    trace: Trace,
    shown: list[int],
    names: list[str],
    opened: int,
    top: str,
    row: str,
    each: str = "word",
) -> None:
    """Draw the entry `top`, called `row`, times the shown words' columns, and the chosen logit's
    terms; `each` names a column."""
    cell, d_model = trace["logits"].origin.open(trace, (shown[opened],)), trace.setup.d_model
    biased = "b_word" in trace  # for [MASK]
    unembedding = entries.matrix(
        trace,
        "unembedding",
        columns=shown,
        column_labels=names,
        title=matrix_of(trace),
        symbol=matrix_of(trace),
        role="x",
        editable=None,
        marks=None,
    )
    board.product(
        entries.matrix(trace, top, title=row, symbol=row, role="x"),
        replace(unembedding, values=unembedding.values.float()),
        entries.matrix(
            trace, "logits", columns=shown, column_labels=names, title="logits", clickable=True
        ),
        key=KEY,
        chosen=(0, opened),
        chooses=board.choice(column="column"),
        alt=(
            f"The {'row' if biased else 'last row'}, {count(d_model, 'number')}, times"
            f" {matrix_of(trace)}{', and b,' * biased} gives a logit for each {each}; that of"
            f" {names[opened]} is {words.number(cell.value)}."
        ),
    )
    if not lecture.is_on():
        name = words.cell("logits", names[opened])
        show.cell_sum(cell, name, "d_model", board.number_labels(d_model), "terms_next")
