"""The SQL of calendar feeds within a tenant."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.training.calendar_feeds.schema import FeedKind

_TABLES: dict[FeedKind, str] = {"own": "calendar_feeds", "company": "company_feeds"}


async def save(tx: Tx, user_id: UUID, digest: bytes, kind: FeedKind) -> None:
    """Stores the person's only feed of a kind, in place of an earlier one."""
    await tx.execute(
        f"""
        INSERT INTO {_TABLES[kind]} (tenant_id, user_id, digest, created_at)
        VALUES (:tenant, :user_id, :digest, :now)
        ON CONFLICT (tenant_id, user_id) DO UPDATE SET digest = :digest, created_at = :now
        """,  # noqa: S608
        user_id=user_id,
        digest=digest,
    )


async def find_created(tx: Tx, user_id: UUID, kind: FeedKind = "own") -> Timestamp | None:
    """Returns when the person's feed was created, or None without a feed."""
    created_at: Timestamp | None = await tx.value(
        f"SELECT created_at FROM {_TABLES[kind]} WHERE tenant_id = :tenant AND user_id = :user_id",  # noqa: S608
        user_id=user_id,
    )
    return created_at


async def delete(tx: Tx, user_id: UUID, kind: FeedKind = "own") -> None:
    await tx.execute(
        f"DELETE FROM {_TABLES[kind]} WHERE tenant_id = :tenant AND user_id = :user_id",  # noqa: S608
        user_id=user_id,
    )


async def erase_person(tx: Tx, user_id: UUID) -> None:
    """Deletes all feeds of a person."""
    for kind in _TABLES:
        await delete(tx, user_id, kind)
