"""The SQL of what a commit stores."""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import to_json
from trilha.training.learning.attempts.schema import AssessmentEvent, Attempt
from trilha.training.learning.evidence.schema import Change
from trilha.training.learning.launches.schema import Launch
from trilha.training.scorm.runtime.mapping import State


def store_commit(
    attempt: Attempt,
    launch: Launch,
    state: State,
    cmi: dict[str, Any],
    *,
    last_event: AssessmentEvent,
    final: bool,
) -> Change:
    return Change(
        """
        UPDATE attempts SET completion = :completion, success = :success, score = :score,
            progress = :progress, cmi = :cmi, exit = :exit, terminated = :final, told = :last_event,
            newest_launch = GREATEST(newest_launch, :launch_number),
            ended_at = CASE WHEN :final THEN CAST(:now AS timestamptz) ELSE ended_at END
        WHERE tenant_id = :tenant AND id = :attempt_id
        """,
        {
            **{name: getattr(state, name) for name in ("completion", "success", "score", "progress", "exit")},
            "attempt_id": attempt.id,
            "launch_number": launch.number,
            "cmi": to_json(cmi).decode(),
            "last_event": last_event,
            "final": final,
        },
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
