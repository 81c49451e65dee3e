"""Counts the papers and records that an inspector may ask for."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx
from trilha.core.types import Timestamp

# More are not counted.
MAX_COUNT = 10_000


class InspectionScope(Struct, frozen=True):
    """What the inspector asks about: a course, a person, a time, or a class; None is no limit."""

    course_id: UUID | None = None
    user_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None
    class_id: UUID | None = None


class PaperCounts(Struct, frozen=True):
    certificates: int
    projects: int
    sessions: int
    scans: int
    checklists: int
    questions: int


class InspectedScan(Struct, frozen=True):
    """A scan of an attendance list, with its session."""

    id: UUID
    session_id: UUID
    class_id: UUID
    class_title: str
    course_title: str
    starts_at: Timestamp
    bytes: int
    digest: str
    created_at: Timestamp


_PERIOD = """
    AND (CAST(:since AS timestamptz) IS NULL OR {0} >= :since)
    AND (CAST(:until AS timestamptz) IS NULL OR {0} < :until)"""
_COURSE = "AND (CAST(:course_id AS uuid) IS NULL OR {0}.course_id = :course_id)"
_USER = "AND (CAST(:user_id AS uuid) IS NULL OR {0}.user_id = :user_id)"
# Of a row with an enrollment.
_IN_CLASS = """AND (CAST(:class_id AS uuid) IS NULL OR EXISTS (
    SELECT FROM class_registrations r
    WHERE r.tenant_id = :tenant AND r.class_id = :class_id AND r.enrollment_id = {0}.enrollment_id
      AND r.status = 'REGISTERED'))"""
_SESSIONS = f"""
    FROM class_sessions s JOIN classes k ON k.tenant_id = :tenant AND k.id = s.class_id
    WHERE s.tenant_id = :tenant AND s.cancelled_at IS NULL {_COURSE.format("k")}
    AND (CAST(:class_id AS uuid) IS NULL OR k.id = :class_id)
    AND (CAST(:user_id AS uuid) IS NULL OR EXISTS (
        SELECT FROM class_attendance a
        WHERE a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = :user_id))
    {_PERIOD.format("s.starts_at")}"""
_COUNTS = f"""
    SELECT
        (SELECT count(*) FROM (
            SELECT FROM certificates c WHERE c.tenant_id = :tenant {_COURSE.format("c")} {_USER.format("c")}
            {_IN_CLASS.format("c")} {_PERIOD.format("c.issued_at")} LIMIT :limit) AS counted) AS certificates,
        (SELECT count(*) FROM (
            SELECT FROM pedagogic_project_versions p WHERE p.tenant_id = :tenant {_COURSE.format("p")}
            LIMIT :limit) AS counted) AS projects,
        (SELECT count(*) FROM (
            SELECT {_SESSIONS} LIMIT :limit) AS counted) AS sessions,
        (SELECT count(*) FROM (
            SELECT FROM attendance_scans n WHERE n.tenant_id = :tenant AND n.removed_at IS NULL
            AND n.erased_at IS NULL AND n.session_id IN (SELECT s.id {_SESSIONS})
            LIMIT :limit) AS counted) AS scans,
        (SELECT count(*) FROM (
            SELECT FROM practice_assessments p WHERE p.tenant_id = :tenant {_COURSE.format("p")}
            {_USER.format("p")} {_IN_CLASS.format("p")} {_PERIOD.format("p.created_at")}
            LIMIT :limit) AS counted) AS checklists,
        (SELECT count(*) FROM (
            SELECT FROM learner_questions q WHERE q.tenant_id = :tenant {_COURSE.format("q")}
            {_USER.format("q")} {_IN_CLASS.format("q")} {_PERIOD.format("q.created_at")}
            LIMIT :limit) AS counted) AS questions
"""  # noqa: S608


async def count_papers(tx: Tx, scope: InspectionScope) -> PaperCounts:
    """Counts up to MAX_COUNT of each."""
    counts = await tx.find(PaperCounts, _COUNTS, limit=MAX_COUNT, **structs.asdict(scope))
    assert counts is not None
    return counts


async def list_scans(tx: Tx, scope: InspectionScope, limit: int) -> list[InspectedScan]:
    """Lists the scans of sessions, the newest session first."""
    return await tx.list(
        InspectedScan,
        f"""
        SELECT n.id, n.session_id, s.class_id, k.title AS class_title, c.title AS course_title, s.starts_at,
               n.bytes, n.digest, n.created_at
        FROM attendance_scans n
        JOIN class_sessions s ON s.tenant_id = :tenant AND s.id = n.session_id
        JOIN classes k ON k.tenant_id = :tenant AND k.id = s.class_id
        JOIN courses c ON c.tenant_id = :tenant AND c.id = k.course_id
        WHERE n.tenant_id = :tenant AND n.removed_at IS NULL AND n.erased_at IS NULL
          AND n.session_id IN (SELECT s.id {_SESSIONS})
        ORDER BY s.starts_at DESC, n.created_at DESC, n.id LIMIT :limit
        """,  # noqa: S608
        limit=limit,
        **structs.asdict(scope),
    )
