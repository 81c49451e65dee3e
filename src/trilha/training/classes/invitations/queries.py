"""The SQL of notices and invitations."""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx, columns_of
from trilha.training.classes.invitations.schema import ClassNames, Invitation, Notice, SessionNotice

# How many classes are looked at for one whose first notice no other worker has.
_CLASSES = 20


async def lock_next(tx: Tx) -> Notice | None:
    """Locks the first pending notice of a class. Whoever holds it is the only one to tell people of that
    class.
    """
    return await tx.find(
        Notice,
        f"""
        SELECT {columns_of(Notice)} FROM class_notices
        WHERE tenant_id = :tenant AND is_pending AND (class_id, number) IN (
            SELECT class_id, min(number) FROM class_notices
            WHERE tenant_id = :tenant AND is_pending GROUP BY class_id ORDER BY class_id LIMIT {_CLASSES})
        ORDER BY class_id LIMIT 1 FOR UPDATE SKIP LOCKED
        """,  # noqa: S608
    )


async def list_announced_sessions(tx: Tx, class_id: UUID) -> list[SessionNotice]:
    """Lists the sessions of a class as people were told of them, by start."""
    return await tx.list(
        SessionNotice,
        f"""
        SELECT {columns_of(SessionNotice)} FROM class_notices
        WHERE tenant_id = :tenant AND class_id = :class_id AND kind = 'SESSION' AND NOT is_pending
        ORDER BY starts_at, session_id
        """,  # noqa: S608
        class_id=class_id,
    )


async def find_announced_session(tx: Tx, class_id: UUID, session_id: UUID) -> SessionNotice | None:
    """Returns a session as people were told of it, or None if they were not."""
    return await tx.find(
        SessionNotice,
        f"""
        SELECT {columns_of(SessionNotice)} FROM class_notices
        WHERE tenant_id = :tenant AND class_id = :class_id AND session_id = :session_id
          AND kind = 'SESSION' AND NOT is_pending
        """,  # noqa: S608
        class_id=class_id,
        session_id=session_id,
    )


async def find_session(tx: Tx, notice: Notice) -> SessionNotice | None:
    """Returns the session of a notice, as it was then."""
    return await tx.find(
        SessionNotice,
        f"""
        SELECT {columns_of(SessionNotice)} FROM class_notices
        WHERE tenant_id = :tenant AND class_id = :class_id AND number = :number
        """,  # noqa: S608
        class_id=notice.class_id,
        number=notice.number,
    )


async def list_invitees(tx: Tx, class_id: UUID, after: UUID | None, limit: int) -> list[UUID]:
    rows = await tx.rows(
        """
        SELECT user_id FROM class_invitees
        WHERE tenant_id = :tenant AND class_id = :class_id AND user_id > :after
        ORDER BY user_id LIMIT :limit
        """,
        class_id=class_id,
        after=after or UUID(int=0),
        limit=limit,
    )
    return [row["user_id"] for row in rows]


async def insert_invitees(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> None:
    await tx.execute(
        """
        INSERT INTO class_invitees (tenant_id, class_id, user_id)
        SELECT :tenant, CAST(:class_id AS uuid), id FROM unnest(:ids::uuid[]) AS id
        ON CONFLICT (tenant_id, class_id, user_id) DO NOTHING
        RETURNING tenant_id
        """,
        class_id=class_id,
        ids=list(user_ids),
    )


async def delete_invitees(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> None:
    await tx.execute(
        """
        DELETE FROM class_invitees
        WHERE tenant_id = :tenant AND class_id = :class_id AND user_id = ANY(:ids)
        """,
        class_id=class_id,
        ids=list(user_ids),
    )


async def list_invitations(
    tx: Tx, session_ids: Sequence[UUID], user_ids: Sequence[UUID]
) -> dict[tuple[UUID, UUID], Invitation]:
    """Returns invitations by session and person."""
    rows = await tx.list(
        Invitation,
        f"""
        SELECT {columns_of(Invitation)} FROM class_invitations
        WHERE tenant_id = :tenant AND session_id = ANY(:session_ids) AND user_id = ANY(:user_ids)
        """,  # noqa: S608
        session_ids=list(session_ids),
        user_ids=list(user_ids),
    )
    return {(row.session_id, row.user_id): row for row in rows}


async def save_invitations(tx: Tx, invitations: Sequence[Invitation]) -> None:
    await tx.execute(
        """
        INSERT INTO class_invitations (tenant_id, session_id, user_id, sequence, ends_at, is_cancelled)
        SELECT :tenant, session_id, user_id, sequence, ends_at, is_cancelled
        FROM unnest(:sessions::uuid[], :users::uuid[], :sequences::int[], :ends::timestamptz[],
                    :cancelled::boolean[])
             AS invitation (session_id, user_id, sequence, ends_at, is_cancelled)
        ON CONFLICT (tenant_id, session_id, user_id) DO UPDATE
        SET sequence = excluded.sequence, ends_at = excluded.ends_at, is_cancelled = excluded.is_cancelled
        RETURNING tenant_id
        """,
        sessions=[each.session_id for each in invitations],
        users=[each.user_id for each in invitations],
        sequences=[each.sequence for each in invitations],
        ends=[datetime.fromisoformat(each.ends_at) for each in invitations],
        cancelled=[each.is_cancelled for each in invitations],
    )


async def note_progress(tx: Tx, notice: Notice, last_user_id: UUID) -> None:
    await tx.execute(
        """
        UPDATE class_notices SET last_user_id = :last_user_id
        WHERE tenant_id = :tenant AND class_id = :class_id AND number = :number
        """,
        class_id=notice.class_id,
        number=notice.number,
        last_user_id=last_user_id,
    )


async def finish(tx: Tx, notice: Notice) -> None:
    """Finishes a notice. One about a session takes the place of the earlier ones about it."""
    await tx.execute(
        """
        DELETE FROM class_notices
        WHERE tenant_id = :tenant AND class_id = :class_id AND session_id = :session_id AND NOT is_pending
        """,
        class_id=notice.class_id,
        session_id=notice.session_id,
    )
    key = "WHERE tenant_id = :tenant AND class_id = :class_id AND number = :number"
    change = "UPDATE class_notices SET is_pending = false, last_user_id = NULL"
    await tx.execute(
        f"{change if notice.kind == 'SESSION' else 'DELETE FROM class_notices'} {key}",  # noqa: S608
        class_id=notice.class_id,
        number=notice.number,
    )


async def get_names(tx: Tx, class_id: UUID) -> ClassNames:
    names = await tx.find(
        ClassNames,
        """
        SELECT c.title, k.title AS course_title FROM classes c
        JOIN courses k ON k.tenant_id = :tenant AND k.id = c.course_id
        WHERE c.tenant_id = :tenant AND c.id = :id
        """,
        id=class_id,
    )
    assert names is not None
    return names


async def find_reason(tx: Tx, session_id: UUID) -> str | None:
    """Returns why a session was cancelled."""
    reason: str | None = await tx.value(
        "SELECT cancel_reason FROM class_sessions WHERE tenant_id = :tenant AND id = :id", id=session_id
    )
    return reason
