"""What the explorer does with Streamlit's inside: drawings that are sent again are what would be
drawn, and a run's messages go together, or not at all."""

import itertools
import json
import random
import re

import altair as alt
import pyarrow as pa
import pytest
from helpers import ROOT, app, elements
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.testing.v1 import AppTest

from pages.shared.link.pages import PAGES
from pages.shared.server import inside

FILES = [step.file for step in PAGES]
ACTS = (
    {"query": "2", "key": "1", "scale": "none"},
    {
        "text": "one two",
        "heads": "5",
        "column": "3",
        "mask": "causal",
        "open": "tables_scores,tables_heads",
    },
    {"lecture": "on", "beat": "2"},
)


def whole(at) -> list[str]:
    """Body and sidebar, in order, as the browser is told of them. Of what was corrected on arrival
    it is told once."""
    found = itertools.chain(elements(at.main), elements(at.sidebar))
    return [f"{element.type} {element.proto}" for element in found]


def follow(at, link: dict[str, str]):
    """The reader goes from one link to another."""
    at.query_params.clear()
    for name, value in link.items():
        at.query_params[name] = value
    return at.run()


def anew(page: str, **link: str) -> list[str]:
    """What a visitor sees who opens this link on a server that has just started."""
    before, inside.store = inside.store, inside.Drawings()
    found = whole(app(page, **link))
    inside.store = before
    return found


@pytest.mark.parametrize("page", FILES)
def test_what_is_sent_again_is_what_would_be_drawn(page):
    """After each act a page is, element for element, what a first visitor sees who opens the same
    link."""
    at = app(page)
    for link in (*ACTS, {}):
        assert whole(follow(at, link)) == anew(page, **link), link


@pytest.mark.parametrize(
    "page, link, count",
    [
        ("13_training", {}, 2),
        ("13_training", {"lecture": "on", "beat": "3"}, 2),
        ("13_training", {"init": "trained", "task": "next", "steps": "20"}, 2),
        ("5_weights", {"open": "fold_variance"}, 1),
        ("5_weights", {"open": "fold_curves"}, 3),
    ],
)
def test_charts_are_altairs(page, link, count):
    """Every chart is one that Vega-Lite's own schema allows, as Altair has it, says something of
    each point under the pointer, and reads of its table just the columns that are there."""
    at = app(f"pages/{page}.py", **link)
    charts = [each.proto for each in elements(at.main) if each.type == "vega_lite_chart"]
    assert len(charts) == count
    for chart in charts:
        spec = json.loads(chart.spec)
        alt.LayerChart.from_dict(spec | {"data": {"name": "rows"}}, validate=True)
        fields = set(re.findall(r'"field": ?"(.*?)"', chart.spec))
        assert fields == set(pa.ipc.open_stream(chart.data.data).schema.names), chart.alt
        assert any("tooltip" in layer["encoding"] for layer in spec["layer"])
        assert chart.alt


def test_most_of_a_page_is_sent_again(monkeypatch):
    """A click makes few elements anew, for whoever was on the page before: the rest is handed over
    as it was."""
    app("pages/4_scores.py", query=2)
    noted = []
    monkeypatch.setattr(inside.Drawings, "add", lambda self, place, drawing: noted.append(drawing))
    at = app("pages/4_scores.py", query=2)
    assert len(noted) < 0.3 * len(whole(at))


def test_little_is_kept(monkeypatch):
    """However many visitors ask for however many setups, what is kept stays within its bounds, and
    is what was last drawn."""
    monkeypatch.setattr(inside, "MOST_BYTES", 1_000)
    few = inside.Drawings()
    for k in range(200):
        message = ForwardMsg()
        message.delta.new_element.text.body = "x" * (k % 50)
        few.add((k % 7,), inside.Drawing(("text", k), (message,), 1))
    held = [drawing for place in few.by_place.values() for drawing in place]
    assert few.size == sum(drawing.size for drawing in held) <= 1_000
    assert all(len(place) <= inside.MOST_AT_A_PLACE for place in few.by_place.values())
    assert few.find((199 % 7,), ("text", 199)) is held[-1]
    assert few.find((0,), ("text", 0)) is None


def half_a_page():
    """A script that draws two sentences and is overtaken between them, once."""
    import streamlit as st
    from streamlit.runtime.scriptrunner import get_script_run_ctx

    from pages.shared.server import inside

    with inside.held_back():
        st.text("first")
        if "again" not in st.session_state:
            st.session_state["again"] = True
            st.text("of a run that was overtaken")
            st.rerun()
        st.text("second")
    assert get_script_run_ctx()._enqueue.__name__ != "append"


def test_an_answer_goes_whole_or_not_at_all():
    """Of a run that was overtaken nothing is shown; what comes after it is shown whole, in
    order."""
    at = AppTest.from_function(half_a_page).run()
    assert not at.exception
    assert [text.value for text in at.text] == ["first", "second"]


def blocks():
    """A script whose containers and columns are sent again, and drawn into."""
    from pages.shared.said import elements
    from pages.shared.server import inside

    with inside.held_back():
        with elements.container(key="one"):
            elements.text("in a container")
            left, right = elements.columns(2)
            with left:
                elements.text("left")
            with right:
                elements.text("right")
        elements.text("after")


def test_blocks_that_are_sent_again_hold_what_is_drawn_into_them():
    """A container and columns stand where they stood, with what this run drew in them, and what
    follows stands behind."""
    shown = [[text.value for text in AppTest.from_function(blocks).run().text] for _ in range(3)]
    assert shown == [["in a container", "left", "right", "after"]] * 3


def test_a_page_alone_says_what_to_open():
    """A page's file that is opened by itself says what to open instead, without an error of
    Python's."""
    for file in FILES:
        at = AppTest.from_file(f"../{file}", default_timeout=30).run()
        assert not at.exception, file
        assert "streamlit run streamlit_app.py" in at.error[0].value


def test_two_visitors_in_one_process():
    """Two visitors go from page to page by turns, as Streamlit's documentation tells a stranger to
    test: each sees what the own link says, and nothing of the other's or of the page before."""
    entry = str(ROOT / "streamlit_app.py")
    one, two = (AppTest.from_file(entry, default_timeout=30).run() for _ in range(2))
    for page in random.Random(5).sample(FILES, 4):
        for at, link in ((one, {"d_k": "5", "text": "my own"}), (two, {"d_k": "7", "query": "2"})):
            shown = follow(at.switch_page(page), link)
            assert not shown.exception, page
            assert whole(shown) == anew(page, **link), page
