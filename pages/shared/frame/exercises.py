"""“Do it yourself”: one exercise at a time, made of the reader's own setup.

Python asks the question and judges the answer. The browser draws the reply, the hints and the way
on, and keeps what was solved: none of that is the server's. What is asked stands in the link
(`exercise`, `variation`, `do`).
"""

import json
import zlib
from typing import Any

import streamlit as st

from core import exercises
from core.answers import LONGEST
from core.question import LETTERS, Opens, Question, Unposed, Verdict, judge
from core.setup import Setup
from pages.shared.frame import lecture
from pages.shared.frame.questions import in_class
from pages.shared.frame.questions.posed import in_lines, in_play, posed
from pages.shared.link import write_link
from pages.shared.link.focus import Focus
from pages.shared.link.pages import find
from pages.shared.said import elements
from pages.shared.server import run

_replies = elements.component("attention_exercise", "attentionExercises")
ASKED = {
    "number": "Your answer, to four decimals",
    "whole": "Your answer, a whole number",
    "shape": "Your answer, a shape such as 2 × 3",
    "choice": "Your answer",
}


def in_play_on(path: str) -> list[str]:
    """Return the exercises that a page offers: its own, of which a link may set a few."""
    of_page = exercises.of_page(path)
    return [name for name in in_play(run.focus()) if name in of_page] if of_page else []


def show() -> None:
    """Draw the page's exercises; in a lecture one, as beats."""
    path = run.now().page.path
    if lecture.on():
        in_class.show(path)
    else:
        _draw(in_play_on(path))


def on_other_pages(path: str) -> None:
    """Say where the exercises stand that a link sets, on a page that has none of them: one
    sentence, with a link to each."""
    names = in_play(run.focus()) if run.focus().do and not lecture.on() else []
    if not names or any(name in names for name in exercises.of_page(path)):
        return
    links = []
    for name in names:
        page, _, place = name.partition(".")
        sets = f"exercise={name}&amp;variation=1"
        links.append(
            f'<a href="./{page}" data-sets="{sets}">{find(page).title}, exercise {place}</a>'
        )
    elements.html(
        '<p class="ab-set-elsewhere">The exercises that this link sets stand on other pages:'
        f" {' · '.join(links)}</p>"
    )


def _draw(of_this_page: list[str]) -> None:
    setup, focus = run.setup(), run.focus()
    name = focus.exercise if focus.exercise in of_this_page else of_this_page[0]
    exercise, verdict = posed(name, setup, focus.variation), None
    if isinstance(exercise, Unposed):
        elements.text(exercise.why)
    else:
        elements.text(in_lines(exercise))
        verdict = _judged(exercise, _key(name, setup, focus.variation))
    _replies(key="exercise", data=json.dumps(_for_the_browser(exercise, verdict, focus)).encode())


def _key(name: str, setup: Setup, variation: int) -> str:
    """Return the key of the answer's widget: other numbers are another question."""
    return (
        f"answer_{name}_{variation}_{zlib.crc32(write_link(setup.as_link()).encode()):08x}".replace(
            ".", "_"
        )
    )


def _judged(exercise: Question, key: str) -> Verdict | None:
    """Draw the place for the answer, and return what is to be said of it; None where nothing was
    typed."""
    label = ASKED[exercise.kind]
    # Kept for this visitor: the browser forgets what was typed once it shows another exercise.
    if exercise.kind == "choice":
        letters = LETTERS[: len(exercise.options)]
        chosen = st.segmented_control(label, tuple(letters), key=key, persist_state="session")
        typed = chosen and str(letters.index(chosen))
    else:
        typed = st.text_input(
            label, max_chars=LONGEST, autocomplete="off", key=key, persist_state="session"
        )
    return judge(exercise, typed) if typed and typed.strip() else None


def _for_the_browser(
    exercise: Question | Unposed, verdict: Verdict | None, focus: Focus
) -> dict[str, Any]:
    """Return what the browser draws. A link that sets exercises has no way to a solution, nor to
    where a slip's number stands."""
    data: dict[str, Any] = {
        "name": exercise.name,
        "variation": focus.variation,
        "all": in_play(focus),
        "set": bool(focus.do),
    }
    data["question"] = zlib.crc32(repr(exercise).encode())
    if isinstance(exercise, Question):
        data |= {
            "hints": exercise.hints,
            "opens": None if focus.do or not exercise.opens.stands else _link(exercise.opens),
        }
    if verdict:
        places = [slip.opens for slip in verdict.slips if slip.opens and not focus.do]
        links = [_link(opens) for k, opens in enumerate(places) if opens not in places[:k]]
        data["verdict"] = {"right": verdict.right, "says": verdict.says, "places": links}
    return data


def _link(opens: Opens) -> dict[str, Any]:
    return {"path": opens.path, "page": find(opens.path).title, "fields": dict(opens.fields)}
