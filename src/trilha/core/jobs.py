"""Jobs as data: what the worker repeats, declared by the features that own the work.

What is due is looked for often, in all tenants at once, so each search is bounded: it looks at `LOOKS`
places and no more, whatever the tables hold and whatever the planner knows of them. Three forms will do:

- `oldest`: the tenants of the first rows of an index by time, where others may wait until these are done.
- `each_tenant_once`: from one tenant that has a row to the next, however many rows each has.
- with a `window`: some of the places that may hold something, another each time.
"""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Protocol
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
