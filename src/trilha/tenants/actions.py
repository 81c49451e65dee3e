"""What is done to all data of a tenant."""

from trilha.core.database import Tx

# Children before parents.
_TABLES = (
    "idempotency_keys",
    "webhook_replays",
    "webhook_deliveries",
    "webhook_endpoints",
    "events",
    "course_counters",
    "enrollments",
    "modules",
    "courses",
    "categories",
    "users",
)


async def wipe(tx: Tx) -> dict[str, int]:
    """Deletes the tenant's data, but for its credentials and audit record.

    Returns the number of deleted rows by table.
    """
    return {
        table: await tx.execute(f"DELETE FROM {table} WHERE tenant_id = :tenant")  # noqa: S608
        for table in _TABLES
    }
