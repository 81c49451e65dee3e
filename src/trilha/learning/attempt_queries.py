"""The SQL of launches and attempts, under the lock of their enrollment's head."""

from collections.abc import Sequence
from typing import Any
from uuid import UUID

import msgspec
from msgspec import Struct

from trilha.core.database import Tx, columns_of, structs_of
from trilha.core.types import to_json
from trilha.learning.schema import Attempt, Launch, LaunchedFrom, Report
from trilha.scorm.runtime.interactions import Interaction
from trilha.scorm.runtime.mapping import State


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
                              seen_at, source, agent, session_id, started_at)
        SELECT :tenant, COALESCE(max(number), 0) + 1, :enrollment_id, :attempt_id, :fingerprint, :review,
               :now, :now, :source, :agent, :session_id, :now
        FROM launches WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id
        RETURNING id
        """,
        enrollment_id=attempt.enrollment_id,
        attempt_id=attempt.id,
        fingerprint=fingerprint,
        review=review,
        source=browser.source,
        agent=browser.agent,
        session_id=browser.session_id,
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
    """None also where an erasure has ended the launch."""
    found: UUID | None = await tx.value(
        """
        SELECT enrollment_id FROM launches
        WHERE tenant_id = :tenant AND id = :launch_id AND fingerprint <> ''
        """,
        launch_id=launch_id,
    )
    return found


async def hold(tx: Tx, launch_id: UUID) -> bool:
    """Whether it is there; an erasure that comes meanwhile waits for this transaction."""
    return bool(
        await tx.value(
            """
            SELECT true FROM launches
            WHERE tenant_id = :tenant AND id = :launch_id AND fingerprint <> '' FOR SHARE
            """,
            launch_id=launch_id,
        )
    )


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


async def note_late(tx: Tx, attempt: Attempt, launch: Launch) -> None:
    """A commit of a launch that was superseded has changed what newer ones began with."""
    await tx.execute(
        """
        UPDATE attempts SET late_commits = late_commits + 1, late_launch = :number
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        number=launch.number,
    )


async def take_commit(tx: Tx, launch: Launch, sent: Report, *, held: bool) -> None:
    """Notes a report as the launch's last one. One that was held does not bring the launch back to life."""
    await tx.execute(
        """
        UPDATE launches SET last_sequence = :sequence, last_hash = :hash,
            seen_at = CASE WHEN :held THEN seen_at ELSE CAST(:now AS timestamptz) END,
            left_out = GREATEST(left_out, :left_out),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch.id,
        sequence=sent.sequence,
        hash=sent.hash,
        final=sent.final,
        left_out=sent.left_out,
        held=held,
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


_TYPES = {"index": "int", "latency_seconds": "float8", "weighting": "float8"}
_TAKEN = Interaction.__struct_fields__


async def write_interactions(tx: Tx, attempt_id: UUID, answers: Sequence[Interaction]) -> None:
    """Those that are new or differ. What is stored is compared where it is: it may be megabytes.

    An answer of an earlier launch comes again with every commit, and may have taken longer than the launch
    that it comes with: that is no change.
    """
    compared = [name for name in _TAKEN if name not in ("index", "latency_seconds")]
    await tx.execute(
        f"""
        INSERT INTO interactions (tenant_id, attempt_id, {", ".join(_TAKEN)}, updated_at)
        SELECT :tenant, :attempt_id, new.*, :now
        FROM unnest({", ".join(f":{name}::{_TYPES.get(name, 'text')}[]" for name in _TAKEN)})
            AS new ({", ".join(_TAKEN)})
        WHERE NOT EXISTS (
            SELECT FROM interactions old
            WHERE old.tenant_id = :tenant AND old.attempt_id = :attempt_id AND old.index = new.index
              AND (new.latency_seconds IS NULL OR new.latency_seconds = old.latency_seconds)
              AND ({", ".join(f"new.{name}" for name in compared)})
                  IS NOT DISTINCT FROM ({", ".join(f"old.{name}" for name in compared)}))
        ON CONFLICT (tenant_id, attempt_id, index) DO UPDATE SET
            {", ".join(f"{name} = excluded.{name}" for name in _TAKEN[1:])}, updated_at = excluded.updated_at
        """,  # noqa: S608
        attempt_id=attempt_id,
        **{name: [getattr(each, name) for each in answers] for name in _TAKEN},
    )


async def note_beat(tx: Tx, launch: Launch, attempt: Attempt, seconds: float) -> None:
    """`seconds` are credited to the launch, and to its module."""
    await tx.execute(
        """
        WITH credited AS (
            UPDATE module_progress SET credited_seconds = credited_seconds + :seconds
            WHERE tenant_id = :tenant AND enrollment_id = :enrollment_id AND module_id = :module_id
              AND :seconds > 0)
        UPDATE launches SET beat_at = :now, seen_at = :now, credited_seconds = credited_seconds + :seconds
        WHERE tenant_id = :tenant AND id = :launch_id
        """,
        launch_id=launch.id,
        enrollment_id=attempt.enrollment_id,
        module_id=attempt.module_id,
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
