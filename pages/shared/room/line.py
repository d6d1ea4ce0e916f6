"""The line of one browser window to its class: a websocket beside Streamlit's own."""

import asyncio
import json
import os
from contextlib import suppress
from functools import cache

from starlette.websockets import WebSocket, WebSocketDisconnect

from pages.shared.link import MAX_LETTERS
from pages.shared.room.hall import Hall, Member, RefusedError
from pages.shared.room.store import Memory, UnreachableError
from pages.shared.server import inside

REDIS = os.environ.get("ATTENTION_REDIS")  # redis://… where several servers share their classes
if REDIS:  # what it brings takes a while to import
    from pages.shared.room.redis_store import Shared

UNREACHABLE = "The class cannot be reached now: the explorer tries again by itself."
UNREADABLE = "The class cannot read what this page sends: load the page again."
LONGEST = 2 * MAX_LETTERS  # characters of a message
WAITS = 20.0  # seconds, for a browser to say what it wants
SLOW = 10.0  # seconds, for a browser to take what it is told
PAUSE = 0.05  # seconds between two messages of a window: whoever sends more waits
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
    await socket.accept()
    line = Line(socket, hall())
    reader, writer = asyncio.create_task(line.read()), asyncio.create_task(line.write())
    try:
        await asyncio.wait([reader, writer], return_when=asyncio.FIRST_COMPLETED)
    finally:
        reader.cancel()
        await line.hall.leave(line.member)
        line.close()
        await asyncio.wait([reader, writer])


class Line:
    """What one window sends is done one by one; what it is told waits in `out`, so that a slow one
    keeps nobody waiting. Of messages of one kind only the latest waits: each says how things are
    now."""

    def __init__(self, socket: WebSocket, hall: Hall) -> None:
        self.socket, self.hall = socket, hall
        self.out: dict[str, str] = {}  # by kind, in order
        self.news = asyncio.Event()
        self.ends: int | None = None  # why the line ends, once all is said
        self.member = Member(self.send, self.close, socket.client.host if socket.client else "")

    def send(self, kind: str, text: str) -> None:
        """Tell the window."""
        self.out.pop(kind, None)
        self.out[kind] = text
        self.news.set()

    def close(self, why: int = AGAIN) -> None:
        """End the line, once all is said."""
        self.ends = self.ends or why
        self.news.set()

    async def write(self) -> None:
        """Send what the window is told, until the line ends or the window takes nothing."""
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
        """Do all that the window asks for, until it is gone or the line ends."""
        with suppress(TimeoutError):
            while not self.ends:
                async with asyncio.timeout(None if self.member.code else WAITS):
                    received = await self.socket.receive()
                if received["type"] != "websocket.receive":
                    return
                await self._do(received.get("text") or "")
                await asyncio.sleep(PAUSE)

    async def _do(self, text: str) -> None:
        """Do what one message asks for. Where that is refused, whoever is in a class stays in it;
        what the explorer's own script does not send ends the line."""
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
