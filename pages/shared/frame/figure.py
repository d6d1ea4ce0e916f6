"""What stands around a page's figure: its controls; below it how far its weights are trained, and
what to ask oneself."""

import html as markup

from core import next_word, training_store
from core.setup import Setup
from pages.shared import panel
from pages.shared.frame import compare, lecture, training_queue
from pages.shared.link.beats import BEATS
from pages.shared.link.pages import Page
from pages.shared.said import elements
from pages.shared.server import run


def draw_below(beat: str = "") -> None:
    """Draw what stands below a page's figure: the question of its `beat` to ask oneself, with the
    usual wrong answer. Where none is given it is that which the page's row says, if it says one.

    Nothing in a lecture, whose speaker asks it.
    """
    if lecture.is_on():
        return
    page = run.now().page
    if page.path != "training":  # whose film has a slider of its own
        draw_training_slider(page, run.setup())
    held_and_present()
    beat = beat or page.asks
    if beat and not run.setup().memory:  # it is about a sentence that asks itself
        elements.html(ask_yourself(page.path, beat))


def held_and_present() -> None:
    """Draw the held setup beside the present one; its place is there without one, too, so that no
    control below moves."""
    with elements.container(key="held"):
        compare.show()


def draw_above() -> None:
    """Draw the page's controls; a lecture has them in its panel."""
    if not lecture.is_on() and not run.now().page.controls_in:
        panel.draw_figure_controls()


def draw_training_slider(page: Page, setup: Setup) -> None:
    """Draw the slider from the drawn weights to those that training leaves, through the moments
    that are kept of all that the page shows. It is there where weights are trained and there is
    more than one such moment."""
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
    """Return the question that a speaker asks in this beat, and the usual wrong answer, folded
    away, as HTML."""
    asked = next(each for each in BEATS[path] if each.name == beat)
    question, wrong = (
        markup.escape(text.replace("**", "").replace("*", "")) for text in (asked.ask, asked.wrong)
    )
    return (
        f'<details class="ab-ask"><summary><b>Ask yourself.</b> {question}</summary><p><b>The usual'
        f" wrong answer.</b> {wrong}</p></details>"
    )
