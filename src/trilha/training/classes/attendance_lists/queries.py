"""The SQL of the list of a session, of marks and of scans."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.people.users.reach import Reach
from trilha.training.classes.attendance_lists.schema import (
    Correction,
    ListedPerson,
    Mark,
    Scan,
    SessionHead,
)

_PLACES = """
    FROM class_registrations r JOIN users u ON u.tenant_id = :tenant AND u.id = r.user_id
    LEFT JOIN class_attendance a
        ON a.tenant_id = :tenant AND a.session_id = :session_id AND a.user_id = r.user_id
    WHERE r.tenant_id = :tenant AND r.class_id = :class_id AND r.status = 'REGISTERED'
"""


async def find_head(tx: Tx, session_id: UUID) -> SessionHead | None:
    return await tx.find(
        SessionHead,
        """
        SELECT s.id, s.class_id, c.course_id, c.title, k.title AS course, s.starts_at, s.ends_at, s.time_zone,
               s.room, s.cancelled_at IS NOT NULL AS is_cancelled,
               ARRAY(SELECT u.name FROM class_instructors i
                     JOIN users u ON u.tenant_id = :tenant AND u.id = i.user_id
                     WHERE i.tenant_id = :tenant AND i.session_id = s.id ORDER BY i.number) AS instructors,
               ARRAY(SELECT i.user_id FROM class_instructors i
                     WHERE i.tenant_id = :tenant AND i.session_id = s.id ORDER BY i.number) AS instructor_ids,
               CAST(floor(extract(epoch FROM s.ends_at - s.starts_at) / 60) AS integer) AS minutes
        FROM class_sessions s JOIN classes c ON c.tenant_id = :tenant AND c.id = s.class_id
        JOIN courses k ON k.tenant_id = :tenant AND k.id = c.course_id
        WHERE s.tenant_id = :tenant AND s.id = :id
        """,
        id=session_id,
    )


async def teaches(tx: Tx, user_id: UUID, course_id: UUID) -> bool:
    """Returns whether the person is an instructor of the course."""
    found: bool = await tx.value(
        """
        SELECT EXISTS (SELECT FROM course_teachers
                       WHERE tenant_id = :tenant AND course_id = :course_id AND user_id = :user_id)
        """,
        course_id=course_id,
        user_id=user_id,
    )
    return found


async def list_people(
    tx: Tx, session: SessionHead, reach: Reach, limit: int, offset: int = 0, ids: Sequence[UUID] | None = None
) -> list[ListedPerson]:
    """Lists the people within reach who have a place in the class, by name."""
    condition, params = reach.condition("u")
    among = "" if ids is None else "AND r.user_id = ANY(:ids)"
    rows = await tx.rows(
        f"""
        SELECT r.user_id, u.name, a.minutes, a.method, a.recorded_at, a.actor_kind, a.actor
        {_PLACES} AND {condition} {among}
        ORDER BY lower(u.name), r.user_id LIMIT :limit OFFSET :offset
        """,
        session_id=session.id,
        class_id=session.class_id,
        limit=limit,
        offset=offset,
        **params,
        **({} if ids is None else {"ids": list(ids)}),
    )
    names = await _find_names(tx, {row["actor"] for row in rows if row["actor_kind"] == "session"})
    return [_build_person(row, names) for row in rows]


def _build_person(row: Mapping[str, Any], names: Mapping[str, str]) -> ListedPerson:
    return ListedPerson(
        user_id=row["user_id"],
        name=row["name"],
        minutes=row["minutes"],
        method=row["method"],
        recorded_at=row["recorded_at"],
        recorded_by=names.get(row["actor"] or "", ""),
    )


async def _find_names(tx: Tx, actors: set[str]) -> dict[str, str]:
    """Returns the names of people by the ids under which they recorded."""
    if not actors:
        return {}
    rows = await tx.rows(
        "SELECT id, name FROM users WHERE tenant_id = :tenant AND id = ANY(:ids)",
        ids=[UUID(each) for each in actors],
    )
    return {str(row["id"]): row["name"] for row in rows}


async def count_people(tx: Tx, session: SessionHead, reach: Reach) -> tuple[int, int]:
    """Counts the people within reach who have a place, and those of them who were there for a minute or
    more.
    """
    condition, params = reach.condition("u")
    rows = await tx.rows(
        f"""
        SELECT count(*) AS places, count(*) FILTER (WHERE a.minutes > 0) AS present
        {_PLACES} AND {condition}
        """,
        session_id=session.id,
        class_id=session.class_id,
        **params,
    )
    return rows[0]["places"], rows[0]["present"]


async def list_documents(tx: Tx, class_id: UUID) -> list[tuple[str, str]]:
    """Lists the names and masked CPFs of everybody with a place, by name."""
    rows = await tx.rows(
        """
        SELECT u.name, coalesce(u.cpf, '') AS cpf
        FROM class_registrations r JOIN users u ON u.tenant_id = :tenant AND u.id = r.user_id
        WHERE r.tenant_id = :tenant AND r.class_id = :class_id AND r.status = 'REGISTERED'
        ORDER BY lower(u.name), r.user_id
        """,
        class_id=class_id,
    )
    return [(row["name"], row["cpf"]) for row in rows]


async def list_corrections(tx: Tx, session_id: UUID, user_id: UUID) -> list[Correction]:
    """Lists the corrections of a person's attendance, newest first."""
    rows = await tx.rows(
        """
        SELECT minutes_before, minutes, reason, actor_kind, actor, created_at FROM attendance_corrections
        WHERE tenant_id = :tenant AND session_id = :session_id AND user_id = :user_id
        ORDER BY created_at DESC, id LIMIT 100
        """,
        session_id=session_id,
        user_id=user_id,
    )
    names = await _find_names(tx, {row["actor"] for row in rows if row["actor_kind"] == "session"})
    return [
        Correction(
            row["minutes_before"],
            row["minutes"],
            row["reason"],
            names.get(row["actor"], ""),
            row["created_at"],
        )
        for row in rows
    ]


async def list_known_marks(tx: Tx, ids: Sequence[UUID]) -> set[UUID]:
    """Returns which of these marks were recorded before."""
    rows = await tx.rows(
        "SELECT id FROM attendance_marks WHERE tenant_id = :tenant AND id = ANY(:ids)", ids=list(ids)
    )
    return {row["id"] for row in rows}


async def insert_marks(tx: Tx, session_id: UUID, marks: Sequence[Mark], *, earliest: datetime) -> None:
    """Inserts marks. A device whose clock is wrong marks at `earliest`, or now."""
    if marks:
        await tx.execute(
            """
            INSERT INTO attendance_marks (tenant_id, id, session_id, user_id, minutes, marked_at, created_at)
            SELECT :tenant, mark.id, CAST(:session_id AS uuid), mark.user_id, mark.minutes, mark.marked_at,
                   CAST(:now AS timestamptz)
            FROM unnest(:ids::uuid[], :users::uuid[], :minutes::int[], :moments::timestamptz[])
                 AS mark (id, user_id, minutes, marked_at)
            RETURNING tenant_id
            """,
            session_id=session_id,
            ids=[each.id for each in marks],
            users=[each.user_id for each in marks],
            minutes=[each.minutes for each in marks],
            moments=[max(min(each.marked_at or tx.now, tx.now), earliest) for each in marks],
        )


_MAX_LISTED_SCANS = 100
_SCAN_COLUMNS = """
    s.id, s.session_id, s.name, s.media_type, s.bytes, s.digest, u.name AS uploaded_by, s.created_at,
    s.removed_at, s.remove_reason, s.erased_at
"""


async def insert_scan(
    tx: Tx, id: UUID, session_id: UUID, name: str, media_type: str, size: int, digest: str, user_id: UUID
) -> None:
    await tx.execute(
        """
        INSERT INTO attendance_scans (tenant_id, id, session_id, name, media_type, bytes, digest, uploaded_by,
                                      created_at)
        VALUES (:tenant, :id, :session_id, :name, :media_type, :bytes, :digest, :user_id, :now)
        """,
        id=id,
        session_id=session_id,
        name=name,
        media_type=media_type,
        bytes=size,
        digest=digest,
        user_id=user_id,
    )


async def list_scans(tx: Tx, session_id: UUID) -> list[Scan]:
    """Lists the scans of a session whose files are stored, then the others, at most 100. The newest come
    first.
    """
    return await tx.list(
        Scan,
        f"""
        SELECT {_SCAN_COLUMNS} FROM attendance_scans s
        JOIN users u ON u.tenant_id = :tenant AND u.id = s.uploaded_by
        WHERE s.tenant_id = :tenant AND s.session_id = :session_id
        ORDER BY s.removed_at IS NOT NULL OR s.erased_at IS NOT NULL, s.created_at DESC, s.id
        LIMIT {_MAX_LISTED_SCANS}
        """,  # noqa: S608
        session_id=session_id,
    )


async def count_scans(tx: Tx, session_id: UUID) -> int:
    """Counts the scans of a session whose files are stored."""
    count: int = await tx.value(
        """
        SELECT count(*) FROM attendance_scans
        WHERE tenant_id = :tenant AND session_id = :session_id AND removed_at IS NULL AND erased_at IS NULL
        """,
        session_id=session_id,
    )
    return count


async def get_scan(tx: Tx, session_id: UUID, scan_id: UUID) -> Scan:
    """Returns a scan that was not removed. Raises NotFound."""
    scan = await tx.find(
        Scan,
        f"""
        SELECT {_SCAN_COLUMNS} FROM attendance_scans s
        JOIN users u ON u.tenant_id = :tenant AND u.id = s.uploaded_by
        WHERE s.tenant_id = :tenant AND s.session_id = :session_id AND s.id = :id AND s.removed_at IS NULL
          AND s.erased_at IS NULL
        """,  # noqa: S608
        session_id=session_id,
        id=scan_id,
    )
    if scan is None:
        raise NotFound("attendance_scan_not_found")
    return scan


async def remove_scan(tx: Tx, scan_id: UUID, reason: str) -> None:
    await tx.execute(
        """
        UPDATE attendance_scans SET removed_at = :now, remove_reason = :reason
        WHERE tenant_id = :tenant AND id = :id AND removed_at IS NULL
        """,
        id=scan_id,
        reason=reason,
    )


async def list_running(tx: Tx, user_id: UUID) -> list[SessionHead]:
    """Lists the sessions that are held now in which the person has a place and no attendance yet."""
    rows = await tx.rows(
        """
        SELECT s.id FROM class_registrations r
        JOIN class_sessions s ON s.tenant_id = :tenant AND s.class_id = r.class_id
        WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND r.status = 'REGISTERED'
          AND s.cancelled_at IS NULL AND s.starts_at <= :now AND s.ends_at > :now
          AND s.starts_at > CAST(:now AS timestamptz) - interval '8 days'
          AND NOT EXISTS (SELECT FROM class_attendance a
                          WHERE a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = r.user_id)
        ORDER BY s.starts_at, s.id LIMIT 10
        """,
        user_id=user_id,
    )
    heads = [await find_head(tx, row["id"]) for row in rows]
    return [each for each in heads if each is not None]
