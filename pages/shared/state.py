"""Links, widgets and what the reader follows: the only place that touches session state and the URL.

What the widgets hold is a wish. `wishes` is turned into the nearest honest `Setup` at every run
and never written back, so a sentence that was cut or a head that is not there today comes back
as soon as it fits again.
"""

import gc
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, partial
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.navigation.page import StreamlitPage
from streamlit.runtime.pages_manager import PagesManager
from streamlit.runtime.scriptrunner import get_script_run_ctx
from streamlit.runtime.state.query_params import _coerce_value_for_query_url
from streamlit.runtime.state.session_state_proxy import get_session_state

from core.mistakes import MISTAKES
from core.setup import DEFAULTS, LIMITED, Setup
from core.trace import Trace, run
from pages.shared.steps import STEPS

# Parameters of a link that decide which cell is opened and how, not what is in it.
VIEW_DEFAULTS: dict[str, Any] = {
    "column": 1, "matrix": "queries", "way": "all at once", "stage": "added", "mistake": "N4 softmax and size", "form": "as written",
    "lecture": "off", "notes": "off",
}  # fmt: skip
# These have no widget of their own: the link alone holds them. `beat` is counted from 1; `hide` is "seed,init".
LINKS_OWN = ("beat", "hide")

PRESETS: dict[str, dict[str, Any]] = {
    "Sentence · N4": {"text": DEFAULTS["text"], "split": "words"},
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
    "Small · class": {"d_model": 6, "d_k": 4, "d_v": 5, "heads": 2, "out": "d_model", "init": "xavier"},
}  # fmt: skip
ICON = str(Path(__file__).parents[2] / "assets" / "logo.svg")
READERS_OWN = ("text", "split", "seed", "others")


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
def menu() -> list[StreamlitPage]:
    """Every page, made once in a process: looking thirteen files up costs a millisecond a run.

    All visitors share them, so navigation and page run inside `one_at_a_time`.
    """
    return [st.Page(step.file, title=step.menu, url_path=step.path or None, default=not step.path) for step in STEPS]


# Python runs one thread at a time. A hundred visitors' runs that take turns every few milliseconds all
# finish late; one after the other, most finish early and none later.
one_at_a_time = threading.Lock()


@contextmanager
def sent_as_one() -> Iterator[None]:
    """Hold back what the block shows and send it when it is complete.

    Left to itself, each of some fifty messages wakes the server's thread, which then takes turns with the
    page's, and after every round it waits 5 ms before it sends more. Held together, they go in one round.
    """
    context = get_script_run_ctx()
    send, held = context._enqueue, []
    context._enqueue = held.append
    try:
        yield
    finally:
        context._enqueue = send
        for message in held:
            send(message)


@cache
def freeze_imports() -> None:
    """Once in a process: take everything imported so far out of the garbage collector's rounds.

    A round over all of torch's and altair's objects costs several times what a page does; what only the pages
    import is imported here for that. And fewer rounds: with a hundred visitors' objects to go over, they
    made every twentieth answer wait twice as long.
    """
    from pages.shared import notebooks, show  # noqa: F401

    gc.collect()
    gc.freeze()
    gc.set_threshold(5_000, 10, 10)


def arrive() -> None:
    """On a reader's first run, mend the link: out-of-range values become the nearest, and we say so.

    The link's values are put into session state at once: the sidebar asks for some of them before
    the widgets that own them are drawn.
    """
    if "arrived" in st.session_state:
        return
    st.session_state["arrived"] = True
    link = {name: st.query_params.get_all(name) for name in st.query_params}
    view = {name: values[-1] for name, values in link.items() if name in (*VIEW_DEFAULTS, *LINKS_OWN)}
    setup, changes = Setup.nearest({name: values for name, values in link.items() if name not in view})
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
    if "beat" in kept and not (kept["beat"].isdecimal() and 1 <= int(kept["beat"][:5]) <= MOST_BEATS):
        told.append(f"beat: expected a whole number from 1 to {MOST_BEATS}; it became 1.")
        del kept["beat"]
    if "hide" in kept:
        asked = kept["hide"].split(",")
        known = [name for name in asked if name in HIDEABLE]
        if len(known) < len(asked):
            told.append(f"hide: expected names of controls with commas between; {', '.join(known) or 'none'} remained.")
        kept["hide"] = ",".join(known)
        if not known:
            del kept["hide"]
    for name, options in VIEW_CHOICES.items():
        if name in kept and kept[name] not in options:
            told.append(f"{name}: expected one of {', '.join(options)}; it became {options[0]}.")
            del kept[name]
    return kept, told


MOST_COLUMNS = 20 * 64
MOST_BEATS = 20
# What a lecturer may take off the screen: every widget of the sidebar and of the pages, by its key.
HIDEABLE = (*DEFAULTS, *VIEW_DEFAULTS, "preset", "reset", "share", "hiding")
VIEW_CHOICES = {
    "lecture": ("off", "on"),
    "notes": ("off", "on"),
    "matrix": ("queries", "keys", "values"),
    "way": ("all at once", "one token"),
    "stage": ("output", "added", "normed", "normed_2", "hidden", "bent", "fed", "added_2", "out"),
    "mistake": tuple(mistake.key for mistake in MISTAKES),
    "form": ("as written", "first fault alone", "second fault alone", "repaired"),
}


def wishes() -> dict[str, Any]:
    """What the widgets hold, where it differs from the default: the same a link would say."""
    held = {name: st.session_state.get(name, default) for name, default in DEFAULTS.items()}
    return {name: value for name, value in held.items() if value != DEFAULTS[name] and value is not None}


# Fields whose widgets stand on some pages only.
TRAVELLING = tuple({name: None for step in STEPS for name in step.fields})


def carry(shown: tuple[str, ...]) -> None:
    """Keep what other pages' widgets hold in the link: Streamlit drops a widget's parameter with the widget.

    Internal calls, like those in `assign`.
    """
    changed = False
    with get_session_state().query_params() as link:
        for name in set(TRAVELLING).difference(shown):
            bound = link.get_binding_for_param(name)
            if bound is not None:
                link.unbind_widget(bound.widget_id)
            value = st.session_state.get(name)
            if value not in (None, DEFAULTS[name]) and not link.has_param(name):
                link.set_with_no_forward_msg(name, str(value))
                changed = True
        changed |= _carry_hidden(link)
        if changed:
            link._send_query_param_msg()


def address() -> dict[str, str]:
    """The link as it stands."""
    return st.query_params.to_dict()


def _carry_hidden(link: Any) -> bool:
    """A change of page drops what no widget holds, but what is hidden is to stay so. Whether the link was changed is returned."""
    page, before = get_script_run_ctx().page_script_hash, st.session_state.get("hidden_on")
    kept = st.session_state.get("hidden", "")
    restored = bool(kept) and page != before and not link.has_param("hide")
    if restored:
        link.set_with_no_forward_msg("hide", kept)
    st.session_state["hidden"] = link["hide"] if link.has_param("hide") else ""
    st.session_state["hidden_on"] = page
    return restored


def lecturing() -> bool:
    """Whether one idea at a time is on screen, for a class. The speaker's notes belong to that."""
    return _is_on("lecture") or with_notes()


def with_notes() -> bool:
    """Whether this window is the speaker's."""
    return _is_on("notes")


def _is_on(name: str) -> bool:
    return st.session_state.get(name, st.query_params.get(name)) == "on"


def beat(count: int) -> int:
    """Which of a page's beats is on screen, counted from 1."""
    asked = st.query_params.get("beat", "1")[:5]
    return min(max(int(asked), 1), count) if asked.isdecimal() else 1


def go_to_beat(place: int) -> None:
    """Put another beat of this page on screen, as one step in the browser's history. For callbacks."""
    if place > 1:
        st.query_params["beat"] = str(place)
    elif "beat" in st.query_params:
        del st.query_params["beat"]


def on_screen(path: str, names: tuple[str, ...]) -> None:
    """Note which of this page's beats is on screen; outside a lecture it is all of them. Once, before the page."""
    st.session_state["on_screen"] = names[beat(len(names)) - 1] if lecturing() else None


def shown() -> str | None:
    """The name of the beat that is on screen; None where all are."""
    return st.session_state.get("on_screen")


def hidden() -> list[str]:
    """The controls that the link takes off the screen."""
    return [name for name in st.query_params.get("hide", "").split(",") if name in HIDEABLE]


def hide(names: list[str]) -> None:
    """Take these controls off the screen, and no others. For callbacks."""
    if names:
        st.query_params["hide"] = ",".join(names)
    elif "hide" in st.query_params:
        del st.query_params["hide"]


def settle() -> tuple[Setup, list[str]]:
    """The setup that the widgets ask for, for this run, and what had to be changed, in words."""
    setup, changes = Setup.nearest(wishes())
    st.session_state["setup"] = setup
    told_of, told = st.session_state.get("told", (None, []))
    return setup, (told if told_of == setup else []) + changes


def trace() -> Trace:
    """Everything computed, for the page that is being shown. The first call of every page.

    Visitors of the first second may be here without the entry point having run: `begin` was too late
    for them, but from the next run on it holds.
    """
    begin()
    if "setup" not in st.session_state:
        st.rerun()
    return run(st.session_state["setup"])


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


def settle_form(forms: list[str]) -> None:
    """Take the form of a mistake back to the first where this mistake does not come in it, before its widget is drawn."""
    if st.session_state.get("form") not in forms:
        st.session_state["form"] = forms[0]


def column(columns: int) -> int:
    """The column of the opened cell, counted from 0, within this matrix."""
    return min(st.session_state.get("column", 1), columns) - 1


def assign(values: Mapping[str, Any]) -> None:
    """Give widgets new values, and the link with them, as one step in the browser's history. For callbacks.

    Left to itself, Streamlit writes the link once for each widget: a preset would take eight presses of
    "back" to undo, through setups that nobody chose. These calls are internal, like the flag in `begin`.
    """
    with get_session_state().query_params() as link:
        for name, value in values.items():
            st.session_state[name] = value
            bound = link.get_binding_for_param(name)
            if bound is None:
                if name in TRAVELLING:
                    link.discard_param_no_forward_msg(name)
                continue
            if value == (DEFAULTS | VIEW_DEFAULTS)[name]:
                link.discard_param_no_forward_msg(name)
            else:
                sent = [value] if bound.value_type.endswith("array_value") else value
                link.set_with_no_forward_msg(name, _coerce_value_for_query_url(sent, bound.value_type))
        link._send_query_param_msg()


Meaning = str | int | tuple[str, int] | None


def on_choice(
    board: str,
    by_matrix: Mapping[str, Mapping[str, Meaning]] | None = None,
    most: Mapping[str, int] | None = None,
    /,
    **fields: Meaning,
) -> Callable[[], None]:
    """A callback for a board: which of query, key, head, column … a clicked cell sets, and to what.

    "row" and "column" mean the cell's own, counted from 1; ("column", 5) the block of five columns that it stands in;
    anything else is itself. `by_matrix` adds to it, or takes away with None, for one of the matrices; `most` caps.

    All this is data: Streamlit keeps callbacks between runs, and a function written on a page would keep every
    tensor of that page with it, for each visitor.
    """
    return partial(_chose, board, fields, dict(by_matrix or {}), dict(most or {}))


def _chose(board: str, fields: Mapping, by_matrix: Mapping, most: Mapping[str, int]) -> None:
    event = st.session_state[board].get("chose")
    if not event:
        return
    wanted = {**fields, **by_matrix.get(event["matrix"], {})}
    values = {name: _meant(meaning, event) for name, meaning in wanted.items() if meaning is not None}
    assign({name: min(value, most[name]) if name in most else value for name, value in values.items()})


def _meant(meaning: Meaning, event: Mapping[str, Any]) -> Any:
    if isinstance(meaning, tuple):
        axis, size = meaning
        return event[axis] // size + 1
    return event[meaning] + 1 if meaning in ("row", "column") else meaning


def nothing() -> None:
    """For a board whose cells choose nothing."""


def apply_preset(name: str | None) -> None:
    """Set every choice to a preset's; the reader's own sentence and seed stay. For callbacks."""
    if name is None:
        return
    preset = PRESETS[name]
    changed = {field: preset.get(field, default) for field, default in DEFAULTS.items()}
    kept = set(READERS_OWN) - preset.keys()
    assign({field: value for field, value in changed.items() if field not in kept} | {"column": 1})


def reset() -> None:
    """Set every choice to its default, the sentence too. For callbacks."""
    assign(DEFAULTS | {"column": 1})


def current_preset() -> str | None:
    """The preset whose choices are all in force, if there is one."""
    held = {name: st.session_state.get(name, default) for name, default in DEFAULTS.items()}
    decisive = set(DEFAULTS) - {*READERS_OWN, *LIMITED, *TRAVELLING}
    for name, preset in PRESETS.items():
        if all(held[field] == preset.get(field, DEFAULTS[field]) for field in decisive | preset.keys()):
            return name
    return None
