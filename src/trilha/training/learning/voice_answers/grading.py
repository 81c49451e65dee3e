"""Grades voice answers. The last grade of an attempt decides its score."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import Conflict, NotFound, invalid
from trilha.platform.audit import queries as audit
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.quizzes import actions as quizzes
from trilha.training.learning.quizzes import queries as quiz_queries
from trilha.training.learning.quizzes import rules as quiz_rules
from trilha.training.learning.voice_answers import queries
from trilha.training.quizzes.schema import Question


async def grade_voice_answer(
    tx: Tx, recording_id: UUID, *, points: float, comment: str, grader: UUID
) -> bool:
    """Returns whether the grade decides the score of the attempt. Until then it may be changed.

    Raises NotFound (voice_answer_not_found), Conflict (voice_answer_graded), and Invalid (out_of_range) for
    `points` above the question's weight.
    """
    recording = await queries.find_recording(tx, recording_id)
    attempt = await attempt_queries.find_attempt(tx, recording.attempt_id) if recording else None
    if recording is None or attempt is None:
        raise NotFound("voice_answer_not_found")
    head = await evidence_queries.lock_head(tx, attempt.enrollment_id)
    attempt = await attempt_queries.find_attempt(tx, recording.attempt_id)  # Read it again under the lock.
    quiz = await attempt_queries.find_quiz_attempt(tx, recording.attempt_id)
    assert attempt is not None
    assert quiz is not None
    question = next(question for question in quiz.questions if question.id == recording.question_id)
    if quiz.state == "OPEN":
        raise NotFound("voice_answer_not_found")
    if quiz.state == "GRADED":
        raise Conflict("voice_answer_graded")
    if not 0 <= points <= question.weight:
        raise invalid("points", "out_of_range")
    await queries.store_grade(
        tx, attempt.id, question.id, points=points, comment=comment.strip(), graded_by=grader
    )
    await audit.record(tx, "voice_answer.graded", recording_id, points=points, weight=question.weight)
    return await _update_state(tx, head, attempt, quiz, question, points)


async def _update_state(
    tx: Tx, head: LogHead, attempt: Attempt, quiz: QuizAttempt, question: Question, points: float
) -> bool:
    answers = await quiz_queries.list_answers(tx, attempt.id)
    state = quiz_rules.compute_final_state(quiz, answers)
    interactions = quiz_rules.build_interactions(quiz, answers)
    changed = [interaction for interaction in interactions if interaction.interaction_id == str(question.id)]
    await attempt_queries.store_interactions(tx, attempt.id, changed)
    decided = state.success != "unknown"
    if decided:
        await queries.set_attempt_graded(tx, attempt.id)
        await quizzes.store_final_state(tx, head, attempt, state)
    head = await log.append(
        tx,
        head,
        "graded",
        None,
        module=attempt.module_id,
        attempt=attempt.number,
        question=question.id,
        points=points,
        state=report_rules.describe_state(state),
    )
    if decided:
        await completion.record_progress(tx, head, None, attempt.module_id, state)
    return decided
