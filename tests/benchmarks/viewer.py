"""A viewer without a browser: speaks Streamlit's websocket protocol with Streamlit's own messages.

It sends what a browser sends: on arrival the link; then, with each act, the page and the link in
its address, as after Back, and the names of the large messages that it has kept. It keeps a load
balancer's cookie.
"""

import asyncio
import hashlib
import json
import socket
import time
from dataclasses import dataclass, field
from typing import Any, Self
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

PANEL = "attention_panel"  # the component that brings the browser what it is to know of each run
FINISHED = (
    ForwardMsg.FINISHED_SUCCESSFULLY,
    ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
    ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY,
)
BROKEN = (OSError, EOFError, WebSocketException)
PAUSE = 0.5  # seconds between tries to come back, as Streamlit's own page waits


@dataclass
class Answer:
    """What came back for one run: seconds until it was finished, bytes, errors, what the page
    shows, and what the panel learned."""

    seconds: float = 0.0
    size: int = 0
    errors: list[str] = field(default_factory=list)
    shown: list[str] = field(default_factory=list)
    panel: dict[str, Any] = field(default_factory=dict)

    @property
    def picture(self) -> str:
        """The same for two answers whose texts and matrices are the same."""
        return hashlib.sha256("\n".join(self.shown).encode()).hexdigest()


class Viewer:
    """One session. `async with Viewer(port) as viewer: answer = await viewer.run("scores",
    d_k=5)`. `home` is the server behind a balancer that it has; `moves` counts how often it had to
    find another."""

    def __init__(self, port: int) -> None:
        self.port, self.home, self.moves = port, "", 0
        self.page, self.link = "", ""
        self.fragment = ""  # the part of the page that asks to be drawn by itself, if any
        self.pages: dict[str, str] = {}  # hash by path, from the menu
        self.cached: set[str] = set()
        self.socket: ClientConnection

    async def __aenter__(self) -> Self:
        await self.connect()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def connect(self) -> None:
        """Open the line; once more after it broke, as a browser does: what is on screen stays
        there."""
        options = {"subprotocols": ["streamlit"], "max_size": None, "open_timeout": 60}
        if self.home:
            options["additional_headers"] = {"Cookie": f"replica={self.home}"}
        self.socket = await connect(f"ws://127.0.0.1:{self.port}/_stcore/stream", **options)
        cookie = self.socket.response.headers.get("Set-Cookie", "")
        if cookie.startswith("replica="):
            self.home = cookie.removeprefix("replica=").partition(";")[0]

    async def run(self, page: str = "", **parameters: object) -> Answer:
        """Open a page with these parameters or change to exactly them, and wait until the page is
        finished."""
        start = time.perf_counter()
        await self.send(page, **parameters)
        return await self._answer(start)

    async def again(self) -> Answer:
        """Ask for what is on screen, as a browser does when its line is back."""
        start = time.perf_counter()
        await self._ask()
        return await self._answer(start)

    async def draw_fragment(self) -> Answer:
        """Ask for the part of the page that is drawn by itself."""
        start = time.perf_counter()
        await self._ask(self.fragment)
        return await self._answer(start)

    async def heard(self) -> Answer:
        """Wait for what comes of a run that was asked for before."""
        return await self._answer(time.perf_counter())

    async def stay(self, page: str, **parameters: object) -> Answer:
        """Run, whatever happens to the server: where the line breaks, ask again on another one."""
        start = time.perf_counter()
        try:
            return await self.run(page, **parameters)
        except BROKEN:
            self.moves += 1
        while True:
            try:
                await self.connect()
                answer = await self.again()
                answer.seconds = time.perf_counter() - start
                return answer
            except BROKEN:
                await asyncio.sleep(PAUSE)

    async def send(self, page: str = "", **parameters: object) -> None:
        """Ask for a run and do not wait for it."""
        self.page, self.link = page, urlencode(parameters)
        await self._ask()

    async def _ask(self, fragment: str = "") -> None:
        message = BackMsg()
        state = message.rerun_script
        state.fragment_id, state.is_auto_rerun = fragment, fragment != ""
        state.query_string = self.link
        state.context_info.url = f"http://127.0.0.1:{self.port}/{self.page}"
        if self.pages.get(self.page):
            state.page_script_hash = self.pages[self.page]
            state.is_history_navigation = True
        else:
            state.page_name = self.page
        state.cached_message_hashes.extend(self.cached)
        await self.socket.send(message.SerializeToString())

    async def _answer(self, start: float) -> Answer:
        answer = Answer()
        while True:
            data = await self.socket.recv()
            self._acknowledge()
            answer.size += len(data)
            forward = ForwardMsg.FromString(data)
            self._note(forward, answer)
            kind = forward.WhichOneof("type")
            if kind == "script_finished" and forward.script_finished in FINISHED:
                answer.seconds = time.perf_counter() - start
                return answer

    def _acknowledge(self) -> None:
        """Acknowledge at once: the server's sockets wait for it (Nagle), and the kernel would wait
        40 ms."""
        quick = getattr(socket, "TCP_QUICKACK", None)
        if quick is not None:
            self.socket.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, quick, 1)

    def _note(self, forward: ForwardMsg, answer: Answer) -> None:
        if forward.metadata.cacheable:
            self.cached.add(forward.hash)
        match forward.WhichOneof("type"):
            case "delta" if forward.delta.WhichOneof("type") == "new_element":
                element = forward.delta.new_element
                if element.WhichOneof("type") == "exception":
                    raised = element.exception
                    answer.errors.append("\n".join((raised.message, *raised.stack_trace)))
                if element.bidi_component.component_name == PANEL:
                    answer.panel = json.loads(element.bidi_component.bytes)
                self._show(forward, answer)
            case "ref_hash":
                self._show(forward, answer)
            case "new_session":
                answer.shown.clear()
            case "auto_rerun":
                self.fragment = forward.auto_rerun.fragment_id
            case "navigation":
                pages = forward.navigation.app_pages
                self.pages = {page.url_pathname: page.page_script_hash for page in pages}
            case "page_not_found":
                answer.errors.append(f"page not found: {forward.page_not_found.page_name}")

    @staticmethod
    def _show(forward: ForwardMsg, answer: Answer) -> None:
        """Note what stands in the page's body: sentences and matrices, large ones by the name that
        they are kept under."""
        if list(forward.metadata.delta_path[:1]) != [0]:
            return
        element = forward.delta.new_element
        kind = element.WhichOneof("type")
        if kind is None:
            answer.shown.append(forward.ref_hash)
        elif forward.metadata.cacheable:
            answer.shown.append(forward.hash)
        elif kind in ("text", "markdown", "heading"):
            answer.shown.append(getattr(element, kind).body)
        elif kind == "bidi_component":
            answer.shown.append(hashlib.sha256(element.bidi_component.bytes).hexdigest())
