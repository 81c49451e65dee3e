"""What is taken out of what was learnt when a person is erased: the records stay, of nobody."""

from uuid import UUID

from trilha.core.database import Tx


async def scrub(tx: Tx, user_id: UUID) -> None:
    """What somebody wrote about this person's learning may name them."""
    await tx.execute(
        """
        UPDATE review_flags SET reason = '[erased]'
        WHERE tenant_id = :tenant AND dismissed_at IS NOT NULL AND enrollment_id IN (
            SELECT id FROM enrollments WHERE tenant_id = :tenant AND user_id = :user_id)
        """,
        user_id=user_id,
    )
