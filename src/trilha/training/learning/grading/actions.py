"""Grades answers, and corrects grades. The last grade of an attempt decides its score."""

from typing import Any
from uuid import UUID

import msgspec

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.core.types import Timestamp, dec_hook
from trilha.platform.audit import queries as audit
from trilha.training.learning.attempts import events as attempt_events
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.grading import queries, rules
from trilha.training.learning.grading.schema import Correction, GradeResult, NewGrade, StoredAnswer
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.quizzes import queries as quiz_queries
from trilha.training.learning.quizzes import rules as quiz_rules
from trilha.training.learning.quizzes import submission
from trilha.training.quizzes import grading
from trilha.training.quizzes.schema import Question
from trilha.training.reminders import actions as reminders
from trilha.training.scorm.runtime.mapping import State


async def grade_answer(tx: Tx, answer_id: UUID, new: NewGrade, *, grader: UUID) -> GradeResult:
    """Grades an answer. Once its attempt has its score, this is a correction, which needs a reason.

    A correction changes the result of the attempt. While the enrollment is in progress, it also changes what
    was reached in the module; a completed enrollment and its certificate stay. Raises NotFound
    (answer_not_found), and Invalid (required, out_of_range, too_long).
    """
    stored = await queries.find_answer(tx, answer_id)
    attempt = await attempt_queries.find_attempt(tx, stored.attempt_id) if stored else None
    if stored is None or attempt is None:
        raise NotFound("answer_not_found")
    head = await evidence_queries.lock_head(tx, attempt.enrollment_id)
    stored = await queries.find_answer(tx, answer_id)  # Read both again under the lock.
    attempt = await attempt_queries.find_attempt(tx, attempt.id)
    quiz = await attempt_queries.find_quiz_attempt(tx, attempt.id) if attempt else None
    if stored is None or attempt is None or quiz is None or quiz.state == "OPEN":
        raise NotFound("answer_not_found")
    question = next(question for question in quiz.questions if question.id == stored.question_id)
    points = grading.compute_points(rules.decide_grade(question, new), question.weight)
    if quiz.state == "GRADED":
        reason = rules.check_reason(new.reason)
        corrections = rules.add_correction(stored, reason, grader, Timestamp.of(tx.now))
    else:
        corrections = msgspec.convert(stored.corrections, list[Correction], dec_hook=dec_hook)
    await queries.store_grade(
        tx,
        stored,
        points=points,
        rubric_points=list(new.criteria[: len(question.rubric)]) if question.rubric else None,
        comment=new.comment.strip(),
        graded_by=grader,
        corrections=corrections,
    )
    if quiz.state == "GRADED":
        await audit.record(
            tx,
            "answer.grade_corrected",
            answer_id,
            points=points,
            points_before=stored.points,
            weight=question.weight,
        )
        await _correct(tx, head, attempt, quiz, stored, points)
        return GradeResult(decided=True, corrected=True)
    await audit.record(tx, "answer.graded", answer_id, points=points, weight=question.weight)
    return GradeResult(decided=await _decide(tx, head, attempt, quiz, question, points))


async def _decide(
    tx: Tx, head: LogHead, attempt: Attempt, quiz: QuizAttempt, question: Question, points: float
) -> bool:
    """Returns whether no answer of the attempt awaits a grade anymore."""
    state = await _update_interaction(tx, attempt, quiz, question.id)
    decided = state.success != "unknown"
    if decided:
        await queries.set_attempt_graded(tx, attempt.id)
        await submission.store_final_state(tx, head, attempt, state)
        await reminders.make_again(tx, [(head.user_id, head.enrollment_id, "quiz_graded")])
    head = await _log_grade(tx, head, attempt, question.id, state, points=points)
    if decided:
        await completion.record_progress(tx, head, None, attempt.module_id, state)
    return decided


async def _correct(
    tx: Tx, head: LogHead, attempt: Attempt, quiz: QuizAttempt, stored: StoredAnswer, points: float
) -> None:
    state = await _update_interaction(tx, attempt, quiz, stored.question_id)
    assert state.success in ("passed", "failed")
    await quiz_queries.update_attempt(tx, attempt, state, last_event=state.success)
    if state.success != attempt.success:
        await attempt_events.emit_assessments(tx, head, attempt, state, [state.success])
    await reminders.make_again(tx, [(head.user_id, head.enrollment_id, "quiz_graded")])
    grade = {"points": points, "points_before": stored.points, "corrected": True}
    head = await _log_grade(tx, head, attempt, stored.question_id, state, **grade)
    await completion.correct_progress(tx, head, attempt.module_id, state)


async def _log_grade(
    tx: Tx, head: LogHead, attempt: Attempt, question_id: UUID, state: State, **grade: Any
) -> LogHead:
    """Appends a grade to the evidence log. `grade` has the points."""
    place: dict[str, Any] = {"module": attempt.module_id, "attempt": attempt.number, "question": question_id}
    return await log.append(
        tx, head, "graded", None, **place, **grade, state=report_rules.describe_state(state)
    )


async def _update_interaction(tx: Tx, attempt: Attempt, quiz: QuizAttempt, question_id: UUID) -> State:
    """Stores the result of one answer, and returns the new state of the attempt."""
    answers = await quiz_queries.list_answers(tx, attempt.id)
    interactions = quiz_rules.build_interactions(quiz, answers)
    changed = [interaction for interaction in interactions if interaction.interaction_id == str(question_id)]
    await attempt_queries.store_interactions(tx, attempt.id, changed)
    return quiz_rules.compute_final_state(quiz, answers)
