"""What the explorer does with Streamlit's inside: an element that is sent again with other data is
what would be drawn."""

import itertools
import json
import random
import re
from types import SimpleNamespace

import altair as alt
import pyarrow as pa
import pytest
from helpers import ROOT, app, elements
from streamlit.testing.v1 import AppTest

from pages.shared.link.pages import PAGES
from pages.shared.server import streamlit_internals

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
    """What a visitor sees for whom each element is made anew."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamlit_internals, "made", {})
        return whole(app(page, **link))


@pytest.mark.parametrize("page", ["pages/3_projection.py", "pages/7_heads.py", "pages/11_next.py"])
def test_what_is_sent_again_is_what_would_be_drawn(page):
    """After each act a page is, element for element, as if each were made anew."""
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


def half_a_page():
    """A script that draws two sentences and is overtaken between them, once."""
    import streamlit as st

    from pages.shared.server import streamlit_internals

    with streamlit_internals.held_back():
        st.text("first")
        if "again" not in st.session_state:
            st.session_state["again"] = True
            st.text("of a run that was overtaken")
            st.rerun()
        st.text("second")


def test_an_answer_goes_whole_or_not_at_all():
    """Of a run that was overtaken nothing is shown; what comes after it is shown whole, in
    order."""
    at = AppTest.from_function(half_a_page).run()
    assert not at.exception
    assert [text.value for text in at.text] == ["first", "second"]


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


def test_each_of_several_first_visitors_begins_anew(monkeypatch):
    """On a fresh server Streamlit runs the page's file for whoever comes. Each of them gets the
    entry point, also once another has switched that off; a file run by itself is told."""
    for main, begins_anew in ((streamlit_internals.ENTRY_POINT, True), ("4_scores.py", False)):
        context = SimpleNamespace(main_script_path=str(main))
        monkeypatch.setattr(streamlit_internals, "get_script_run_ctx", lambda it=context: it)
        monkeypatch.setattr(streamlit_internals.PagesManager, "uses_pages_directory", False)
        begun = []
        monkeypatch.setattr(streamlit_internals.st, "rerun", lambda made=begun: made.append(1))
        streamlit_internals.run_the_entry_point(is_page=True)
        assert bool(begun) == begins_anew
