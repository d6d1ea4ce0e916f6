"""A trace's entry as a matrix on a board: axes, labels, role and title come from the entry
itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from core.board import colours
from core.forward.trace import Entry, Trace
from core.setup.edits import flag_edited_cells, is_weight
from core.text.text import SYMBOLS
from pages.shared import board
from pages.shared.server import computed, run
from pages.shared.text import edits, words

# The symbols of the formulas, without LaTeX.
TITLES = SYMBOLS | {
    "x": "X",
    "positions": "positions",
    "q": "Q",
    "k": "K",
    "v": "V",
    "context": "Z",
    "output": "Y",
    "q_normed": "Q, normed",
    "k_normed": "K, normed",
    "q_rotated": "Q, turned",
    "k_rotated": "K, turned",
    "memory_ids": "ids of M",
    "memory_embedded": "E[ids of M]",
    "memory_positions": "P of M",
    "memory_angles": "θ of M",
}
# Values between 0 and 1 are coloured on a fixed scale up to 1.
SHARES: dict[str, Any] = {"scale": "sequential", "top": 1}
# The same in grey, since violet is for attention weights.
SHARES_IN_GREY: dict[str, Any] = {"scale": "plain", "top": 1}


def matrix(
    trace: Trace,
    name: str,
    head: int | None = None,
    title: str | None = None,
    *,
    at: Mapping[str, int] | None = None,
    axes: tuple[str, ...] | None = None,
    rows: slice | Sequence[int] = slice(None),
    columns: slice | Sequence[int] = slice(None),
    row_labels: Sequence[str] | None = None,
    column_labels: Sequence[str] | None = None,
    called: str | None = None,
    role: str = "",
    layer: int | None = None,
    beside: Trace | None = None,
    **look: Any,
) -> board.Matrix:
    """Return the entry as a matrix of a board (one row if it has one axis); learned weights are
    editable.

    head, at: indices from 0 into the head axis and any further axes, such as {"sentence": 1} of a
    batch. axes: other names for the remaining axes (a query is a token). rows, columns: the shown
    ones; a selection by indices is not editable. row_labels, column_labels: other labels. called:
    another name for clicks, if several matrices show the entry. role: another colour role. layer:
    the layer (from 1) for edits of its weights. beside: the pinned setup's trace, if outside the
    seven steps. look: fields of `board.Matrix` from `symbol` on; `marks` are of the shown rows and
    columns.
    """
    entry = trace[name]
    value, dims = entry.matrix({**(at or {}), **({} if head is None else trace.places(head))})
    role, layer = role or colours.get_role(name), layer or _layer_of(trace, name)
    return board.Matrix(
        called or name,
        value[rows][:, columns],
        row_labels or _select_labels(_labels(trace, dims[0], len(value)), rows),
        column_labels or _select_labels(_labels(trace, dims[1], value.shape[1]), columns),
        axes or dims,
        role,
        title or TITLES.get(name, name),
        made=words.made_by(trace, name, layer),
        **_scale(name, role)
        | _make_editable(trace, entry, head, rows, layer)
        | _held(trace, name, head, at, (rows, columns), beside)
        | look,
    )


def layer_held(layer: int) -> Trace | None:
    """Return this layer's trace (from 1) in the pinned setup, None if it has no such layer."""
    setup = run.held()
    return computed.layer(setup, layer) if setup and layer <= setup.layers else None


def _held(
    trace: Trace,
    name: str,
    head: int | None,
    at: Mapping[str, int] | None,
    shown: tuple[Any, Any],
    beside: Trace | None,
) -> dict[str, Any]:
    """Return the pinned setup's values of this entry, {} if shapes differ or the numbers are the
    same."""
    setup = run.held()
    if beside is None and setup and trace is run.trace():
        beside = computed.traced(setup)
    if beside is None or name not in beside or beside.value(name).shape != trace.value(name).shape:
        return {}
    value, now = (
        each[name].matrix({**(at or {}), **({} if head is None else each.places(head))})[0]
        for each in (beside, trace)
    )
    return {} if value.equal(now) else {"held": value[shown[0]][:, shown[1]]}


def _layer_of(trace: Trace, name: str) -> int | None:
    """Return the layer of these weights if the seven steps show a layer above the first."""
    return trace.setup.layer if trace.setup.layer > 1 and name.startswith(("w_", "b_")) else None


def _select_labels(labels: Sequence[str], places: slice | Sequence[int]) -> Sequence[str]:
    return labels[places] if isinstance(places, slice) else [labels[k] for k in places]


def _scale(name: str, role: str) -> dict[str, Any]:
    """Return the colour scale of probabilities and weights; {} for signed numbers."""
    return SHARES_IN_GREY if name == "probabilities" else SHARES if role == "weights" else {}


def _make_editable(
    trace: Trace, entry: Entry, head: int | None, rows: slice | Sequence[int], layer: int | None
) -> dict[str, Any]:
    """Return the fields that make a weight matrix editable, and its edited cells; {} for computed
    or selected rows."""
    if entry.origin is not None or not is_weight(entry.name) or not isinstance(rows, slice):
        return {}
    lead = () if head is None else trace.head_index(entry.name, head)
    name = entry.name if layer is None else f"layer{layer}.{entry.name}"
    value = entry.value[lead]
    start, shown = _part(rows, value.shape[0]) if value.ndim == 2 else (0, "*")
    target = ".".join([name, *(str(place + 1) for place in lead)])
    behind = "".join(f", {words.HEADS[entry.dims[0]]} {place + 1}" for place in lead) + (
        f", layer {layer}" if layer else ""
    )
    editable = board.Editable(
        target, edits.symbol(entry.name), behind, start, shown, value.ndim == 1
    )
    changes = computed.edits_that_fit(trace.setup)
    if not changes:
        return {"editable": editable}
    flags = flag_edited_cells(changes, name, tuple(entry.value.shape))
    flags = flags[lead]
    return {"editable": editable, "marks": flags[rows] if flags.ndim == 2 else flags[None]}


def _part(rows: slice, count: int) -> tuple[int, str]:
    """Return the count of rows above the shown ones, and the shown rows as an edit names them."""
    start, stop, _ = rows.indices(count)
    return start, "*" if stop - start == count else str(
        stop
    ) if stop - start == 1 else f"{start + 1}-{stop}"


def _labels(trace: Trace, axis: str, size: int) -> list[str]:
    """Return the labels along an axis; sentences and classes are numbered."""
    if axis == "":
        return [""]
    if axis in ("sentence", "class"):
        return [f"{axis} {k}" for k in range(1, size + 1)]
    return words.axis_labels(trace, axis, size)
