"""A trace's entry as a matrix of a page: as `core.board.entries` makes it, with the function that
computed it, the pinned setup's numbers, and weights that can be edited."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from core.analysis import compare
from core.board.entries import HEADS, SHARES, SHARES_IN_GREY, TITLES, by_head
from core.board.entries import matrix as plain_matrix
from core.forward.trace import Entry, Trace
from core.setup.edits import is_weight
from pages.shared import board
from pages.shared.server import computed, run
from pages.shared.text import edits, words

__all__ = ["SHARES", "SHARES_IN_GREY", "TITLES", "by_head", "layer_held", "matrix"]


def matrix(
    trace: Trace,
    name: str,
    head: int | None = None,
    title: str | None = None,
    *,
    at: Mapping[str, int] | None = None,
    rows: slice | Sequence[int] = slice(None),
    columns: slice | Sequence[int] = slice(None),
    layer: int | None = None,
    beside: Trace | None = None,
    **look: Any,
) -> board.Matrix:
    """Return the entry as a matrix of a board, as `core.board.entries.matrix`; learned weights are
    editable, if their rows are not selected by indices. What is computed with edited weights keeps
    the colours' scale of the unedited ones, so that an outlier does not fade all others.

    layer: the layer (from 1) for edits of its weights. beside: the pinned setup's trace, if outside
    the seven steps.
    """
    layer = layer or _layer_of(trace, name)
    own = _make_editable(trace, trace[name], head, rows, layer) | _held(
        trace, name, head, at, (rows, columns), beside
    )
    look = {"made": words.made_by(trace, name, layer)} | own | look
    part = {"head": head, "at": at, "rows": rows, "columns": columns}
    of_steps = trace.setup.edits and trace is computed.traced(trace.setup)
    if of_steps and not is_weight(name) and "top" not in look:
        before = computed.traced(replace(trace.setup, edits=""))
        if before.value(name).shape == trace.value(name).shape:
            unedited = plain_matrix(before, name, **part).values
            look["top"] = unedited[unedited.isfinite()].abs().max().item()
    return plain_matrix(trace, name, title=title, **part, **look)


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
    """Return the pinned setup's values of this entry, {} if shapes or words differ or the numbers
    are the same."""
    setup = run.held()
    if beside is None and setup and trace is run.trace():
        beside = computed.traced(setup)
    if beside is None or name not in beside or beside.value(name).shape != trace.value(name).shape:
        return {}
    if compare.match_words(beside.setup, trace.setup).keys() & {*trace[name].dims}:
        return {}
    value, now = (
        each[name].matrix({**(at or {}), **({} if head is None else each.places(head))})[0]
        for each in (beside, trace)
    )
    return {} if value.equal(now) else {"held": value[shown[0]][:, shown[1]]}


def _layer_of(trace: Trace, name: str) -> int | None:
    """Return the layer of these weights if the seven steps show a layer above the first."""
    return trace.setup.layer if trace.setup.layer > 1 and name.startswith(("w_", "b_")) else None


def _make_editable(
    trace: Trace, entry: Entry, head: int | None, rows: slice | Sequence[int], layer: int | None
) -> dict[str, Any]:
    """Return the fields that make a weight matrix editable, its edited cells, and its numbers
    before the edits; {} for computed or selected rows."""
    if entry.origin is not None or not is_weight(entry.name) or not isinstance(rows, slice):
        return {}
    lead = () if head is None else trace.head_index(entry.name, head)
    name = entry.name if layer is None else f"layer{layer}.{entry.name}"
    value = entry.value[lead]
    start, shown = _part(rows, value.shape[0]) if value.ndim == 2 else (0, "*")
    target = ".".join([name, *(str(place + 1) for place in lead)])
    behind = "".join(f", {HEADS[entry.dims[0]]} {place + 1}" for place in lead) + (
        f", layer {layer}" if layer else ""
    )
    editable = board.Editable(
        target, edits.symbol(entry.name), behind, start, shown, value.ndim == 1
    )
    before = computed.find_unedited(trace.setup, name)
    if before is None or before[lead].equal(value):
        return {"editable": editable}
    now, before = (each[rows] if value.ndim == 2 else each[None] for each in (value, before[lead]))
    return {"editable": editable, "unedited": before, "marks": now != before}


def _part(rows: slice, count: int) -> tuple[int, str]:
    """Return the count of rows above the shown ones, and the shown rows as an edit names them."""
    start, stop, _ = rows.indices(count)
    return start, "*" if stop - start == count else str(
        stop
    ) if stop - start == 1 else f"{start + 1}-{stop}"
