"""Checks on a connection of its own whether the database answers.

The pools may be busy for longer than a load balancer waits for the result.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from typing import Any

import asyncpg

from trilha.core.database.failures import CONNECTION_ERRORS, Unreachable

# A busy machine may need longer for one query, and is not down: only after this long without an answer is
# the database unreachable.
SILENCE_SECONDS = 2.0
# A caller gets the result of the last query if the current one takes longer.
WAIT_SECONDS = 0.08
_KEEP_SECONDS = 1.0


class Readiness:
    """Opens its connection at the first check, and keeps it. Checks at the same time share one query."""

    def __init__(self, connect: Callable[[], Awaitable[Any]]) -> None:
        self._connect = connect
        self._connection: Any = None
        self._query: asyncio.Task[bool] | None = None
        self._answered_at = float("-inf")

    def note_answer(self) -> None:
        """Records that the database has just answered elsewhere."""
        self._answered_at = time.monotonic()

    async def check(self) -> None:
        """Raises Unreachable, after a tenth of a second at most, if the database does not answer. Queries it
        at most once a second.
        """
        if time.monotonic() < self._answered_at + _KEEP_SECONDS:
            return
        if self._query is None or self._query.done():
            self._query = asyncio.create_task(self._ask())
        done, _ = await asyncio.wait({self._query}, timeout=WAIT_SECONDS)
        is_answered = self._query.result() if done else time.monotonic() < self._answered_at + SILENCE_SECONDS
        if not is_answered:
            raise Unreachable("no answer in time")

    async def close(self) -> None:
        if self._query is not None:
            self._query.cancel()
            await asyncio.wait({self._query})
        self._drop()

    async def _ask(self) -> bool:
        try:
            async with asyncio.timeout(SILENCE_SECONDS):
                if self._connection is None:
                    self._connection = await self._connect()
                await self._connection.execute("SELECT 1")
        except (*CONNECTION_ERRORS, asyncpg.PostgresError, OSError, TimeoutError):
            self._drop()
            self._answered_at = float("-inf")
            return False
        except asyncio.CancelledError:
            self._drop()
            raise
        self._answered_at = time.monotonic()
        return True

    def _drop(self) -> None:
        connection, self._connection = self._connection, None
        if connection is not None:
            with suppress(asyncpg.InterfaceError):  # it is closed already
                connection.terminate()
