"""What stands right below a page's figure: what to ask oneself, and the ways to the page's parts."""

import html as markup
from collections.abc import Sequence

from core import exercises
from pages.shared.frame import lecture
from pages.shared.link.beats import BEATS
from pages.shared.said import elements
from pages.shared.server import run

PARTS = {"formula": "Formula and code", "full": "In full", "fold-exercises": "Do it yourself", "fold-tables": "Numbers"}


def under_the_figure(beat: str = "", without: Sequence[str] | None = None) -> None:
    """Draw what stands below a page's figure: the question of its `beat` to ask oneself, with the usual wrong answer, and the ways
    to the page's parts, `without` those that it does not have; both as the page's row says, where they are not given.

    All of it is the browser's. Nothing in a lecture, whose speaker asks it.
    """
    if lecture.on():
        return
    page = run.now().page
    path, beat = page.path, beat or page.asks
    if without is None:
        without = page.lacks if exercises.of_page(path) else (*page.lacks, "fold-exercises")
    across = run.setup().memory  # the questions are about a sentence that asks itself
    shown = [part for part in PARTS if part not in without]
    links = "".join(
        f'<a href="#{part}{f"_{path}" if part == "fold-tables" else ""}" aria-keyshortcuts="{key}" title="On the figure: {key}">'
        f"{PARTS[part]}</a>"
        for key, part in enumerate(shown, start=1)
    )
    elements.html(
        f'<div class="ab-under">{"" if across else ask_yourself(path, beat)}<nav aria-label="Parts of this page">{links}</nav></div>'
    )


def ask_yourself(path: str, beat: str) -> str:
    """Return the question that a speaker asks in this beat, and the usual wrong answer, folded away, as HTML."""
    asked = next(each for each in BEATS[path] if each.name == beat).of(run.setup())
    question, wrong = (markup.escape(text.replace("**", "").replace("*", "")) for text in (asked.ask, asked.wrong))
    return (
        f'<details class="ab-ask"><summary><b>Ask yourself.</b> {question}</summary><p><b>The usual wrong answer.</b> {wrong}</p>'
        "</details>"
    )
