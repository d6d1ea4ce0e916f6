"""A viewer without a browser: speaks Streamlit's websocket protocol with Streamlit's own messages.

It sends what a browser sends: on arrival the link; then, with each act, the page and the link in
its address, as after Back, and the names of the large messages that it has kept.
"""

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

PANEL = "attention_panel"  # the component that brings the browser what it is to know of each run
FINISHED = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_WITH_COMPILE_ERROR)


@dataclass
class Answer:
    """What came back for one run: seconds until it was finished, bytes, errors, what the page
    shows, and what the panel learned."""

    seconds: float
    size: int
    errors: list[str] = field(default_factory=list)
    elements: int = 0
    shown: list[str] = field(default_factory=list)
    panel: dict[str, Any] = field(default_factory=dict)

    @property
    def picture(self) -> str:
        """The same for two answers whose texts and matrices are the same."""
        return hashlib.sha256("\n".join(self.shown).encode()).hexdigest()


class Viewer:
    """One session. `async with Viewer(port) as viewer: answer = await viewer.run("scores",
    d_k=5)`."""

    def __init__(self, port: int, headers: dict[str, str] | None = None) -> None:
        self.port, self.headers = port, headers
        self.page, self.link = "", ""
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
        url = f"ws://127.0.0.1:{self.port}/_stcore/stream"
        self.socket = await connect(url, additional_headers=self.headers, **options)

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

    async def heard(self) -> Answer:
        """What comes of a run that was asked for before."""
        return await self._answer(time.perf_counter())

    async def send(self, page: str = "", **parameters: object) -> None:
        """Ask for a run and do not wait for it."""
        self.page, self.link = page, urlencode(parameters)
        await self._ask()

    async def _ask(self) -> None:
        message = BackMsg()
        state = message.rerun_script
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
        answer = Answer(0.0, 0)
        while True:
            data = await self.socket.recv()
            self._acknowledge()
            answer.size += len(data)
            forward = ForwardMsg.FromString(data)
            self._note(forward, answer)
            if (
                forward.WhichOneof("type") == "script_finished"
                and forward.script_finished in FINISHED
            ):
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
                answer.elements += 1
                element = forward.delta.new_element
                if element.WhichOneof("type") == "exception":
                    answer.errors.append(
                        " ".join(
                            (
                                element.exception.type,
                                element.exception.message,
                                *element.exception.stack_trace,
                            )
                        ).strip()
                    )
                if element.bidi_component.component_name == PANEL:
                    answer.panel = json.loads(element.bidi_component.bytes)
                self._show(forward, answer)
            case "ref_hash":
                self._show(forward, answer)
            case "new_session":
                answer.shown.clear()
            case "navigation":
                self.pages = {
                    page.url_pathname: page.page_script_hash
                    for page in forward.navigation.app_pages
                }
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
