"""Mounting: what a browser is sent of the boards, and when.

The scripts go to a browser once, as a component of their own (`library`). Each board is a component whose script only
calls them.
"""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st
import torch

from pages.shared import address, elements, state
from pages.shared.board.packed import choice, pack
from pages.shared.board.scripts import SCRIPTS, script, styles
from pages.shared.board.themes import themes
from pages.shared.drawings import kept

MOUNT = """
export default function (component) {
  if (window.attentionReady) return window.%s(component);
  let clean = null;
  const begin = () => { clean = window.%s(component); };
  window.addEventListener("attention-ready", begin, { once: true });
  return () => { window.removeEventListener("attention-ready", begin); if (clean) clean(); };
}
"""
# The address makes elements too, with dom.js: all of it is one module.
_library = kept(
    st.components.v2.component(
        "attention_board_library",
        js=f"const STYLES = {json.dumps(styles())};\nconst THEMES = {json.dumps(themes())};\n"
        + address.SCRIPT
        + script(*SCRIPTS),
        isolate_styles=False,
    )
)
_bar = kept(st.components.v2.component("attention_bar", js=MOUNT.replace("%s", "attentionBar"), isolate_styles=False))
_board = elements.mounted(
    st.components.v2.component("attention_board", js=MOUNT.replace("%s", "attentionBoard"), isolate_styles=False)
)
_word = elements.mounted(
    st.components.v2.component("attention_word", js=MOUNT.replace("%s", "attentionWord"), isolate_styles=False)
)
_running_sum = elements.mounted(
    st.components.v2.component("attention_running_sum", js=MOUNT.replace("%s", "attentionRunningSum"), isolate_styles=False)
)
CONSTANTS = json.dumps(address.constants()).encode()


def bar() -> None:
    """The overview, the steps and what comes after, always in view; before everything else on a page."""
    _bar(key="board_bar")


def library() -> None:
    """Send the scripts and the styles, until an act shows that the browser has them. There they stay: to make the message
    anew for every run costs as much as three widgets. Last in the entry point, so that nothing moves when it is left out."""
    if state.is_new("library", "sent"):
        _library(key="board_library", data=CONSTANTS)


def show(data: dict[str, Any], key: str, chooses: Mapping[str, Any] | None = None) -> None:
    """Mount one board. `data` names one of `views/` and what it draws; `alt` must be among it.

    It goes as bytes: Streamlit writes a dictionary out twice, once to send it and once to recognise it.
    In a lecture it is drawn as large as fits into `part` of the screen's height.
    """
    focus = state.focus()
    if focus.lecturing and focus.notes == "off":
        data = data | {"lecture": data.get("part", 0.72)}
    _board(key=key, data=json.dumps(data | {"chooses": chooses or choice()}).encode())


def word(name: str, label: str, help: str, words: Sequence[str], place: int) -> None:
    """A list of words to choose from: a choice writes its place, from 1, into the link as the field `name`."""
    data = {"name": name, "label": label, "help": help, "words": words, "chosen": place}
    _word(key=name, data=json.dumps(data).encode())


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
