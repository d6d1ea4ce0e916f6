"""What this run shows: which page, which setup, what is looked at. The only place that touches session state.

The browser owns the link. Each act of a reader changes it there at once, and each message to the server carries it. The
server reads it, and writes a widget only where that widget shows something else.
"""

import threading
from dataclasses import dataclass, field
from typing import Any

import streamlit as st

from core.setup import Setup
from core.trace import Trace
from pages.shared import computed, runtime
from pages.shared.focus import Focus
from pages.shared.link import DEFAULT_PARAMETERS, View, as_parameter, parse_link, read_link, write_link
from pages.shared.steps import STEPS


@dataclass
class Memory:
    """What is remembered of a visitor between runs: no tensor, and but for what is unfolded nothing that is not in the link.

    Acts of the reader are numbered by the browser, answers by this session.
    """

    page: str = ""
    link: str = ""
    message_link: str | None = None  # the link in the last message that Streamlit itself sent
    invalid_link: str | None = None  # the link as it came, where something in it had to be changed
    corrections: tuple[str, ...] = ()  # what was changed in it, in words
    act: int = 0  # the browser's last act that the server knows of
    answer: int = 0  # the number of this run's answer
    heard: int = -1  # the last answer that the browser had when it sent its last act; none yet
    moved: tuple[str, ...] = ()  # the widgets that the reader had moved since that answer
    widget_values: dict[str, Any] = field(default_factory=dict)  # what each widget shows in this run
    previous_values: dict[str, Any] = field(default_factory=dict)  # and what it showed in the run before
    is_complete: bool = True  # whether the last run came to its end
    begun: str | None = None  # the page that Streamlit began the last run for; none yet
    turned: int = -1  # the last answer that Streamlit began for another page than the one before
    writes: dict[str, dict[int, Any]] = field(default_factory=dict)  # by widget, the answers that wrote it lately, and what
    beginnings: dict[str, int] = field(default_factory=dict)  # by widget, the last answer in which it began anew
    folds: dict[str, bool] = field(default_factory=dict)  # which parts that unfold are open
    # What the browser was sent once to keep: the value, and the answer in which it went.
    deliveries: dict[str, tuple[Any, int]] = field(default_factory=dict)


# Session state is a slow dictionary, and a page asks for the memory some hundred times, so each run looks it up once. A run
# is a thread.
_run = threading.local()


def memory() -> Memory:
    """This visitor's."""
    return _run.memory


def begin_run(page: str) -> None:
    """Settle which page and link this run is for; `page` is the one that Streamlit means. Once, before all else.

    The script in the browser sends page, link and the number of the act with every message. Before it is loaded, and
    after Back to another page, the link in Streamlit's own message counts.
    """
    visitor = _run.memory = st.session_state.setdefault("memory", Memory())
    is_first, said = visitor.message_link is None, runtime.browser_has()
    _run.browser_has = frozenset() if is_first and said is None else said  # of this session it has drawn none
    _run.is_in_page = False
    message, message_link = _browser_message(), runtime.message_link()
    is_new_act = message is not None and message["act"] != visitor.act
    visitor.answer += 1
    if is_new_act:  # on the way to another page, too: where the two meet, the act has no run of its own
        visitor.act = message["act"]
        visitor.heard = message["heard"] if message["heard"] < visitor.answer else -1  # or another server numbered it
        visitor.moved = tuple(message["moved"])
    if message and not runtime.navigated():
        if is_new_act:
            visitor.page, visitor.link = message["page"], message["link"]
    elif runtime.navigated():
        visitor.page, visitor.link = page, message_link
    else:
        link = visitor.link if message_link == visitor.message_link else message_link
        visitor.page, visitor.link = page, _with_widget_changes(link)
    visitor.message_link = message_link
    if page != visitor.begun and not is_first:
        visitor.turned = visitor.answer
    visitor.begun = page
    if is_first:
        _correct_link(visitor)
    runtime.hold_link(visitor.link, dict(view().in_force))
    # What a run that was overtaken did not come to stands in the browser as the run before left it.
    before = {} if visitor.is_complete else visitor.previous_values
    visitor.previous_values, visitor.widget_values, visitor.is_complete = before | visitor.widget_values, {}, False
    if visitor.page != page and any(step.path == visitor.page for step in STEPS):
        # The browser sent this act before it knew that it is on another page: the act's own page is shown.
        runtime.run_page_instead(visitor.page)


def end_run() -> None:
    """All of this run was drawn. Once, after all else."""
    memory().is_complete = True


def _browser_message() -> dict[str, Any] | None:
    """What the browser's script says of its link; None where it has sent nothing yet, or where a message is malformed."""
    message = (runtime.holds("link") or {}).get("message")
    types = {"act": int, "heard": int, "moved": list, "page": str, "link": str}
    is_valid = isinstance(message, dict) and all(isinstance(message.get(name), kind) for name, kind in types.items())
    return message if is_valid else None


def rerun_for_new_message() -> None:
    """A server that is new to a browser gets its message only when the component is drawn: then the run begins again."""
    message = _browser_message()
    if message and message["act"] != memory().act:
        st.rerun()


def _with_widget_changes(link: str) -> str:
    """A link, and what widgets were changed to since they were drawn."""
    changes = {
        name: as_parameter(value)
        for name, previous in memory().widget_values.items()
        if (value := runtime.holds(name)) is not None and value != previous
    }
    if not changes:
        return link
    parameters = parse_link(link) | changes
    return write_link({name: value for name, value in parameters.items() if value != DEFAULT_PARAMETERS.get(name)})


def _correct_link(visitor: Memory) -> None:
    """Change the link that a reader arrived with to the nearest valid one; the page says what was changed."""
    nearest = read_link(visitor.link)
    if nearest.messages:
        visitor.invalid_link, visitor.corrections, visitor.link = visitor.link, nearest.messages, nearest.link


def answer() -> dict[str, Any]:
    """What the browser learns of this run: its number, the act and the link that it answers, and the link that was corrected."""
    visitor = memory()
    of_link = {"page": visitor.page, "link": visitor.link, "invalid_link": visitor.invalid_link}
    return {"answer": visitor.answer, "act": visitor.act, **of_link}


def view() -> View:
    """What this run's link amounts to."""
    return read_link(memory().link)


def messages() -> tuple[str, ...]:
    """What of the link could not be used as it was, in words."""
    visitor = memory()
    is_corrected = visitor.invalid_link is not None and visitor.link == read_link(visitor.invalid_link).link
    return (*(visitor.corrections if is_corrected else ()), *view().messages)


def setup() -> Setup:
    """Every choice that decides a number."""
    return view().setup


def focus() -> Focus:
    """What is looked at."""
    return view().focus


def begin() -> Setup:
    """The setup that the page is shown for. This or `trace` is the first call of every page.

    In the first second of a process Streamlit may run a page without the entry point: `runtime.begin` then came too
    late for this run, but it holds from the next one on.
    """
    runtime.begin()
    if not hasattr(_run, "memory"):
        st.rerun()
    _run.is_in_page = True
    return setup()


def trace() -> Trace:
    """Everything computed of the sentence, for a page that shows the seven steps."""
    return computed.traced(begin())


def is_new(name: str, value: Any) -> bool:
    """Whether the browser must still be sent this value: an answer that a later act overtook may not have reached it."""
    visitor = memory()
    previous, answer = visitor.deliveries.get(name, (None, 0))
    if previous == value and answer <= visitor.heard:
        return False
    visitor.deliveries[name] = (value, visitor.answer)
    return True


def _browser_holds(widget: str) -> bool:
    """Whether the browser may have this widget."""
    return _run.browser_has is None or widget in _run.browser_has


def leave_as_it_was(fold: str, expanded: bool) -> None:
    """Let a part that unfolds be as the reader left it: with its page, the browser forgets whether it was open, and shows it as
    it is drawn, `expanded` or not."""
    visitor = memory()
    if fold not in visitor.folds or _browser_holds(fold):
        return
    left, held, delivery = visitor.folds[fold], runtime.holds(fold), f"fold {fold}"
    if left == expanded and held in (None, left):
        visitor.deliveries.pop(delivery, None)  # nothing to tell; what was told before is forgotten with the page
    elif is_new(delivery, (visitor.page, left)) or held != left:
        st.session_state[fold] = left


def remember(fold: str) -> bool:
    """Remember whether a part that was drawn just now is open, and say so."""
    folds = memory().folds
    folds[fold] = bool(runtime.holds(fold))
    return folds[fold]


def settle(name: str, value: Any, untouched: Any = None) -> bool:
    """Before a widget is drawn: let it show the value in force. Whether it had to be written.

    A widget that shows it already is left alone, and so is one that is new to the browser and begins with it, `untouched`.
    With one exception: where the browser sent what a widget holds before it heard of an answer that wrote the widget or
    began it anew, it will take that answer for the newer one, or never hear it: the widget is written again.
    """
    visitor, held, browser_holds = memory(), runtime.holds(name), _browser_holds(name)
    lately = {answer: written for answer, written in visitor.writes.get(name, {}).items() if answer >= visitor.heard}
    begins = name not in visitor.previous_values or _drawn_anew()
    begins_so = begins and value == untouched and held in (None, value) and not browser_holds
    began_unheard = visitor.beginnings.get(name, -1) > visitor.heard and browser_holds and not held == value == untouched
    is_crossed = bool(lately) and _is_crossed(held, lately, browser_holds, name in visitor.moved)
    must_write = is_crossed or began_unheard or (not begins_so and (begins or held != value))
    visitor.widget_values[name] = value
    if begins:  # one that holds what was drawn for the first time has heard of that
        visitor.beginnings[name] = visitor.answer if name in visitor.beginnings else -1
    if must_write:
        st.session_state[name] = value
        visitor.writes[name] = lately | {visitor.answer: value}
    return must_write


def _is_crossed(held: Any, lately: dict[int, Any], browser_holds: bool, was_moved: bool) -> bool:
    """Whether the browser may have sent what a widget holds before an answer that wrote it was in force there.

    Where it had heard of that answer, the widget holds what was written or what its reader moved it to, or else it is late.
    """
    heard = memory().heard
    unheard = [value for answer, value in lately.items() if answer > heard]
    if not browser_holds:
        return bool(unheard)
    is_late = not was_moved and lately.get(heard, held) != held
    return is_late or any(value != held for value in unheard)


def _drawn_anew() -> bool:
    """Whether this is part of a page, and the browser has not heard yet of an answer after Streamlit turned to it: at each turn
    it throws away what the page before drew, and what was written into that."""
    return _run.is_in_page and memory().turned > memory().heard
