"""“Do it yourself”: one exercise at a time, made of the reader's own setup.

Python asks the question and judges the answer. The browser draws the reply, the hints and the way on, and keeps what was
solved: none of that is the server's. What is asked stands in the link (`exercise`, `variation`, `do`).
"""

import json
import zlib
from pathlib import Path
from typing import Any

import streamlit as st

from core import exercises
from core.exercises import Exercise, Opens, Unposed, Verdict
from core.exercises.answers import LONGEST
from core.exercises.exercise import LETTERS
from core.setup import Setup
from core.written import count
from pages.shared.browser.scripts import script
from pages.shared.frame import lecture
from pages.shared.frame.exercises import in_class
from pages.shared.frame.exercises.posed import asked, in_play, posed
from pages.shared.link import write_link
from pages.shared.link.focus import Focus
from pages.shared.link.steps import find
from pages.shared.said import claims, elements
from pages.shared.server import run

HERE = Path(__file__).parent
_replies = elements.component(
    "attention_exercise",
    js=script("board/dom") + (HERE / "exercises.js").read_text(encoding="utf-8"),
    css=(HERE / "exercises.css").read_text(encoding="utf-8"),
)
ASKED = {
    "number": "Your answer, to four decimals",
    "whole": "Your answer, a whole number",
    "shape": "Your answer, a shape such as 2 × 3",
    "choice": "Your answer",
}


def show(path: str) -> None:
    """The page's exercises, once they are unfolded; none where a link sets those of other pages. In a lecture one, as beats."""
    if lecture.on():
        in_class.show(path)
        return
    focus = run.focus()
    of_page = exercises.of_page(path)
    of_this_page = [name for name in in_play(focus) if name in of_page]
    if not of_this_page:
        return
    is_open = bool(focus.do) or focus.exercise in of_this_page
    closes = "" if focus.do else "exercise"
    folded = elements.fold(f"Do it yourself: {count(len(of_this_page), 'exercise')}", "exercises", opened=is_open, closes=closes)
    if folded:
        with folded:
            _draw(of_this_page)


def on_other_pages(path: str) -> None:
    """Where the exercises stand that a link sets, on a page that has none of them: one sentence, with a link to each."""
    names = in_play(run.focus()) if run.focus().do and not lecture.on() else []
    if not names or any(name in names for name in exercises.of_page(path)):
        return
    links = []
    for name in names:
        page, _, place = name.partition(".")
        sets = f"exercise={name}&amp;variation=1"
        links.append(f'<a href="./{page}" data-sets="{sets}">{find(page).title}, exercise {place}</a>')
    elements.html(f'<p class="ab-set-elsewhere">The exercises that this link sets stand on other pages: {" · ".join(links)}</p>')


def _draw(of_this_page: list[str]) -> None:
    setup, focus = run.setup(), run.focus()
    name = focus.exercise if focus.exercise in of_this_page else of_this_page[0]
    say = claims.in_tokens(setup)
    exercise = posed(name, setup, focus.variation)
    if isinstance(exercise, Unposed):
        elements.text(say(exercise.why))
        verdict = None
    else:
        elements.text(asked(exercise, say))
        verdict = _asked(exercise, _key(name, setup, focus.variation))
    _replies(key="exercise", data=json.dumps(_for_the_browser(exercise, verdict, focus)).encode())


def _key(name: str, setup: Setup, variation: int) -> str:
    """Of the answer's widget: other numbers are another question."""
    return f"answer_{name}_{variation}_{zlib.crc32(write_link(setup.as_link()).encode()):08x}".replace(".", "_")


def _asked(exercise: Exercise, key: str) -> Verdict | None:
    """The place for the answer, and what is to be said of it; None where nothing was typed."""
    label = ASKED[exercise.kind]
    # Kept for this visitor: the browser forgets what was typed once it shows another exercise.
    if exercise.kind == "choice":
        typed = st.segmented_control(label, LETTERS[: len(exercise.options)], key=key, persist_state="session")
    else:
        typed = st.text_input(label, max_chars=LONGEST, autocomplete="off", key=key, persist_state="session")
    return exercises.judge(exercise, typed) if typed and typed.strip() else None


def _for_the_browser(exercise: Exercise | Unposed, verdict: Verdict | None, focus: Focus) -> dict[str, Any]:
    """What the browser draws. A link that sets exercises has no way to a solution, nor to where a slip's number stands."""
    say, all_names = claims.in_tokens(run.setup()), in_play(focus)
    data: dict[str, Any] = {"name": exercise.name, "variation": focus.variation, "all": all_names, "set": bool(focus.do)}
    data["question"] = zlib.crc32(repr(exercise).encode())
    if isinstance(exercise, Exercise):
        data |= {
            "hints": [say(hint) for hint in exercise.hints],
            "opens": None if focus.do or not exercise.opens.stands else _link(exercise.opens),
        }
    if verdict:
        places = [slip.opens for slip in verdict.slips if slip.opens and not focus.do]
        links = [_link(opens) for k, opens in enumerate(places) if opens not in places[:k]]
        data["verdict"] = {"right": verdict.right, "says": say(verdict.says), "places": links}
    return data


def _link(opens: Opens) -> dict[str, Any]:
    return {"path": opens.path, "page": find(opens.path).title, "fields": dict(opens.fields)}
