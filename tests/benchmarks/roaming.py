"""A viewer behind a load balancer: keeps its cookie, and comes back by itself when its server is
gone, as a browser does."""

import asyncio
import time

from websockets.exceptions import WebSocketException

from tests.benchmarks.viewer import Answer, Viewer

PAUSE = 0.5  # seconds between tries, as Streamlit's own page waits
BROKEN = (OSError, EOFError, WebSocketException)


class Roaming(Viewer):
    """`replica` is the cookie that says which server this viewer belongs to; `moves` counts lines
    that broke."""

    def __init__(self, port: int) -> None:
        super().__init__(port)
        self.port, self.replica, self.moves = port, "", 0

    async def connect(self) -> None:
        """Ask whether a server is there until one is, then open the line to it, with the cookie it
        gave."""
        while True:
            try:
                await self._greet()
                origin = f"http://127.0.0.1:{self.port}"
                self.headers = {"Cookie": f"replica={self.replica}", "Origin": origin}
                return await super().connect()
            except BROKEN:
                await asyncio.sleep(PAUSE)

    async def _greet(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        cookie = f"Cookie: replica={self.replica}\r\n" if self.replica else ""
        request = (
            f"GET /_stcore/health HTTP/1.1\r\nHost: 127.0.0.1:{self.port}\r\n{cookie}Connection:"
            " close\r\n\r\n"
        )
        writer.write(request.encode())
        answer = (await asyncio.wait_for(reader.read(), 10)).decode()
        writer.close()
        if not answer.startswith("HTTP/1.1 200"):
            raise OSError("no server")
        for line in answer.splitlines():
            if line.lower().startswith("set-cookie: replica="):
                self.replica = line.split("=", 1)[1].split(";")[0]

    async def act(self, page: str, setup: dict[str, object]) -> Answer:
        """Change to this page and setup. Where the line breaks before the answer, ask again on
        another one."""
        start = time.perf_counter()
        try:
            answer = await self.run(page, **setup)
        except BROKEN:
            answer = await self._on_another()
        answer.seconds = time.perf_counter() - start
        return answer

    async def _on_another(self) -> Answer:
        while True:
            await self._move()
            try:
                return await self.again()
            except BROKEN:
                continue

    async def idle(self, seconds: float) -> None:
        """Read what is on screen; go to another server at once if the line breaks meanwhile."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            try:
                await asyncio.wait_for(self.socket.wait_closed(), left)
            except TimeoutError:
                return
            await self._move()

    async def _move(self) -> None:
        self.moves += 1
        await self.connect()
