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
from typing import Any

import redis
import websockets

from tests.benchmarks.balancer import COMPOSE
from tests.benchmarks.server import free_port

PATIENCE = 30.0  # seconds
CLOSED = "closed"


class Window:
    """One browser window's line to its class, on the server of this port; from this address of the
    machine's own, if one is said."""

    def __init__(self, port: int, source: str | None = None, **headers: str) -> None:
        self.port, self.source, self.headers = port, source, headers
        self.who = ""  # the name that its answers count by: the class gives it
        self.heard: list[dict[str, Any]] = []  # and not waited for yet

    async def __aenter__(self) -> "Window":
        more = {"additional_headers": self.headers, "max_size": None, "max_queue": None}
        if self.source:
            more["local_addr"] = (self.source, 0)
        self.socket = await websockets.connect(f"ws://127.0.0.1:{self.port}/room", **more)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.socket.close()

    async def send(self, data: str | bytes) -> None:
        """Anything at all."""
        await self.socket.send(data)

    async def say(self, do: str, **message: Any) -> None:
        """What the explorer's script would send."""
        await self.send(json.dumps({"do": do} | message))

    async def _next(self) -> dict[str, Any]:
        """The next message; at the end why the line was closed."""
        try:
            return json.loads(await self.socket.recv())
        except websockets.ConnectionClosed as error:
            return {"is": CLOSED, "code": error.rcvd.code if error.rcvd else 1006}

    async def hear(self, *kinds: str, **wanted: Any) -> dict[str, Any]:
        """The next message of one of these kinds that has these values. Others of these kinds are
        left out, all else waits."""
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
        """Why the line was closed, once it is."""
        return (await self.hear(CLOSED))["code"]

    async def come(
        self, room: str | None = None, key: str | None = None, **more: Any
    ) -> dict[str, Any]:
        """Come in, as the lecturer or to follow; what is said to it."""
        message = {
            "who": self.who,
            "page": "scores",
            "link": "",
            "address": "http://127.0.0.1/",
        } | more
        message |= {name: value for name, value in (("room", room), ("key", key)) if value}
        await self.say("come", **message)
        told = await self.hear("room", "no")
        if told["is"] == "room" and not told["leads"] and not self.who:
            self.who = (await self.hear("name"))["who"]
        return told

    async def follow(self, room: str, **more: Any) -> dict[str, Any]:
        """Come in to follow."""
        return await self.come(room, **more)

    async def lead(self, **more: Any) -> dict[str, Any]:
        """Begin a class, with a key of its own."""
        self.key = secrets.token_hex(16)
        return await self.come(key=self.key, **more)

    async def answer(self, vote: str, text: Any) -> dict[str, Any]:
        """Answer; what is said to it."""
        await self.say("answer", vote=vote, answer=text)
        return await self.hear("answered", vote=vote)


def find_redis() -> str | None:
    """Redis's server on this machine."""
    return shutil.which("redis-server")


def options_in_compose() -> list[str]:
    """With which compose.yaml starts it."""
    listed = re.search(r"command: \[redis-server, (.*)\]", COMPOSE.read_text(encoding="utf-8"))[1]
    return [option.strip('"') for option in listed.split(", ")]


@dataclass
class Redis:
    """A running Redis, which keeps all in memory."""

    port: int
    process: subprocess.Popen

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}/0"

    @property
    def client(self) -> redis.Redis:
        return redis.Redis(port=self.port, decode_responses=True)

    def die(self) -> None:
        """Not politely."""
        self.process.kill()
        self.process.wait(10)

    def start_again(self) -> None:
        """With nothing in it."""
        self.process = _start(self.port)


@contextmanager
def redis_server() -> Iterator[Redis]:
    """A Redis of one's own until the block ends."""
    port = free_port()
    running = Redis(port, _start(port))
    try:
        yield running
    finally:
        running.die()


def _start(port: int) -> subprocess.Popen:
    command = [find_redis(), *options_in_compose(), "--port", str(port), "--bind", "127.0.0.1"]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with redis.Redis(port=port) as client:
                client.ping()
            return process
        except redis.ConnectionError:
            time.sleep(0.02)
    process.kill()
    raise RuntimeError(f"no answer from Redis on port {port}")
