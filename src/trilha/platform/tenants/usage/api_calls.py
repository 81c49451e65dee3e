"""Counts calls of the API in this process, and writes the sums every few seconds.

The same turn reads whether a tenant's calls exceed its quota, so that a call only looks that up in memory.
"""

import asyncio
from collections import Counter
from collections.abc import Mapping
from uuid import UUID

from trilha.core import logs, metrics
from trilha.core.database import CONNECTION_ERRORS, Database
from trilha.core.errors import RateLimited
from trilha.platform.tenants.quotas import queries as quotas
from trilha.platform.tenants.usage import queries
from trilha.platform.tenants.usage.rules import count_remaining_seconds, find_month

_EVERY = 3.0  # seconds between two turns


class ApiCalls:
    """The calls that this process has answered and not written yet."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._new: Counter[UUID] = Counter()
        self._exceeded: dict[UUID, int] = {}

    def count(self, tenant_id: UUID) -> None:
        """Counts a call. Raises RateLimited (quota_exceeded) if the month's calls are used up."""
        limit = self._exceeded.get(tenant_id)
        if limit is not None:
            metrics.count_quota_refusal("api_calls")
            wait = str(count_remaining_seconds(self._database.clock()))
            raise RateLimited(
                "call_quota_exceeded",
                headers={"retry-after": wait},
                quota="max_api_calls_per_month",
                limit=limit,
            )
        self._new[tenant_id] += 1

    async def run(self) -> None:
        """Writes until it is cancelled, and once more then."""
        try:
            while True:
                await asyncio.sleep(_EVERY)
                await self.write()
        finally:
            await self.write()

    async def write(self) -> None:
        """Writes what is counted, and learns which quotas are exceeded."""
        counted, self._new = self._new, Counter()
        try:
            for tenant_id in {*counted, *self._exceeded}:
                try:
                    await self._write(tenant_id, counted)
                    counted.pop(tenant_id, None)
                except CONNECTION_ERRORS as error:
                    logs.note("calls were not counted yet", error=logs.where(error))
                    break
                except Exception as error:
                    logs.log_failure("count calls failed", error)
        finally:  # also if this is cancelled at shutdown
            self._new.update(counted)

    async def _write(self, tenant_id: UUID, counted: Mapping[UUID, int]) -> None:
        async with self._database.transaction(tenant_id) as tx:
            await queries.add(tx, api_calls=counted.get(tenant_id, 0))
            limit = (await quotas.get(tx)).max_api_calls_per_month
            if limit is not None and (await queries.count(tx, find_month(tx.now))).api_calls >= limit:
                self._exceeded[tenant_id] = limit
            else:
                self._exceeded.pop(tenant_id, None)
