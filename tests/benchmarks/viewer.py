"""A viewer without a browser: speaks Streamlit's websocket protocol with Streamlit's own messages."""

import socket
import time
from dataclasses import dataclass, field
from typing import Self
from urllib.parse import urlencode

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.asyncio.client import ClientConnection, connect


@dataclass
class Answer:
    """What came back for one run: seconds until it was finished, bytes, and errors on the page."""

    seconds: float
    size: int
    errors: list[str] = field(default_factory=list)
    elements: int = 0


class Viewer:
    """One session. `async with Viewer(port) as viewer: answer = await viewer.run("scores", d_k=5)`."""

    def __init__(self, port: int) -> None:
        self.url = f"ws://127.0.0.1:{port}/_stcore/stream"
        self.cached: set[str] = set()
        self.socket: ClientConnection

    async def __aenter__(self) -> Self:
        self.socket = await connect(self.url, subprotocols=["streamlit"], max_size=None, open_timeout=60)
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.socket.close()

    async def run(self, page: str = "", **parameters: object) -> Answer:
        """Open a page with these parameters, as a link would, and wait until it is finished.

        A browser names messages it has kept; so does this, so that the bytes are a browser's bytes.
        """
        start = time.perf_counter()
        await self.send(page, **parameters)
        answer = Answer(0.0, 0)
        while True:
            data = await self.socket.recv()
            self._acknowledge()
            answer.size += len(data)
            forward = ForwardMsg.FromString(data)
            self._note(forward, answer)
            if forward.WhichOneof("type") == "script_finished" and forward.script_finished in (
                ForwardMsg.FINISHED_SUCCESSFULLY,
                ForwardMsg.FINISHED_WITH_COMPILE_ERROR,
            ):
                answer.seconds = time.perf_counter() - start
                return answer

    async def send(self, page: str = "", **parameters: object) -> None:
        """Ask for a run and do not wait for it."""
        message = BackMsg()
        message.rerun_script.query_string = urlencode(parameters)
        message.rerun_script.page_name = page
        message.rerun_script.cached_message_hashes.extend(self.cached)
        await self.socket.send(message.SerializeToString())

    def _acknowledge(self) -> None:
        """Acknowledge at once: the server's sockets wait for it (Nagle), and the kernel would wait 40 ms."""
        quick = getattr(socket, "TCP_QUICKACK", None)
        if quick is not None:
            self.socket.transport.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, quick, 1)

    def _note(self, forward: ForwardMsg, answer: Answer) -> None:
        if forward.metadata.cacheable:
            self.cached.add(forward.hash)
        kind = forward.WhichOneof("type")
        if kind == "delta" and forward.delta.WhichOneof("type") == "new_element":
            answer.elements += 1
            if forward.delta.new_element.WhichOneof("type") == "exception":
                answer.errors.append(forward.delta.new_element.exception.message)
        elif kind == "page_not_found":
            answer.errors.append(f"page not found: {forward.page_not_found.page_name}")
