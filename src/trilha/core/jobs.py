"""The worker's jobs, declared by the features that own the work.

Due work is searched for often and across all tenants (see `core.database.searches`), so each search is
bounded, whatever the size of the tables and the planner's estimates. Use one of three forms:

- `oldest`: the tenants of the first rows of an index by time, if others may wait until these are done.
- `each_tenant_once`: each tenant that has a row, however many rows each has.
- `tenants_where`: some of the tenants, and others the next time, for what is rarely due.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol, runtime_checkable
from uuid import UUID

from msgspec import Struct, field

from trilha.core import tracing
from trilha.core.database import Database, Search, Tx

LOOKS = 400


def oldest(table: str, where: str, order: str) -> Search:
    """Searches for the tenants of the first rows that meet `where`. It needs an index on `order`."""

    def build(among: str) -> str:
        first = f"SELECT tenant_id FROM {table} WHERE {where} {among} ORDER BY {order} LIMIT {LOOKS}"  # noqa: S608
        return f"SELECT DISTINCT tenant_id FROM ({first}) AS first"  # noqa: S608

    return Search(everywhere=build(""), among=build("AND tenant_id = ANY(:tenants::uuid[])"))


def each_tenant_once(table: str, where: str) -> Search:
    """Searches for the tenants that have a row that meets `where`. It needs an index on tenant_id.

    On a single server it skips from tenant to tenant in the index. It begins at `:start` and wraps around, so
    that no tenant is always left out.
    """

    def walk(name: str, start: str) -> str:
        after = f"SELECT tenant_id FROM {table} WHERE {where} AND tenant_id"  # noqa: S608
        return f"""{name} AS (
            ({after} >= {start} ORDER BY tenant_id LIMIT 1)
            UNION ALL
            SELECT following.tenant_id FROM {name} CROSS JOIN LATERAL (
                {after} > {name}.tenant_id ORDER BY tenant_id LIMIT 1) AS following)"""  # noqa: S608

    everywhere = f"""
        WITH RECURSIVE {walk("onward", ":start")},
                       {walk("over", "'00000000-0000-0000-0000-000000000000'")}
        SELECT DISTINCT tenant_id FROM (
            (SELECT tenant_id FROM onward LIMIT {LOOKS // 2})
            UNION ALL
            (SELECT tenant_id FROM over LIMIT {LOOKS // 2})) AS found
        """  # noqa: S608
    exists = f"EXISTS (SELECT FROM {table} WHERE tenant_id = home.tenant_id AND {where})"
    return Search(everywhere=everywhere, among=tenants_where(exists).among)


def tenants_where(condition: str) -> Search:
    """Searches for the tenants among `:tenants` that meet a condition on `home.tenant_id`."""
    sql = f"""
        SELECT home.tenant_id FROM tenant_homes AS home
        WHERE home.tenant_id = ANY(:tenants::uuid[]) AND {condition}
        """  # noqa: S608
    return Search(everywhere=sql, among=sql)


class Job(Protocol):
    """Work that the worker repeats. `rest` is how many seconds it waits after a turn without work."""

    @property
    def name(self) -> str: ...

    @property
    def rest(self) -> float: ...

    @property
    def is_logged(self) -> bool: ...

    def run_once(self, database: Database, /) -> Awaitable[int]:
        """Runs one turn and returns how much was done."""
        ...


@runtime_checkable
class ClosingJob(Protocol):
    """A job that may have work running between its turns."""

    async def close(self) -> None:
        """Waits for running work. Called once, after the last turn."""
        ...


class TenantJob(Struct, frozen=True, kw_only=True):
    """Work inside tenants, done in batches, each in a transaction of its tenant.

    `due` searches for the `tenant_id` of tenants with work. It runs under the second role, with `:now` and,
    for each of `ages`, the time that long ago. `batch` does one batch and returns its size.
    """

    name: str
    due: Search
    batch: Callable[[Tx], Awaitable[int]]
    rest: float
    ages: Mapping[str, timedelta] = field(default_factory=dict)
    is_logged: bool = True

    async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
        """Returns the tenants found by one search that begins at `start`, or at a random place."""
        before = {name: database.clock() - age for name, age in self.ages.items()}
        return [row["tenant_id"] for row in await database.search(self.due, start, **before)]

    async def run_once(self, database: Database) -> int:
        done = 0
        for tenant_id in await self.due_tenants(database):
            done += await self.run_in(database, tenant_id)
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """Runs one batch in this tenant, whether or not work is due."""
        with tracing.span(f"job {self.name}", {"trilha.tenant_id": str(tenant_id)}) as span:
            async with database.transaction(tenant_id) as tx:
                done = await self.batch(tx)
            span.add({"trilha.items": done})
        return done


class ServiceJob(Struct, frozen=True, kw_only=True):
    """Work that belongs to no tenant."""

    name: str
    run_once: Callable[[Database], Awaitable[int]]
    rest: float
    is_logged: bool = True


class SideBySide:
    """Runs long work of several tenants concurrently: one piece for each tenant, `places` in all.

    The tenant that waited longest comes first. A slow piece occupies only its own place, and continues
    while `run_once` is called again.
    """

    def __init__(
        self, places: int, run_next: Callable[[Database, UUID], Awaitable[int]], *, name: str = "work"
    ) -> None:
        """`name` is that of the job, for traces."""
        self._name = name
        self._places = places
        self._run_next = run_next
        self._running: dict[UUID, asyncio.Future[int]] = {}
        self._served: OrderedDict[UUID, None] = OrderedDict()  # the tenant served last comes last

    async def run_once(self, database: Database, due: Sequence[UUID], seconds: float) -> int:
        """Begins as much of the `due` work as there are places for, and waits up to `seconds` until some
        ends. Returns how much was done.
        """
        for tenant_id in self._in_order(due)[: self._places - len(self._running)]:
            self._serve(database, tenant_id)
        if not self._running:
            return 0
        ended, _ = await asyncio.wait(
            self._running.values(), timeout=seconds, return_when=asyncio.FIRST_COMPLETED
        )
        self._running = {tenant_id: work for tenant_id, work in self._running.items() if work not in ended}
        return sum(work.result() for work in ended)

    async def close(self) -> None:
        """Waits for running work and ignores its failures."""
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    async def cancel(self) -> None:
        """Ends running work before it is done, for work that may take too long to wait for."""
        for work in self._running.values():
            work.cancel()
        await self.close()

    def _in_order(self, due: Sequence[UUID]) -> list[UUID]:
        """Returns the tenants without running work; those not served yet come first."""
        places = {tenant_id: place for place, tenant_id in enumerate(self._served, 1)}
        waiting = [tenant_id for tenant_id in due if tenant_id not in self._running]
        return sorted(waiting, key=lambda tenant_id: places.get(tenant_id, 0))

    async def _run(self, database: Database, tenant_id: UUID) -> int:
        with tracing.span(f"job {self._name}", {"trilha.tenant_id": str(tenant_id)}):
            return await self._run_next(database, tenant_id)

    def _serve(self, database: Database, tenant_id: UUID) -> None:
        self._running[tenant_id] = asyncio.ensure_future(self._run(database, tenant_id))
        self._served[tenant_id] = None
        self._served.move_to_end(tenant_id)
        if len(self._served) > LOOKS:
            self._served.popitem(last=False)
