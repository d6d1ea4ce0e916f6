"""The setup as widgets, of which only those are drawn that stand in an open panel."""

import streamlit as st

from core.setup import CHOICES, DEFAULTS, MOST_CHARACTERS, MOST_OTHERS
from pages.shared import address, controls, elements, share, state
from pages.shared.steps import find

# What stands in which panel: where all of it is hidden, the panel is too.
PANELS = {
    "sizes_panel": ("projections", "d_model", "heads", "sizes", "d_k", "d_v"),
    "choices_panel": ("scale", "temperature", "mask", "positions", "bias", "out", "init", "seed"),
    "follow_panel": ("query", "key", "head", "column"),
    "lecture_panel": ("lecture", "notes", "hiding"),
}


def show(path: str) -> None:
    """Every choice that decides a number on this page. Call once, in the entry point, before the page."""
    with st.sidebar:
        fresh = state.settle("text", controls.typed("text")[:MOST_CHARACTERS])
        elements.text_input("Sentence", DEFAULTS["text"], key="text", max_chars=MOST_CHARACTERS, bind="query-params", fresh=fresh)
        controls.choice("split", "Tokens are")
        own = find(path).fields
        if own:
            _of_this_page(own)
        address.starts()
        if elements.button("Share", key="share", width="stretch", help="This view, or a preset, as a link or a QR code."):
            share.show()
        for name, label, opened, draw in (
            ("sizes_panel", "Sizes", True, _sizes),
            ("choices_panel", "Choices", False, _choices),
            ("follow_panel", "What you follow", False, _followed),
            ("lecture_panel", "Lecture", False, _lecture),
        ):
            # Drawn when it is open: a folded widget costs as much as one that is seen, and what it holds is in the link.
            panel = elements.fold(label, name, opened)
            if panel:
                with panel:
                    draw()
        _hide()


def _sizes() -> None:
    setup = state.setup()
    controls.choice("projections", "Projections")
    learned = setup.projections == "learned"
    controls.slider("d_model")
    controls.slider("heads", disabled=not learned)
    narrow = setup.d_model % setup.heads == 0
    options = [option for option in CHOICES["sizes"] if option != "narrow" or narrow]
    label = "Head sizes" if narrow else f"Head sizes (not narrow: {setup.heads} does not divide {setup.d_model})"
    controls.choice("sizes", label, options, disabled=not learned)
    free = learned and setup.sizes == "free"
    controls.slider("d_k", disabled=not free)
    controls.slider("d_v", disabled=not free)


def _of_this_page(own: tuple[str, ...]) -> None:
    with elements.expander("On this page", expanded=True):
        for name in own:
            if name == "others":
                fresh = state.settle(name, controls.typed(name)[:MOST_OTHERS])
                elements.text_area(
                    "Further sentences", DEFAULTS["others"], key="others", max_chars=MOST_OTHERS, bind="query-params",
                    help=controls.HELP["others"], height=90, fresh=fresh,
                )  # fmt: skip
            elif name in CHOICES:
                controls.choice(name, name.capitalize())
            elif name == "dropout_seed":
                controls.number(name, "Dropout seed")
            else:
                controls.slider(name, name if name == "d_ff" else name.capitalize())


def _choices() -> None:
    controls.choice("scale", "Scale by √d_k")
    controls.slider("temperature", "Temperature")
    controls.choice("mask", "Mask")
    controls.choice("positions", "Positions")
    controls.choice("bias", "Biases")
    controls.choice("out", "Output size")
    controls.choice("init", "Weights drawn")
    controls.number("seed", "Seed")


def _followed() -> None:
    controls.slider("query", "Query word")
    controls.slider("key", "Key word")
    controls.slider("head", "Head")
    controls.number("column", "Column")


def _lecture() -> None:
    controls.choice("lecture", "One idea at a time")
    controls.choice("notes", "Speaker's notes")
    controls.hidden("Controls to hide")


def _hide() -> None:
    """Take off the screen what the link says; the widgets stay, so their values do too. Names are our own, never a visitor's."""
    hidden = state.focus().hide
    if hidden:
        empty = [panel for panel, fields in PANELS.items() if set(fields) <= set(hidden)]
        names = ", ".join(f".st-key-{name}" for name in (*hidden, *empty))
        elements.html(f"<style>{names.replace('.st-key-hiding', '.st-key-hide')} {{ display: none !important; }}</style>")


def messages() -> None:
    """What was asked for and could not be, as plain text: it may quote what a visitor typed."""
    changes = state.messages()
    if changes:
        with elements.container(border=True, key="changes"):
            elements.markdown(":material/info: **Not everything in the link or the settings could be used as it was.**")
            for change in changes:
                elements.text(change)
