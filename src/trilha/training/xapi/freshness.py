"""Keeps the time up to which statements are complete close to the present.

While programs write, that is the time of the newest statement. While they only read, readers push the clock,
at most twice a second in each process.
"""

from collections import OrderedDict
from datetime import datetime, timedelta
from uuid import UUID

from trilha.core.database import Database
from trilha.core.web.callers import Caller
from trilha.training.xapi import queries
from trilha.training.xapi.times import count_microseconds

_LAG = timedelta(milliseconds=500)
_MAX_TENANTS = 10_000


class Freshness:
    """When this process last pushed each tenant's clock."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._pushed: OrderedDict[UUID, datetime] = OrderedDict()

    async def keep(self, tenant_id: UUID) -> None:
        """Pushes the clock if it may stand too far back. Call it before the transaction that reads."""
        now = self._database.clock()
        if now - _LAG < self._pushed.get(tenant_id, datetime.min.replace(tzinfo=now.tzinfo)) <= now:
            return
        async with self._database.transaction(tenant_id) as tx:
            await queries.push_clock(tx, count_microseconds(now), count_microseconds(now - _LAG))
        self._pushed[tenant_id] = now
        self._pushed.move_to_end(tenant_id)
        if len(self._pushed) > _MAX_TENANTS:
            self._pushed.popitem(last=False)


async def keep_fresh(_: object, caller: Caller, freshness: Freshness) -> None:
    """Prepares a route that reads statements."""
    await freshness.keep(caller.tenant_id)
