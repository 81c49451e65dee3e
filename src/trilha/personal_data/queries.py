"""The SQL of the export, where no feature has it already."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, structs_of
from trilha.enrollments import answers as answered
from trilha.personal_data.schema import ExportedAttempt, FollowedPath, ModuleTranscript, UnrecordedWork


class CourseTitle(Struct, frozen=True):
    id: UUID
    title: str


async def titles(tx: Tx, course_ids: Sequence[UUID]) -> dict[UUID, str]:
    found = await tx.list(
        CourseTitle,
        "SELECT id, title FROM courses WHERE tenant_id = :tenant AND id = ANY(:ids)",
        ids=course_ids,
    )
    return {each.id: each.title for each in found}


async def list_paths(tx: Tx, user_id: UUID) -> list[FollowedPath]:
    """Newest first."""
    return await tx.list(
        FollowedPath,
        """
        SELECT path.id AS learning_path_id, path.title, a.assigned_at, a.due_at, a.completed_at
        FROM learning_path_assignments a
        JOIN learning_paths path ON path.tenant_id = a.tenant_id AND path.id = a.path_id
        WHERE a.tenant_id = :tenant AND a.user_id = :user_id ORDER BY a.assigned_at DESC, path.id
        """,
        user_id=user_id,
    )


async def modules(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, list[ModuleTranscript]]:
    """By enrollment, in consumption order, with the attempts of its learner and their answers. One that was
    removed is there where it had been begun."""
    attempts = await _attempts(tx, enrollment_ids)
    unrecorded = await _unrecorded(tx, enrollment_ids)
    answers = await answered.list_all(tx, enrollment_ids)
    rows = await tx.rows(
        """
        SELECT e.id AS enrollment_id, m.id AS module_id, m.position, m.title, m.type, m.duration_minutes,
               m.required, COALESCE(p.progress, 0) AS progress, p.score, p.completed_at,
               ARRAY[]::text[] AS attempts, ARRAY[]::text[] AS answers, ARRAY[]::text[] AS unrecorded
        FROM all_enrollments e
        JOIN all_modules m ON m.tenant_id = e.tenant_id AND m.course_id = e.course_id
        LEFT JOIN module_progress p ON p.tenant_id = e.tenant_id AND p.enrollment_id = e.id
             AND p.module_id = m.id
        WHERE e.tenant_id = :tenant AND e.id = ANY(:ids)
          AND (m.removed_at IS NULL OR p.module_id IS NOT NULL)
        ORDER BY e.id, m.position, m.id
        """,
        ids=enrollment_ids,
    )
    found: dict[UUID, list[ModuleTranscript]] = {}
    for row, module in zip(rows, structs_of(ModuleTranscript, rows), strict=True):
        enrollment_id, module_id = row["enrollment_id"], row["module_id"]
        whole = structs.replace(
            module,
            attempts=attempts.get((enrollment_id, module_id), []),
            answers=[each for each in answers.get(enrollment_id, ()) if each.module_id == module_id],
            unrecorded=unrecorded.get((enrollment_id, module_id), []),
        )
        found.setdefault(enrollment_id, []).append(whole)
    return found


async def _attempts(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[tuple[UUID, UUID], list[ExportedAttempt]]:
    """By enrollment and module, first to last."""
    rows = await tx.rows(
        """
        SELECT enrollment_id, module_id, number, started_at, ended_at,
               CASE success WHEN 'unknown' THEN completion ELSE success END AS status, progress, score
        FROM attempts WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids)
        ORDER BY enrollment_id, module_id, number
        """,
        ids=enrollment_ids,
    )
    found: dict[tuple[UUID, UUID], list[ExportedAttempt]] = {}
    for row, attempt in zip(rows, structs_of(ExportedAttempt, rows), strict=True):
        found.setdefault((row["enrollment_id"], row["module_id"]), []).append(attempt)
    return found


async def _unrecorded(
    tx: Tx, enrollment_ids: Sequence[UUID]
) -> dict[tuple[UUID, UUID], list[UnrecordedWork]]:
    """By enrollment and module, first to last."""
    rows = await tx.rows(
        """
        SELECT l.enrollment_id, a.module_id, u.outcome, u.status, u.score, u.answers, u.done_at, u.received_at
        FROM launches l
        JOIN unapplied_reports u ON u.tenant_id = l.tenant_id AND u.launch_id = l.id
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.enrollment_id = ANY(:ids)
        ORDER BY l.enrollment_id, a.module_id, u.received_at, u.sequence
        """,
        ids=enrollment_ids,
    )
    found: dict[tuple[UUID, UUID], list[UnrecordedWork]] = {}
    for row, work in zip(rows, structs_of(UnrecordedWork, rows), strict=True):
        found.setdefault((row["enrollment_id"], row["module_id"]), []).append(work)
    return found
