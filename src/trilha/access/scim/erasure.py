"""The erasure of a person from SCIM."""

from uuid import UUID

from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes what providers sent about the person, and the logged requests about them."""
    for table, column in (("scim_users", "user_id"), ("scim_requests", "resource")):
        sql = f"DELETE FROM {table} WHERE tenant_id = :tenant AND {column} = :user_id"  # noqa: S608
        await tx.execute(sql, user_id=user_id)
