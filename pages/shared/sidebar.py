"""The setup as widgets. Each keyed widget is bound to the URL under the name of its field."""

import streamlit as st

from core.setup import CHOICES, DEFAULTS, MOST_CHARACTERS, MOST_OTHERS, RANGES, Setup
from pages.shared import share, state
from pages.shared.steps import find

HELP = {
    "d_model": "How many numbers stand for one word.",
    "d_k": "How many numbers a query and a key have. They are multiplied with each other, so both have the same.",
    "d_v": "How many numbers a value has. Values are only added up, so this is free of d_k.",
    "heads": "How many times attention runs beside itself, each with weights of its own.",
    "out": "What W_o maps back to: d_v, as the notebook does, or d_model, as the paper does, so that it can be added "
    "to the input.",
    "init": "How the weights are drawn: between 0 and 1, from a normal distribution, or Glorot's (Xavier's) uniform.",
    "scale": "√d_k once on the scores; d_k^¼ on queries and on keys before they meet, which keeps the numbers in between "
    "smaller; or not at all.",
    "seed": "Where the random numbers start. The same seed gives the same weights, always and everywhere.",
    "query": "The word that asks, counted from 1: its row is followed on every page. Clicking a cell sets it too.",
    "key": "The word that is asked.",
    "head": "The head whose matrices are shown.",
    "positions": "A row of numbers for each place in the sentence, added to the word's: waves as in the paper, or random.",
    "bias": "A number added to every column of the projections and of the output.",
    "temperature": "The scaled scores are divided by it: small is sharp, large is even.",
    "mask": "causal: a word may look only at itself and at what came before it.",
    "sizes": "narrow: d_k = d_v = d_model / heads, where that is whole. wide: d_k = d_v = d_model. free: as you like.",
    "others": "Further sentences, one a line, up to seven. With the first they are a batch.",
    "sentence": "The sentence of the batch whose matrices are shown large.",
    "padding": "Where short sentences are filled up, and whether a mask hides that.",
    "dropout": "The share of weights struck out at random while a model is trained.",
    "dropout_seed": "Which weights dropout strikes out: another number, others.",
    "layers": "How many blocks stand on top of one another.",
    "layer": "The block whose tensors are shown.",
    "norm": "post: add, then bring to mean 0 and spread 1, as in the paper. pre: bring to mean 0 and spread 1 on the way in.",
    "activation": "relu keeps what is positive; gelu lets go of the rest gradually.",
    "d_ff": "How many numbers the feed-forward part has for each word in between; up to 4 · d_model.",
    "classes": "How many classes the classifier tells apart.",
    "shuffle": "Which order the words are put into; 0 leaves them as they are.",
    "lecture": "Large type, one idea on screen; → and Space go on, ← goes back, Home to the page's first.",
    "notes": "What to say and to ask: for a second window, which goes along with the projected one.",
    "hide": "They keep their values and go from the screen of whoever opens this link.",
    "projections": "none: queries, keys and values are the embeddings themselves; there is nothing to learn.",
}


# What stands in which panel: where all of it is hidden, the panel is too.
PANELS = {
    "sizes_panel": ("projections", "d_model", "heads", "sizes", "d_k", "d_v"),
    "choices_panel": ("scale", "temperature", "mask", "positions", "bias", "out", "init", "seed"),
    "follow_panel": ("query", "key", "head", "column"),
    "lecture_panel": ("lecture", "notes", "hiding"),
}


def show(path: str) -> None:
    """Every choice that decides a number on this page. Call once, in the entry point, before the page."""
    own = find(path).fields
    state.carry(own)
    with st.sidebar:
        st.text_input("Sentence", DEFAULTS["text"], key="text", max_chars=MOST_CHARACTERS, bind="query-params")
        _choice("split", "Tokens are")
        if own:
            _of_this_page(own)
        _presets()
        _sizes()
        _choices()
        _followed()
        _lecture()
        _hide()


def _presets() -> None:
    st.session_state["preset"] = state.current_preset()
    st.pills(
        "Start from",
        list(state.PRESETS),
        key="preset",
        on_change=lambda: state.apply_preset(st.session_state["preset"]),
        help="Five systems, each from a teaching notebook (N0 to N4) that this explorer grew out of, and one for a class. "
        "Sentence: the one the seven steps follow. No weights: softmax(X Xᵀ) X. Wide: 20 heads, each of the full size. "
        "Narrow: 2 heads that share d_model, as in most models. Biases: one small head with biases. "
        "Small: sizes so small that every number can be read from the last row.",
    )
    with st.container(horizontal=True):
        st.button("Reset everything", key="reset", on_click=state.reset, width="stretch")
        if st.button("Share", key="share", width="stretch", help="This view, or a preset, as a link or a QR code."):
            share.show()


def _sizes() -> None:
    with st.expander("Sizes", expanded=True, key="sizes_panel"):
        _choice("projections", "Projections")
        learned = st.session_state["projections"] == "learned"
        _slider("d_model")
        _slider("heads", disabled=not learned)
        narrow = state.settle_sizes()
        options = [option for option in CHOICES["sizes"] if option != "narrow" or narrow]
        d_model, heads = st.session_state["d_model"], st.session_state["heads"]
        label = "Head sizes" if narrow else f"Head sizes (not narrow: {heads} does not divide {d_model})"
        _choice("sizes", label, options, disabled=not learned)
        free = learned and st.session_state["sizes"] == "free"
        _slider("d_k", disabled=not free)
        _slider("d_v", disabled=not free)


def _of_this_page(own: tuple[str, ...]) -> None:
    with st.expander("On this page", expanded=True):
        for name in own:
            if name == "others":
                st.text_area(
                    "Further sentences", DEFAULTS["others"], key="others", max_chars=MOST_OTHERS, bind="query-params",
                    help=HELP["others"], height=90,
                )  # fmt: skip
            elif name in CHOICES:
                _choice(name, name.capitalize())
            elif name == "dropout":
                low, high = RANGES[name]
                st.slider("Dropout", low, high, DEFAULTS[name], 0.1, key=name, bind="query-params", help=HELP[name])
            elif name == "dropout_seed":
                _number(name, "Dropout seed")
            else:
                _slider(name, name if name == "d_ff" else name.capitalize())


def _choices() -> None:
    with st.expander("Choices", key="choices_panel"):
        _choice("scale", "Scale by √d_k")
        st.slider(
            "Temperature", *RANGES["temperature"], DEFAULTS["temperature"], 0.1,
            key="temperature", bind="query-params", help=HELP["temperature"],
        )  # fmt: skip
        _choice("mask", "Mask")
        _choice("positions", "Positions")
        _choice("bias", "Biases")
        _choice("out", "Output size")
        _choice("init", "Weights drawn")
        _number("seed", "Seed")


def _followed() -> None:
    with st.expander("What you follow", expanded=True, key="follow_panel"):
        _slider("query", "Query word")
        _slider("key", "Key word")
        _slider("head", "Head")
        st.number_input(
            "Column", 1, state.MOST_COLUMNS, 1, key="column", bind="query-params",
            help="Which number of a word's vector is written out. Past a matrix's end, its last column is.",
        )  # fmt: skip


def _lecture() -> None:
    """For whoever stands in front of a class; drawn when it is needed, so that it costs the others nothing."""
    folded = st.expander("Lecture", key="lecture_panel", on_change="rerun")
    if not (folded.open or state.lecturing() or state.hidden()):
        return
    with folded:
        _choice("lecture", "One idea at a time")
        _choice("notes", "Speaker's notes")
        st.multiselect(
            "Controls to hide", state.HIDEABLE, state.hidden(), key="hiding",
            on_change=lambda: state.hide(st.session_state["hiding"]), help=HELP["hide"],
        )  # fmt: skip


def _hide() -> None:
    """Take off the screen what the link says; the widgets stay, so their values do too. Names are our own, never a visitor's."""
    hidden = state.hidden()
    if hidden:
        empty = [panel for panel, fields in PANELS.items() if set(fields) <= set(hidden)]
        names = ", ".join(f".st-key-{name}" for name in (*hidden, *empty))
        st.html(f"<style>{names} {{ display: none; }}</style>")


def _choice(name: str, label: str, options: list[str] | None = None, disabled: bool = False) -> None:
    all_options, default = (CHOICES | state.VIEW_CHOICES)[name], (DEFAULTS | state.VIEW_DEFAULTS)[name]
    st.segmented_control(
        label, options or list(all_options), default=default, key=name, bind="query-params",
        required=True, disabled=disabled, help=HELP.get(name), width="stretch",
    )  # fmt: skip


def _slider(name: str, label: str | None = None, disabled: bool = False) -> None:
    low, high = RANGES[name]
    st.slider(
        label or name, low, high, DEFAULTS[name], key=name, bind="query-params", disabled=disabled, help=HELP.get(name)
    )


def _number(name: str, label: str) -> None:
    st.number_input(label, *RANGES[name], DEFAULTS[name], key=name, bind="query-params", help=HELP[name])


def messages(setup: Setup, changes: list[str]) -> None:
    """What was asked for and could not be, as plain text: it may quote what a visitor typed."""
    if changes:
        with st.container(border=True, key="changes"):
            st.markdown(":material/info: **Not everything in the link or the settings could be used as it was.**")
            for change in changes:
                st.text(change)
