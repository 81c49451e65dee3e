"""Messages to a person who is erased."""

from uuid import UUID

from trilha.core.database import Tx


async def delete_of_user(tx: Tx, user_id: UUID) -> None:
    """What was sent to the address they have now, and what is on its way there."""
    await tx.execute(
        """
        DELETE FROM mail_messages WHERE tenant_id = :tenant AND to_email = (
            SELECT email FROM users WHERE tenant_id = :tenant AND id = :user_id)
        """,
        user_id=user_id,
    )
