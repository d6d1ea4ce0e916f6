"""Where a reader's acts and the server's answers cross on the way: each counts, and a control shows what is in force.

The browser is played by hand: what it holds, which page it believes to be on, and which answers it has heard.
"""

import asyncio
import json
from collections.abc import Callable, Coroutine
from concurrent.futures import ThreadPoolExecutor

import streamlit as st
from helpers import app
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState

from pages.shared import address
from tests.benchmarks.viewer import LINK, Viewer


class Reader(Viewer):
    """A browser of which everything can be said that it sends, and that notes everything it is sent."""

    message: dict | None = None  # what the script says of its link in place of what it usually would
    believed: str | None = None  # the page that Streamlit's part of the browser believes to be on
    turns = False  # the next message is one for another page

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.answers: list[dict] = []  # what the script heard
        self.order: list[str] = []  # of the last answer, the elements as they came
        self.written: dict[str, float] = {}  # of the last answer, sliders that were written
        self.rewritten: list[str] = []  # and choices, by their label

    def _link_state(self) -> WidgetState:
        if self.message is None:
            return super()._link_state()
        return WidgetState(id=self.link_id, json_value=json.dumps({"message": {"moved": []} | self.message}))

    def _set_widgets(self, wanted: dict[str, str]) -> None:
        """They keep what they hold: what a browser that has not heard the last answer yet sends."""

    def hold(self, **values: float) -> None:
        """Let widgets hold these."""
        for widget in self.widgets.values():
            if widget.parameter in values:
                widget.hold(str(values[widget.parameter]))

    def _draw(self, element, answer) -> None:
        super()._draw(element, answer)
        self.order.append(element.WhichOneof("type"))
        if element.bidi_component.component_name == LINK:
            self.order[-1] = LINK
            self.answers.append(json.loads(element.bidi_component.bytes))
        if element.slider.set_value:
            self.written[element.slider.label] = element.slider.value[0]
        if element.button_group.set_value:
            self.rewritten.append(element.button_group.label)

    async def connect(self) -> None:
        await super().connect()
        send = self.socket.send

        async def send_as_said(data: bytes) -> None:
            back = BackMsg.FromString(data)
            back.rerun_script.is_history_navigation = self.turns
            if self.believed is not None:
                back.rerun_script.page_script_hash = self.pages[self.believed]
            self.order.clear()
            self.written.clear()
            self.rewritten.clear()
            await send(back.SerializeToString())

        self.socket.send = send_as_said


def play(server, acts: Callable[[Reader], Coroutine]) -> Reader:
    """Let a reader act, and return how it stands then."""

    async def visit() -> Reader:
        async with Reader(server.port) as reader:
            await acts(reader)
        return reader

    with ThreadPoolExecutor(max_workers=1) as thread:  # Playwright keeps an event loop in the main thread of a worker
        return thread.submit(asyncio.run, visit()).result()


def answered(reader: Reader) -> tuple[int, str, str]:
    """Which act the browser hears that it was answered for, with which page and link."""
    return tuple(reader.answers[-1][name] for name in ("act", "page", "link"))


def test_an_act_that_met_a_page_change_is_answered(server):
    """Where an act and the way to another page become one run, the page is shown, and the browser hears that its act arrived."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        reader.message, reader.turns = {"act": 9, "heard": 1, "page": "scores", "link": "key=2"}, True
        await reader.run("context", d_k=5)

    assert answered(play(server, acts)) == (9, "context", "d_k=5")


def test_an_act_from_the_page_before(server):
    """An act that was sent before the browser knew that it is on another page is answered there, with all of its link, and
    what else the browser holds is not forgotten."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        await reader.run("scores", seed=7)
        reader.turns = True
        await reader.run("weights", seed=7)
        reader.turns, reader.believed = False, "scores"
        reader.message = {"act": 9, "heard": 3, "page": "weights", "link": "d_k=5"}
        reader.hold(d_k=5)
        await reader.run("weights", d_k=5)

    reader = play(server, acts)
    assert answered(reader) == (9, "weights", "d_k=5")
    assert reader.written == {}  # each shows what is in force already


def test_pages_turned_quicker_than_they_are_answered(server):
    """On to another setup and back before the first answer came: that answer's values are written over."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        await reader.run("scores", seed=7)
        reader.message, reader.turns = {"act": 1, "heard": 1, "page": "scores", "link": "seed=7"}, True  # no act from here on
        await reader.run("weights", seed=7, d_k=5)
        assert reader.written == {"d_k": 5}
        reader.hold(d_k=24)  # as the browser was when it sent the next two messages
        await reader.run("scores", seed=7)
        assert reader.written == {"d_k": 24}
        await reader.run("scores", seed=7)  # the answer before may have been dropped

    assert play(server, acts).written == {"d_k": 24}


def test_a_control_that_never_arrived(server):
    """On to a page with a control of its own and on again, and the first answer was dropped: the control is written again."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        await reader.run("scores", d_model=6)
        reader.message, reader.turns = {"act": 1, "heard": 1, "page": "scores", "link": "d_model=6"}, True
        await reader.run("block", d_model=6)
        assert reader.written["d_ff"] == 24
        reader.widgets = {name: widget for name, widget in reader.widgets.items() if widget.parameter != "d_ff"}
        await reader.run("encoder", d_model=6)

    assert play(server, acts).written.get("d_ff") == 24


def test_a_control_that_is_moved_before_its_page_is_back(server):
    """A reader leaves a page, comes back and moves its control before either answer arrives. The two answers remove the control and
    make it again, so the next answer must write its value. Once the browser has heard that, later moves are not written."""

    async def acts(reader: Reader) -> None:
        await reader.run("block")
        reader.message, reader.turns = {"act": 1, "heard": 1, "page": "block", "link": ""}, True
        for page in ("masks", "block"):
            await reader.run(page)
            assert reader.written == {}
        reader.turns, reader.message = False, {"act": 2, "heard": 1, "moved": ["layers"], "page": "block", "link": "layers=3"}
        reader.hold(layers=3)
        await reader.run("block", layers=3)
        assert reader.written == {"Layers": 3}
        reader.message = {"act": 3, "heard": 4, "moved": ["layers"], "page": "block", "link": "layers=4"}
        reader.hold(layers=4)
        await reader.run("block", layers=4)

    assert play(server, acts).written == {}


def test_what_was_heard_is_not_written_again(server):
    """What a reader moves after hearing an answer is the reader's: an answer that wrote it once more would take it back."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        reader.hold(d_k=5)
        await reader.run("scores", d_k=5)
        reader.hold(d_k=24)
        await reader.run("scores", d_k=7)  # a preset, say
        assert reader.written == {"d_k": 7}
        reader.message = {"act": 9, "heard": 3, "moved": ["d_k"], "page": "scores", "link": "d_k=8"}
        reader.hold(d_k=8)
        await reader.run("scores", d_k=8)

    assert play(server, acts).written == {}


def test_what_was_heard_may_not_be_in_force_yet(server):
    """Back at the moment in which an answer is heard, when a control it writes still holds what it held: that control would
    take the answer for the last word, so it is written again."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        await reader.run("scores", d_k=7)  # a preset, say
        assert reader.written == {"d_k": 7}
        reader.hold(d_k=24)
        await reader.run("scores")
        assert reader.written == {"d_k": 24}
        reader.hold(d_k=7)
        await reader.run("scores", d_k=7)

    assert play(server, acts).written == {"d_k": 7}


def test_a_control_that_begins_on_the_way_and_is_drawn_again(server):
    """Away from a page, Back, and Back once more before the first answer is heard: the answers take a control away and begin it
    anew, and the last replaces the one that wrote it, so it writes it, too."""

    async def acts(reader: Reader) -> None:
        await reader.run("block", d_model=6)
        reader.message, reader.turns = {"act": 1, "heard": 1, "page": "block", "link": "d_model=6"}, True
        await reader.run("scores", d_model=6)
        for seed in (7, 8):
            await reader.run("block", d_model=6, seed=seed)
            assert reader.written["d_ff"] == 24

    play(server, acts)


def test_a_control_of_a_page_that_was_thrown_away_on_the_way(server):
    """On to another page, Back, and an act before the first answer is heard: the page's control is thrown away and written anew
    on the way to the browser, where the last answer replaces the one that wrote it, so it writes it, too."""

    async def acts(reader: Reader) -> None:
        await reader.run("heads")
        reader.hold(part="mixed by W_o")
        await reader.run("heads", part="mixed by W_o")
        reader.message, reader.turns = {"act": 1, "heard": 2, "page": "heads", "link": "part=mixed+by+W_o"}, True
        for page in ("scores", "heads"):
            await reader.run(page, part="mixed by W_o")
        reader.turns = False
        reader.message = {"act": 2, "heard": 2, "page": "heads", "link": "part=mixed+by+W_o&seed=7"}
        await reader.run("heads", part="mixed by W_o", seed=7)
        assert reader.rewritten == ["Part of this page"]
        reader.message = {"act": 3, "heard": 5, "page": "heads", "link": "part=mixed+by+W_o"}
        await reader.run("heads", part="mixed by W_o")

    assert play(server, acts).rewritten == []


def test_after_a_run_that_was_overtaken_no_control_is_written(monkeypatch):
    """A control that a run did not come to is not written in the next one: its reader may be moving it at that moment."""
    at = app("pages/4_scores.py")
    written = dict(at.session_state["memory"].writes)
    draw, runs = address.starts, []

    def overtaken_once() -> None:
        """The controls above were drawn, those below were not."""
        runs.append(len(runs))
        if runs == [0]:
            st.rerun()
        draw()

    monkeypatch.setattr(address, "starts", overtaken_once)
    at.run()
    assert runs == [0, 1]
    assert at.session_state["memory"].writes == written


def test_the_answer_comes_last(server):
    """When the browser hears that its act was answered, all that the answer shows has come before."""

    async def acts(reader: Reader) -> None:
        await reader.run("scores")
        assert reader.order[-1] == LINK
        await reader.run("scores", d_k=5)

    reader = play(server, acts)
    assert reader.order[-1] == LINK
    assert reader.order.count("bidi_component") > 2
