"""The SQL of the bell: what a person was reminded of, and where else their reminders go."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.reminders.rules import Channel

MAX_COUNTED = 10


async def count_unread(tx: Tx, user_id: UUID) -> int:
    """Counts a person's unread reminders, up to MAX_COUNTED."""
    count: int = await tx.value(
        """
        SELECT count(*) FROM (
            SELECT FROM reminders
            WHERE tenant_id = :tenant AND user_id = :user_id AND read_at IS NULL LIMIT :limit) AS unread
        """,
        user_id=user_id,
        limit=MAX_COUNTED,
    )
    return count


async def mark_read(tx: Tx, user_id: UUID, reminder_id: UUID | None = None) -> None:
    """Marks one reminder of a person as read, or all of them."""
    await tx.execute(
        """
        UPDATE reminders SET read_at = :now
        WHERE tenant_id = :tenant AND user_id = :user_id AND read_at IS NULL
              AND (CAST(:reminder_id AS uuid) IS NULL OR id = :reminder_id)
        """,
        user_id=user_id,
        reminder_id=reminder_id,
    )


class OwnAddress(Struct, frozen=True):
    """A browser or a chat that gets a person's reminders. Its address is a secret and is not read."""

    id: UUID
    channel: Channel
    created_at: Timestamp


async def list_own_addresses(tx: Tx, user_id: UUID) -> Sequence[OwnAddress]:
    return await tx.list(
        OwnAddress,
        """
        SELECT id, channel, created_at FROM reminder_addresses
        WHERE tenant_id = :tenant AND user_id = :user_id ORDER BY created_at, id
        """,
        user_id=user_id,
    )
