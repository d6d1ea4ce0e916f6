"""Mounting: what a browser is sent of the boards, and when.

The scripts go to a browser once, as a component of their own. Each board is a component whose script only calls them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import torch

from pages.shared.board.packed import choice, pack
from pages.shared.said import elements
from pages.shared.server import run

_board = elements.component("attention_board", "attentionBoard")
_running_sum = elements.component("attention_running_sum", "attentionRunningSum")


def show(data: dict[str, Any], key: str, chooses: Mapping[str, Any] | None = None) -> None:
    """Mount one board. `data` names one of `views/` and what it draws; `alt` must be among it.

    It goes as bytes: Streamlit writes a dictionary out twice, once to send it and once to recognise it.
    In a lecture it is drawn as large as fits into `part` of the screen's height.
    """
    focus = run.focus()
    if focus.lecturing and focus.notes == "off":
        data = data | {"lecture": data.get("part", 0.72)}
    _board(key=key, data=json.dumps(data | {"chooses": chooses or choice()}).encode())


def running_sum(
    terms: Sequence[float], sums: Sequence[float], columns: Mapping[str, Sequence[str | None]], key: str, alt: str, picture: str
) -> None:
    """One cell's terms as bars, the sum so far as a line, and both as a table.

    `columns` are the table's, as they are written: the first holds the terms' labels, the last two terms and sums. `alt` says
    what the table has, `picture` what the drawing shows.
    """
    rows = list(zip(*columns.values(), strict=True))
    data = {"columns": list(columns), "rows": rows, "alt": alt, "picture": picture, "numbers": pack(torch.tensor([terms, sums]))}
    _running_sum(key=key, data=json.dumps(data).encode())
