"""Jobs as data: what the worker repeats, declared by the features that own the work."""

from collections.abc import Awaitable, Callable, Mapping
from datetime import timedelta
from typing import Protocol
from uuid import UUID

from msgspec import Struct, field

from trilha.core.database import Database, Tx


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

    `due` answers the `tenant_id` of the tenants that have some. It runs under the second role, with `:now`
    and, for each of `ages`, the moment that lies so far back. `batch` does one batch; how large it was.
    """

    name: str
    due: str
    batch: Callable[[Tx], Awaitable[int]]
    rest: float
    ages: Mapping[str, timedelta] = field(default_factory=dict)
    logged: bool = True

    async def due_tenants(self, database: Database) -> list[UUID]:
        async with database.unscoped() as unscoped:
            before = {name: unscoped.now - age for name, age in self.ages.items()}
            return [row["tenant_id"] for row in await unscoped.rows(self.due, **before)]

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
