"""Decides which assessment events an attempt emits. No I/O, no clock."""

from collections.abc import Sequence

from trilha.learning.attempts.schema import AssessmentEvent
from trilha.scorm.runtime.mapping import State


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
