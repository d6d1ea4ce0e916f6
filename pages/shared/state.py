"""What this run shows: which page, which setup, what is looked at. The only place that touches session state.

The browser owns the link. Each act of a reader changes it there, at once, and each message says it; the server
reads it, and shows what is in force. It writes a widget only where that shows something else.
"""

import threading
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.setup import Setup
from core.trace import Trace
from pages.shared import computed, link, runtime
from pages.shared.focus import Focus
from pages.shared.link import View
from pages.shared.steps import STEPS, find


@dataclass
class Memory:
    """What is kept of a visitor between runs: no tensor, and nothing that the link does not say."""

    page: str = ""
    query: str = ""
    asked: str | None = None  # the query string of the last message
    mended: str | None = None  # the link as it came, where it had to be put right
    told: tuple[str, ...] = ()  # what was changed in it
    said: int = 0  # the browser's last act that was heard of
    heard: int = -1  # the act whose answer the browser had when it acted last; none yet
    drawn: dict[str, Any] = field(default_factory=dict)  # what each widget showed in the last run
    before: dict[str, Any] = field(default_factory=dict)  # and in the one before it
    written: dict[str, int] = field(default_factory=dict)  # the act in whose answer a widget was last written
    sent: dict[str, tuple[Any, int]] = field(default_factory=dict)  # what the browser keeps once it is told, and when it was


# Session state is a slow dictionary, and a page asks some hundred times: a run, which is a thread, looks once.
_run = threading.local()


def memory() -> Memory:
    """This visitor's."""
    return _run.memory


def hear(page: str) -> None:
    """Settle which page and link this run is for; `page` is the one that Streamlit means. Once, before all else.

    The script in the browser says page, link and the number of the act with every message. Before it is there, and
    after Back to another page, the message's own query string counts.
    """
    kept = _run.memory = st.session_state.setdefault("memory", Memory())
    said, asked = _said(), runtime.asked()
    if said and not runtime.navigated():
        if said["n"] != kept.said:
            kept.page, kept.query, kept.said, kept.heard = said["page"], said["query"], said["n"], said["heard"]
    elif runtime.navigated():
        kept.page, kept.query = page, asked
    else:
        kept.page, kept.query = page, _with_acts(kept.query if asked == kept.asked else asked)
    first, kept.asked = kept.asked is None, asked
    if first:
        _mend(kept)
    runtime.hold_link(kept.query, dict(view().in_force))
    kept.before, kept.drawn = kept.drawn, {}
    if kept.page != page and any(step.path == kept.page for step in STEPS):
        # Asked for on the page before, by a browser that had not yet heard that it is on another.
        kept.drawn = kept.before
        st.switch_page(find(kept.page).file)


def _said() -> dict[str, Any] | None:
    """What the browser's script says of its link; nothing where it said nothing, or a forged message says nonsense."""
    said = st.session_state.get("link", {}).get("said")
    kinds = {"n": int, "heard": int, "page": str, "query": str}
    whole = isinstance(said, dict) and all(isinstance(said.get(name), kind) for name, kind in kinds.items())
    return said if whole else None


def rehear() -> None:
    """On a server that is new to it, the browser's link is known only once its component is drawn: then begin again."""
    said = _said()
    if said and said["n"] != memory().said:
        st.rerun()


def _with_acts(query: str) -> str:
    """A link, and what widgets were changed to since they were drawn."""
    changed = {
        name: link.text(now)
        for name, shown in memory().drawn.items()
        if (now := st.session_state.get(name)) is not None and now != shown
    }
    now = link.parse(query) | changed
    return link.write({name: value for name, value in now.items() if value != link.USUAL.get(name)}) if changed else query


def _mend(kept: Memory) -> None:
    """The link that a reader came by is put right where it asked for what there is not; the page says so."""
    found = link.read(kept.query)
    if found.told:
        kept.mended, kept.told, kept.query = kept.query, found.told, found.query


def answer() -> dict[str, Any]:
    """What the browser is told of this run: which act and which link it answers, and the one that was put right."""
    kept = memory()
    return {"n": kept.said, "page": kept.page, "query": kept.query, "was": kept.mended}


def view() -> View:
    """What this run's link amounts to."""
    return link.read(memory().query)


def messages() -> tuple[str, ...]:
    """What of the link could not be used as it was, in words."""
    kept = memory()
    mended = kept.told if kept.mended is not None and kept.query == link.read(kept.mended).query else ()
    return (*mended, *view().told)


def setup() -> Setup:
    """Every choice that decides a number."""
    return view().setup


def focus() -> Focus:
    """What is looked at."""
    return view().focus


def trace() -> Trace:
    """Everything computed, for the page that is being shown. The first call of every page.

    Visitors of the first second may be here without the entry point having run: `begin` was too late
    for them, but from the next run on it holds.
    """
    runtime.begin()
    if not hasattr(_run, "memory"):
        st.rerun()
    return computed.traced(setup())


def is_new(name: str, value: Any) -> bool:
    """Whether the browser is still to be told this value; an answer that was overtaken may not have reached it."""
    kept = memory()
    before, act = kept.sent.get(name, (None, 0))
    if before == value and act <= kept.heard:
        return False
    kept.sent[name] = (value, kept.said)
    return True


def settle(name: str, wanted: Any) -> bool:
    """Before a widget is drawn: let it show what is in force. Whether it had to be written.

    What the browser holds is left alone where it is that. Where an answer that wrote this widget and a later act of the
    reader met on the way, the browser has taken the answer for the newer one: it is written once more.
    """
    kept = memory()
    met = kept.heard < kept.written.get(name, -1) < kept.said
    kept.drawn[name] = wanted
    if met or name not in kept.before or st.session_state.get(name) != wanted:
        st.session_state[name] = wanted
        kept.written[name] = kept.said
        return True
    return False
