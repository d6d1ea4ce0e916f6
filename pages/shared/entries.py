"""An entry of a trace as a picture: its axes, labels, role and title come from the entry itself."""

from collections.abc import Sequence
from typing import Any

from core.edits import is_weight, touched
from core.trace import Entry, Trace
from pages.shared import board, computed, edits
from pages.shared.words import axis_labels

# Whose colour an entry has; what is named by nobody is a result.
ROLES = (
    dict.fromkeys(("ids", "x", "embedding_table", "embedded", "positions", "out", "pooled"), "x")
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
# What lies between 0 and 1 is coloured by how much of 1 it is.
SHARES: dict[str, Any] = {"scale": "sequential", "top": 1}


def matrix(
    trace: Trace,
    name: str,
    head: int | None = None,
    title: str | None = None,
    *,
    axes: tuple[str, ...] | None = None,
    rows: slice = slice(None),
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    called: str | None = None,
    **look: Any,
) -> board.Matrix:
    """The entry as a matrix of a board; of one with heads, the one that is asked for (from 0).

    A page that asks more precisely gives other names to its axes (a query is a token), or other labels. `rows` are those
    that are shown. A click knows it by its name, or as it is `called` where there are several. `look` is how it is
    drawn: the fields of `board.Matrix` from `scale` on. Weights that are learned can be edited, and edited ones are marked.
    """
    entry = trace[name]
    value, dims = (entry.value[head], entry.dims[1:]) if entry.dims[0] == "head" else (entry.value, entry.dims)
    n, m = value.shape
    role = ROLES.get(name, "result")
    return board.Matrix(
        called or name,
        value[rows],
        row_labels or _labels(trace, dims[0], n)[rows],
        column_labels or _labels(trace, dims[1], m),
        axes or dims,
        role,
        title or TITLES.get(name, name),
        **(SHARES if role == "weights" else {}) | _editing(trace, entry, head, rows) | look,
    )


def _editing(trace: Trace, entry: Entry, head: int | None, rows: slice) -> dict[str, Any]:
    """What makes a matrix of weights editable, and which of its cells are edited; nothing for what is computed."""
    if entry.origin is not None or not is_weight(entry.name):
        return {}
    title, count = edits.symbol(entry.name), entry.value.shape[-2]
    start, stop, _ = rows.indices(count)
    shown = "*" if stop - start == count else str(stop) if stop - start == 1 else f"{start + 1}-{stop}"
    of_head = entry.dims[0] == "head" and head is not None
    if of_head:
        editable = board.Editable(f"{entry.name}.{head + 1}", title, f", head {head + 1}", start, shown)
    else:
        editable = board.Editable(entry.name, title, "", start, shown)
    changes = computed.counting(trace.setup)
    if not changes:
        return {"editable": editable}
    flags = touched(changes, entry.name, tuple(entry.value.shape))
    return {"editable": editable, "edited": (flags[head] if of_head else flags)[rows]}


def _labels(trace: Trace, axis: str, size: int) -> list[str]:
    """What stands along an axis. A sentence and a class have no name of their own: their numbers say what they count."""
    if axis in ("sentence", "class"):
        return [f"{axis} {k}" for k in range(1, size + 1)]
    return axis_labels(trace, axis, size)
