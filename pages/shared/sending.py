"""How the messages of a run leave the server: together, from its first to its last, and in an order of their own.

What is used of Streamlit's inside is said where it is used, as in `runtime`.
"""

import asyncio
import importlib
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from streamlit import config
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.runtime.app_session import AppSession
from streamlit.runtime.runtime_util import serialize_forward_msg
from streamlit.web.server.starlette import starlette_server
from websockets.exceptions import InvalidState
from websockets.frames import Frame, Opcode
from websockets.protocol import Protocol, State


def frame(message: ForwardMsg) -> bytes:
    """A message as it goes over a websocket that does not compress."""
    return Frame(Opcode.BINARY, serialize_forward_msg(message)).serialize(mask=False)


class RunMessages(list[ForwardMsg]):
    """What is sent when a run is complete, and after it all that `last` holds. `frames` are at hand, by the message's identity."""

    def __init__(self) -> None:
        super().__init__()
        self.last: list[ForwardMsg] = []
        self.frames: dict[int, bytes] = {}


def send(enqueue_one: Callable[[ForwardMsg], None], messages: RunMessages) -> None:
    """Hand over all messages of a run in one turn of the server's loop, and as one where the server can send several.

    One by one, each makes two calls into the loop, which is half of what a page costs. As in Streamlit itself, what a
    run that was overtaken still had to say is dropped. A test's runner has no session and takes them one by one.
    Noticed by `test_a_run_is_handed_over_at_once`.
    """
    runner = enqueue_one.__self__
    sessions = {getattr(receiver, "__self__", None) for receiver in runner.on_event._get_live_receivers()}
    session = next((session for session in sessions if isinstance(session, AppSession)), None)
    if session is None:
        for message in messages:
            enqueue_one(message)
        return

    def enqueue() -> None:
        if not isinstance(session._message_enqueued_callback, Bell):
            session._message_enqueued_callback = Bell(session)
        if session._scriptrunner is runner:
            # Not by its method, which would hold each against all those before it.
            session._browser_queue._queue += [Together(messages, messages.frames)] if sends_several() else messages
            session._message_enqueued_callback()

    session._call_soon_on_event_loop(enqueue)


class Bell:
    """Called at each message that a visitor's session has to send: has all of a run's sent when its last one is there.

    Streamlit sends what begins a run before what it shows, and what ends it 10 ms after; for each, the browser draws the whole
    page. Sent together they are drawn at once, and the answer to a click is seen sooner. A run that takes its time, as one that
    trains, has its messages sent while it goes on. Noticed by `test_an_answer_leaves_whole`.
    """

    PATIENCE = 0.1  # seconds

    def __init__(self, session: AppSession) -> None:
        # Not the session itself, which would then hold itself.
        self.send_all, self.queue, self.loop = session._message_enqueued_callback, session._browser_queue, session._event_loop
        self.later: asyncio.TimerHandle | None = None

    def __call__(self) -> None:
        if not more_follows(self.queue._queue[-1]):
            self.ring()
        elif self.later is None:
            self.later = self.loop.call_later(self.PATIENCE, self.ring)

    def ring(self) -> None:
        if self.later is not None:
            self.later.cancel()
            self.later = None
        self.send_all()


def more_follows(message: "ForwardMsg | Together") -> bool:
    """Whether this begins a run, or is what the run shows and not yet its end."""
    if isinstance(message, Together):
        return True
    kind = message.WhichOneof("type")
    return kind == "new_session" or (kind == "session_status_changed" and message.session_status_changed.script_is_running)


@dataclass(frozen=True)
class Together:
    """The messages of a run in the place of one: what Streamlit asks of a message between its queue and the websocket."""

    messages: Sequence[ForwardMsg]
    frames: Mapping[int, bytes] = field(default_factory=dict)

    def WhichOneof(self, group: str) -> str:
        """Elements: dropped where another run begins before they were sent."""
        return "delta"

    def HasField(self, name: str) -> bool:
        """Nothing that would have to outlast that."""
        return False

    def SerializeToString(self) -> "Frames":
        """Each message by itself, as the browser reads them."""
        return Frames(self.frames.get(id(message)) or frame(message) for message in self.messages)


class Frames(tuple[bytes, ...]):
    """What a websocket sends for several messages, in place of one message."""

    def serialize(self, *, mask: bool, extensions: object) -> bytes:
        """As a websocket asks a frame of its own, of a server's and without compression."""
        return b"".join(self)


@cache
def sends_several() -> bool:
    """Once in a process: let a websocket take several messages at once. Whether the server is one that hands them on to it.

    One by one, each takes a turn of the server's loop and goes through eight functions of three libraries: that made up a
    tenth of an answer. Where another version of the server would look into what it hands on, or compress it, they go one by
    one. Noticed by `test_a_run_is_sent_in_one_piece`.
    """
    if starlette_server._get_websocket_protocol() != "websockets-sansio" or config.get_option(
        "server.enableWebsocketCompression"
    ):
        return False
    module = importlib.import_module("uvicorn.protocols.websockets.websockets_sansio_impl")  # only such a server has it
    send_one = Protocol.send_binary

    def send(websocket: Protocol, data: bytes | Frames, fin: bool = True) -> None:
        if not isinstance(data, Frames):
            send_one(websocket, data, fin)
        elif websocket.state is not State.OPEN:
            raise InvalidState(f"connection is {websocket.state.name.lower()}")
        else:
            websocket.send_frame(data)

    Protocol.send_binary = send
    return "self.conn.send_binary(bytes_data)" in inspect.getsource(module.WebSocketsSansIOProtocol.send)
