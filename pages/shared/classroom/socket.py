"""The connection of one browser window to its class: a websocket beside Streamlit's."""

import asyncio
import json
import os
from contextlib import suppress
from functools import cache

from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.shared.classroom.class_registry import ClassRegistry, Member, RefusedError
from pages.shared.classroom.store import Memory, UnreachableError
from pages.shared.link import MAX_LETTERS
from pages.shared.server import streamlit_internals

REDIS = os.environ.get("ATTENTION_REDIS")  # redis://… if several servers share classes
if REDIS:  # slow to import
    from pages.shared.classroom.redis_store import Shared

UNREACHABLE = "The class cannot be reached now: the explorer tries again by itself."
UNREADABLE = "The class cannot read what this page sends: load the page again."
LONGEST = 2 * MAX_LETTERS  # characters of a message
WAITS = 20.0  # seconds, for a browser's first request
SLOW = 10.0  # seconds, for a browser to receive a message
PAUSE = 0.05  # seconds until the next message of a window is read
AGAIN, WRONG = 1013, 1008  # close codes


@cache
def find_registry() -> ClassRegistry:
    """Return the classes of this server, shared with others if a Redis is configured."""
    return ClassRegistry(Shared(REDIS) if REDIS else Memory())


async def meet(socket: WebSocket) -> None:
    """Serve one browser window from first to last message, if Streamlit would serve its page
    too."""
    if not await streamlit_internals.is_served(socket):
        await socket.close(WRONG)  # before accepting: 403
        return
    await socket.accept()
    line = Line(socket, find_registry())
    reader, writer = asyncio.create_task(line.read()), asyncio.create_task(line.write())
    try:
        await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
    finally:
        reader.cancel()
        await line.hall.leave(line.member)
        line.close()
        await asyncio.wait([reader, writer])


class Line:
    """One window's connection. Requests run one by one; messages wait in `out`, so that a slow
    window delays nobody. Only the latest message of each kind waits, since each is a full state."""

    def __init__(self, socket: WebSocket, hall: ClassRegistry) -> None:
        self.socket, self.hall = socket, hall
        self.out: dict[str, str] = {}  # by kind, in order
        self.news = asyncio.Event()
        self.ends: int | None = None  # the close code, once everything is sent
        self.member = Member(self.send, self.close, socket.client.host if socket.client else "")

    def send(self, kind: str, text: str) -> None:
        """Queue a message for the window."""
        self.out.pop(kind, None)
        self.out[kind] = text
        self.news.set()

    def close(self, why: int = AGAIN) -> None:
        """Close the connection once everything is sent."""
        self.ends = self.ends or why
        self.news.set()

    async def write(self) -> None:
        """Send queued messages until the connection is closed or the window stops receiving."""
        with suppress(WebSocketDisconnect, RuntimeError, TimeoutError):
            while self.out or not self.ends:
                await self.news.wait()
                self.news.clear()
                while self.out:
                    async with asyncio.timeout(SLOW):
                        await self.socket.send_text(self.out.pop(next(iter(self.out))))
            async with asyncio.timeout(SLOW):
                await self.socket.close(self.ends)

    async def read(self) -> None:
        """Execute the window's requests until it disconnects or is closed."""
        with suppress(TimeoutError):
            while not self.ends:
                async with asyncio.timeout(None if self.member.code else WAITS):
                    received = await self.socket.receive()
                if received["type"] != "websocket.receive":
                    return
                await self._do(received.get("text") or "")
                await asyncio.sleep(PAUSE)

    async def _do(self, text: str) -> None:
        """Execute one message. A refused member stays in its class; a message that the explorer's
        script never sends closes the connection."""
        try:
            message = json.loads(text) if len(text) <= LONGEST else None
            await self.hall.do(self.member, message if isinstance(message, dict) else {})
        except RefusedError as error:
            self._refuse(str(error), error.again)
            if not self.member.code:
                self.close()
        except UnreachableError:
            self._refuse(UNREACHABLE, again=True)
            self.close()
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            self._refuse(UNREADABLE)
            self.close(WRONG)

    def _refuse(self, why: str, again: bool = False) -> None:
        self.member.say("no", **{"why": why, "again": again})
