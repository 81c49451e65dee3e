"""The SQL of enrollments' logs, of what is reached in them, and of people's clocks.

The head's lock comes first: see migration 43.
"""

from collections.abc import Sequence
from datetime import datetime
from uuid import UUID

from msgspec import Struct

from trilha.certificates.schema import Evidence
from trilha.core.database import Tx, columns_of, structs_of
from trilha.learning.criteria import Demands, Part, Reached
from trilha.learning.rules import Credited
from trilha.learning.schema import Attempt, Entry, Head, Module, ModuleOverview

_OF_THE_ENROLLMENT = {
    "user_id": "e.user_id",
    "course_id": "e.course_id",
    # From the instant on, whenever it is stored. What is cancelled is over for whoever has it open.
    "status": """CASE WHEN e.status IN ('NOT_STARTED', 'IN_PROGRESS')
                           AND (e.expires_at <= :now OR e.cancelled_at IS NOT NULL)
                      THEN 'EXPIRED' ELSE e.status END AS status""",
}
_COLUMNS = (_OF_THE_ENROLLMENT.get(each, f"h.{each}") for each in Head.__struct_fields__)
_HEAD = f"""
    SELECT {", ".join(_COLUMNS)}
    FROM learning_heads h
    JOIN all_enrollments e ON e.tenant_id = h.tenant_id AND e.id = h.enrollment_id
    WHERE h.tenant_id = :tenant AND h.enrollment_id = :enrollment_id
"""  # noqa: S608


async def lock_head(tx: Tx, enrollment_id: UUID) -> Head:
    """The end of the log of an enrollment that is there. Everything else of it waits for this transaction."""
    locked = await tx.find(Head, f"{_HEAD} FOR UPDATE OF h", enrollment_id=enrollment_id)
    if locked is None:
        await tx.execute(
            """
            INSERT INTO learning_heads (tenant_id, enrollment_id) VALUES (:tenant, :enrollment_id)
            ON CONFLICT (tenant_id, enrollment_id) DO NOTHING
            """,
            enrollment_id=enrollment_id,
        )
        locked = await tx.find(Head, f"{_HEAD} FOR UPDATE OF h", enrollment_id=enrollment_id)
    assert locked is not None
    return locked


async def find_head(tx: Tx, enrollment_id: UUID) -> Head | None:
    return await tx.find(Head, _HEAD, enrollment_id=enrollment_id)


async def note_told(tx: Tx, head: Head) -> None:
    await tx.execute(
        """
        UPDATE learning_heads SET told_progress = :told_progress, told_at = :told_at
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=head.enrollment_id,
        told_progress=head.told_progress,
        told_at=head.told_at,
    )


async def list_modules(tx: Tx, course_id: UUID) -> list[Module]:
    return await tx.list(
        Module,
        f"""
        SELECT {columns_of(Module)} FROM modules
        WHERE tenant_id = :tenant AND course_id = :course_id ORDER BY position
        """,  # noqa: S608
        course_id=course_id,
    )


class Course(Struct, frozen=True):
    """What decides on completing it."""

    demands: Demands
    parts: list[Part]


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
    demands = Demands(
        workload_minutes=asked.get("minimum_workload_minutes", 0),
        score=asked.get("minimum_score", 0),
        sequential=asked.get("sequential", False),
    )
    return Course(demands, structs_of(Part, [row for row in rows if row["id"]]))


async def list_reached(tx: Tx, enrollment_id: UUID) -> dict[UUID, Reached]:
    rows = await tx.rows(
        """
        SELECT module_id, progress, score, completed_at IS NOT NULL AS met, credited_seconds AS seconds
        FROM module_progress
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=enrollment_id,
    )
    return {row["module_id"]: reached for row, reached in zip(rows, structs_of(Reached, rows), strict=True)}


async def list_overviews(tx: Tx, enrollment_id: UUID, course_id: UUID) -> list[ModuleOverview]:
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


class Raised(Struct, frozen=True):
    """`completed`: for the first time."""

    completed: bool


async def raise_reached(tx: Tx, attempt: Attempt, reached: Reached) -> bool:
    """The best of each, from now on. Whether the module is completed for the first time."""
    raised = await tx.find(
        Raised,
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
        enrollment_id=attempt.enrollment_id,
        module_id=attempt.module_id,
        progress=reached.progress,
        score=reached.score,
        met=reached.met,
    )
    return raised is not None and raised.completed


async def open_module(tx: Tx, enrollment_id: UUID, module_id: UUID) -> None:
    await tx.execute(
        """
        INSERT INTO module_progress (tenant_id, enrollment_id, module_id, started_at)
        VALUES (:tenant, :enrollment_id, :module_id, :now)
        ON CONFLICT (tenant_id, enrollment_id, module_id) DO NOTHING
        """,
        enrollment_id=enrollment_id,
        module_id=module_id,
    )


async def count_begun(tx: Tx, module_ids: Sequence[UUID]) -> dict[UUID, int]:
    """How many have begun each of these modules; those that nobody has are left out."""
    rows = await tx.rows(
        """
        SELECT module_id, count(*) AS people FROM module_progress
        WHERE tenant_id = :tenant AND module_id = ANY(:module_ids) GROUP BY module_id
        """,
        module_ids=list(module_ids),
    )
    return {row["module_id"]: row["people"] for row in rows}


async def lock_clock(tx: Tx, user_id: UUID) -> Credited | None:
    """By which launch this person was last credited."""
    rows = await tx.rows(
        """
        SELECT launch_id, credited_until, studied_until FROM learner_clocks
        WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,
        user_id=user_id,
    )
    if not rows:
        return None
    until, studied = rows[0]["credited_until"], rows[0]["studied_until"]
    return Credited(
        rows[0]["launch_id"],
        datetime.fromisoformat(until),
        datetime.fromisoformat(studied) if studied else None,
    )


async def set_clock(tx: Tx, user_id: UUID, launch_id: UUID) -> None:
    await tx.execute(
        """
        INSERT INTO learner_clocks (tenant_id, user_id, launch_id, credited_until)
        VALUES (:tenant, :user_id, :launch_id, :now)
        ON CONFLICT (tenant_id, user_id)
        DO UPDATE SET launch_id = excluded.launch_id,
                      credited_until = GREATEST(learner_clocks.credited_until, excluded.credited_until)
        """,
        user_id=user_id,
        launch_id=launch_id,
    )


async def set_studied_until(tx: Tx, user_id: UUID, until: datetime) -> None:
    """Of a clock that is locked by this transaction."""
    await tx.execute(
        """
        UPDATE learner_clocks SET studied_until = :until
        WHERE tenant_id = :tenant AND user_id = :user_id
        """,
        user_id=user_id,
        until=until,
    )


async def list_entries(tx: Tx, enrollment_id: UUID, after: int, most: int = 500) -> list[Entry]:
    return await tx.list(
        Entry,
        f"""
        SELECT {columns_of(Entry)} FROM learning_log
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND number > :after
        ORDER BY number LIMIT :most
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        after=after,
        most=most,
    )


async def list_logged(tx: Tx, after: UUID, most: int = 500) -> list[UUID]:
    """Enrollments with a log, in the order of their ids."""
    rows = await tx.rows(
        """
        SELECT enrollment_id FROM learning_heads
        WHERE tenant_id = :tenant AND enrollment_id > :after ORDER BY enrollment_id LIMIT :most
        """,
        after=after,
        most=most,
    )
    return [row["enrollment_id"] for row in rows]


async def list_completions(tx: Tx, enrollment_ids: Sequence[UUID]) -> dict[UUID, Evidence]:
    """By enrollment, the entry of its log that says that it was completed, where there is one."""
    rows = await tx.rows(
        """
        SELECT DISTINCT ON (enrollment_id) enrollment_id, number, hash FROM learning_log
        WHERE tenant_id = :tenant AND enrollment_id = ANY(:ids) AND kind = 'completed'
        ORDER BY enrollment_id, number DESC
        """,
        ids=enrollment_ids,
    )
    return {row["enrollment_id"]: Evidence(row["number"], row["hash"]) for row in rows}
