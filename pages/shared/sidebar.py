"""The setup as widgets, of which only those are drawn that stand in an open panel."""

import streamlit as st

from pages.shared import address, controls, elements, runtime, share, state
from pages.shared.fields import CONTROLS, in_panel, on_page

SHARE = "This view, or a preset, as a link or a QR code; the seven steps with your numbers as a notebook, a script or files."
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
        # Drawn without any, too: no other control moves to another place then. One that moves is in both places until the
        # browser has heard all of an answer, and when the first is taken away, Streamlit no longer writes what a reader
        # chooses in the second into the address.
        with elements.container(key="own"):
            if own:
                with elements.expander("On this page", expanded=True):
                    _draw(own)
        address.starts()
        if elements.button("Share or download", key="share", width="stretch", help=SHARE):
            share.show()
        for name, label in PANELS.items():
            # Drawn only while it is open: a folded widget costs as much as a visible one, and its value is in the link.
            panel = elements.fold(label, name, expanded=name == "sizes_panel")
            if panel:
                with panel:
                    _draw(in_panel(name))
        _hide()


def _draw(names: tuple[str, ...]) -> None:
    runtime.end_if_overtaken()
    tied, is_trained = state.setup().tied, state.setup().init == "trained"
    for name in names:
        if name == "sizes":
            _head_sizes()
        elif name == "classes" and is_trained:
            continue  # there are as many classes as labels
        else:
            # The preset's training, which is shown of drawn weights, has its own steps.
            controls.draw(name, disabled=name in tied or (name == "steps" and not is_trained))


def _head_sizes() -> None:
    """The choice of head sizes; where heads does not divide d_model the label says why narrow cannot be, and board/page.css
    strikes that option out by this label."""
    setup = state.setup()
    label = CONTROLS["sizes"].label
    if setup.d_model % setup.heads:
        label += f" (not narrow: {setup.heads} does not divide {setup.d_model})"
    controls.choice("sizes", label=label, disabled=setup.projections == "none")


def _hide() -> None:
    """Take the controls that the link names off the screen. They are still drawn, so they keep their values. The names are
    our own, never a visitor's text."""
    # The control that lists them is called "hiding" in a link; its key is "hide".
    keys = ["hide" if name == "hiding" else name for name in state.focus().hide]
    if keys:
        empty = [panel for panel in PANELS if set(in_panel(panel)) <= set(keys)]
        names = ", ".join(f".st-key-{name}" for name in (*keys, *empty))
        elements.html(f"<style>{names} {{ display: none !important; }}</style>")


def messages() -> None:
    """What of the link could not be used as it was, as plain text: it may quote what a visitor typed."""
    with elements.container(key="above"):  # so that nothing below moves, as in the sidebar
        changes = state.messages()
        if changes:
            with elements.container(border=True, key="changes"):
                elements.markdown(":material/info: **Not everything in the link or the settings could be used as it was.**")
                for change in changes:
                    elements.text(change)
