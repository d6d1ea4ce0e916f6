"""Rooms shared by several servers through Redis: a text for each room, a hash of answers for each
question, both with expiry, and one channel for all messages."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from pages.shared.classroom.room import Asked, Room
from pages.shared.classroom.store import LASTS, MAX_ANSWERS, Answer, Hear, UnreachableError

PREFIX = "attention:"
TOLD = f"{PREFIX}told"  # the channel
PATIENT = 3  # seconds for an answer of Redis
MAX_LINES = 30  # connections to Redis; further requests wait
# If the room is unchanged since it was read: write it, or an answer to its question, and publish.
WRITE = """
local was, now, lasts, channel, code, most, who, answer = unpack(ARGV)
if (redis.call('GET', KEYS[1]) or '') ~= was then return 0 end
if who and redis.call('HLEN', KEYS[2]) >= tonumber(most)
and redis.call('HEXISTS', KEYS[2], who) == 0 then return 0 end
redis.call('SET', KEYS[1], now, 'EX', lasts)
local message = {room = now}
if who then
    redis.call('HSET', KEYS[2], who, answer)
    redis.call('EXPIRE', KEYS[2], lasts)
    message = {answers = redis.call('HLEN', KEYS[2])}
end
redis.call('PUBLISH', channel, cjson.encode({code, message}))
return 1
"""


class Shared:
    """Rooms in a Redis."""

    is_shared = True

    def __init__(self, url: str) -> None:
        self.hear: Hear = lambda code, message: None
        self.lost: Callable[[], None] = lambda: None
        lines = redis.BlockingConnectionPool.from_url(
            url,
            max_connections=MAX_LINES,
            timeout=PATIENT,
            decode_responses=True,
            socket_timeout=PATIENT,
            socket_connect_timeout=PATIENT,
            socket_keepalive=True,
            retry=Retry(NoBackoff(), 0),  # a retry would silently lose messages
        )
        self.redis = redis.Redis(connection_pool=lines)
        self.listener: asyncio.Task | None = None
        self.listening = asyncio.Event()

    async def read(self, code: str) -> Room | None:
        async with _reached():
            text = await self.redis.get(_name(code))
        return Room.of_text(text) if text else None

    async def write(self, was: Room | None, room: Room, answer: Answer | None = None) -> bool:
        names = [_name(room.code)] + ([_answers(room, answer.to)] if answer else [])
        texts = [was.as_text() if was else "", room.as_text()]
        given = [answer.who, answer.text] if answer else []
        more = (*names, *texts, LASTS, TOLD, room.code, MAX_ANSWERS, *given)
        async with _reached():
            return bool(await self.redis.eval(WRITE, len(names), *more))

    async def answers(self, room: Room, asked: Asked) -> dict[str, str]:
        async with _reached():
            return await self.redis.hgetall(_answers(room, asked))

    async def answer_of(self, room: Room, asked: Asked, who: str) -> str | None:
        async with _reached():
            return await self.redis.hget(_answers(room, asked), who)

    async def drop(self, room: Room) -> None:
        names = (_answers(room, asked) for asked in room.questions)
        async with _reached():
            await self.redis.delete(_name(room.code), *names)

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        async with _reached():
            await self.redis.publish(TOLD, json.dumps([code, message]))

    async def listen(self) -> None:
        if self.listener is None or self.listener.done():
            self.listening.clear()
            self.listener = asyncio.create_task(self._listen())
        async with _reached(), asyncio.timeout(PATIENT):
            await self.listening.wait()

    async def _listen(self) -> None:
        """Pass messages on until the connection breaks; then members reconnect, since messages may
        be lost."""
        try:
            async with self.redis.pubsub() as channel:
                await channel.subscribe(TOLD)
                async for message in channel.listen():
                    self.listening.set()
                    if message["type"] == "message":
                        self.hear(*json.loads(message["data"]))
        except (RedisError, OSError):
            self.lost()


def _name(code: str) -> str:
    return f"{PREFIX}{code}"


def _answers(room: Room, asked: Asked) -> str:
    return f"{PREFIX}{room.code}:{room.born}:{asked.number}"


@asynccontextmanager
async def _reached() -> AsyncIterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:  # a TimeoutError is an OSError
        raise UnreachableError from error
