"""Matrices for the page: packs tensors for board.js, which draws them and answers the pointer.

The script goes to a browser once, as a mounting of its own (`library`): Streamlit remembers
large messages it has sent, so on a rerun it costs a few bytes. Each board carries one line.
"""

import base64
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import streamlit as st
import torch
from torch import Tensor

from pages.shared import state

HERE = Path(__file__).parent
MOUNT = """
export default function (component) {
  if (window.attentionBoard) return window.attentionBoard(component);
  let clean = null;
  const begin = () => { clean = window.attentionBoard(component); };
  window.addEventListener("attention-board", begin, { once: true });
  return () => { window.removeEventListener("attention-board", begin); if (clean) clean(); };
}
"""
_library = st.components.v2.component(
    "attention_board_library",
    js=(HERE / "board.js").read_text(encoding="utf-8"),
    css=(HERE / "board.css").read_text(encoding="utf-8"),
    isolate_styles=False,
)
_board = st.components.v2.component("attention_board", js=MOUNT, isolate_styles=False)


def library() -> None:
    """Send the script and the styles; once, before everything else on a page."""
    _library(key="board_library")


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


def show(data: dict[str, Any], key: str, on_choice: Callable[[], None]) -> None:
    """Mount one board. `data` names a view of board.js and what it draws; `alt` must be among it.

    It goes as bytes: Streamlit writes a dictionary out twice, once to send it and once to know it again.
    In a lecture it is drawn as large as fits into its `part` of the screen's height.
    """
    if state.lecturing() and not state.with_notes():
        data = data | {"lecture": data.get("part", 0.72)}
    _board(key=key, data=json.dumps(data).encode(), on_chose_change=on_choice)
