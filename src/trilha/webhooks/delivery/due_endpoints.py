"""Which endpoints have something due: looked up now and then, beside the claims."""

import asyncio
import random
from collections.abc import Callable, Collection, Coroutine
from typing import Any
from uuid import UUID

from trilha.webhooks.delivery.queue import Due

# Seconds between two look-ups.
_INTERVAL = 0.1


class DueEndpoints:
    """The answer of the last look-up, less what was claimed from since."""

    def __init__(
        self, find: Callable[[Collection[UUID], Collection[UUID]], Coroutine[Any, Any, Due]]
    ) -> None:
        """`find` is told which tenants are full, and which are being served."""
        self._find = find
        self._due: dict[UUID, dict[UUID, None]] = {}
        self._suspended: set[UUID] = set()
        self._asked_at = 0.0
        self._asking: asyncio.Task[Due] | None = None

    async def look(self, full: Collection[UUID], serving: Collection[UUID], *, wait: bool) -> None:
        """Asks the database where it is time to. Waits for the answer only if told to."""
        now = asyncio.get_running_loop().time()
        if self._asking is None and (wait or now >= self._asked_at + _INTERVAL):
            self._asked_at = now
            self._asking = asyncio.create_task(self._find(full, serving))
        if self._asking and (wait or self._asking.done()):
            asking, self._asking = self._asking, None
            due = await asking
            self._suspended, self._due = due.suspended, {}
            for each in due.endpoints:
                self._due.setdefault(each.tenant_id, {})[each.endpoint_id] = None

    def take(self, known: dict[UUID, list[UUID]]) -> list[tuple[UUID, list[UUID]]]:
        """The endpoints of each tenant, also those `known` to have more; tenants in random order."""
        found, self._due = self._due, {}
        for tenant_id, endpoints in known.items():
            if tenant_id not in self._suspended:
                found.setdefault(tenant_id, {}).update(dict.fromkeys(endpoints))
        return [(tenant_id, list(found[tenant_id])) for tenant_id in random.sample(list(found), len(found))]

    def close(self) -> None:
        if self._asking:
            self._asking.cancel()
