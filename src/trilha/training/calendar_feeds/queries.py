"""The SQL of calendar feeds within a tenant."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp


async def save(tx: Tx, user_id: UUID, digest: bytes) -> None:
    """Stores the person's only feed, in place of an earlier one."""
    await tx.execute(
        """
        INSERT INTO calendar_feeds (tenant_id, user_id, digest, created_at)
        VALUES (:tenant, :user_id, :digest, :now)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET digest = :digest, created_at = :now
        """,
        user_id=user_id,
        digest=digest,
    )


async def find_created(tx: Tx, user_id: UUID) -> Timestamp | None:
    """Returns when the person's feed was created, or None without a feed."""
    created_at: Timestamp | None = await tx.value(
        "SELECT created_at FROM calendar_feeds WHERE tenant_id = :tenant AND user_id = :user_id",
        user_id=user_id,
    )
    return created_at


async def delete(tx: Tx, user_id: UUID) -> None:
    await tx.execute(
        "DELETE FROM calendar_feeds WHERE tenant_id = :tenant AND user_id = :user_id", user_id=user_id
    )
