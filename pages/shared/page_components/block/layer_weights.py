"""The editable weights and biases of one layer of the stack."""

from core import Setup
from core.forward.trace import Trace
from core.ops.weight_names import OF_THE_STEPS
from pages.shared import board
from pages.shared.board import entries
from pages.shared.link.focus import Focus
from pages.shared.text import edits, elements

# Shown side by side, biases under their weights.
GROUPS = (OF_THE_STEPS, ("w_o", "b_o"), ("w_gate", "b_gate"), ("w_1", "b_1"), ("w_2", "b_2"))
OF_LAYER_1 = ("b_q", "b_k", "b_v")  # its W_q, W_k and W_v are edited on Projection


def draw(setup: Setup, trace: Trace, focus: Focus) -> None:
    """Draw the weights of the selected head and layer, which has this `trace`."""
    if setup.projections == "learned" and focus.layer == 1:
        elements.caption(
            "W_q, W_k and W_v of layer 1 are those of the seven steps: change them on Projection."
        )
    for group in GROUPS:
        names = [name for name in group if name in trace]
        if group == OF_THE_STEPS and focus.layer == 1:
            names = [name for name in names if name in OF_LAYER_1]
        if names:
            _draw(setup, trace, names, focus)


def _draw(setup: Setup, trace: Trace, names: list[str], focus: Focus) -> None:
    matrices = [_matrix(setup, trace, name, focus) for name in names]
    board.matrices(
        *matrices,
        key=f"board_layer_{names[0]}",
        across=3 if len(names) > 2 else 1,
        max_height=18,
        alt=f"Layer {focus.layer}: "
        + ", ".join(f"{matrix.title}, {matrix.shape}" for matrix in matrices)
        + ".",
    )


def _matrix(setup: Setup, trace: Trace, name: str, focus: Focus) -> board.Matrix:
    """Return the weights as a matrix, limited to the selected head: for W_o its rows."""
    layer = None if focus.layer == 1 and name in OF_THE_STEPS else focus.layer
    rows = (
        slice((focus.head - 1) * setup.d_v, focus.head * setup.d_v)
        if name == "w_o"
        else slice(None)
    )
    of_head = (
        f", head {focus.head}"
        if name in OF_THE_STEPS
        else f", rows of head {focus.head}"
        if name == "w_o"
        else ""
    )
    return entries.matrix(
        trace, name, focus.head - 1, edits.symbol(name) + of_head, rows=rows, layer=layer, wide=True
    )
