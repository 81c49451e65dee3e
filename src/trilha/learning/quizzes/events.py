"""What events tell of attempts."""

from datetime import datetime
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.events.catalogue import Event, VoiceActivityCompleted
from trilha.events.outbox import emit
from trilha.learning.attempts import events as attempt_events
from trilha.learning.attempts.schema import Attempt
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches.schema import Launch
from trilha.learning.quizzes import queries, rules
from trilha.scorm.runtime.mapping import State


def build_voice_events(head: LogHead, module_id: UUID, count: int, now: datetime) -> list[Event]:
    """One for each voice answer that is handed in."""
    event = VoiceActivityCompleted(
        enrollment_id=head.enrollment_id,
        user_id=head.user_id,
        course_id=head.course_id,
        module_id=module_id,
        completed_at=Timestamp.of(now),
    )
    return [event] * count


async def store_final_state(
    tx: Tx,
    head: LogHead,
    attempt: Attempt,
    state: State,
    *,
    launch: Launch | None = None,
    ended: bool = False,
) -> None:
    """Stores the state of an attempt at a quiz that is handed in, and tells what is new of it."""
    told = rules.list_new_events(attempt.told, state)  # type: ignore[arg-type]
    last = told[-1] if told else attempt.told
    await queries.update_attempt(tx, attempt, state, told=last, launch=launch, ended=ended)
    await emit(tx, *attempt_events.build_assessment_events(head, attempt, state, told))
