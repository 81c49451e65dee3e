"""The SQL of modules' progress and of what a course requires."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Tx, structs_of
from trilha.learning.completion.schema import (
    Course,
    CourseModule,
    ModuleOverview,
    ModuleProgress,
    Requirements,
)
from trilha.learning.evidence.schema import LogHead


async def set_emitted_progress(tx: Tx, head: LogHead) -> None:
    await tx.execute(
        """
        UPDATE learning_heads SET told_progress = :told_progress, told_at = :told_at
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=head.enrollment_id,
        told_progress=head.told_progress,
        told_at=head.told_at,
    )


async def get_course(tx: Tx, course_id: UUID) -> Course:
    """Of a course that is there."""
    rows = await tx.rows(
        """
        SELECT c.regulation, m.id, m.duration_minutes, m.required, m.type = 'SCORM' AS claimed
        FROM courses c LEFT JOIN modules m ON m.tenant_id = c.tenant_id AND m.course_id = c.id
        WHERE c.tenant_id = :tenant AND c.id = :course_id ORDER BY m.position
        """,
        course_id=course_id,
    )
    asked = rows[0]["regulation"] or {}
    demands = Requirements(
        workload_minutes=asked.get("minimum_workload_minutes", 0),
        score=asked.get("minimum_score", 0),
        sequential=asked.get("sequential", False),
    )
    return Course(demands, structs_of(CourseModule, [row for row in rows if row["id"]]))


async def list_progress(tx: Tx, enrollment_id: UUID) -> dict[UUID, ModuleProgress]:
    rows = await tx.rows(
        """
        SELECT module_id, progress, score, completed_at IS NOT NULL AS met, credited_seconds AS seconds
        FROM module_progress
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=enrollment_id,
    )
    return {
        row["module_id"]: reached for row, reached in zip(rows, structs_of(ModuleProgress, rows), strict=True)
    }


async def list_module_overviews(tx: Tx, enrollment_id: UUID, course_id: UUID) -> list[ModuleOverview]:
    """In consumption order; what locks them is left out."""
    return await tx.list(
        ModuleOverview,
        """
        SELECT m.id, m.position, m.title, m.type, m.duration_minutes, m.required,
               COALESCE(p.progress, 0) AS progress, p.score, COALESCE(a.number, 0) AS attempts,
               COALESCE(a.success = 'failed', false) AS failed, p.started_at, p.completed_at,
               '{}'::uuid[] AS locked_by
        FROM modules m
        LEFT JOIN module_progress p ON p.tenant_id = :tenant AND p.enrollment_id = :enrollment_id
             AND p.module_id = m.id
        LEFT JOIN LATERAL (
            SELECT number, success FROM attempts
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = m.id
            ORDER BY number DESC LIMIT 1) AS a ON true
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id ORDER BY m.position
        """,
        enrollment_id=enrollment_id,
        course_id=course_id,
    )


async def find_last_module(tx: Tx, enrollment_id: UUID) -> UUID | None:
    """The one that was opened last."""
    found: UUID | None = await tx.value(
        """
        SELECT a.module_id FROM launches l JOIN attempts a ON a.tenant_id = :tenant AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.enrollment_id = :enrollment_id ORDER BY l.number DESC LIMIT 1
        """,
        enrollment_id=enrollment_id,
    )
    return found


class _RaisedProgress(Struct, frozen=True):
    """`completed`: for the first time."""

    completed: bool


async def raise_progress(tx: Tx, enrollment_id: UUID, module_id: UUID, reached: ModuleProgress) -> bool:
    """The best of each, from now on. Whether the module is completed for the first time."""
    raised = await tx.find(
        _RaisedProgress,
        """
        UPDATE module_progress AS p
        SET progress = GREATEST(p.progress, :progress), score = GREATEST(p.score, :score),
            completed_at = CASE WHEN p.completed_at IS NULL AND :met THEN CAST(:now AS timestamptz)
                                ELSE p.completed_at END
        FROM (SELECT completed_at FROM module_progress WHERE tenant_id = :tenant
              AND enrollment_id = :enrollment_id AND module_id = :module_id) AS before
        WHERE p.tenant_id = :tenant AND p.enrollment_id = :enrollment_id AND p.module_id = :module_id
        RETURNING before.completed_at IS NULL AND p.completed_at IS NOT NULL AS completed
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
        progress=reached.progress,
        score=reached.score,
        met=reached.met,
    )
    return raised is not None and raised.completed


async def start_module(tx: Tx, enrollment_id: UUID, module_id: UUID) -> None:
    await tx.execute(
        """
        INSERT INTO module_progress (tenant_id, enrollment_id, module_id, started_at)
        VALUES (:tenant, :enrollment_id, :module_id, :now)
        ON CONFLICT (tenant_id, enrollment_id, module_id) DO NOTHING
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )


async def count_learners(tx: Tx, module_ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many have begun each of these modules; those that nobody has are left out."""
    rows = await tx.rows(
        """
        SELECT module_id, count(*) AS people FROM module_progress
        WHERE tenant_id = :tenant AND module_id = ANY(:module_ids) GROUP BY module_id
        """,
        module_ids=list(module_ids),
    )
    return {row["module_id"]: row["people"] for row in rows}


async def list_modules_awaiting_grade(tx: Tx, enrollment_id: UUID) -> set[UUID]:
    """The modules whose last attempt awaits a grade."""
    rows = await tx.rows(
        """
        SELECT a.module_id FROM attempts a
        JOIN quiz_attempts q ON q.tenant_id = a.tenant_id AND q.attempt_id = a.id
        WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id
          AND q.handed_in_at IS NOT NULL AND q.graded_at IS NULL
        """,
        enrollment_id=enrollment_id,
    )
    return {row["module_id"] for row in rows}
