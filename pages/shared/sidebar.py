"""The setup as widgets, of which only those are drawn that stand in an open panel."""

import streamlit as st

from core.setup import CHOICES
from pages.shared import address, controls, elements, share, state
from pages.shared.fields import CONTROLS, in_panel, on_page

PANELS = {
    "sizes_panel": "Sizes",
    "choices_panel": "Choices",
    "follow_panel": "What you follow",
    "lecture_panel": "Lecture",
}


def show(path: str) -> None:
    """Every choice that decides a number on this page. Call once, in the entry point, before the page."""
    with st.sidebar:
        _draw(in_panel("top"))
        own = on_page(path)
        if own:
            with elements.expander("On this page", expanded=True):
                _draw(own)
        address.starts()
        if elements.button("Share", key="share", width="stretch", help="This view, or a preset, as a link or a QR code."):
            share.show()
        for name, label in PANELS.items():
            # Drawn when it is open: a folded widget costs as much as one that is seen, and what it holds is in the link.
            panel = elements.fold(label, name, expanded=name == "sizes_panel")
            if panel:
                with panel:
                    _draw(in_panel(name))
        _hide()


def _draw(names: tuple[str, ...]) -> None:
    tied = state.setup().tied
    for name in names:
        if name == "sizes":
            _head_sizes()
        else:
            controls.draw(name, disabled=name in tied)


def _head_sizes() -> None:
    """Without narrow where the heads cannot be: the label says why."""
    setup = state.setup()
    label, options = CONTROLS["sizes"].label, CHOICES["sizes"]
    if setup.d_model % setup.heads:
        label += f" (not narrow: {setup.heads} does not divide {setup.d_model})"
        options = [option for option in options if option != "narrow"]
    controls.choice("sizes", label, options, disabled=setup.projections == "none")


def _hide() -> None:
    """Take off the screen what the link says; the widgets stay, so their values do too. Names are our own, never a visitor's."""
    # The control that lists them is hidden by another name than its own.
    hidden = ["hide" if name == "hiding" else name for name in state.focus().hide]
    if hidden:
        empty = [panel for panel in PANELS if set(in_panel(panel)) <= set(hidden)]
        names = ", ".join(f".st-key-{name}" for name in (*hidden, *empty))
        elements.html(f"<style>{names} {{ display: none !important; }}</style>")


def messages() -> None:
    """What was asked for and could not be, as plain text: it may quote what a visitor typed."""
    changes = state.messages()
    if changes:
        with elements.container(border=True, key="changes"):
            elements.markdown(":material/info: **Not everything in the link or the settings could be used as it was.**")
            for change in changes:
                elements.text(change)
