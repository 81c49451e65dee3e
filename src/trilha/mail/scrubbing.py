"""Messages to a person who is erased."""

from uuid import UUID

from trilha.core.database import Tx


async def delete_of_user(tx: Tx, user_id: UUID) -> None:
    """What was sent to them, at whatever address, and what is on its way."""
    await tx.execute(
        """
        DELETE FROM mail_messages WHERE tenant_id = :tenant AND (user_id = :user_id OR to_email = (
            SELECT email FROM users WHERE tenant_id = :tenant AND id = :user_id))
        """,
        user_id=user_id,
    )
