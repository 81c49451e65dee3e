"""Looks up regularly which endpoints have due deliveries."""

import asyncio
import random
from collections.abc import Callable, Collection, Coroutine
from typing import Any
from uuid import UUID

from trilha.platform.webhooks.delivery.queue import Due

# seconds between two look-ups
_INTERVAL = 0.1


class DueEndpoints:
    """The result of the last look-up, without the endpoints claimed since."""

    def __init__(
        self, find: Callable[[Collection[UUID], Collection[UUID]], Coroutine[Any, Any, Due]]
    ) -> None:
        """`find` receives the tenants without free slots, and the tenants being served."""
        self._find = find
        self._due: dict[UUID, dict[UUID, None]] = {}
        self._suspended: set[UUID] = set()
        self._asked_at = 0.0
        self._asking: asyncio.Task[Due] | None = None

    async def look(self, full: Collection[UUID], serving: Collection[UUID], *, wait: bool) -> None:
        """Queries the database if the interval has passed. Waits for the result only with `wait`."""
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
        """Returns the due endpoints of each tenant, including `known` ones. Tenants are in random order."""
        due, self._due = self._due, {}
        for tenant_id, endpoints in known.items():
            if tenant_id not in self._suspended:
                due.setdefault(tenant_id, {}).update(dict.fromkeys(endpoints))
        return [(tenant_id, list(due[tenant_id])) for tenant_id in random.sample(list(due), len(due))]

    def close(self) -> None:
        if self._asking:
            self._asking.cancel()
