"""Adds notices of what people in a class have to be told. The caller has locked or created the class."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx

_NEXT = """(SELECT COALESCE(max(n.number), 0) FROM class_notices n
    WHERE n.tenant_id = :tenant AND n.class_id = :class_id)"""


async def add_sessions(tx: Tx, class_id: UUID, session_ids: Sequence[UUID]) -> None:
    """Adds notices of new or changed sessions, as they are now."""
    await tx.execute(
        f"""
        INSERT INTO class_notices (tenant_id, class_id, number, kind, session_id, starts_at, ends_at,
                                   time_zone, room, meeting_url)
        SELECT :tenant, s.class_id, {_NEXT} + row_number() OVER (ORDER BY s.starts_at, s.id), 'SESSION', s.id,
               s.starts_at, s.ends_at, s.time_zone, s.room, s.meeting_url
        FROM class_sessions s
        WHERE s.tenant_id = :tenant AND s.class_id = :class_id AND s.id = ANY(:ids)
        RETURNING tenant_id
        """,  # noqa: S608
        class_id=class_id,
        ids=list(session_ids),
    )


async def add_cancelled_session(tx: Tx, class_id: UUID, session_id: UUID) -> None:
    await tx.execute(
        f"""
        INSERT INTO class_notices (tenant_id, class_id, number, kind, session_id)
        VALUES (:tenant, :class_id, {_NEXT} + 1, 'SESSION_CANCELLED', :session_id)
        """,  # noqa: S608
        class_id=class_id,
        session_id=session_id,
    )


async def add_cancelled_class(tx: Tx, class_id: UUID) -> None:
    """Adds notices of all sessions that are not cancelled. Call it before they are."""
    await tx.execute(
        f"""
        INSERT INTO class_notices (tenant_id, class_id, number, kind, session_id)
        SELECT :tenant, s.class_id, {_NEXT} + row_number() OVER (ORDER BY s.starts_at, s.id),
               'SESSION_CANCELLED', s.id
        FROM class_sessions s
        WHERE s.tenant_id = :tenant AND s.class_id = :class_id AND s.cancelled_at IS NULL
        RETURNING tenant_id
        """,  # noqa: S608
        class_id=class_id,
    )


async def add_registered(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> None:
    """Adds a notice of people who got a place."""
    await _add_people(tx, class_id, user_ids, "REGISTERED")


async def add_unregistered(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> None:
    """Adds a notice of people who had a place, and no longer have it."""
    await _add_people(tx, class_id, user_ids, "UNREGISTERED")


async def _add_people(tx: Tx, class_id: UUID, user_ids: Sequence[UUID], kind: str) -> None:
    if user_ids:
        await tx.execute(
            f"""
            INSERT INTO class_notices (tenant_id, class_id, number, kind, user_ids)
            VALUES (:tenant, :class_id, {_NEXT} + 1, :kind, :user_ids)
            """,  # noqa: S608
            class_id=class_id,
            kind=kind,
            user_ids=list(user_ids),
        )
