"""Jobs as data: what the worker repeats, declared by the features that own the work.

What is due is looked for often, in all tenants at once, so each search is bounded: it looks at `LOOKS`
places and no more, whatever the tables hold and whatever the planner knows of them. Three forms will do:

- `oldest`: the tenants of the first rows of an index by time, where others may wait until these are done.
- `each_tenant_once`: from one tenant that has a row to the next, however many rows each has.
- with a `window`: some of the places that may hold something, another each time.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import timedelta
from typing import Protocol, runtime_checkable
from uuid import UUID, uuid4

from msgspec import Struct, field

from trilha.core.database import Database, Tx

LOOKS = 400


def oldest(table: str, where: str, order: str) -> str:
    """The tenants of the first rows `where` the condition holds; there is an index on `order` for it."""
    first = f"SELECT tenant_id FROM {table} WHERE {where} ORDER BY {order} LIMIT {LOOKS}"  # noqa: S608
    return f"SELECT DISTINCT tenant_id FROM ({first}) AS first"  # noqa: S608


def each_tenant_once(table: str, where: str) -> str:
    """The tenants that have a row `where` the condition holds; there is an index on tenant_id for it.

    From `:start` on, and from the first one on: where there are more than can be answered, none comes never.
    """

    def walk(name: str, start: str) -> str:
        after = f"SELECT tenant_id FROM {table} WHERE {where} AND tenant_id"  # noqa: S608
        return f"""{name} AS (
            ({after} >= {start} ORDER BY tenant_id LIMIT 1)
            UNION ALL
            SELECT following.tenant_id FROM {name} CROSS JOIN LATERAL (
                {after} > {name}.tenant_id ORDER BY tenant_id LIMIT 1) AS following)"""  # noqa: S608

    return f"""
        WITH RECURSIVE {walk("onward", ":start")},
                       {walk("over", "'00000000-0000-0000-0000-000000000000'")}
        SELECT DISTINCT tenant_id FROM (
            (SELECT tenant_id FROM onward LIMIT {LOOKS // 2})
            UNION ALL
            (SELECT tenant_id FROM over LIMIT {LOOKS // 2})) AS found
        """  # noqa: S608


def window(table: str, keys: str, where: str = "true", also: str = "") -> str:
    """Rows `where` the condition holds, in the order of their keys; `also` are further columns.

    From `:start` on, and then from the first one on: another part each time, and all where they are few.
    """
    first = keys.partition(",")[0]
    columns = f"{keys}, {also}" if also else keys

    def part(compare: str) -> str:
        return f"""(SELECT {columns} FROM {table} WHERE {where} AND {first} {compare} :start
                    ORDER BY {keys} LIMIT {LOOKS})"""  # noqa: S608

    return f"(SELECT * FROM ({part('>=')} UNION ALL {part('<')}) AS both_parts LIMIT {LOOKS})"  # noqa: S608


class Job(Protocol):
    """What the worker repeats. `rest` is how many seconds it waits after a turn that found nothing."""

    @property
    def name(self) -> str: ...

    @property
    def rest(self) -> float: ...

    @property
    def logged(self) -> bool: ...

    def run_once(self, database: Database, /) -> Awaitable[int]:
        """One turn; how much was done."""
        ...


@runtime_checkable
class ClosingJob(Protocol):
    """A job of which something may go on between its turns."""

    async def close(self) -> None:
        """Waits for it. Called once, after the last turn."""
        ...


class TenantJob(Struct, frozen=True, kw_only=True):
    """Work that comes up inside tenants, done in batches, each in a transaction of its tenant.

    `due` answers the `tenant_id` of the tenants that have some. It runs under the second role, with `:now`,
    a random `:start` in the order of tenants and, for each of `ages`, the moment that lies so far back.
    `batch` does one batch; how large it was.
    """

    name: str
    due: str
    batch: Callable[[Tx], Awaitable[int]]
    rest: float
    ages: Mapping[str, timedelta] = field(default_factory=dict)
    logged: bool = True

    async def due_tenants(self, database: Database, start: UUID | None = None) -> list[UUID]:
        """Those that one search finds, from `start` on; another place each time where none is given."""
        async with database.unscoped() as unscoped:
            before = {name: unscoped.now - age for name, age in self.ages.items()}
            found = await unscoped.rows(self.due, start=start or uuid4(), **before)
            return [row["tenant_id"] for row in found]

    async def run_once(self, database: Database) -> int:
        done = 0
        for tenant_id in await self.due_tenants(database):
            done += await self.run_in(database, tenant_id)
        return done

    async def run_in(self, database: Database, tenant_id: UUID) -> int:
        """One batch in this tenant, whether or not something is due."""
        async with database.transaction(tenant_id) as tx:
            return await self.batch(tx)


class ServiceJob(Struct, frozen=True, kw_only=True):
    """Work that belongs to no tenant."""

    name: str
    run_once: Callable[[Database], Awaitable[int]]
    rest: float
    logged: bool = True


class SideBySide:
    """Runs long work of several tenants at the same time: one piece of each tenant, `places` in all.

    The tenant that was served longest ago comes first. A piece that takes long keeps its own place and nobody
    else's: it goes on while `run_once` is called again.
    """

    def __init__(self, places: int, run_next: Callable[[Database, UUID], Awaitable[int]]) -> None:
        self._places = places
        self._run_next = run_next
        self._running: dict[UUID, asyncio.Future[int]] = {}
        self._served: OrderedDict[UUID, None] = OrderedDict()  # whoever was served last comes last

    async def run_once(self, database: Database, due: Sequence[UUID], seconds: float) -> int:
        """Begins as much of the `due` work as there are places for, and waits until some ends, so many
        seconds at most. Returns how much was done."""
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
        """Waits for what is running; failures were nobody's to wait for."""
        await asyncio.gather(*self._running.values(), return_exceptions=True)

    def _in_order(self, due: Sequence[UUID]) -> list[UUID]:
        """The tenants that have nothing running; those not served yet come first."""
        places = {tenant_id: place for place, tenant_id in enumerate(self._served, 1)}
        waiting = [tenant_id for tenant_id in due if tenant_id not in self._running]
        return sorted(waiting, key=lambda tenant_id: places.get(tenant_id, 0))

    def _serve(self, database: Database, tenant_id: UUID) -> None:
        self._running[tenant_id] = asyncio.ensure_future(self._run_next(database, tenant_id))
        self._served[tenant_id] = None
        self._served.move_to_end(tenant_id)
        if len(self._served) > LOOKS:
            self._served.popitem(last=False)
