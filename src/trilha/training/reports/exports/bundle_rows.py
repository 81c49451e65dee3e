# ruff: noqa: S608 - the parts of these statements are constants
"""What an inspector's bundle is about, and the SQL of its parts."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx

# Of each part; the bundle says what is left out.
MAX_ROWS = 1_000


class BundleFilter(Struct, frozen=True, kw_only=True):
    """A course, a class or a person, and a time. `since` and `until` are moments; None is no limit."""

    locale: Literal["en", "pt-BR"]
    time_zone: str
    course_id: UUID | None = None
    class_id: UUID | None = None
    user_id: UUID | None = None
    since: str | None = None
    until: str | None = None


def _within(column: str) -> str:
    return f"""
        AND (CAST(:since AS timestamptz) IS NULL OR {column} >= CAST(:since AS timestamptz))
        AND (CAST(:until AS timestamptz) IS NULL OR {column} < CAST(:until AS timestamptz))"""


# Of a row with an enrollment, its person and its course.
_OF_ENROLLMENT = """
    AND (CAST(:course_id AS uuid) IS NULL OR {0}.course_id = :course_id)
    AND (CAST(:user_id AS uuid) IS NULL OR {0}.user_id = :user_id)
    AND (CAST(:class_id AS uuid) IS NULL OR EXISTS (
        SELECT FROM class_registrations r
        WHERE r.tenant_id = :tenant AND r.class_id = :class_id AND r.enrollment_id = {0}.enrollment_id
          AND r.status = 'REGISTERED'))"""
_OF_SESSION = f"""
    FROM class_sessions s JOIN classes k ON k.tenant_id = :tenant AND k.id = s.class_id
    JOIN courses c ON c.tenant_id = :tenant AND c.id = k.course_id
    WHERE s.tenant_id = :tenant AND s.cancelled_at IS NULL
      AND (CAST(:course_id AS uuid) IS NULL OR k.course_id = :course_id)
      AND (CAST(:class_id AS uuid) IS NULL OR k.id = :class_id)
      AND (CAST(:user_id AS uuid) IS NULL OR EXISTS (
          SELECT FROM class_registrations r
          WHERE r.tenant_id = :tenant AND r.class_id = k.id AND r.user_id = :user_id
            AND r.status = 'REGISTERED'))
      {_within("s.starts_at")}"""
PARTS: Mapping[str, str] = {
    "certificates": f"""
        SELECT t.id, t.code, COALESCE(t.holder_name, '') AS holder_name, t.course_title, t.issued_at,
               t.file_key, t.created_at, t.course_id
        FROM certificates t
        WHERE t.tenant_id = :tenant AND t.replaced_by IS NULL AND t.erased_at IS NULL
          {_OF_ENROLLMENT.format("t")} {_within("t.issued_at")}
        ORDER BY t.issued_at, t.id LIMIT :limit
        """,
    "projects": """
        SELECT p.number, p.file_key, c.title AS course_title, p.created_at
        FROM pedagogic_project_versions p JOIN courses c ON c.tenant_id = :tenant AND c.id = p.course_id
        WHERE p.tenant_id = :tenant AND p.course_id = ANY(:courses::uuid[])
        ORDER BY c.title, p.course_id, p.number DESC LIMIT :limit
        """,
    "sessions": f"""
        SELECT s.id, s.class_id, k.course_id, k.title, c.title AS course_title, s.starts_at
        {_OF_SESSION} ORDER BY s.starts_at, s.id LIMIT :limit
        """,
    "attendance": """
        SELECT s.id AS session_id, r.user_id, u.name, u.cpf, a.minutes, a.method, a.recorded_at
        FROM class_sessions s
        JOIN class_registrations r ON r.tenant_id = :tenant AND r.class_id = s.class_id
             AND r.status = 'REGISTERED'
        JOIN users u ON u.tenant_id = :tenant AND u.id = r.user_id
        LEFT JOIN class_attendance a
            ON a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = r.user_id
        WHERE s.tenant_id = :tenant AND s.id = :session_id
        ORDER BY lower(u.name), u.id LIMIT :limit
        """,
    "scans": f"""
        SELECT n.id, n.session_id, n.media_type, n.digest, n.created_at, k.title, s.starts_at
        FROM attendance_scans n
        JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = n.session_id
        JOIN classes k ON k.tenant_id = :tenant AND k.id = s.class_id
        WHERE n.tenant_id = :tenant AND n.removed_at IS NULL AND n.erased_at IS NULL
          AND n.session_id IN (SELECT s.id {_OF_SESSION})
        ORDER BY n.created_at, n.id LIMIT :limit
        """,
    "assessments": f"""
        SELECT a.id, a.course_id, a.number, a.user_id, a.assessor_id, a.items, a.result, a.digest,
               a.assessed_on, a.held_qualification, a.assessor_signature_id, a.assessor_signed_at,
               a.learner_signature_id, a.learner_signed_at, a.annulled_at, u.name, assessor.name AS assessor,
               c.title AS course_title, m.title AS module_title
        FROM practice_assessments a
        JOIN users u ON u.tenant_id = :tenant AND u.id = a.user_id
        JOIN users assessor ON assessor.tenant_id = :tenant AND assessor.id = a.assessor_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = a.course_id
        JOIN all_modules m ON m.tenant_id = :tenant AND m.id = a.module_id
        WHERE a.tenant_id = :tenant {_OF_ENROLLMENT.format("a")} {_within("a.created_at")}
        ORDER BY a.created_at, a.id LIMIT :limit
        """,
    "qualifications": """
        SELECT q.id, q.user_id, u.name, q.title, q.issuing_body, q.register_number, q.valid_from,
               q.valid_until, q.media_type
        FROM qualifications q JOIN users u ON u.tenant_id = :tenant AND u.id = q.user_id
        WHERE q.tenant_id = :tenant AND q.removed_at IS NULL AND q.user_id = ANY(:people::uuid[])
        ORDER BY u.name, q.id LIMIT :limit
        """,
    "instructors": """
        SELECT DISTINCT user_id FROM class_instructors
        WHERE tenant_id = :tenant AND session_id = ANY(:sessions::uuid[]) LIMIT :limit
        """,
    "questions": f"""
        SELECT q.id, q.created_at, u.name, c.title AS course_title, q.state, q.answered_at, q.closed_at,
               (SELECT string_agg(g.created_at::text || ' ' || w.name || ': ' || COALESCE(g.text, ''),
                                  E'\\n' ORDER BY g.number)
                FROM learner_question_messages g JOIN users w ON w.tenant_id = :tenant AND w.id = g.user_id
                WHERE g.tenant_id = :tenant AND g.question_id = q.id) AS messages
        FROM learner_questions q
        JOIN users u ON u.tenant_id = :tenant AND u.id = q.user_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = q.course_id
        WHERE q.tenant_id = :tenant {_OF_ENROLLMENT.format("q")} {_within("q.created_at")}
        ORDER BY q.created_at, q.id LIMIT :limit
        """,
}


async def read(tx: Tx, part: str, bundle_filter: BundleFilter, **params: Any) -> Sequence[Mapping[str, Any]]:
    """Reads a part; one row more than MAX_ROWS says that there are more."""
    sql = PARTS[part]
    named: dict[str, Any] = {
        name: getattr(bundle_filter, name) for name in ("course_id", "class_id", "user_id")
    }
    named |= {"since": _parse(bundle_filter.since), "until": _parse(bundle_filter.until), **params}
    rows: Sequence[Mapping[str, Any]] = await tx.rows(
        sql, limit=MAX_ROWS + 1, **{name: value for name, value in named.items() if f":{name}" in sql}
    )
    return rows


def _parse(moment: str | None) -> datetime | None:
    return None if moment is None else datetime.fromisoformat(moment)
