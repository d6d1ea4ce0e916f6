"""Rooms that several servers share through Redis: entries that expire, and what is told to all.
Nothing else of it is used."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from typing import Any

import redis.asyncio as redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError, WatchError

from pages.shared.room.rooms import (
    KEPT,
    LASTS,
    MOST_ANSWERS,
    MOST_KEPT,
    Change,
    Hear,
    Room,
    UnreachableError,
    name_of,
)

PREFIX = "attention:"
TOLD = f"{PREFIX}told"  # where all servers hear of all rooms
PATIENT, QUIET = 3, 2  # seconds for an answer, and without a word until one is asked for
MOST_LINES = 30  # to Redis; more acts at once wait for one
MOST_TRIES = 50  # of a change, where others change the same room
# An answer, and how many there are, told to all: done at once, so that what is heard last is the
# latest count.
VOTE = """
if redis.call('HLEN', KEYS[1]) >= tonumber(ARGV[3])
and redis.call('HEXISTS', KEYS[1], ARGV[1]) == 0 then return 0 end
redis.call('HSET', KEYS[1], ARGV[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[4])
local count = {is = 'count', vote = ARGV[7], answers = redis.call('HLEN', KEYS[1])}
redis.call('PUBLISH', ARGV[5], cjson.encode({ARGV[6], count}))
return 1
"""


class Shared:
    """Rooms in a Redis."""

    is_shared = True

    def __init__(self, url: str) -> None:
        self.hear: Hear = lambda code, message: None
        self.lost: Callable[[], None] = lambda: None
        # Not tried again in silence: what was told meanwhile would be lost, and nobody knew.
        once = Retry(NoBackoff(), 0)
        waits = {"socket_timeout": PATIENT, "socket_connect_timeout": PATIENT, "timeout": PATIENT}
        lines = redis.BlockingConnectionPool.from_url(
            url, max_connections=MOST_LINES, decode_responses=True, retry=once, **waits
        )
        self.redis = redis.Redis(connection_pool=lines)
        self.hears: asyncio.Future[bool] | None = (
            None  # whether what is told is heard, while somebody listens
        )

    async def find(self, code: str) -> Room | None:
        """Return the room with these letters."""
        async with _reached():
            text = await self.redis.get(_room(code))
        return Room.of_text(text) if text else None

    async def add(self, room: Room) -> bool:
        """Keep a new room; False where its letters are taken."""
        async with _reached():
            return bool(await self.redis.set(_room(room.code), room.as_text(), ex=LASTS, nx=True))

    async def change(self, code: str, change: Change, kind: str) -> Room:
        """Change a room, and tell all in it, at once: what another server changes meanwhile is not
        undone, and all hear of changes in their order. It lasts anew from here. Raises
        UnreachableError where there is none."""
        async with _reached(), self.redis.pipeline() as all_at_once:
            for _ in range(MOST_TRIES):
                await all_at_once.watch(_room(code))
                text = await all_at_once.get(_room(code))
                if not text:
                    break
                room = Room.of_text(text)
                changed = change(room)
                if changed == room:
                    return room
                all_at_once.multi()
                all_at_once.set(_room(code), changed.as_text(), ex=LASTS)
                all_at_once.expire(_vote(room, KEPT), LASTS)
                if gone := set(room.votes) - set(changed.votes):
                    all_at_once.delete(*(_vote(room, vote) for vote in gone))
                all_at_once.publish(
                    TOLD, json.dumps([code, {"is": kind, "room": changed.as_text()}])
                )
                with suppress(WatchError):  # another server was quicker
                    await all_at_once.execute()
                    return changed
        raise UnreachableError

    async def drop(self, code: str) -> None:
        """Forget a room and its votes."""
        room = await self.find(code)
        async with _reached():
            await self.redis.delete(
                _room(code), *(_vote(room, vote) for vote in ((*room.votes, KEPT) if room else ()))
            )

    async def vote(self, room: Room, vote: str, who: str, answer: str) -> bool:
        """Keep an answer in place of one's former one, and tell all how many there are; False where
        there are too many."""
        async with _reached():
            more = (who, answer, MOST_ANSWERS, LASTS, TOLD, room.code, vote)
            return bool(await self.redis.eval(VOTE, 1, _vote(room, vote), *more))

    async def answer_of(self, room: Room, vote: str, who: str) -> str | None:
        """Return what one browser answered."""
        async with _reached():
            return await self.redis.hget(_vote(room, vote), who)

    async def answers(self, room: Room, vote: str) -> list[str]:
        """Return all answers of a vote."""
        async with _reached():
            return await self.redis.hvals(_vote(room, vote))

    async def keep(self, room: Room, number: int, result: str) -> None:
        """Keep the result of a question until the class ends; the last ones, where there are too
        many."""
        name = _vote(room, KEPT)
        async with _reached(), self.redis.pipeline(transaction=False) as all_at_once:
            await (
                all_at_once.hset(name, str(number % MOST_KEPT), result)
                .expire(name, LASTS)
                .execute()
            )

    async def kept(self, room: Room) -> list[str]:
        """Return the results that are kept, in no order."""
        async with _reached():
            return await self.redis.hvals(_vote(room, KEPT))

    async def tell(self, code: str, message: dict[str, Any]) -> None:
        """Tell all in a room, on every server."""
        async with _reached():
            await self.redis.publish(TOLD, json.dumps([code, message]))

    async def listen(self) -> None:
        """Hear of all rooms from now on. Returns once that is so."""
        if self.hears is None:
            self.hears = asyncio.get_running_loop().create_future()
            self.listener = asyncio.create_task(self._listen(self.hears))
        async with _reached():
            if not await asyncio.wait_for(asyncio.shield(self.hears), PATIENT):
                raise UnreachableError

    async def _listen(self, hears: asyncio.Future[bool]) -> None:
        """Hand on what is told, until the line breaks: what was told since is lost then, so nothing
        goes on as if it had come."""
        line, unanswered = self.redis.pubsub(), 0
        try:
            await line.subscribe(TOLD)
            while unanswered < 2:
                message = await line.get_message(timeout=QUIET)
                if message is None:
                    unanswered += 1
                    await line.ping()
                    continue
                unanswered = 0
                if message["type"] == "subscribe":
                    hears.set_result(True)
                elif message["type"] == "message":
                    self.hear(*json.loads(message["data"]))
        except (RedisError, OSError):
            pass
        finally:
            self.hears = None
            if not hears.done():
                hears.set_result(False)
            self.lost()
            with suppress(RedisError, OSError):
                await line.aclose()


def _room(code: str) -> str:
    return f"{PREFIX}{code}"


def _vote(room: Room, vote: str) -> str:
    return f"{PREFIX}{name_of(room, vote)}"


@asynccontextmanager
async def _reached() -> AsyncIterator[None]:
    try:
        yield
    except (RedisError, OSError) as error:
        raise UnreachableError from error
