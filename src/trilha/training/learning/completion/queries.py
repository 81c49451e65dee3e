"""The SQL of what a course requires and of the learners' progress in its modules."""

from collections.abc import Sequence
from uuid import UUID

from trilha.core.database import Tx, structs_of
from trilha.training.courses import workloads
from trilha.training.learning.completion.schema import (
    CourseModule,
    CourseProgress,
    IdentityPhotos,
    ModuleEnd,
    ModuleOverview,
    ModuleProgress,
    PracticeResult,
    Presence,
    Requirements,
)
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.scorm.runtime.mapping import State

_WORKLOAD_KIND, _DELIVERY = workloads.build_columns("m")


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


async def get_course_progress(tx: Tx, enrollment_id: UUID, course_id: UUID) -> CourseProgress:
    """Returns what the course of an existing enrollment requires, and how far the enrollment is in it.

    A module that was removed from the course keeps its progress; one that was never opened has none.
    """
    rows = await tx.rows(
        """
        SELECT c.regulation, e.progress AS percent, e.score AS mean_score,
               m.id, m.duration_minutes, m.required, m.type IN ('SCORM', 'CMI5') AS claimed,
               m.type IN ('CLASS', 'PRACTICE') AS attended, m.type = 'PRACTICE' AS assessed,
               p.module_id, p.progress, p.score, p.completed_at IS NOT NULL AS completed,
               p.credited_seconds AS seconds,
               identity.required AS photos, identity.confirmed AS confirmed_photos
        FROM all_enrollments e
        JOIN courses c ON c.tenant_id = e.tenant_id AND c.id = e.course_id
        LEFT JOIN LATERAL (
            SELECT required,
                   CASE WHEN EXISTS (SELECT FROM identity_confirmations
                                     WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id)
                        THEN required ELSE confirmed END AS confirmed
            FROM (
                SELECT COALESCE(NULLIF((SELECT count(*) FROM identity_checks
                                        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id), 0),
                                2 + r.random_photos) AS required,
                       (SELECT count(*) FROM identity_checks
                        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
                              AND status IN ('MATCHED', 'ACCEPTED')) AS confirmed
                FROM identity_rules r JOIN identity_settings s ON s.tenant_id = :tenant AND s.enabled
                WHERE r.tenant_id = :tenant AND r.course_id = :course_id AND r.blocking) AS counted
            ) AS identity ON true
        LEFT JOIN (
            (SELECT * FROM modules WHERE tenant_id = :tenant AND course_id = :course_id) AS m
            FULL JOIN (SELECT * FROM module_progress
                       WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id) AS p
            ON p.module_id = m.id) ON true
        WHERE e.tenant_id = :tenant AND e.id = :enrollment_id ORDER BY m.position
        """,
        enrollment_id=enrollment_id,
        course_id=course_id,
    )
    regulation = rows[0]["regulation"] or {}
    requirements = Requirements(
        modules=structs_of(CourseModule, [row for row in rows if row["id"]]),
        workload_minutes=regulation.get("minimum_workload_minutes", 0),
        score=regulation.get("minimum_score", 0),
        sequential=regulation.get("sequential", False),
        identity=IdentityPhotos(rows[0]["photos"], rows[0]["confirmed_photos"])
        if rows[0]["photos"]
        else None,
    )
    opened = [row for row in rows if row["module_id"]]
    modules = zip((row["module_id"] for row in opened), structs_of(ModuleProgress, opened), strict=True)
    return CourseProgress(requirements, dict(modules), rows[0]["percent"], rows[0]["mean_score"])


async def list_module_overviews(
    tx: Tx, enrollment_id: UUID, course_id: UUID, language: str = ""
) -> list[ModuleOverview]:
    """Lists the modules in the order of the course, without `locked_by`. Titles are in a `language` of the
    course where they are translated.
    """
    return await tx.list(
        ModuleOverview,
        f"""
        SELECT m.id, m.position, COALESCE(w.title, m.title) AS title,
               COALESCE(w.language, '') AS title_language, m.type, m.duration_minutes, m.required,
               {_WORKLOAD_KIND} AS workload_kind, {_DELIVERY} AS delivery,
               COALESCE(p.progress, 0) AS progress, p.score, COALESCE(a.number, 0) AS attempts,
               COALESCE(a.success = 'failed', false) AS failed, p.started_at, p.completed_at,
               '{{}}'::uuid[] AS locked_by
        FROM modules m
        LEFT JOIN module_progress p ON p.tenant_id = :tenant AND p.enrollment_id = :enrollment_id
             AND p.module_id = m.id
        LEFT JOIN module_translations w ON w.tenant_id = :tenant AND w.module_id = m.id
             AND w.language = :language
        LEFT JOIN LATERAL (
            SELECT number, success FROM attempts
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = m.id
            ORDER BY number DESC LIMIT 1) AS a ON true
        WHERE m.tenant_id = :tenant AND m.course_id = :course_id ORDER BY m.position
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        course_id=course_id,
        language=language,
    )


async def list_attempt_states(tx: Tx, enrollment_id: UUID, module_id: UUID) -> list[State]:
    """Lists the states of all attempts at a module."""
    rows = await tx.rows(
        """
        SELECT completion, success, score, progress FROM attempts
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
        ORDER BY number
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    return [State(**row) for row in rows]


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


async def set_module_progress(
    tx: Tx, enrollment_id: UUID, module_id: UUID, progress: ModuleProgress, end: ModuleEnd | None = None
) -> None:
    """Stores what `raise_progress` returned, and with `end` that this completes the module.

    The caller has held the head's lock since it read the module.
    """
    await tx.execute(
        """
        UPDATE module_progress SET progress = :progress, score = :score,
            completed_at = CASE WHEN :completed THEN COALESCE(completed_at, CAST(:now AS timestamptz)) END,
            percent_after = COALESCE(percent_after, :percent_after), xp_after = COALESCE(xp_after, :xp_after)
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
        progress=progress.progress,
        score=progress.score,
        completed=progress.completed,
        percent_after=end and end.percent,
        xp_after=end and end.xp,
    )


async def set_module_seconds(tx: Tx, enrollment_id: UUID, module_id: UUID, seconds: float) -> None:
    """Sets how long the learner was present in the class of a module."""
    await tx.execute(
        """
        UPDATE module_progress SET credited_seconds = :seconds
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
        seconds=seconds,
    )


async def list_presences(tx: Tx, enrollment_id: UUID, course_id: UUID) -> list[Presence]:
    """Lists the presence of an enrollment in each class in which its person has a place. Cancelled classes
    and sessions do not count.
    """
    return await tx.list(
        Presence,
        """
        SELECT m.id AS module_id, m.presence_percent AS percent,
               sum(LEAST(COALESCE(a.minutes, 0), s.length))::int AS minutes, sum(s.length)::int AS length
        FROM class_registrations r
        JOIN classes c ON c.tenant_id = :tenant AND c.id = r.class_id AND c.cancelled_at IS NULL
        JOIN modules m ON m.tenant_id = :tenant AND m.id = c.module_id AND m.course_id = :course_id
        JOIN (SELECT id, class_id, floor(extract(epoch FROM ends_at - starts_at) / 60)::int AS length
              FROM class_sessions
              WHERE tenant_id = :tenant AND cancelled_at IS NULL) AS s ON s.class_id = c.id
        LEFT JOIN class_attendance a
               ON a.tenant_id = :tenant AND a.session_id = s.id AND a.user_id = r.user_id
        WHERE r.tenant_id = :tenant AND r.enrollment_id = :enrollment_id AND r.status = 'REGISTERED'
        GROUP BY m.id, m.presence_percent, c.id
        """,
        enrollment_id=enrollment_id,
        course_id=course_id,
    )


async def list_practice_results(tx: Tx, enrollment_id: UUID, course_id: UUID) -> list[PracticeResult]:
    """Lists the practical modules in which an enrollment was assessed. Annulled assessments do not count."""
    return await tx.list(
        PracticeResult,
        """
        SELECT a.module_id,
               bool_or(a.result = 'SATISFACTORY' AND a.learner_signed_at IS NOT NULL) AS passed
        FROM practice_assessments a
        JOIN modules m ON m.tenant_id = :tenant AND m.id = a.module_id AND m.course_id = :course_id
        WHERE a.tenant_id = :tenant AND a.enrollment_id = :enrollment_id
          AND a.assessor_signed_at IS NOT NULL AND a.annulled_at IS NULL
        GROUP BY a.module_id
        """,
        enrollment_id=enrollment_id,
        course_id=course_id,
    )


async def set_xp_after_course(tx: Tx, head: LogHead, xp: int) -> None:
    """Stores the person's points right after the course was completed."""
    await tx.execute(
        "UPDATE learning_heads SET xp_after = :xp WHERE tenant_id = :tenant AND enrollment_id = :id",
        id=head.enrollment_id,
        xp=xp,
    )


async def start_module(tx: Tx, enrollment_id: UUID, module_id: UUID) -> None:
    """Notes that the learner opens the module, and the course's progress before that.

    The time of the first opening stays. After the module was completed, nothing changes.
    """
    await tx.execute(
        """
        INSERT INTO module_progress AS p (tenant_id, enrollment_id, module_id, started_at, percent_before)
        SELECT CAST(:tenant AS uuid), id, CAST(:module_id AS uuid), CAST(:now AS timestamptz), progress
        FROM all_enrollments WHERE tenant_id = :tenant AND id = :enrollment_id
        ON CONFLICT (tenant_id, enrollment_id, module_id)
        DO UPDATE SET percent_before = excluded.percent_before WHERE p.completed_at IS NULL
        RETURNING p.module_id
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
