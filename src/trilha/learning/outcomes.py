"""What events tell of attempts."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.events.catalogue import (
    AssessmentAttempted,
    AssessmentFailed,
    AssessmentPassed,
    Event,
    VoiceActivityCompleted,
)
from trilha.events.outbox import emit
from trilha.learning import quiz_queries, quiz_rules
from trilha.learning.schema import Attempt, Head, Launch
from trilha.scorm.runtime.mapping import State


def assessment_events(head: Head, attempt: Attempt, state: State, told: Sequence[str]) -> list[Event]:
    members: dict[str, Any] = {
        "enrollment_id": attempt.enrollment_id,
        "user_id": head.user_id,
        "course_id": head.course_id,
        "module_id": attempt.module_id,
        "attempt": attempt.number,
        "score": state.score,
    }
    events: dict[str, Event] = {
        "attempted": AssessmentAttempted(**members),
        "passed": AssessmentPassed(**members),
        "failed": AssessmentFailed(**members),
    }
    return [events[each] for each in told]


def voice_events(head: Head, module_id: UUID, count: int, now: datetime) -> list[Event]:
    """One for each voice answer that is handed in."""
    event = VoiceActivityCompleted(
        enrollment_id=head.enrollment_id,
        user_id=head.user_id,
        course_id=head.course_id,
        module_id=module_id,
        completed_at=Timestamp.of(now),
    )
    return [event] * count


async def tell(
    tx: Tx, head: Head, attempt: Attempt, state: State, *, launch: Launch | None = None, ended: bool = False
) -> None:
    """Stores the state of an attempt at a quiz that is handed in, and tells what is new of it."""
    told = quiz_rules.to_tell(attempt.told, state)  # type: ignore[arg-type]
    last = told[-1] if told else attempt.told
    await quiz_queries.update_attempt(tx, attempt, state, told=last, launch=launch, ended=ended)
    await emit(tx, *assessment_events(head, attempt, state, told))
