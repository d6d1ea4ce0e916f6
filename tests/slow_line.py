"""A slow line: a proxy that delays each way what passes between a browser and a server."""

import asyncio
import threading
from collections.abc import Iterator
from contextlib import contextmanager


async def _pass_on(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay: float
) -> None:
    """Hand on what comes, each piece so much later, in order."""
    loop = asyncio.get_running_loop()
    pieces: asyncio.Queue[tuple[float, bytes]] = asyncio.Queue()

    async def hand_on() -> None:
        while True:
            due, piece = await pieces.get()
            await asyncio.sleep(max(due - loop.time(), 0))
            if not piece:
                break
            writer.write(piece)
            await writer.drain()
        writer.close()

    task = loop.create_task(hand_on())
    try:
        while piece := await reader.read(65536):
            pieces.put_nowait((loop.time() + delay, piece))
    except OSError:
        pass
    pieces.put_nowait((loop.time() + delay, b""))
    await asyncio.gather(task, return_exceptions=True)


@contextmanager
def slow_line(port: int, delay: float) -> Iterator[int]:
    """A port that leads to `port` with so many seconds of delay each way."""
    loop = asyncio.new_event_loop()

    async def meet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            there = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            writer.close()
            return
        await asyncio.gather(
            _pass_on(reader, there[1], delay),
            _pass_on(there[0], writer, delay),
            return_exceptions=True,
        )

    async def close(server: asyncio.Server) -> None:
        server.close()
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for task in others:
            task.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    thread = threading.Thread(target=loop.run_forever, daemon=True)
    thread.start()
    server = asyncio.run_coroutine_threadsafe(
        asyncio.start_server(meet, "127.0.0.1", 0), loop
    ).result()
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        asyncio.run_coroutine_threadsafe(close(server), loop).result()
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
