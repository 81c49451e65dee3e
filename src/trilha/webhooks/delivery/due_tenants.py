"""Which tenants have deliveries that are due: looked up now and then, beside the claims."""

import asyncio
import random
from collections.abc import Callable, Coroutine, Sequence
from typing import Any
from uuid import UUID

# Seconds between two look-ups.
_INTERVAL = 0.1

FindDue = Callable[[], Coroutine[Any, Any, Sequence[UUID]]]


class DueTenants:
    """The answer of the last look-up. A tenant with something due usually has more, so it stays in use."""

    def __init__(self, find: FindDue) -> None:
        self._find = find
        self._due: set[UUID] = set()
        self._asked_at = 0.0
        self._asking: asyncio.Task[Sequence[UUID]] | None = None

    async def list(self) -> list[UUID]:
        """In random order, so that none is always first. Waits for the database only where none is known."""
        now = asyncio.get_running_loop().time()
        if self._asking is None and (not self._due or now >= self._asked_at + _INTERVAL):
            self._asked_at = now
            self._asking = asyncio.create_task(self._find())
        if self._asking and (self._asking.done() or not self._due):
            asking, self._asking = self._asking, None
            self._due = set(await asking)
        return random.sample(list(self._due), len(self._due))

    def discard(self, tenant_id: UUID) -> None:
        """It has nothing more, until a look-up says so again."""
        self._due.discard(tenant_id)

    def close(self) -> None:
        if self._asking:
            self._asking.cancel()
