"""Counts the papers and records that an inspector may ask for."""

from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx

# More are not counted.
MAX_COUNT = 10_000


class InspectionScope(Struct, frozen=True):
    """What the inspector asks about: a course, a person, or a time; None is no limit."""

    course_id: UUID | None = None
    user_id: UUID | None = None
    since: datetime | None = None
    until: datetime | None = None


class PaperCounts(Struct, frozen=True):
    certificates: int
    projects: int
    sessions: int
    questions: int


_PERIOD = """
    AND (CAST(:since AS timestamptz) IS NULL OR {0} >= :since)
    AND (CAST(:until AS timestamptz) IS NULL OR {0} < :until)"""
_COURSE = "AND (CAST(:course_id AS uuid) IS NULL OR {0}.course_id = :course_id)"
_USER = "AND (CAST(:user_id AS uuid) IS NULL OR {0}.user_id = :user_id)"
_COUNTS = f"""
    SELECT
        (SELECT count(*) FROM (
            SELECT FROM certificates c WHERE c.tenant_id = :tenant {_COURSE.format("c")} {_USER.format("c")}
            {_PERIOD.format("c.issued_at")} LIMIT :limit) AS counted) AS certificates,
        (SELECT count(*) FROM (
            SELECT FROM pedagogic_project_versions p WHERE p.tenant_id = :tenant {_COURSE.format("p")}
            LIMIT :limit) AS counted) AS projects,
        (SELECT count(*) FROM (
            SELECT FROM class_sessions s JOIN classes k ON k.tenant_id = :tenant AND k.id = s.class_id
            WHERE s.tenant_id = :tenant AND s.cancelled_at IS NULL {_COURSE.format("k")}
            AND (CAST(:user_id AS uuid) IS NULL OR EXISTS (
                SELECT FROM class_attendance a
                WHERE a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = :user_id))
            {_PERIOD.format("s.starts_at")} LIMIT :limit) AS counted) AS sessions,
        (SELECT count(*) FROM (
            SELECT FROM learner_questions q WHERE q.tenant_id = :tenant {_COURSE.format("q")}
            {_USER.format("q")} {_PERIOD.format("q.created_at")} LIMIT :limit) AS counted) AS questions
"""  # noqa: S608


async def count_papers(tx: Tx, scope: InspectionScope) -> PaperCounts:
    """Counts up to MAX_COUNT of each."""
    counts = await tx.find(
        PaperCounts,
        _COUNTS,
        course_id=scope.course_id,
        user_id=scope.user_id,
        since=scope.since,
        until=scope.until,
        limit=MAX_COUNT,
    )
    assert counts is not None
    return counts
