"""The SQL of launches, attempts and what they reach. The head's lock comes first: see migration 43."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct, structs

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.types import to_json
from trilha.courses.schema import ModuleType
from trilha.learning.criteria import Demands, Part, Reached
from trilha.learning.rules import Credited
from trilha.learning.schema import Attempt, Entry, Head, Launch, LaunchedFrom, Module
from trilha.scorm.runtime.interactions import Interaction
from trilha.scorm.runtime.mapping import State

_HEAD = f"""
    SELECT {columns_of(Head).replace("user_id", "e.user_id").replace("course_id", "e.course_id")}
    FROM learning_heads h
    JOIN enrollments e ON e.tenant_id = h.tenant_id AND e.id = h.enrollment_id
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
        SELECT c.regulation, m.id, m.duration_minutes, m.required
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
        SELECT module_id, progress, score, completed_at IS NOT NULL AS met FROM module_progress
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        """,
        enrollment_id=enrollment_id,
    )
    return {row["module_id"]: reached for row, reached in zip(rows, structs_of(Reached, rows), strict=True)}


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
        **structs.asdict(reached),
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


class LastAttempt(Struct, frozen=True):
    """With what content kept in it, and its time by the server's clock."""

    attempt: Attempt
    cmi: dict[str, Any] | None
    seconds: float


async def find_last_attempt(tx: Tx, enrollment_id: UUID, module_id: UUID) -> LastAttempt | None:
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Attempt)}, cmi, (
            SELECT COALESCE(sum(l.credited_seconds), 0) FROM launches l
            WHERE l.tenant_id = :tenant AND l.attempt_id = attempts.id) AS seconds
        FROM attempts
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
        ORDER BY number DESC LIMIT 1
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        module_id=module_id,
    )
    if not rows:
        return None
    cmi = rows[0]["cmi"]
    return LastAttempt(
        structs_of(Attempt, rows)[0], None if cmi is None else msgspec.json.decode(cmi), rows[0]["seconds"]
    )


async def insert_attempt(tx: Tx, enrollment_id: UUID, module_id: UUID, number: int, **scorm: Any) -> Attempt:
    attempt = await tx.find(
        Attempt,
        f"""
        INSERT INTO attempts (tenant_id, enrollment_id, module_id, number, package_id, item, version,
                              settings, started_at)
        VALUES (:tenant, :enrollment_id, :module_id, :number, :package_id, :item, :version, :settings, :now)
        RETURNING {columns_of(Attempt)}
        """,  # noqa: S608
        enrollment_id=enrollment_id,
        module_id=module_id,
        number=number,
        **({"package_id": None, "item": None, "version": None, "settings": {}} | scorm),
    )
    assert attempt is not None
    return attempt


async def insert_launch(
    tx: Tx, attempt: Attempt, fingerprint: bytes, browser: LaunchedFrom, *, review: bool
) -> UUID:
    """Its id. Earlier launches of the same module are superseded by it."""
    launch_id: UUID = await tx.value(
        """
        INSERT INTO launches (tenant_id, number, enrollment_id, attempt_id, fingerprint, review, beat_at,
                              seen_at, source, agent, started_at)
        SELECT :tenant, COALESCE(max(number), 0) + 1, :enrollment_id, :attempt_id, :fingerprint, :review,
               :now, :now, :source, :agent, :now
        FROM launches WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        RETURNING id
        """,
        enrollment_id=attempt.enrollment_id,
        attempt_id=attempt.id,
        fingerprint=fingerprint,
        review=review,
        source=browser.source,
        agent=browser.agent,
    )
    await tx.execute(
        """
        UPDATE launches SET superseded_by = :launch_id
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND superseded_by IS NULL
          AND id <> :launch_id AND attempt_id IN (
              SELECT id FROM attempts WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
                AND module_id = :module_id)
        """,
        launch_id=launch_id,
        enrollment_id=attempt.enrollment_id,
        module_id=attempt.module_id,
    )
    return launch_id


async def find_enrollment_of(tx: Tx, launch_id: UUID) -> UUID | None:
    found: UUID | None = await tx.value(
        "SELECT enrollment_id FROM launches WHERE tenant_id = :tenant AND id = :launch_id",
        launch_id=launch_id,
    )
    return found


async def get_launch(tx: Tx, launch_id: UUID) -> tuple[Launch, Attempt]:
    """Of a launch that is there, as it is under the head's lock."""
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Launch, "l")}, {columns_of(Attempt, "a")}
        FROM launches l JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,  # noqa: S608
        launch_id=launch_id,
    )
    return structs_of(Launch, rows, "l")[0], structs_of(Attempt, rows, "a")[0]


async def get_cmi(tx: Tx, attempt_id: UUID) -> dict[str, Any]:
    cmi = await tx.value(
        "SELECT cmi FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id", attempt_id=attempt_id
    )
    return msgspec.json.decode(cmi) if cmi else {}


async def take_commit(tx: Tx, launch: Launch, sequence: int, hash: bytes, *, final: bool) -> None:
    """It is the launch's last one from now on."""
    await tx.execute(
        """
        UPDATE launches SET last_sequence = :sequence, last_hash = :hash, seen_at = :now,
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch.id,
        sequence=sequence,
        hash=hash,
        final=final,
    )


async def update_attempt(
    tx: Tx, attempt: Attempt, launch: Launch, state: State, cmi: dict[str, Any], told: str, *, final: bool
) -> None:
    await tx.execute(
        """
        WITH hinted AS (
            UPDATE launches SET session_seconds = COALESCE(:session_seconds, session_seconds)
            WHERE tenant_id = :tenant AND id = :launch_id)
        UPDATE attempts SET completion = :completion, success = :success, score = :score,
            progress = :progress, cmi = :cmi, exit = :exit, terminated = :final, told = :told,
            newest_launch = GREATEST(newest_launch, :launch_number),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        launch_id=launch.id,
        launch_number=launch.number,
        session_seconds=state.session_seconds,
        cmi=to_json(cmi).decode(),
        told=told,
        final=final,
        **{name: getattr(state, name) for name in ("completion", "success", "score", "progress", "exit")},
    )


async def list_interactions(tx: Tx, attempt_id: UUID) -> list[Interaction]:
    rows = await tx.rows(
        f"""
        SELECT {columns_of(Interaction)} FROM interactions
        WHERE tenant_id = :tenant AND attempt_id = :attempt_id
        """,  # noqa: S608
        attempt_id=attempt_id,
    )
    return [Interaction(**row) for row in rows]


_TYPES = {"index": "int", "latency_seconds": "float8", "weighting": "float8"}
_TAKEN = Interaction.__struct_fields__


async def write_interactions(tx: Tx, attempt_id: UUID, changed: Sequence[Interaction]) -> None:
    await tx.execute(
        f"""
        INSERT INTO interactions (tenant_id, attempt_id, {", ".join(_TAKEN)}, updated_at)
        SELECT :tenant, :attempt_id, new.*, :now
        FROM unnest({", ".join(f":{name}::{_TYPES.get(name, 'text')}[]" for name in _TAKEN)}) AS new
        ON CONFLICT (tenant_id, attempt_id, index) DO UPDATE SET
            {", ".join(f"{name} = excluded.{name}" for name in _TAKEN[1:])}, updated_at = excluded.updated_at
        """,  # noqa: S608
        attempt_id=attempt_id,
        **{name: [getattr(each, name) for each in changed] for name in _TAKEN},
    )


async def lock_clock(tx: Tx, user_id: UUID) -> Credited | None:
    """By which launch this person was last credited."""
    rows = await tx.rows(
        """
        SELECT launch_id, credited_until FROM learner_clocks
        WHERE tenant_id = :tenant AND user_id = :user_id FOR UPDATE
        """,
        user_id=user_id,
    )
    return Credited(rows[0]["launch_id"], datetime.fromisoformat(rows[0]["credited_until"])) if rows else None


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


async def note_beat(tx: Tx, launch_id: UUID, seconds: float) -> None:
    await tx.execute(
        """
        UPDATE launches SET beat_at = :now, seen_at = :now, credited_seconds = credited_seconds + :seconds
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch_id,
        seconds=seconds,
    )


async def add_trace(tx: Tx, launch_id: UUID, calls: Sequence[Any]) -> bool:
    """False where the trace is full."""
    added = await tx.execute(
        """
        INSERT INTO launch_traces (tenant_id, launch_id, number, calls, at)
        SELECT :tenant, :launch_id, count(*) + 1, :calls, :now FROM launch_traces
        WHERE tenant_id = :tenant AND launch_id = :launch_id HAVING count(*) < 200
        ON CONFLICT DO NOTHING
        """,
        launch_id=launch_id,
        calls=list(calls),
    )
    return added == 1


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


class Material(Struct, frozen=True):
    """What a launch is of. It never changes."""

    launch_id: UUID
    attempt_id: UUID
    enrollment_id: UUID
    module_id: UUID
    module_type: ModuleType
    package_id: UUID | None
    sha256: str | None  # the package's


async def find_material(tx: Tx, launch_id: UUID) -> Material | None:
    return await tx.find(
        Material,
        """
        SELECT l.id AS launch_id, a.id AS attempt_id, l.enrollment_id, a.module_id, m.type AS module_type,
               a.package_id, p.sha256
        FROM launches l
        JOIN attempts a ON a.tenant_id = l.tenant_id AND a.id = l.attempt_id
        JOIN modules m ON m.tenant_id = a.tenant_id AND m.id = a.module_id
        LEFT JOIN packages p ON p.tenant_id = a.tenant_id AND p.id = a.package_id
        WHERE l.tenant_id = :tenant AND l.id = :launch_id
        """,
        launch_id=launch_id,
    )


async def get_attempt_as_left(tx: Tx, launch_id: UUID) -> LastAttempt:
    """The attempt of a launch that is there."""
    _, attempt = await get_launch(tx, launch_id)
    rows = await tx.rows(
        """
        SELECT cmi, (SELECT COALESCE(sum(l.credited_seconds), 0) FROM launches l
                     WHERE l.tenant_id = :tenant AND l.attempt_id = attempts.id) AS seconds
        FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
    )
    cmi = rows[0]["cmi"]
    return LastAttempt(attempt, None if cmi is None else msgspec.json.decode(cmi), rows[0]["seconds"])


async def find_sequencing(tx: Tx, enrollment_id: UUID, package_id: UUID) -> str | None:
    """The state of the runtime's activities, as JSON."""
    found: str | None = await tx.value(
        """
        SELECT state FROM sequencing_states
        WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND package_id = :package_id
        """,
        enrollment_id=enrollment_id,
        package_id=package_id,
    )
    return found


async def keep_sequencing(tx: Tx, enrollment_id: UUID, package_id: UUID, state: str) -> None:
    await tx.execute(
        """
        INSERT INTO sequencing_states (tenant_id, enrollment_id, package_id, state, updated_at)
        VALUES (:tenant, :enrollment_id, :package_id, :state, :now)
        ON CONFLICT (tenant_id, enrollment_id, package_id)
        DO UPDATE SET state = excluded.state, updated_at = excluded.updated_at
        """,
        enrollment_id=enrollment_id,
        package_id=package_id,
        state=state,
    )
