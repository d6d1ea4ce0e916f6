"""What stands around a page's figure: its controls; below it how far its weights are trained, what
to ask oneself, and the ways to the page's parts."""

import html as markup
from collections.abc import Sequence

from core import exercises, next_word, training_store
from core.setup import Setup
from pages.shared import panel
from pages.shared.frame import compare, lecture, training_queue
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import Page
from pages.shared.said import elements
from pages.shared.server import run

PARTS = {
    "formula": "Formula and code",
    "full": "In full",
    "fold-exercises": "Do it yourself",
    "fold-tables": "Numbers",
}


def under_the_figure(beat: str = "", without: Sequence[str] | None = None) -> None:
    """Draw what stands below a page's figure: the question of its `beat` to ask oneself, with the
    usual wrong answer, and the ways to the page's parts, `without` those that it does not have;
    both as the page's row says, where they are not given.

    All of it is the browser's. Nothing in a lecture, whose speaker asks it.
    """
    if lecture.on():
        return
    page = run.now().page
    trained_for(page, run.setup())
    held_and_present()
    path, beat = page.path, beat or page.asks
    if without is None:
        without = page.lacks if exercises.of_page(path) else (*page.lacks, "fold-exercises")
    across = run.setup().memory  # the questions are about a sentence that asks itself
    shown = [part for part in PARTS if part not in without]
    links = "".join(
        f'<a href="#{part}{f"_{path}" if part == "fold-tables" else ""}" aria-keyshortcuts="{key}"'
        f' title="On the figure: {key}">{PARTS[part]}</a>'
        for key, part in enumerate(shown, start=1)
    )
    elements.html(
        f'<div class="ab-under">{"" if across else ask_yourself(path, beat)}<nav aria-label="Parts'
        f' of this page">{links}</nav></div>'
    )


def held_and_present() -> None:
    """Draw the held setup beside the present one; its place is there without one, too, so that no
    control below moves."""
    with elements.container(key="held"):
        compare.show()


def over_the_figure() -> None:
    """Draw the page's controls; a lecture has them in its panel."""
    if not lecture.on():
        panel.at_the_figure()


def trained_for(page: Page, setup: Setup) -> None:
    """Draw the slider from the drawn weights to those that training leaves, through the moments
    that are kept of all that the page shows. It is there where weights are trained and there is
    more than one such moment."""
    if setup.init != "trained":
        return
    if page.main_of == "word":
        setup = next_word.in_force(setup)
    kept = [
        training_store.moments(setup, part) or (setup.steps,)
        for part in training_queue.parts(page, setup)
    ]
    end = min(map(max, kept))
    stops = sorted({*set(kept[0]).intersection(*kept[1:]), min(setup.steps_taken, end), end})
    if len(stops) > 1:
        panel.control("trained_for", kind="moments", stops=stops)


def ask_yourself(path: str, beat: str) -> str:
    """Return the question that a speaker asks in this beat, and the usual wrong answer, folded
    away, as HTML."""
    asked = next(each for each in BEATS[path] if each.name == beat).of(run.setup())
    question, wrong = (
        markup.escape(text.replace("**", "").replace("*", "")) for text in (asked.ask, asked.wrong)
    )
    return (
        f'<details class="ab-ask"><summary><b>Ask yourself.</b> {question}</summary><p><b>The usual'
        f" wrong answer.</b> {wrong}</p></details>"
    )
