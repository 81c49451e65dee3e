"""Deletes what providers reported about an erased person."""

from uuid import UUID

from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes everything that providers reported about the user."""
    for table in ("sso_identities", "sso_tickets", "sso_sign_ins"):
        await tx.execute(
            f"DELETE FROM {table} WHERE tenant_id = :tenant AND user_id = :user_id",  # noqa: S608
            user_id=user_id,
        )
