"""“Do it yourself”: the page's exercise and question, made from the user's setup. The link stores
them (`exercise`, `variation`, `do`)."""

import zlib
from html import escape
from urllib.parse import urlencode

import streamlit as st

from core import Setup
from core.quiz import exercises
from core.quiz.answers import LONGEST
from core.quiz.question import LETTERS, Opens, Question, Unavailable, Verdict, judge
from pages.shared import lecture
from pages.shared.layout.questions import in_class
from pages.shared.layout.questions.posed import list_exercises, make_exercise, split_lines, ways
from pages.shared.link import write_link
from pages.shared.server import run
from pages.shared.text import elements

ASKED = {
    "number": "Your answer, to four decimals",
    "whole": "Your answer, a whole number",
    "choice": "Your answer",
}


def show() -> None:
    """Draw the page's exercise; in a lecture, as beats."""
    path = run.now().page.path
    if lecture.is_on():
        in_class.show(path)
    else:
        _draw(list_exercises(path))


def link_other_pages(path: str) -> None:
    """Link to the exercises that the link sets on other pages, if this page has none of them."""
    names = () if lecture.is_on() else run.focus().do
    if names and not any(name in names for name in exercises.list_names(path)):
        elements.html(
            '<p class="ab-set-elsewhere">The exercises that this link sets stand on other pages:'
            f" {' · '.join(ways(names))}</p>"
        )


def _draw(names: list[str]) -> None:
    setup, focus = run.setup(), run.focus()
    name = focus.exercise if focus.exercise in names else names[0]
    exercise, reply, links = make_exercise(name, setup, focus.variation), "", []
    if isinstance(exercise, Unavailable):
        elements.text(exercise.why)
    else:
        elements.text(split_lines(exercise))
        verdict = _draw_answer(exercise, _key(name, setup, focus.variation))
        reply = _reply(verdict) if verdict else ""
        if exercise.opens and not focus.do:  # assigned exercises have no link to a solution
            links.append(_leads(exercise.opens))
    links += ways(focus.do or names, name, focus.variation)
    elements.html(
        f'<div class="ab-exercise">{reply}<nav aria-label="Exercises">{"".join(links)}</nav></div>'
    )


def _key(name: str, setup: Setup, variation: int) -> str:
    """Return the answer widget's key, different for every setup and variation."""
    numbers = zlib.crc32(write_link(setup.as_link()).encode())
    return f"answer_{name}_{variation}_{numbers:08x}".replace(".", "_")


def _draw_answer(exercise: Question, key: str) -> Verdict | None:
    """Draw the answer's input and return its verdict, None if it is empty."""
    label = ASKED[exercise.kind]
    # persisted, since the browser drops the value when another exercise is shown
    if exercise.kind == "choice":
        letters = LETTERS[: len(exercise.options)]
        chosen = st.segmented_control(label, tuple(letters), key=key, persist_state="session")
        typed = chosen and str(letters.index(chosen))
    else:
        typed = st.text_input(
            label, max_chars=LONGEST, autocomplete="off", key=key, persist_state="session"
        )
    return judge(exercise, typed) if typed and typed.strip() else None


def _reply(verdict: Verdict) -> str:
    marks = {True: "<strong>✓ Right.</strong> ", False: "<strong>✗ Not yet.</strong> "}
    right = ' class="ab-right"' if verdict.right else ""
    mark = "" if verdict.right is None else marks[verdict.right]
    # inserted anew each time, so that screen readers announce the alert
    return f'<p role="alert"{right}>{mark}{escape(verdict.says)}</p>'


def _leads(opens: Opens) -> str:
    sets = escape(urlencode(opens.fields))
    return f'<a data-shows href="./{opens.path}" data-sets="{sets}">Show me</a>'
