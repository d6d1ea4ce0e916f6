"""Matrices for the page: packs tensors for board.js, which draws them and answers the pointer.

The script goes to a browser once, as a mounting of its own (`library`): Streamlit remembers
large messages it has sent, so on a rerun it costs a few bytes. Each board carries one line.
"""

import base64
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from pages.shared import address, elements, state
from pages.shared.kept import kept

HERE = Path(__file__).parent
MOUNT = """
export default function (component) {
  if (window.attentionReady) return window.%s(component);
  let clean = null;
  const begin = () => { clean = window.%s(component); };
  window.addEventListener("attention-ready", begin, { once: true });
  return () => { window.removeEventListener("attention-ready", begin); if (clean) clean(); };
}
"""
STYLES = json.dumps((HERE / "board.css").read_text(encoding="utf-8"))
_library = st.components.v2.component(
    "attention_board_library",
    js=f"const STYLES = {STYLES};\n" + address.SCRIPT + (HERE / "board.js").read_text(encoding="utf-8"),
    isolate_styles=False,
)
_bar = kept(st.components.v2.component("attention_bar", js=MOUNT.replace("%s", "attentionBar"), isolate_styles=False))
_board = elements.mounted(
    st.components.v2.component("attention_board", js=MOUNT.replace("%s", "attentionBoard"), isolate_styles=False)
)
CONSTANTS = json.dumps(address.constants()).encode()


def bar() -> None:
    """The overview, the steps and what comes after, always in view; before everything else on a page."""
    _bar(key="board_bar")


def library() -> None:
    """Send the scripts and the styles, until a browser has acted on an answer that had them. They stay there: to make
    the message anew for every run costs as much as three widgets. Last in the entry point, since it leaves again."""
    if state.is_new("library", "sent"):
        _library(key="board_library", data=CONSTANTS)


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


Meaning = str | int | tuple[str, int] | None


def choice(
    by_matrix: Mapping[str, Mapping[str, Meaning]] | None = None, most: Mapping[str, int] | None = None, /, **fields: Meaning
) -> dict[str, Any]:
    """Which of query, key, head, column … a clicked cell sets, and to what.

    "row" and "column" mean the cell's own, counted from 1; ("column", 5) the block of five columns that it stands in;
    anything else is itself. `by_matrix` adds to it, or takes away with None, for one of the matrices; `most` caps.
    The browser makes the change: it knows the link as it is when the click comes.
    """
    return {"fields": fields, "by_matrix": by_matrix or {}, "most": most or {}}


def show(data: dict[str, Any], key: str, chooses: Mapping[str, Any] | None = None) -> None:
    """Mount one board. `data` names a view of board.js and what it draws; `alt` must be among it.

    It goes as bytes: Streamlit writes a dictionary out twice, once to send it and once to know it again.
    In a lecture it is drawn as large as fits into its `part` of the screen's height.
    """
    focus = state.focus()
    if focus.lecturing and focus.notes == "off":
        data = data | {"lecture": data.get("part", 0.72)}
    _board(key=key, data=json.dumps(data | {"chooses": chooses or choice()}).encode())
