"""The assessment events of an attempt."""

from collections.abc import Sequence
from typing import Any

from trilha.core.database import Tx
from trilha.platform.events.catalogue import AssessmentAttempted, AssessmentFailed, AssessmentPassed, Event
from trilha.platform.events.outbox import emit
from trilha.training.learning.attempts.schema import AssessmentEvent, Attempt
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.scorm.runtime.mapping import State


def list_new_events(last: AssessmentEvent, state: State, *, attempted: bool) -> Sequence[AssessmentEvent]:
    """Lists the events to emit now, after `last` was emitted.

    `attempted` says whether the attempt counts as made even if it is neither passed nor failed yet. A failed
    attempt may still be passed; a passed one stays passed.
    """
    if state.success == "unknown":
        return ["attempted"] if attempted and not last else []
    if last in (state.success, "passed"):
        return []
    return [state.success] if last else ["attempted", state.success]


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
    built: dict[str, Event] = {
        "attempted": AssessmentAttempted(**members),
        "passed": AssessmentPassed(**members),
        "failed": AssessmentFailed(**members),
    }
    await emit(tx, *(built[event] for event in events))
