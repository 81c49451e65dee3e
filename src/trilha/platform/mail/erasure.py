"""Deletes messages to a person who is erased."""

from uuid import UUID

from trilha.core.database import Tx


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes sent and pending messages to this user, at any address."""
    await tx.execute(
        """
        DELETE FROM mail_messages WHERE tenant_id = :tenant AND (user_id = :user_id OR to_email = (
            SELECT email FROM users WHERE tenant_id = :tenant AND id = :user_id))
        """,
        user_id=user_id,
    )
