"""The line of one browser window to its class: a websocket beside Streamlit's own."""

import asyncio
import json
import os
from contextlib import suppress
from functools import cache
from typing import Any

from starlette.websockets import WebSocket, WebSocketDisconnect, WebSocketState

from pages.shared.link import MOST_LETTERS
from pages.shared.room.acts import ACTS
from pages.shared.room.bucket import Bucket
from pages.shared.room.hall import Hall
from pages.shared.room.members import Member, RefusedError
from pages.shared.room.origins import number_of
from pages.shared.room.rooms import Memory, UnreachableError
from pages.shared.server import inside

REDIS = os.environ.get("ATTENTION_REDIS")  # redis://… where several servers share their classes
if REDIS:  # what it brings takes a while to import
    from pages.shared.room.redis_store import Shared

UNREACHABLE = "The class cannot be reached now: the explorer tries again by itself."
LONGEST = 2 * MOST_LETTERS  # bytes of a message
A_LONG_ONE = 2000  # characters, that cost as much as a message more
MOST_WAITING = 100  # messages that a window does not take
WAITS = 20.0  # seconds, for a browser to say what it wants
SLOW = 10.0  # seconds, for a browser to take what it is told
AGAIN, WRONG = 1013, 1008  # why a line is closed


@cache
def hall() -> Hall:
    """Return the classes of this server. They are shared with other servers where a Redis is
    named."""
    return Hall(Shared(REDIS) if REDIS else Memory())


async def meet(socket: WebSocket) -> None:
    """Serve one browser window, from the first message to the last; of a page that Streamlit would
    serve too."""
    if not await inside.is_served(socket):
        await socket.close(WRONG)  # before it is accepted: 403
        return
    take_no_more_than(socket, LONGEST)
    await socket.accept()
    line = Line(socket)
    try:
        await line.read()
    finally:
        await line.end()


def take_no_more_than(socket: WebSocket, most: int) -> None:
    """Refuse messages of more bytes by what their first frame says of its length: uvicorn would
    take all that Streamlit takes.

    What a websocket stands on there is not documented."""
    protocol = getattr(socket._receive, "__self__", None)
    connection = getattr(protocol, "conn", protocol)
    name = (
        "max_message_size" if hasattr(connection, "max_message_size") else "max_size"
    )  # of websockets from 15 on, and before
    setattr(connection, name, most)


class Line:
    """What one window sends is done one by one; what it is told waits in `out`, so that a slow one
    keeps nobody waiting. Of a room's messages only the latest of a kind waits: all say how things
    are now."""

    def __init__(self, socket: WebSocket) -> None:
        self.socket, self.hall = socket, hall()
        self.out: dict[str, str] = {}  # by kind, in order
        self.replies = 0
        self.why: int | None = None  # the line ends, once all is said
        self.news = asyncio.Event()
        self.machine = socket.client.host if socket.client else ""
        self.member = Member(self.send, lambda: self.close(AGAIN), number_of(self.machine))
        self.hall.arrive(self.member)
        self.messages, self.answers, self.questions = Bucket(80, 20), Bucket(1, 1), Bucket(20, 2)
        self.writer = asyncio.create_task(self._write())
        self.naming: asyncio.Task | None = None

    def send(self, text: str, kind: str) -> None:
        """Tell the window."""
        self.out.pop(kind, None)
        self.out[kind] = text
        if len(self.out) > MOST_WAITING:  # it takes nothing: it may come again
            self.out.clear()
            self.close(AGAIN)
        self.news.set()

    def say(self, **message: Any) -> None:
        """Answer the window."""
        self.replies += 1
        self.send(json.dumps(message), str(self.replies))

    def close(self, why: int) -> None:
        """End the line, once all is said."""
        self.why = why if self.why is None else self.why
        self.news.set()

    async def _write(self) -> None:
        try:
            while self.out or self.why is None:
                if self.out:
                    async with asyncio.timeout(SLOW):
                        await self.socket.send_text(self.out.pop(next(iter(self.out))))
                else:
                    self.news.clear()
                    await self.news.wait()
        except (WebSocketDisconnect, TimeoutError):  # it is gone, or takes nothing
            pass
        if self.socket.application_state is WebSocketState.CONNECTED:
            with suppress(WebSocketDisconnect, TimeoutError):
                async with asyncio.timeout(SLOW):
                    await self.socket.close(AGAIN if self.why is None else self.why)

    async def end(self) -> None:
        """Leave the class: the window is gone, or is to go."""
        if self.naming:
            self.naming.cancel()
        await self.hall.leave(self.member)
        self.close(AGAIN)
        await asyncio.wait([self.writer], timeout=2 * SLOW)

    async def read(self) -> None:
        """Do all that the window asks for, until it is gone or the line ends."""
        goes_on = True
        while goes_on:
            wait = None if self.member.room else WAITS
            received = asyncio.ensure_future(self.socket.receive())
            try:
                await asyncio.wait(
                    [received, self.writer], timeout=wait, return_when=asyncio.FIRST_COMPLETED
                )
                goes_on = received.done() and received.result()["type"] == "websocket.receive"
            finally:
                received.cancel()
            if goes_on:
                goes_on = await self._do(received.result().get("text"))

    async def _do(self, text: str | None) -> bool:
        """Do what one message asks for; False where this is the last. A lecturer who sends much, or
        much at once, waits; whoever follows has nothing to say that often, and is let go."""
        try:
            message = json.loads(text) if text and len(text) <= LONGEST else None
        except (ValueError, RecursionError):
            message = None
        act = (
            ACTS.get(message.get("do"))
            if isinstance(message, dict) and isinstance(message.get("do"), str)
            else None
        )
        if act is None:
            self.close(WRONG)
            return False
        if (
            self.member.room
            and not self.member.leads
            and not self.messages.has(1 + len(text) / A_LONG_ONE)
        ):
            self.close(WRONG)
            return False
        await self.messages.wait(1 + len(text) / A_LONG_ONE)
        try:
            await act(self, message)
        except RefusedError as error:
            self.say(**{"is": "no", "why": str(error), "again": error.again})
            return bool(self.member.room)
        except UnreachableError:
            self.say(**{"is": "no", "why": UNREACHABLE, "again": True})
            return False
        except (
            ValueError,
            TypeError,
            KeyError,
            AttributeError,
            RecursionError,
        ):  # nothing that the explorer's own script sends
            self.close(WRONG)
            return False
        return True
