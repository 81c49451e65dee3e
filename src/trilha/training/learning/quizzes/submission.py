"""Hands an attempt in: grades what a computer can grade, and tells who has to know."""

from uuid import UUID, uuid4

from trilha.core.database import Tx
from trilha.core.types import Timestamp
from trilha.platform.events.catalogue import VoiceActivityCompleted
from trilha.platform.events.outbox import emit
from trilha.training.learning.attempts import events as attempt_events
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.launches.schema import Launch
from trilha.training.learning.quizzes import queries, rules
from trilha.training.learning.quizzes.rules import Answers
from trilha.training.reminders import actions as reminders
from trilha.training.scorm.runtime.mapping import State


async def hand_in(
    tx: Tx,
    head: LogHead,
    attempt: Attempt,
    quiz: QuizAttempt,
    answers: Answers,
    *,
    launch: Launch | None = None,
) -> State:
    """Grades the answers, and emits one event for each voice answer. There is no launch if the time is over.

    The caller appends to the log and records the progress.
    """
    points = rules.grade_answers(quiz, answers)
    voices = {question.id for question in quiz.questions if question.kind == "voice"} & set(answers)
    # Graders open a voice answer by its recording's id, and an essay by an id of its own.
    answer_ids = {
        id: UUID(str(answers[id].response)) if id in voices else uuid4()
        for id, earned in points.items()
        if earned is None
    }
    bank_ids = {question.id: question.bank_question_id for question in quiz.questions}
    await queries.hand_in(tx, attempt.id, points, answer_ids, bank_ids, decided=None not in points.values())
    answers = await queries.list_answers(tx, attempt.id)
    state = rules.compute_final_state(quiz, answers)
    await attempt_queries.store_interactions(tx, attempt.id, rules.build_interactions(quiz, answers))
    event = VoiceActivityCompleted(
        enrollment_id=head.enrollment_id,
        user_id=head.user_id,
        course_id=head.course_id,
        module_id=attempt.module_id,
        completed_at=Timestamp.of(tx.now),
    )
    await emit(tx, *[event] * len(voices))
    if None in points.values():
        teachers = await queries.list_teachers(tx, head.course_id)
        await reminders.make_again(
            tx, [(each, head.enrollment_id, "voice_answer_waiting") for each in teachers]
        )
    await store_final_state(tx, head, attempt, state, launch=launch, ended=True)
    return state


async def store_final_state(
    tx: Tx,
    head: LogHead,
    attempt: Attempt,
    state: State,
    *,
    launch: Launch | None = None,
    ended: bool = False,
) -> None:
    """Stores the state of an attempt that was handed in, and emits its assessment events."""
    events = attempt_events.list_new_events(attempt.last_event, state, attempted=True)
    last_event = events[-1] if events else attempt.last_event
    await queries.update_attempt(tx, attempt, state, last_event=last_event, launch=launch, ended=ended)
    await attempt_events.emit_assessments(tx, head, attempt, state, events)
