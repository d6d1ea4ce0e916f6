"""The running server: a small class, broken viewers, restarts, and nothing that leaves the machine."""

import asyncio
import inspect
import json
import os
import subprocess
import sys
import threading
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MethodType, SimpleNamespace

import pytest
from helpers import ROOT
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.forward_msg_queue import ForwardMsgQueue
from streamlit.signal_util import Signal
from streamlit.web.server.starlette import starlette_server
from websockets.exceptions import InvalidState
from websockets.protocol import State
from websockets.server import ServerProtocol

from core import batch, text
from core.classifier import classify
from core.encoder import encode
from core.sentences import MOST_CHARACTERS, MOST_OTHERS, MOST_SENTENCES, MOST_TOKENS
from core.setup import RANGES, Setup
from core.trace import run
from pages.shared import large_messages, runtime, sending
from pages.shared.link import PRESETS
from tests.benchmarks.server import free_port
from tests.benchmarks.viewer import Viewer


def test_broken_and_busy_viewers_do_not_block_others(server):
    """Viewers who leave in mid-run, one who floods and ten tabs: another still gets right answers."""

    async def lesson() -> None:
        for _ in range(15):
            async with Viewer(server.port) as leaver:
                await leaver.send("weights", d_k=5)
        async with Viewer(server.port) as flood, Viewer(server.port) as other:
            for k in range(60):
                await flood.send("heads", d_k=1 + k % 64)
            tabs = [Viewer(server.port) for _ in range(10)]
            answers = await asyncio.gather(*(_one_answer(tab) for tab in tabs))
            answers.append(await asyncio.wait_for(other.run("scores", d_k=7), 30))
            last = await asyncio.wait_for(flood.run("scores", d_k=9), 30)
        assert [a.errors for a in [*answers, last]] == [[]] * 12

    # In a thread of its own: Playwright keeps an event loop in the main thread of a worker that has had a browser.
    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, lesson()).result()


async def _one_answer(tab: Viewer):
    async with tab as viewer:
        return await asyncio.wait_for(viewer.run("context"), 30)


def test_a_run_is_handed_over_at_once(server):
    """All of a page reaches its viewer, in order, between the run's beginning and its end; a second viewer's is its own."""

    async def lesson() -> list[list[str]]:
        async with Viewer(server.port) as one, Viewer(server.port) as other:
            answers = await asyncio.gather(one.run("scores", d_k=5), other.run("context", d_v=3))
            return [answer.shown for answer in answers]

    with ThreadPoolExecutor(max_workers=1) as thread:
        scores, context = thread.submit(asyncio.run, lesson()).result()
    assert any("5 terms" in text for text in scores)
    assert any("in 3 dimensions" in text for text in context)
    assert scores[-1] != context[-1]
    assert len(scores) > 10


class Told(Viewer):
    """A viewer who notes which widgets an answer writes, by what they are called."""

    def _note(self, forward: ForwardMsg, answer) -> None:
        super()._note(forward, answer)
        if forward.WhichOneof("type") == "new_session":
            self.written: set[str] = set()
        element = forward.delta.new_element
        kind = element.WhichOneof("type")
        if kind and getattr(getattr(element, kind), "set_value", False):
            self.written.add(getattr(element, kind).label)


def test_only_what_differs_is_written(server):
    """A widget that is new to a browser is written where it begins with something else than what is in force, and nowhere else;
    on the way back to a page, too."""

    async def lesson() -> list[set[str]]:
        written = []
        async with Told(server.port) as viewer:
            for page, setup in (("block", {}), ("masks", {}), ("masks", {"layers": 3}), ("block", {"layers": 3}), ("scores", {})):
                await viewer.run(page, **setup)
                written.append(viewer.written)
        async with Told(server.port) as viewer:
            await viewer.run("scores", d_k=7, mask="causal")
            return [*written, viewer.written]

    with ThreadPoolExecutor(max_workers=1) as thread:
        written = thread.submit(asyncio.run, lesson()).result()
    assert written == [set(), set(), set(), {"Layers"}, set(), {"d_k"}]


def elements_of(texts: list[str]) -> list[ForwardMsg]:
    """Elements as Streamlit sends them."""
    messages = [ForwardMsg() for _ in texts]
    for message, body in zip(messages, texts, strict=True):
        message.delta.new_element.text.body = body
    return messages


def test_a_run_is_sent_in_one_piece():
    """The libraries that are installed take a run's messages together, and what leaves the websocket is the same to the byte."""
    assert sending.sends_several()
    messages = elements_of(["short", "long" * 100, "longest" * 10_000])
    together, one_by_one = ServerProtocol(state=State.OPEN), ServerProtocol(state=State.OPEN)
    sent_before = {id(messages[1]): sending.frame(messages[1])}
    together.send_binary(sending.Together(messages, sent_before).SerializeToString())
    for message in messages:
        one_by_one.send_binary(message.SerializeToString())
    assert b"".join(together.data_to_send()) == b"".join(one_by_one.data_to_send())
    with pytest.raises(InvalidState):
        ServerProtocol(state=State.CLOSED).send_binary(sending.Together(messages).SerializeToString())


def test_a_server_that_looks_into_its_messages_gets_them_one_by_one(monkeypatch):
    """Where Streamlit would choose another websocket, or one that compresses, nothing is handed to it that it does not know."""
    with monkeypatch.context() as other_protocol:
        other_protocol.setattr(starlette_server, "_get_websocket_protocol", lambda: "auto")
        assert not sending.sends_several.__wrapped__()
    monkeypatch.setattr(sending.config, "get_option", lambda name: name == "server.enableWebsocketCompression")
    assert not sending.sends_several.__wrapped__()


def test_what_was_overtaken_is_dropped_in_one_piece():
    """A run that begins before the last one's messages left takes them back, and leaves what says that there was one."""
    queue, beginning = ForwardMsgQueue(), ForwardMsg()
    beginning.new_session.name = "app"
    queue._queue += [beginning, sending.Together(elements_of(["old"]))]
    queue.clear(retain_lifecycle_msgs=True)
    assert queue.flush() == [beginning]


class OneSession(AppSession):
    """As much of a session as a message goes through on its way to the browser; `pieces` are what left, each at once."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._event_loop, self._browser_queue, self._scriptrunner = loop, ForwardMsgQueue(), None
        self.pieces: list[list[str]] = []
        self._message_enqueued_callback = lambda: self.pieces.append([kind(message) for message in self._browser_queue.flush()])

    def __del__(self) -> None:
        """Nothing was begun that would have to end."""

    async def run(self, shows: list[ForwardMsg], and_ends: bool = True) -> None:
        """A run as Streamlit's runner begins and ends it, and as the app hands over what it shows."""
        self._scriptrunner = SimpleNamespace(on_event=Signal())
        self._scriptrunner.on_event.connect(self._on_scriptrunner_event)
        enqueue_one = MethodType(lambda runner, message: None, self._scriptrunner)
        begins, runs, ends, rests = (ForwardMsg() for _ in range(4))
        begins.new_session.name = "app"
        runs.session_status_changed.script_is_running = True
        ends.script_finished = ForwardMsg.FINISHED_SUCCESSFULLY
        rests.session_status_changed.script_is_running = False
        for message in (begins, runs):
            self._enqueue_forward_msg(message)
        messages = sending.RunMessages()
        messages += shows
        sending.send(enqueue_one, messages)
        await asyncio.sleep(0)  # in the next turn of the loop they are there
        for message in (ends, rests) if and_ends else ():
            self._enqueue_forward_msg(message)


def kind(message: ForwardMsg | sending.Together) -> str:
    return "shown" if isinstance(message, sending.Together) else message.WhichOneof("type")


def test_an_answer_leaves_whole(monkeypatch):
    """From a visitor's second run on, its beginning, what it shows and its end leave in one piece; of a run that goes on, what
    it has shown leaves without its end, and what it shows then at once."""
    monkeypatch.setattr(sending.Bell, "PATIENCE", 0)
    begun = ["new_session", "session_status_changed"]

    async def visit() -> None:
        session = OneSession(asyncio.get_running_loop())
        await session.run(elements_of(["first"]))
        session.pieces.clear()
        await session.run(elements_of(["second", "of it"]))
        assert session.pieces == [[*begun, "shown", "script_finished"], ["session_status_changed"]]
        session.pieces.clear()
        await session.run(elements_of(["third"]), and_ends=False)
        while not session.pieces:
            await asyncio.sleep(0)
        session._enqueue_forward_msg(elements_of(["trained"])[0])
        assert session.pieces == [[*begun, "shown"], ["delta"]]

    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, visit()).result()


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="only Linux says what a process has open")
def test_visitors_do_not_make_the_server_watch_files(server):
    """Started as anybody starts it, the server does not look through all modules and folders for each new visitor."""

    async def visits() -> None:
        async with Viewer(server.port) as viewer:
            await viewer.run("scores")

    with ThreadPoolExecutor(max_workers=1) as thread:
        thread.submit(asyncio.run, visits()).result()
    opened = Path(f"/proc/{server.process.pid}/fd")
    assert not any("inotify" in os.readlink(descriptor) for descriptor in opened.iterdir() if descriptor.is_symlink())


def test_what_a_first_visitor_would_wait_for_is_read_ahead():
    """Where the numbers of a page are made is found before anybody opens it, and not while a visitor's run is under way."""
    read: list[str] = []
    done = threading.Event()

    def note(file: str) -> None:
        read.append(file)
        if len(read) == 2:
            done.set()

    with runtime._under_way():
        inspect.unwrap(runtime.read_ahead)(note, ("one", "two"))
        assert not read
    assert done.wait(timeout=30)
    assert read == ["one", "two"]


def test_what_is_read_ahead_waits_for_its_turn():
    """It is read between visitors' runs, never beside one: Python's parser may fail where two threads use it at once."""
    done, held = threading.Event(), []

    def read(file: str) -> None:
        held.append((file, runtime._one_at_a_time.locked()))
        if file == "second":
            done.set()

    with runtime._one_at_a_time:  # a visitor's run
        inspect.unwrap(runtime.read_ahead)(read, ("first", "second"))
        assert not done.wait(0.1)
        assert held == []
    assert done.wait(30)
    assert held == [("first", True), ("second", True)]


def test_a_new_session_hears_the_link_where_others_were_before(server):
    """A browser whose line broke after an act is answered for that act, though the page was drawn for others before."""

    async def lesson() -> list[str]:
        async with Viewer(server.port) as viewer:
            await viewer.run("scores")
            await viewer.run("scores", seed=7)
            await viewer.socket.close()
            await viewer.connect()
            message = {"act": 9, "heard": 8, "moved": [], "page": "scores", "link": "d_k=5"}
            viewer._link_state = lambda: WidgetState(id=viewer.link_id, json_value=json.dumps({"message": message}))
            viewer.link = ""  # the message left before the address was written
            return (await viewer.again()).shown

    with ThreadPoolExecutor(max_workers=1) as thread:
        shown = thread.submit(asyncio.run, lesson()).result()
    assert any("5 terms" in text for text in shown)


def test_only_what_was_sent_a_few_runs_ago_is_left_to_its_hash():
    """A browser that drops what was not used in more runs than that has all that the server refers to, whoever is quicker."""
    large = large_messages.LargeMessages()
    board, other = elements_of(["board", "other"])
    board.hash, other.hash = "board", "other"
    board.metadata.cacheable = other.metadata.cacheable = True
    assert large.still_there(["board"]) == set()  # another server sent it
    large.note([board])
    for _ in range(large_messages.RUNS):
        assert large.still_there(["board", "other"]) == {"board"}
    assert large.still_there(["board", "other"]) == set()
    large.note([board, other])
    large.still_there([])
    large.note([ForwardMsg(ref_hash="board")])  # the browser used it
    for _ in range(large_messages.RUNS - 1):
        assert large.still_there(["board", "other"]) == {"board", "other"}
    assert large.still_there(["board", "other"]) == {"board"}
    assert tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text())["global"]["maxCachedMessageAge"] > large_messages.RUNS


FORGED = (
    "{}",
    '{"message": 5}',
    '{"message": {"act": "x"}}',
    '{"message": {"act": 1, "heard": 0, "moved": [], "page": [], "link": null}}',
    '{"message": {"act": 1, "heard": 0, "moved": 2, "page": "scores", "link": ""}}',
)


@pytest.mark.parametrize("forged", FORGED)
def test_a_forged_link_is_nothing(server, forged):
    """What no script of ours would say of its link is passed over: the page answers as before, and without an error."""

    async def lesson() -> tuple[list[str], list[str]]:
        async with Viewer(server.port) as viewer:
            await viewer.run("scores", d_k=5)
            viewer._link_state = lambda: WidgetState(id=viewer.link_id, json_value=forged)
            answer = await viewer.run("scores", d_k=5)
            return answer.errors, answer.shown

    with ThreadPoolExecutor(max_workers=1) as thread:
        errors, shown = thread.submit(asyncio.run, lesson()).result()
    assert errors == []
    assert any("5 terms" in text for text in shown)


def test_the_theme_is_sent_as_it_is_set(server):
    """What is remembered of the theme is what Streamlit itself makes of it, in every run's first message."""
    command = [sys.executable, "-c", THEME]
    wanted = subprocess.run(command, cwd=ROOT, capture_output=True, check=True).stdout

    async def lesson() -> list[bytes]:
        found = []
        async with Viewer(server.port) as viewer:
            note = viewer._note

            def keep(forward, answer) -> None:
                if forward.WhichOneof("type") == "new_session":
                    found.append(forward.new_session.custom_theme.SerializeToString(deterministic=True))
                note(forward, answer)

            viewer._note = keep
            for seed in (1, 2):
                await viewer.run("scores", seed=seed)
        return found

    with ThreadPoolExecutor(max_workers=1) as thread:
        assert set(thread.submit(asyncio.run, lesson()).result()) == {wanted}


# What Streamlit itself makes of the theme, in a process that has not touched it.
THEME = """
import sys
from streamlit import config
from streamlit.proto.NewSession_pb2 import CustomThemeConfig
from streamlit.runtime.app_session import _populate_theme_msg
config.get_config_options()
made = CustomThemeConfig()
for section, message in (
    ("theme", made), ("theme.light", made.light), ("theme.dark", made.dark), ("theme.sidebar", made.sidebar),
    ("theme.light.sidebar", made.light.sidebar), ("theme.dark.sidebar", made.dark.sidebar),
):
    _populate_theme_msg(message, section)
sys.stdout.buffer.write(made.SerializeToString(deterministic=True))
"""


def test_protections_stay_on():
    """Cross-site protections are on, statistics off, and details of errors are not for visitors."""
    command = [sys.executable, "-m", "streamlit", "config", "show"]
    shown = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    settings = {}
    for line in shown.splitlines():
        if "=" in line:
            name, value = line.lstrip("# ").split("=", 1)
            settings[name.strip()] = value.strip()
    assert settings["enableXsrfProtection"] == "true"
    assert settings["enableCORS"] == "true"
    assert settings["gatherUsageStats"] == "false"
    assert settings["showErrorDetails"] == '"none"'


def test_an_error_says_nothing_of_the_inside(tmp_path):
    """When something breaks, a visitor is sent a plain sentence: no path, no version, no trace. The log has it all."""
    broken = tmp_path / "broken.py"
    broken.write_text("import streamlit as st\nst.title('broken')\nraise RuntimeError('secret of /etc/passwd')\n")
    port = free_port()
    command = [sys.executable, "-m", "streamlit", "run", str(broken), "--server.headless", "true", "--server.port", str(port)]
    log = (tmp_path / "log").open("w+")
    process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=log)
    try:
        with ThreadPoolExecutor(max_workers=1) as thread:
            (seen,) = thread.submit(asyncio.run, _sent_exceptions(port)).result()
    finally:
        process.terminate()
        process.wait(10)
    assert "error" in seen.message
    for inside in ("/", "secret", "RuntimeError", "Traceback", "1.67", ".py"):
        assert inside not in f"{seen.type} {seen.message} {list(seen.stack_trace)}", seen
    log.seek(0)
    assert "secret of /etc/passwd" in log.read()


async def _sent_exceptions(port: int) -> list:
    """The exceptions that a server on this port sends to its first visitor, once it answers."""
    found, viewer = [], Viewer(port)
    draw = viewer._draw

    def keep(element, answer) -> None:
        if element.WhichOneof("type") == "exception":
            found.append(element.exception)
        draw(element, answer)

    viewer._draw = keep
    for _ in range(600):
        try:
            await viewer.connect()
            break
        except OSError:
            await asyncio.sleep(0.1)
    await viewer.run()
    await viewer.socket.close()
    return found


def test_what_a_visitor_can_ask_for_is_bounded():
    """The largest setup that core lets through has known sizes, whatever widgets allow."""
    assert (MOST_CHARACTERS, MOST_TOKENS, MOST_SENTENCES, MOST_OTHERS) == (400, 32, 8, 1000)
    assert {name: high for name, (low, high) in RANGES.items()} == {
        "d_model": 64, "d_k": 64, "d_v": 64, "heads": 20, "temperature": 10.0, "seed": 2**31 - 1,
        "dropout": 0.9, "dropout_seed": 2**31 - 1, "layers": 6, "d_ff": 256, "classes": 10, "shuffle": 999,
        "steps": 600,
    }  # fmt: skip
    largest = Setup(
        text=" ".join(f"w{k}" for k in range(32)), d_model=64, d_k=64, d_v=64, heads=20, out="d_model", bias="on",
        positions="learned", others="\n".join(" ".join(f"v{k}" for k in range(32)) for _ in range(7)), dropout=0.5, layers=6,
        d_ff=256, classes=10,
    )  # fmt: skip

    def held(*traces) -> int:
        values = {id(entry.value): entry.value for trace in traces for entry in trace.values()}
        return sum(value.numel() * value.element_size() for value in values.values())

    assert held(run(largest)) < 3_000_000
    assert held(*encode(largest)) < 20_000_000
    assert held(batch.run(largest).trace) < 12_500_000
    assert held(classify(largest).trace) < 100_000
    for splitter in text.SPLITTERS.values():
        assert splitter.cache_info().maxsize == 256
    for preset in PRESETS.values():
        Setup(**preset)
