"""The assessment events of an attempt."""

from collections.abc import Sequence
from typing import Any

from trilha.core.database import Tx
from trilha.events.catalogue import AssessmentAttempted, AssessmentFailed, AssessmentPassed, Event
from trilha.events.outbox import emit
from trilha.learning.attempts.schema import AssessmentEvent, Attempt
from trilha.learning.evidence.schema import LogHead
from trilha.scorm.runtime.mapping import State


async def emit_assessments(
    tx: Tx, head: LogHead, attempt: Attempt, state: State, events: Sequence[AssessmentEvent]
) -> None:
    members: dict[str, Any] = {
        "enrollment_id": attempt.enrollment_id,
        "user_id": head.user_id,
        "course_id": head.course_id,
        "module_id": attempt.module_id,
        "attempt": attempt.number,
        "score": state.score,
    }
    types: dict[str, type[Event]] = {
        "attempted": AssessmentAttempted,
        "passed": AssessmentPassed,
        "failed": AssessmentFailed,
    }
    await emit(tx, *(types[event](**members) for event in events))
