"""The SQL of what a commit stores."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.learning.attempts.schema import AssessmentEvent, Attempt
from trilha.learning.launches.schema import Launch
from trilha.scorm.runtime.mapping import State


async def get_cmi(tx: Tx, attempt_id: UUID) -> dict[str, Any]:
    """Returns the state that content has saved in the attempt."""
    sql = "SELECT cmi FROM attempts WHERE tenant_id = :tenant AND id = :attempt_id"
    cmi = await tx.value(sql, attempt_id=attempt_id)
    return msgspec.json.decode(cmi) if cmi else {}


async def store_commit(
    tx: Tx,
    attempt: Attempt,
    launch: Launch,
    state: State,
    cmi: dict[str, Any],
    *,
    last_event: AssessmentEvent,
    final: bool,
) -> None:
    await tx.execute(
        """
        WITH hinted AS (
            UPDATE launches SET session_seconds = COALESCE(:session_seconds, session_seconds)
            WHERE tenant_id = :tenant AND id = :launch_id)
        UPDATE attempts SET completion = :completion, success = :success, score = :score,
            progress = :progress, cmi = :cmi, exit = :exit, terminated = :final, told = :last_event,
            newest_launch = GREATEST(newest_launch, :launch_number),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        attempt_id=attempt.id,
        launch_id=launch.id,
        launch_number=launch.number,
        session_seconds=state.session_seconds,
        cmi=to_json(cmi).decode(),
        last_event=last_event,
        final=final,
        **{name: getattr(state, name) for name in ("completion", "success", "score", "progress", "exit")},
    )


async def store_sequencing_state(tx: Tx, enrollment_id: UUID, package_id: UUID, state: str) -> None:
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
