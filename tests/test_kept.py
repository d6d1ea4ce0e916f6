"""What is sent again is what would be drawn: no visitor sees an element that is not of the present setup."""

import itertools
import random

import pytest
from conftest import app, elements

from pages.shared.steps import STEPS

PAGES = [step.file for step in STEPS]
ACTS = (
    {"seed": "2"},
    {"query": "2", "key": "1"},
    {"query": "2", "key": "1", "scale": "none"},
    {},
    {"text": "one two", "heads": "5", "column": "3"},
    {"text": "one two", "heads": "5", "column": "3", "mask": "causal"},
    {"lecture": "on"},
    {"lecture": "on", "beat": "2"},
    {},
)


def said(element) -> str:
    """An element as the browser is told of it, without what it is told once: to set a widget."""
    proto = element.proto
    for name in ("set_value", "value", "raw_value", "raw_values"):
        if hasattr(proto, name):
            proto.ClearField(name)
    return f"{element.type} {proto}"


def whole(at) -> list[str]:
    """Sidebar and body, in order; what is told of the link apart, which counts the acts."""
    found = itertools.chain(elements(at.main), elements(at.sidebar))
    return [text for text in map(said, found) if "attention_link" not in text and "attention_board_library" not in text]


def follow(at, link: dict[str, str]):
    """The reader goes from one link to another, as after Back."""
    at.query_params.clear()
    for name, value in link.items():
        at.query_params[name] = value
    return at.run()


@pytest.mark.parametrize("page", PAGES)
def test_what_is_kept_is_what_is_drawn(page):
    """After any number of acts a page is, element for element, what a visitor sees who opens the same link anew."""
    at = app(page)
    for link in ACTS:
        assert whole(follow(at, link)) == whole(app(page, **link)), link


def test_another_page_is_drawn_anew():
    """What one page left at a place is not taken for another's, and the menu says which page it is."""
    at = app("pages/4_scores.py", seed=3)
    for page in random.Random(5).sample(PAGES, 6):
        at = at.switch_page(page).run()
        assert not at.exception
        assert whole(at) == whole(app(page, **at.query_params))


def test_most_of_a_page_is_sent_again():
    """A click makes few elements anew: the rest is handed over as it was."""
    at = app("pages/4_scores.py")
    follow(at, {"query": "2"})
    before = dict(at.session_state["sent"].drawn)
    follow(at, {"query": "3"})
    after = at.session_state["sent"].drawn
    again = [place for place, drawing in after.items() if before.get(place) is drawing]
    assert len(again) > 0.6 * len(after) > 10
