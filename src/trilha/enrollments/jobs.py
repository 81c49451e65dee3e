"""What the worker does for enrollments."""

from trilha.core.db import Database
from trilha.doors import Doors
from trilha.enrollments import actions


async def expire_due(database: Database, doors: Doors) -> int:
    """Stores as expired what has run out, in every tenant, a batch each."""
    done = 0
    for tenant_id in await doors.tenants_with_due_expiry():
        async with database.transaction(tenant_id) as tx:
            done += await actions.expire_due(tx)
    return done
