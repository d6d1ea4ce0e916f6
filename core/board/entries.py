"""A trace's entry as a matrix on a board: axes, labels, role and title come from the entry
itself."""

from collections.abc import Mapping, Sequence
from typing import Any

from torch import Tensor

from ..text.text import SYMBOLS
from ..trace.record import Trace
from .colours import get_role
from .packed import Matrix, number_labels

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


# The head axes and their names.
HEADS = {"head": "head", "kv_head": "kv head"}


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
    **look: Any,
) -> Matrix:
    """Return the entry as a matrix of a board (one row if it has one axis).

    head, at: indices from 0 into the head axis and any further axes, such as {"sentence": 1} of a
    batch. axes: other names for the remaining axes (a query is a token). rows, columns: the shown
    ones. row_labels, column_labels: other labels. called: another name for clicks, if several
    matrices show the entry. role: another colour role. look: fields of `Matrix` from `symbol` on;
    `marks` are of the shown rows and columns.
    """
    entry = trace[name]
    value, dims = entry.matrix({**(at or {}), **({} if head is None else trace.places(head))})
    role = role or get_role(name)
    return Matrix(
        called or name,
        value[rows][:, columns],
        row_labels or _select_labels(axis_labels(trace, dims[0], len(value)), rows),
        column_labels or _select_labels(axis_labels(trace, dims[1], value.shape[1]), columns),
        axes or dims,
        role,
        title or TITLES.get(name, name),
        **_scale(name, role) | look,
    )


def by_head(
    name: str, values: Tensor, title: str, role: str, down: str = "layer", **look: Any
) -> Matrix:
    """Return a number for each head, (layer, head), as a matrix of a board: a row for each layer,
    or `down` the rows for each head. look: fields of `Matrix` from `symbol` on."""
    axes = ("layer", "head")
    if down == "head":
        values, axes = values.T, ("head", "layer")
    return Matrix(
        name,
        values.float(),
        [f"{down} {k}" for k in number_labels(values.shape[0])],
        number_labels(values.shape[1]),
        axes,
        role,
        title,
        **look,
    )


def axis_labels(trace: Trace, axis: str, size: int) -> list[str]:
    """Return the labels along an axis: tokens, key tokens, vocabulary; heads, sentences and classes
    by number; or 1, 2, 3 …"""
    if axis == "":
        return [""]
    if words := trace.words_along(axis):
        return list(words)
    named = HEADS.get(axis) or (axis if axis in ("sentence", "class") else "")
    return [f"{named} {k}".strip() for k in range(1, size + 1)]


def _select_labels(labels: Sequence[str], places: slice | Sequence[int]) -> Sequence[str]:
    return labels[places] if isinstance(places, slice) else [labels[k] for k in places]


def _scale(name: str, role: str) -> dict[str, Any]:
    """Return the colour scale of probabilities and weights; {} for signed numbers."""
    return SHARES_IN_GREY if name == "probabilities" else SHARES if role == "weights" else {}
