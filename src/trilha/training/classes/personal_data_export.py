"""The export of a person's classes: registrations, attendance, and the sessions that they taught."""

from collections.abc import AsyncIterator, Sequence
from typing import Any, TypeVar
from uuid import UUID

from msgspec import Struct

from trilha.feature import ExportPart, ExportReader
from trilha.training.classes.schema import (
    ExportedAttendance,
    ExportedRegistration,
    ExportedScan,
    TaughtSession,
)

T = TypeVar("T", bound=Struct)
_PAGE = 500
_REGISTRATIONS = """
    SELECT r.id AS key, c.title AS class_title, k.title AS course, r.status, r.cancel_reason, r.created_at
    FROM class_registrations r JOIN classes c ON c.tenant_id = :tenant AND c.id = r.class_id
    JOIN courses k ON k.tenant_id = :tenant AND k.id = c.course_id
    WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND r.id > :after ORDER BY r.id LIMIT :limit
"""
_ATTENDANCE = """
    SELECT a.session_id AS key, c.title AS class_title, s.starts_at, s.ends_at, a.minutes, a.method,
           a.recorded_at,
           ARRAY(SELECT n.reason FROM attendance_corrections n
                 WHERE n.tenant_id = :tenant AND n.session_id = a.session_id AND n.user_id = a.user_id
                   AND n.reason IS NOT NULL
                 ORDER BY n.created_at) AS reasons
    FROM class_attendance a JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = a.session_id
    JOIN classes c ON c.tenant_id = :tenant AND c.id = s.class_id
    WHERE a.tenant_id = :tenant AND a.user_id = :user_id AND a.session_id > :after
    ORDER BY a.session_id LIMIT :limit
"""
# A scan shows the names of everybody in its session, so that the person asks the company for a copy.
_SCANS = """
    SELECT n.id AS key, c.title AS class_title, s.starts_at, n.digest, n.created_at AS uploaded_at,
           COALESCE(n.removed_at, n.erased_at) AS deleted_at
    FROM class_registrations r JOIN classes c ON c.tenant_id = :tenant AND c.id = r.class_id
    JOIN class_sessions s ON s.tenant_id = :tenant AND s.class_id = r.class_id
    JOIN attendance_scans n ON n.tenant_id = :tenant AND n.session_id = s.id
    WHERE r.tenant_id = :tenant AND r.user_id = :user_id AND r.status = 'REGISTERED' AND n.id > :after
    ORDER BY n.id LIMIT :limit
"""
_TAUGHT = """
    SELECT s.id AS key, c.title AS class_title, s.starts_at, s.ends_at
    FROM class_instructors i JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = i.session_id
    JOIN classes c ON c.tenant_id = :tenant AND c.id = s.class_id
    WHERE i.tenant_id = :tenant AND i.user_id = :user_id AND s.id > :after ORDER BY s.id LIMIT :limit
"""


def _build_part(name: str, kind: type[T], sql: str) -> ExportPart:
    async def list_pages(reader: ExportReader, user_id: UUID) -> AsyncIterator[Sequence[Any]]:
        after = UUID(int=0)
        while True:
            async with reader.transaction() as tx:
                rows = await tx.rows(sql, user_id=user_id, after=after, limit=_PAGE)
            yield [kind(**{key: value for key, value in row.items() if key != "key"}) for row in rows]
            if len(rows) < _PAGE:
                return
            after = rows[-1]["key"]

    return ExportPart(name, kind, list_pages)


EXPORT = (
    _build_part("class_registrations", ExportedRegistration, _REGISTRATIONS),
    _build_part("class_attendance", ExportedAttendance, _ATTENDANCE),
    _build_part("attendance_scans", ExportedScan, _SCANS),
    _build_part("taught_sessions", TaughtSession, _TAUGHT),
)
