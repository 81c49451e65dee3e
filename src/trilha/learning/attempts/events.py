"""The events that tell subscribers of attempts."""

from collections.abc import Sequence
from typing import Any

from trilha.events.catalogue import AssessmentAttempted, AssessmentFailed, AssessmentPassed, Event
from trilha.learning.attempts.schema import Attempt
from trilha.learning.evidence.schema import LogHead
from trilha.scorm.runtime.mapping import State


def build_assessment_events(
    head: LogHead, attempt: Attempt, state: State, told: Sequence[str]
) -> list[Event]:
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
