"""Finds what and who is in two sessions at once. An end at the start of another session is no overlap."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx
from trilha.training.classes.rules import LONGEST, MAX_WARNINGS
from trilha.training.classes.schema import Overlap

# No session is longer than LONGEST, so that a range of starts finds all.
_PAIRS = f"""
    FROM class_sessions s
    JOIN class_sessions o ON o.tenant_id = :tenant AND o.id <> s.id AND o.cancelled_at IS NULL
     AND o.starts_at < s.ends_at AND o.starts_at > s.starts_at - interval '{LONGEST.days} days'
     AND o.ends_at > s.starts_at
    WHERE s.tenant_id = :tenant AND s.cancelled_at IS NULL
"""
_SHARED_INSTRUCTOR = """
    SELECT FROM class_instructors i
    JOIN class_instructors j ON j.tenant_id = :tenant AND j.session_id = o.id AND j.user_id = i.user_id
    WHERE i.tenant_id = :tenant AND i.session_id = s.id
"""
_SHARED_LEARNER = """
    SELECT FROM class_registrations r
    JOIN class_registrations q ON q.tenant_id = :tenant AND q.class_id = o.class_id AND q.user_id = r.user_id
     AND q.status = 'REGISTERED'
    WHERE r.tenant_id = :tenant AND r.class_id = s.class_id AND r.status = 'REGISTERED'
"""


async def find_of_sessions(tx: Tx, session_ids: Sequence[UUID]) -> list[Overlap]:
    """Returns what new or changed sessions overlap with: by room, by instructor, and by who is registered."""
    return await tx.list(
        Overlap,
        f"""
        SELECT DISTINCT code, session_id FROM (
            SELECT 'room_overlap' AS code, o.id AS session_id
            {_PAIRS} AND s.id = ANY(:ids) AND o.room_key = s.room_key
            UNION ALL
            SELECT 'instructor_overlap', o.id {_PAIRS} AND s.id = ANY(:ids) AND EXISTS ({_SHARED_INSTRUCTOR})
            UNION ALL
            SELECT 'learner_overlap', o.id {_PAIRS} AND s.id = ANY(:ids) AND EXISTS ({_SHARED_LEARNER})
        ) AS overlap
        ORDER BY code DESC, session_id LIMIT :limit
        """,  # noqa: S608
        ids=list(session_ids),
        limit=MAX_WARNINGS,
    )


async def find_of_learners(tx: Tx, class_id: UUID, user_ids: Sequence[UUID]) -> list[Overlap]:
    """Returns the sessions of other classes where these people have a place at the same time."""
    return await tx.list(
        Overlap,
        f"""
        SELECT DISTINCT 'learner_overlap' AS code, o.id AS session_id
        {_PAIRS} AND s.class_id = :class_id AND o.class_id <> :class_id AND EXISTS (
            SELECT FROM class_registrations q
            WHERE q.tenant_id = :tenant AND q.class_id = o.class_id AND q.user_id = ANY(:user_ids)
              AND q.status = 'REGISTERED')
        ORDER BY session_id LIMIT :limit
        """,  # noqa: S608
        class_id=class_id,
        user_ids=list(user_ids),
        limit=MAX_WARNINGS,
    )
