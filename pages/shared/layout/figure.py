"""The frame of a page's figure: controls above; below, the training slider and a question."""

import html as markup

from core import Setup
from core.forward import next_word
from core.training import training_store
from pages.shared import lecture, panel
from pages.shared.layout import compare, training_queue
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import Page
from pages.shared.server import run
from pages.shared.text import elements


def draw_below(beat: str = "") -> None:
    """Draw the parts below a figure: slider, comparison, and the question of `beat` (default: the
    page's `asks`) with the usual wrong answer.

    Nothing in a lecture, where the speaker asks it.
    """
    if lecture.is_on():
        return
    page = run.now().page
    if page.path != "training":  # its film has a slider
        draw_training_slider(page, run.setup())
    held_and_present()
    beat = beat or page.asks
    if beat and not run.setup().memory:  # the question assumes self-attention
        elements.html(ask_yourself(page.path, beat))


def held_and_present() -> None:
    """Draw the pinned setup beside the present one; an empty container keeps the place."""
    with elements.container(key="held"):
        compare.show()


def draw_above() -> None:
    """Draw the page's controls; a lecture shows them in its panel."""
    if not lecture.is_on() and not run.now().page.controls_in:
        panel.draw_figure_controls()


def draw_training_slider(page: Page, setup: Setup) -> None:
    """Draw the slider through the saved moments of training, if weights are trained and there are
    several."""
    if setup.init != "trained":
        return
    if page.main_of == "word":
        setup = next_word.resolve_setup(setup)
    kept = [
        training_store.moments(setup, part) or (setup.steps,)
        for part in training_queue.parts(page, setup)
    ]
    end = min(map(max, kept))
    stops = sorted({*set(kept[0]).intersection(*kept[1:]), min(setup.steps_taken, end), end})
    if len(stops) > 1:
        panel.control("trained_for", kind="moments", stops=stops)


def ask_yourself(path: str, beat: str) -> str:
    """Return the beat's question and usual wrong answer, folded, as HTML."""
    asked = next(each for each in BEATS[path] if each.name == beat)
    question, wrong = (
        markup.escape(text.replace("**", "").replace("*", "")) for text in (asked.ask, asked.wrong)
    )
    return (
        f'<details class="ab-ask"><summary><b>Ask yourself.</b> {question}</summary><p><b>The usual'
        f" wrong answer.</b> {wrong}</p></details>"
    )
