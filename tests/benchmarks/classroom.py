"""A class by raw websockets: windows that lead or follow, and the Redis that servers share."""

import asyncio
import json
import re
import secrets
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Self

import redis
import websockets

from tests.benchmarks.balancer import COMPOSE
from tests.benchmarks.server import free_port

PATIENCE = 30.0  # seconds
CLOSED = "closed"


class Window:
    """One browser window's line to its class, on the server of this port; `more` is said to
    `websockets.connect`."""

    def __init__(self, port: int = 0, **more: Any) -> None:
        self.port, self.more = port, more
        self.who = secrets.token_hex(8)  # its answers count by it
        self.room = self.id = self.born = self.key = ""
        self.heard: list[dict[str, Any]] = []  # and not waited for yet

    async def __aenter__(self) -> Self:
        options = {"max_size": None, "max_queue": None, "open_timeout": 60} | self.more
        address = f"ws://127.0.0.1:{self.port}/room"
        async with asyncio.timeout(PATIENCE):
            while True:
                try:
                    self.socket = await websockets.connect(address, **options)
                    return self
                except websockets.InvalidStatus as refused:  # a balancer that has not noticed yet
                    if refused.response.status_code not in (502, 503):
                        raise
                    await asyncio.sleep(0.1)

    async def __aexit__(self, *error: object) -> None:
        await self.socket.close()

    async def send(self, data: str | bytes) -> None:
        """Send anything at all."""
        await self.socket.send(data)

    async def say(self, do: str, **message: Any) -> None:
        """Send what the explorer's script would."""
        await self.send(json.dumps({"do": do} | message))

    async def _next(self) -> dict[str, Any]:
        """Return the next message; at the end why the line was closed."""
        try:
            return json.loads(await self.socket.recv())
        except websockets.ConnectionClosed as error:
            return {"is": CLOSED, "code": error.rcvd.code if error.rcvd else 1006}

    async def hear(self, *kinds: str, **wanted: Any) -> dict[str, Any]:
        """Return the next message of one of these kinds that has these values. Others of these
        kinds are left out, all else waits."""
        async with asyncio.timeout(PATIENCE):
            at = 0
            while True:
                if at == len(self.heard):
                    self.heard.append(await self._next())
                message = self.heard[at]
                if message["is"] not in kinds:
                    assert message["is"] != CLOSED, f"closed: {message['code']}, before {kinds}"
                    at += 1
                    continue
                del self.heard[at]
                if wanted.items() <= message.items():
                    return message

    async def closed(self) -> int:
        """Return why the line was closed, once it is."""
        return (await self.hear(CLOSED))["code"]

    async def come(self, room: str | None = None, key: str = "", **more: Any) -> dict[str, Any]:
        """Come in, as the lecturer or to follow; return what is said to it."""
        message = {"who": self.who, "page": "scores", "link": "", "address": "http://127.0.0.1/"}
        await self.say("come", **message | {"code": room, "key": key} | more)
        told = await self.hear("room", "no")
        if told["is"] == "room":
            self.room, self.id, self.born, self.key = told["code"], told["id"], told["born"], key
        return told

    async def lead(self, **more: Any) -> dict[str, Any]:
        """Begin a class, with a key of its own."""
        return await self.come(key=secrets.token_hex(16), **more)

    async def ask(self, what: str = "cell", page: str = "scores", link: str = "") -> None:
        """Ask the class."""
        await self.say("ask", what=what, page=page, link=link)

    async def answer(self, number: int, text: Any) -> dict[str, Any]:
        """Answer; return what is said to it."""
        await self.say("answer", number=number, answer=text, act=1)
        return await self.hear("mine")

    async def result(self, of: str = "result") -> dict[str, Any]:
        """Return how the votes went."""
        await self.say(of)
        return await self.hear(of)


def find_redis() -> str | None:
    """Return where Redis's server is on this machine."""
    return shutil.which("redis-server")


@dataclass
class Redis:
    """A Redis, which keeps all in memory."""

    port: int
    process: subprocess.Popen | None = None

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port, decode_responses=True)

    def die(self) -> None:
        """End it, not politely."""
        self.process.kill()
        self.process.wait(10)

    def start(self) -> None:
        """Start it with nothing in it, as compose.yaml does, and wait until it answers."""
        compose = COMPOSE.read_text(encoding="utf-8")
        listed = re.search(r"command: \[redis-server, (.*)\]", compose)[1].split(", ")
        command = [find_redis(), *(option.strip('"') for option in listed)]
        command += ["--port", str(self.port), "--bind", "127.0.0.1"]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while time.monotonic() < deadline:
            try:
                self.client.ping()
                return
            except redis.ConnectionError:
                time.sleep(0.02)
        self.die()
        raise RuntimeError(f"no answer from Redis on port {self.port}")


@contextmanager
def redis_server() -> Iterator[Redis]:
    """Run a Redis of one's own until the block ends."""
    running = Redis(free_port())
    running.start()
    try:
        yield running
    finally:
        running.die()
