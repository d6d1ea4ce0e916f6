"""An entry of a trace as a picture: its axes, labels, role and title come from the entry itself."""

from typing import Any

from core.trace import Trace
from pages.shared import board
from pages.shared.words import axis_labels

# Whose colour an entry has; what is named by nobody is a result.
ROLES = (
    dict.fromkeys(("x", "embedding_table", "embedded", "positions", "out", "pooled"), "x")
    | dict.fromkeys(("resid_mid", "resid_post", "normed_1", "normed_2", "ffn_hidden", "ffn_activated"), "x")
    | {f"{kind}{name}": name for name in ("q", "k", "v") for kind in ("", "w_", "b_")}
    | {"k_t": "k", "weights": "weights", "dropped": "weights", "w_c": "v"}
)
# As a reader reads it: the symbols of the formulas, written without LaTeX.
TITLES = {
    "x": "X", "embedding_table": "E", "embedded": "E_i", "q": "Q", "k": "K", "v": "V", "w_q": "W_q", "w_k": "W_k", "w_v": "W_v",
    "k_t": "Kᵀ", "scores": "ω", "scaled": "ω′", "masked": "ω″", "weights": "α", "context": "Z", "concat": "concat", "w_o": "W_o",
    "output": "Y", "pooled": "z̄", "w_c": "W_c", "log_probabilities": "log p",
}  # fmt: skip
SHARES = {"scale": "sequential", "top": 1}  # what lies between 0 and 1 is coloured by how much of 1 it is


def matrix(
    trace: Trace,
    name: str,
    head: int | None = None,
    title: str | None = None,
    axes: tuple[str, str] | None = None,
    rows: slice = slice(None),
    **more: Any,
) -> dict[str, Any]:
    """The entry as a matrix of a board; of one with heads, the one that is asked for (from 0).

    `axes` are other names for its axes where a page asks more precisely (a query is a token), `rows` those that are
    shown; `more` is what `board.matrix` takes.
    """
    entry = trace[name]
    value, dims = (entry.value[head], entry.dims[1:]) if entry.dims[0] == "head" else (entry.value, entry.dims)
    across, down = (_labels(trace, axis, size) for axis, size in zip(dims, value.shape, strict=True))
    role = ROLES.get(name, "result")
    own = SHARES if role == "weights" else {}
    return board.matrix(name, value[rows], across[rows], down, axes or dims, role, title or TITLES.get(name, name), **own | more)


def _labels(trace: Trace, axis: str, size: int) -> list[str]:
    """What stands along an axis. A sentence and a class have no name of their own: their numbers say what they count."""
    if axis in ("sentence", "class"):
        return [f"{axis} {k}" for k in range(1, size + 1)]
    return axis_labels(trace, axis, size)
