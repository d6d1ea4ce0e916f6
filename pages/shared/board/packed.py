"""What a board is given: tensors as bytes for the browser, their labels, and what a click on a cell chooses."""

import base64
from collections.abc import Mapping, Sequence
from typing import Any

import torch
from torch import Tensor

Meaning = str | int | tuple[str, int] | None


def pack(values: Tensor) -> str:
    """The numbers as they are, float32, for JavaScript."""
    return base64.b64encode(values.detach().contiguous().float().numpy().tobytes()).decode()


def pack_shares(weights: Tensor) -> str:
    """Shares of 1 as whole numbers up to 65,535: half the bytes, for small pictures without numbers."""
    return base64.b64encode((weights * 65535).round().to(torch.uint16).contiguous().numpy().tobytes()).decode()


def matrix(
    name: str,
    values: Tensor,
    rows: Sequence[str],
    columns: Sequence[str],
    axes: tuple[str, str],
    role: str = "x",
    title: str | None = None,
    **more: Any,
) -> dict[str, Any]:
    """One matrix (rows, columns): what it is called, its numbers, its labels, and what its axes are."""
    n, m = values.shape
    return {
        "name": name,
        "title": title or name,
        "shape": f"{n} × {m} ({axes[0]}, {axes[1]})",
        "role": role,
        "values": pack_shares(values) if more.get("shares") else pack(values),
        "n": n,
        "m": m,
        "rows": list(rows),
        "cols": list(columns),
        **more,
    }


def numbered(count: int) -> list[str]:
    """Labels for a dimension that has no words: 1, 2, 3 …"""
    return [str(k) for k in range(1, count + 1)]


def choice(
    by_matrix: Mapping[str, Mapping[str, Meaning]] | None = None, most: Mapping[str, int] | None = None, /, **fields: Meaning
) -> dict[str, Any]:
    """Which of query, key, head, column … a clicked cell sets, and to what.

    "row" and "column" mean the cell's own, counted from 1; ("column", 5) the block of five columns that it stands in;
    anything else is itself. `by_matrix` adds to it, or takes away with None, for one of the matrices; `most` caps.
    The browser makes the change: it knows the link as it is when the click comes.
    """
    return {"fields": fields, "by_matrix": by_matrix or {}, "most": most or {}}
