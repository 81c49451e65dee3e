"""The export of what a person did in each course: modules, attempts and answers."""

from collections.abc import Sequence
from uuid import UUID

from msgspec import Struct, structs

from trilha.core.database import Tx, structs_of
from trilha.core.types import Timestamp
from trilha.feature import ExportPart
from trilha.training.enrollments import answers as enrollment_answers
from trilha.training.enrollments.personal_data_export import export_by_enrollment, load_titles
from trilha.training.enrollments.schema import EnrollmentRecord, Interaction, Percent

# With attempts and answers, one enrollment may be as large as a hundred others.
_PAGE_SIZE = 10


class ExportedAttempt(Struct, frozen=True):
    """One attempt at a module. `status`: unknown, incomplete, completed, passed or failed."""

    number: int
    started_at: Timestamp
    ended_at: Timestamp | None
    status: str
    progress: Percent
    score: Percent | None


class UnrecordedWork(Struct, frozen=True):
    """Work at a module that came too late to count. `outcome` is the reason, `status` what the package
    reported, and `done_at` the time by the browser's clock."""

    outcome: str
    status: str
    score: float | None
    answers: int
    done_at: Timestamp | None
    received_at: Timestamp


class ModuleTranscript(Struct, frozen=True):
    """A module of the course with all its attempts, the answers of the latest attempt that has any, and the
    work that could not be recorded."""

    module_id: UUID
    position: int
    title: str
    type: str
    duration_minutes: int
    required: bool
    progress: Percent
    score: Percent | None
    completed_at: Timestamp | None
    attempts: list[ExportedAttempt] = []
    answers: list[Interaction] = []
    unrecorded: list[UnrecordedWork] = []


class Transcript(Struct, frozen=True, omit_defaults=True):
    """One enrollment, module by module. `cancelled_at` is left out unless the enrollment is cancelled."""

    enrollment_id: UUID
    course_id: UUID
    course_title: str
    score: Percent | None
    modules: list[ModuleTranscript]
    cancelled_at: Timestamp | None = None


async def _load_transcripts(tx: Tx, page: Sequence[EnrollmentRecord]) -> Sequence[Transcript]:
    titles = await load_titles(tx, page)
    modules = await load_modules(tx, [enrollment.id for enrollment in page])
    return [
        Transcript(
            enrollment_id=enrollment.id,
            course_id=enrollment.course_id,
            course_title=titles[enrollment.course_id],
            score=enrollment.score,
            modules=modules.get(enrollment.id, []),
            cancelled_at=enrollment.cancelled_at,
        )
        for enrollment in page
    ]


async def load_modules(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, list[ModuleTranscript]]:
    """Returns the modules of each enrollment in the order of the course.

    A module that was removed from the course is included if the learner had begun it.
    """
    attempts = await _load_attempts(tx, enrollment_ids)
    unrecorded = await _load_unrecorded_work(tx, enrollment_ids)
    answers = await enrollment_answers.list_all(tx, enrollment_ids)
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
    by_enrollment: dict[UUID, list[ModuleTranscript]] = {}
    for row, module in zip(rows, structs_of(ModuleTranscript, rows), strict=True):
        enrollment_id, module_id = row["enrollment_id"], row["module_id"]
        whole = structs.replace(
            module,
            attempts=attempts.get((enrollment_id, module_id), []),
            answers=[answer for answer in answers.get(enrollment_id, ()) if answer.module_id == module_id],
            unrecorded=unrecorded.get((enrollment_id, module_id), []),
        )
        by_enrollment.setdefault(enrollment_id, []).append(whole)
    return by_enrollment


async def _load_attempts(
    tx: Tx, enrollment_ids: Sequence[UUID]
) -> dict[tuple[UUID, UUID], list[ExportedAttempt]]:
    """By enrollment and module, first to last."""
    rows = await tx.rows(
        """
        SELECT enrollment_id, module_id, number, started_at, ended_at,
               CASE WHEN success = 'unknown' THEN completion ELSE success END AS status, progress, score
        FROM attempts WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids)
        ORDER BY enrollment_id, module_id, number
        """,
        ids=enrollment_ids,
    )
    by_module: dict[tuple[UUID, UUID], list[ExportedAttempt]] = {}
    for row, attempt in zip(rows, structs_of(ExportedAttempt, rows), strict=True):
        by_module.setdefault((row["enrollment_id"], row["module_id"]), []).append(attempt)
    return by_module


async def _load_unrecorded_work(
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
    by_module: dict[tuple[UUID, UUID], list[UnrecordedWork]] = {}
    for row, work in zip(rows, structs_of(UnrecordedWork, rows), strict=True):
        by_module.setdefault((row["enrollment_id"], row["module_id"]), []).append(work)
    return by_module


EXPORT = (ExportPart("transcripts", Transcript, export_by_enrollment(_load_transcripts, _PAGE_SIZE)),)
