"""Runs the tests' application behind a real server, in the tests' event loop and on their clock."""

import asyncio
import contextlib
from collections.abc import AsyncIterator
from typing import Any

from uvicorn import Server

from running import free_port
from trilha.serving import config_of


@contextlib.asynccontextmanager
async def serving(app: Any, port: int | None = None, **options: Any) -> AsyncIterator[str]:
    """Runs the server and returns its address. The caller opens and closes the application's database."""
    port = port or free_port()
    server = Server(config_of(app, port=port, lifespan="off", **options))
    task = asyncio.ensure_future(server.serve())
    await _answering(port)
    yield f"http://127.0.0.1:{port}"
    server.should_exit = True
    await task


async def _answering(port: int) -> None:
    while True:
        with contextlib.suppress(OSError):
            _, writer = await asyncio.open_connection("127.0.0.1", port)
            writer.close()
            return
        await asyncio.sleep(0.05)
