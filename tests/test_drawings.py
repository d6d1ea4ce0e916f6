"""What is sent again is what would be drawn: no visitor sees an element that is not of the present setup."""

import itertools
import random
from collections import OrderedDict

import pytest
import streamlit as st
from helpers import app, elements
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest

from pages.shared import drawings
from pages.shared import elements as page_elements
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


def anew(page: str, **link: str) -> list[str]:
    """What a visitor sees who opens this link on a server that has just started."""
    before, drawings.store = drawings.store, drawings.Drawings()
    found = whole(app(page, **link))
    drawings.store = before
    return found


@pytest.mark.parametrize("page", PAGES)
def test_what_is_kept_is_what_is_drawn(page):
    """After any number of acts a page is, element for element, what a first visitor sees who opens the same link."""
    at = app(page)
    for link in ACTS:
        assert whole(follow(at, link)) == anew(page, **link), link


def test_another_page_is_drawn_anew():
    """What one page left at a place is not taken for another's, and the menu says which page it is."""
    at = app("pages/4_scores.py", seed=3)
    for page in random.Random(5).sample(PAGES, 6):
        at = at.switch_page(page).run()
        assert not at.exception
        assert whole(at) == anew(page, **at.query_params)


def test_most_of_a_page_is_sent_again(monkeypatch):
    """A click makes few elements anew, for whoever was on the page before: the rest is handed over as it was."""
    app("pages/4_scores.py", query=2)
    noted = []
    monkeypatch.setattr(drawings.Drawings, "add", lambda self, place, drawing: noted.append(drawing))
    at = app("pages/4_scores.py", query=2)
    assert len(noted) < 0.3 * len(whole(at))


def test_the_latest_sentences_are_known_again(monkeypatch):
    """A sentence is known from its second time on, as long as few others came between; what nobody says is forgotten."""
    monkeypatch.setattr(page_elements, "MOST_SENTENCES", 3)
    monkeypatch.setattr(page_elements, "_said", OrderedDict())
    assert [page_elements._was_said(word) for word in "abacdabef"] == [
        False,
        False,
        True,
        False,
        False,
        True,
        False,
        False,
        False,
    ]
    assert list(page_elements._said) == ["b", "e", "f"]


def test_little_is_kept(monkeypatch):
    """However many visitors ask for however many setups, what is kept stays within its bounds, and is what was last drawn."""
    monkeypatch.setattr(drawings, "MOST_BYTES", 1_000)
    few = drawings.Drawings()
    for k in range(200):
        message = ForwardMsg()
        message.delta.new_element.text.body = "x" * (k % 50)
        few.add((k % 7,), drawings.Drawing(("text", k), (message,), (), 1))
    held = [drawing for place in few.by_place.values() for drawing in place]
    assert few.size == sum(drawing.size for drawing in held) <= 1_000
    assert all(len(place) <= drawings.MOST_AT_A_PLACE for place in few.by_place.values())
    assert few.find((199 % 7,), ("text", 199)) is held[-1]
    assert few.find((0,), ("text", 0)) is None


def test_a_board_holds_nothing():
    """A visitor's session keeps what the reader can change, and not what only shows: Streamlit looks through all of it."""
    at = app(PAGES[4])
    for seed in "23":
        follow(at, {"seed": seed})
    assert {key for key in at.session_state if key.startswith("board_")} <= {"board_bar", "board_library"}
    assert {"link", "text", "d_k"} <= set(at.session_state)


def what_is_held(found):
    """A script that asks for what widgets hold, before and after they are drawn."""
    import streamlit as st

    from pages.shared import runtime

    st.session_state.setdefault("written", 5)
    keys = ("untouched", "written", "own", "nowhere")
    for _ in range(2):
        found.append([(key, runtime.holds(key), st.session_state.get(key)) for key in keys])
        if len(found) % 2:
            st.slider("untouched", 0, 9, 3, key="untouched")
            st.slider("written", 0, 9, key="written")
            st.session_state.own = "a value"


def test_what_a_widget_holds_is_what_streamlit_says():
    """A widget is asked for its value by a shorter way than Streamlit's: drawn or not, written, moved by a reader or removed."""
    found: list = []
    at = AppTest.from_function(what_is_held, args=(found,)).run()
    at.slider(key="untouched").set_value(7).run()
    assert all(short == long for moment in found for _, short, long in moment)
    assert [{key: short for key, short, _ in moment}["untouched"] for moment in found] == [None, 3, 7, 7]
    assert found[-1] == [("untouched", 7, 7), ("written", 5, 5), ("own", "a value", "a value"), ("nowhere", None, None)]


def says(say, body):
    """A script of one sentence."""
    from pages.shared import runtime

    with runtime.one_run():
        say(body)


def test_a_sentence_is_made_once(monkeypatch):
    """Streamlit is asked for the first sentence at a place; all others are filled in, and one that was said twice is sent as it
    was, however many were said between."""
    monkeypatch.setattr(drawings, "store", drawings.Drawings())
    monkeypatch.setattr(page_elements, "_said", OrderedDict())
    made: list[str] = []
    say = page_elements._sentence(lambda body: made.append(body) or st.markdown(body))
    at = AppTest.from_function(says, args=(say, ""))
    with monkeypatch.context() as filling:
        filled, with_data = [], drawings._with_data
        filling.setattr(drawings, "_with_data", lambda *inputs: filled.append(inputs[2]) or with_data(*inputs))
        for k in [*range(20), *range(20), *range(12, 20)]:
            at.args = (say, f"sentence {k}")
            assert at.run().markdown[0].value == f"sentence {k}"
    assert made == ["sentence 0"]
    assert len(filled) == 1 + 19 + 20  # to empty the first, each new one, each for the second time
