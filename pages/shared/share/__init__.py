"""The link to hand on: copied with one click, or scanned from the screen."""

from pathlib import Path

import segno
import streamlit as st

from core.setup import DEFAULTS
from pages.shared import state
from pages.shared.board.scripts import script
from pages.shared.link import PRESETS, parse_link, write_link

_links = st.components.v2.component(
    "attention_links",
    js=script("dom") + (Path(__file__).parent / "share.js").read_text(encoding="utf-8"),
    css=(Path(__file__).parent / "share.css").read_text(encoding="utf-8"),
)


def links(address: str, parameters: dict[str, str]) -> dict[str, str]:
    """What can be handed on of the page at this address: this view, the lecture's two windows, and each preset."""
    plain = {name: value for name, value in parameters.items() if name not in ("lecture", "notes", "beat")}
    views = {
        "This view": parameters,
        "For a class, beat by beat": plain | {"lecture": "on"},
        "The speaker's notes to it": plain | {"notes": "on"},
    }
    for name, preset in PRESETS.items():
        views[name] = {field: value for field, value in preset.items() if value != DEFAULTS[field]}
    return {name: f"{address}?{write_link(view)}" if view else address for name, view in views.items()}


def code(link: str) -> str | None:
    """A QR code as the path of an SVG in units of one module; None where a link is longer than any code holds."""
    try:
        qr = segno.make_qr(link, error="l", boost_error=False)
    except segno.DataOverflowError:
        return None
    rows = enumerate(qr.matrix)
    return "".join(f"M{x} {y}h1v1h-1z" for y, row in rows for x, dark in enumerate(row) if dark)


@st.dialog("Hand this on", width="large")
def show() -> None:
    """The links of this page, each with a button that copies it, and the code of the one that is chosen."""
    links_by_name = links((st.context.url or "").split("?")[0], parse_link(state.memory().link))
    _links(key="links", data=[{"name": name, "link": link, "code": code(link)} for name, link in links_by_name.items()])
