"""Something changes while a form is on its way."""

import asyncio
from collections.abc import Coroutine
from typing import Any

import httpx2

from trilha.core.database import Tx

_WAITING = """
    SELECT count(*) FROM pg_locks
    WHERE NOT granted AND pg_backend_pid() = ANY(pg_blocking_pids(pid)) AND :tenant::uuid IS NOT NULL
"""


async def waiting(tx: Tx, sending: Coroutine[Any, Any, httpx2.Response]) -> asyncio.Task[httpx2.Response]:
    """The form, once it waits for what this transaction has locked."""
    request = asyncio.create_task(sending)
    while not await tx.value(_WAITING):
        assert not request.done(), request.result().text
        await asyncio.sleep(0.005)  # to ask holds up every lock of the server
    return request
