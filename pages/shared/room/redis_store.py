"""Rooms that several servers share through Redis: entries that expire, and what is told to all. Nothing else of it is used."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from pages.shared.room.rooms import LASTS, MOST_ANSWERS, Hear, Room, UnreachableError

PREFIX = "attention:"


class Shared:
    """Rooms in a Redis."""

    is_shared = True

    def __init__(self, url: str) -> None:
        self.hear: Hear = lambda code, message: None
        self.lost: Callable[[], None] = lambda: None
        # Not tried again in silence: what was told meanwhile would be lost, and nobody knew.
        once = Retry(NoBackoff(), 0)
        self.redis = redis.Redis.from_url(url, socket_timeout=3, socket_connect_timeout=3, decode_responses=True, retry=once)
        self.line = self.redis.pubsub(ignore_subscribe_messages=True)
        self.listener: asyncio.Task | None = None
        self.rooms: set[str] = set()  # that are listened to

    async def find(self, code: str) -> Room | None:
        """The room with these letters."""
        async with _reached():
            text = await self.redis.get(_room(code))
        return Room.of_text(text) if text else None

    async def add(self, room: Room) -> bool:
        """Keep a new room; False where its letters are taken."""
        async with _reached():
            return bool(await self.redis.set(_room(room.code), room.as_text(), ex=LASTS, nx=True))

    async def keep(self, room: Room) -> None:
        """Keep a room as it is now. It lasts anew from here."""
        async with _reached():
            await self.redis.set(_room(room.code), room.as_text(), ex=LASTS)

    async def drop(self, code: str) -> None:
        """Forget a room; its votes expire."""
        async with _reached():
            await self.redis.delete(_room(code))

    async def vote(self, code: str, vote: str, who: str, answer: str) -> int | None:
        """Keep an answer in place of one's former one, and count all; None where there are too many."""
        name = _vote(code, vote)
        async with _reached():
            if await self.redis.hlen(name) >= MOST_ANSWERS and not await self.redis.hexists(name, who):
                return None
            async with self.redis.pipeline(transaction=False) as all_at_once:
                all_at_once.hset(name, who, answer).expire(name, LASTS).hlen(name)
                return (await all_at_once.execute())[-1]

    async def answer_of(self, code: str, vote: str, who: str) -> str | None:
        """What one browser answered."""
        async with _reached():
            return await self.redis.hget(_vote(code, vote), who)

    async def answers(self, code: str, vote: str) -> list[str]:
        """All answers of a vote."""
        async with _reached():
            return await self.redis.hvals(_vote(code, vote))

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        """Tell all in a room, on every server."""
        async with _reached():
            await self.redis.publish(_room(code), json.dumps(message))

    async def listen(self, code: str) -> None:
        """Hear of this room from now on."""
        async with _reached():
            await self.line.subscribe(_room(code))
        self.rooms.add(code)
        if self.listener is None or self.listener.done():
            self.listener = asyncio.create_task(self._listen())

    async def stop_listening(self, code: str) -> None:
        """Hear of it no more."""
        self.rooms.discard(code)
        async with _reached():
            await self.line.unsubscribe(_room(code))

    async def _listen(self) -> None:
        """Hand on what is told, until the line breaks: what was told since is lost then, so nothing goes on as if it had come."""
        try:
            while self.rooms:
                message = await self.line.get_message(timeout=2)
                if message:
                    self.hear(message["channel"].removeprefix(PREFIX), json.loads(message["data"]))
        except (RedisError, OSError):
            self.rooms.clear()
            with suppress(RedisError, OSError):
                await self.line.aclose()
            self.line = self.redis.pubsub(ignore_subscribe_messages=True)
            self.listener = None
            self.lost()


def _room(code: str) -> str:
    return f"{PREFIX}{code}"


def _vote(code: str, vote: str) -> str:
    return f"{PREFIX}{code}:{vote}"


@asynccontextmanager
async def _reached() -> AsyncIterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise UnreachableError from error
