"""Changes something while a form is being processed."""

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
    """Submits the form, and waits until it waits for the locks of this transaction."""
    request = asyncio.create_task(sending)
    while not await tx.value(_WAITING):
        assert not request.done(), request.result().text
        await asyncio.sleep(0.005)  # this query takes all locks of the server's lock table
    return request
