"""What is done to all data of a tenant."""

from trilha.audit import queries as audit
from trilha.core.database import Tx

# Children before parents.
_TABLES = (
    "idempotency_keys",
    "webhook_replays",
    "webhook_deliveries",
    "webhook_secrets",
    "webhook_endpoints",
    "events",
    "mail_messages",
    "sessions",
    "recovery_codes",
    "authenticators",
    "password_resets",
    "course_counters",
    "enrollments",
    "modules",
    "course_teachers",
    "courses",
    "categories",
    "import_problems",
    "imports",
    "learning_group_members",
    "learning_groups",
    "business_unit_managers",
    "user_words",
    "users",
    "business_units",
)


async def wipe(tx: Tx) -> dict[str, int]:
    """Deletes what a tenant trains, webhook endpoints and events included; the rows deleted, by table.

    What stays: the tenant with its settings, its API keys, its OAuth clients with their tokens, and the audit
    record.
    """
    deleted = {
        table: await tx.execute(f"DELETE FROM {table} WHERE tenant_id = :tenant")  # noqa: S608
        for table in _TABLES
    }
    await audit.record(tx, "tenant.wiped", tx.tenant_id, deleted=deleted)
    return deleted
