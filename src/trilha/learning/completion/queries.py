"""The SQL of what a course requires and of the learners' progress in its modules."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, structs_of
from trilha.learning.completion.schema import CourseModule, ModuleOverview, ModuleProgress, Requirements
from trilha.learning.evidence.schema import LogHead


async def set_emitted_progress(tx: Tx, head: LogHead) -> None:
    await tx.execute(
        """
        UPDATE learning_heads SET told_progress = :emitted_progress, told_at = :emitted_at
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=head.enrollment_id,
        emitted_progress=head.emitted_progress,
        emitted_at=head.emitted_at,
    )


async def get_requirements(tx: Tx, course_id: UUID) -> Requirements:
    """Returns what an existing course requires."""
    rows = await tx.rows(
        """
        SELECT c.regulation, m.id, m.duration_minutes, m.required, m.type = 'SCORM' AS claimed
        FROM courses c LEFT JOIN modules m ON m.tenant_id = c.tenant_id AND m.course_id = c.id
        WHERE c.tenant_id = :tenant AND c.id = :course_id ORDER BY m.position
        """,
        course_id=course_id,
    )
    regulation = rows[0]["regulation"] or {}
    return Requirements(
        modules=structs_of(CourseModule, [row for row in rows if row["id"]]),
        workload_minutes=regulation.get("minimum_workload_minutes", 0),
        score=regulation.get("minimum_score", 0),
        sequential=regulation.get("sequential", False),
    )


async def list_progress(tx: Tx, enrollment_id: UUID) -> dict[UUID, ModuleProgress]:
    """Returns a learner's progress by module; a module that was never opened is left out."""
    rows = await tx.rows(
        """
        SELECT module_id, progress, score, completed_at IS NOT NULL AS completed, credited_seconds AS seconds
        FROM module_progress
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=enrollment_id,
    )
    ids = (row["module_id"] for row in rows)
    return dict(zip(ids, structs_of(ModuleProgress, rows), strict=True))


async def list_module_overviews(tx: Tx, enrollment_id: UUID, course_id: UUID) -> list[ModuleOverview]:
    """Lists the modules in the order of the course, without `locked_by`."""
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
    """Returns the module that the learner opened last."""
    module_id: UUID | None = await tx.value(
        """
        SELECT a.module_id FROM launches l JOIN attempts a ON a.tenant_id = :tenant AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.enrollment_id = :enrollment_id ORDER BY l.number DESC LIMIT 1
        """,
        enrollment_id=enrollment_id,
    )
    return module_id


async def raise_progress(tx: Tx, enrollment_id: UUID, module_id: UUID, progress: ModuleProgress) -> bool:
    """Keeps the better of each figure. Returns whether the module is completed for the first time."""
    completed = await tx.value(
        """
        UPDATE module_progress AS p
        SET progress = GREATEST(p.progress, :progress), score = GREATEST(p.score, :score),
            completed_at = CASE WHEN p.completed_at IS NULL AND :completed THEN CAST(:now AS timestamptz)
                                ELSE p.completed_at END
        FROM (SELECT completed_at FROM module_progress WHERE tenant_id = :tenant
              AND enrollment_id = :enrollment_id AND module_id = :module_id) AS before
        WHERE p.tenant_id = :tenant AND p.enrollment_id = :enrollment_id AND p.module_id = :module_id
        RETURNING before.completed_at IS NULL AND p.completed_at IS NOT NULL AS completed
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
        progress=progress.progress,
        score=progress.score,
        completed=progress.completed,
    )
    return bool(completed)


async def start_module(tx: Tx, enrollment_id: UUID, module_id: UUID) -> None:
    """Notes that the learner has opened the module, if it is for the first time."""
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
    """Returns how many learners have begun each module; a module that nobody has begun is left out."""
    rows = await tx.rows(
        """
        SELECT module_id, count(*) AS people FROM module_progress
        WHERE tenant_id = :tenant AND module_id = ANY(:module_ids) GROUP BY module_id
        """,
        module_ids=list(module_ids),
    )
    return {row["module_id"]: row["people"] for row in rows}


async def list_modules_awaiting_grade(tx: Tx, enrollment_id: UUID) -> set[UUID]:
    """Returns the modules with an attempt that awaits a grade."""
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
