"""Links, widgets and what the reader follows: the only place that touches session state and the URL.

What the widgets hold is a wish. `wishes` is turned into the nearest honest `Setup` at every run
and never written back, so a sentence that was cut or a head that is not there today comes back
as soon as it fits again.
"""

import gc
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import streamlit as st
from streamlit.runtime.pages_manager import PagesManager

from core.setup import DEFAULTS, Setup
from core.trace import Trace, run
from pages.shared.steps import STEPS

# Parameters of a link that decide which cell is opened, not what is in it.
VIEW_DEFAULTS: dict[str, Any] = {"column": 1, "matrix": "queries", "way": "all at once"}

PRESETS: dict[str, dict[str, Any]] = {
    "Sentence · N4": {"text": DEFAULTS["text"]},
    "No weights · N0": {"projections": "none", "scale": "none", "d_model": 4},
    "Wide · N1": {
        "d_model": 10, "heads": 20, "sizes": "wide", "scale": "fourth-root", "out": "d_model", "init": "xavier",
    },
    "Narrow · N2": {
        "d_model": 10, "heads": 2, "sizes": "narrow", "out": "d_model", "bias": "on", "init": "xavier",
    },
    "Biases · N3": {
        "d_model": 4, "d_k": 2, "d_v": 2, "heads": 1, "out": "d_model", "bias": "on", "init": "xavier",
    },
}  # fmt: skip
READERS_OWN = ("text", "split", "seed")


def begin() -> None:
    """Switch Streamlit's discovery of the folder `pages` off, before it takes a deep link away from us.

    Until st.navigation has run once in a process, a cold deep link would run the page's file
    instead of the entry point, so every page calls this too, through `trace`. The flag is internal,
    which is one reason why Streamlit is pinned.
    """
    if PagesManager.uses_pages_directory:
        PagesManager.uses_pages_directory = False
        st.rerun()


@cache
def freeze_imports() -> None:
    """Once in a process: take everything imported so far out of the garbage collector's rounds.

    Streamlit collects after every run; going over all of torch each time costs far more than the page.
    """
    gc.collect()
    gc.freeze()


def arrive() -> None:
    """On a reader's first run, mend the link: out-of-range values become the nearest, and we say so.

    The link's values are put into session state at once: the sidebar asks for some of them before
    the widgets that own them are drawn.
    """
    if "arrived" in st.session_state:
        return
    st.session_state["arrived"] = True
    link = {name: st.query_params.get_all(name) for name in st.query_params}
    view = {name: values[-1] for name, values in link.items() if name in VIEW_DEFAULTS}
    setup, changes = Setup.nearest({name: values for name, values in link.items() if name not in VIEW_DEFAULTS})
    view, view_changes = _nearest_view(view)
    for name in setup.as_query().keys() & link.keys():
        st.session_state[name] = getattr(setup, name)
    if changes or view_changes:
        st.session_state["told"] = (setup, changes + view_changes)
        st.query_params.from_dict(setup.as_query() | view)
        st.rerun()


def _nearest_view(view: Mapping[str, str]) -> tuple[dict[str, str], list[str]]:
    kept, told = dict(view), []
    if "column" in kept and not (kept["column"].isdecimal() and 1 <= int(kept["column"][:5]) <= MOST_COLUMNS):
        told.append(f"column: expected a whole number from 1 to {MOST_COLUMNS}; it became 1.")
        del kept["column"]
    for name, options in VIEW_CHOICES.items():
        if name in kept and kept[name] not in options:
            told.append(f"{name}: expected one of {', '.join(options)}; it became {options[0]}.")
            del kept[name]
    return kept, told


MOST_COLUMNS = 20 * 64
VIEW_CHOICES = {"matrix": ("queries", "keys", "values"), "way": ("all at once", "one token")}


def wishes() -> dict[str, Any]:
    """What the widgets hold, where it differs from the default: the same a link would say."""
    held = {name: st.session_state.get(name, default) for name, default in DEFAULTS.items()}
    return {name: value for name, value in held.items() if value != DEFAULTS[name] and value is not None}


def setup_and_changes() -> tuple[Setup, list[str]]:
    """The setup that the widgets ask for, and what had to be changed, in words."""
    setup, changes = Setup.nearest(wishes())
    told_of, told = st.session_state.get("told", (None, []))
    return setup, (told if told_of == setup else []) + changes


def trace() -> Trace:
    """Everything computed, for the page that is being shown. The first call of every page."""
    begin()
    return run(setup_and_changes()[0])


def settle_sizes() -> bool:
    """Take `narrow` back where it cannot be, before its widget is drawn; whether it can be is returned."""
    held = {name: st.session_state.get(name, DEFAULTS[name]) for name in ("d_model", "heads", "sizes")}
    divides = held["d_model"] % held["heads"] == 0
    if held["sizes"] == "narrow" and not divides:
        st.session_state["sizes"] = "free"
        message = (
            f"sizes: narrow heads need a number of heads that divides d_model, and {held['heads']} "
            f"does not divide {held['d_model']}; the sizes are free instead."
        )
        st.session_state["told"] = (Setup.nearest(wishes())[0], [message])
    return divides


def column(columns: int) -> int:
    """The column of the opened cell, counted from 0, within this matrix."""
    return min(st.session_state.get("column", 1), columns) - 1


def follow(**chosen: int) -> None:
    """Make a cell the one that is followed: query, key, head or column, counted from 1. For callbacks."""
    for name, value in chosen.items():
        st.session_state[name] = int(value)


def on_choice(board_key: str, meaning: Callable[[dict[str, Any]], dict[str, int]]) -> Callable[[], None]:
    """A callback for a board: `meaning` says which of query, key, head, column the clicked cell sets."""

    def chose() -> None:
        event = st.session_state[board_key].get("chose")
        if event:
            follow(**meaning(event))

    return chose


def on_travel(board_key: str) -> Callable[[], None]:
    """A callback for a board of links: remember where to go, since a callback cannot change the page."""

    def chose() -> None:
        event = st.session_state[board_key].get("chose")
        if event:
            st.session_state["destination"] = event["page"]

    return chose


def travel() -> None:
    """Go where a board of links was clicked to."""
    destination = st.session_state.pop("destination", None)
    for step in STEPS:
        if step.path == destination:
            st.switch_page(step.file, query_params={})


def apply_preset(name: str | None) -> None:
    """Set every choice to a preset's; the reader's own sentence and seed stay. For callbacks."""
    if name is None:
        return
    preset = PRESETS[name]
    for field, default in DEFAULTS.items():
        if field in preset or field not in READERS_OWN:
            st.session_state[field] = preset.get(field, default)
    st.session_state["column"] = VIEW_DEFAULTS["column"]


def reset() -> None:
    """Set every choice to its default, the sentence too. For callbacks."""
    for field, default in (DEFAULTS | {"column": 1}).items():
        st.session_state[field] = default


def current_preset() -> str | None:
    """The preset whose choices are all in force, if there is one."""
    held = {name: st.session_state.get(name, default) for name, default in DEFAULTS.items()}
    decisive = [name for name in DEFAULTS if name not in (*READERS_OWN, "query", "key", "head")]
    for name, preset in PRESETS.items():
        if all(held[field] == preset.get(field, DEFAULTS[field]) for field in decisive):
            return name
    return None
