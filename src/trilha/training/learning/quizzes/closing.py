"""Closes attempts whose time is over, with the answers that were stored in time."""

from trilha.core.database import Tx
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence import queries as evidence_queries
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.quizzes import queries, rules, submission

_BATCH = 50


async def close(
    tx: Tx, head: LogHead, attempt: Attempt, quiz: QuizAttempt
) -> tuple[LogHead, Attempt, QuizAttempt]:
    """Hands an attempt in whose time is over; returns what it is afterwards. The head must be locked."""
    answers = await queries.list_answers(tx, attempt.id)
    state = await submission.hand_in(tx, head, attempt, quiz, answers)
    head = await log.append(
        tx,
        head,
        "answer",
        None,
        module=attempt.module_id,
        attempt=attempt.number,
        hand_in=True,
        time_over=True,
        answered=len(answers),
        state=report_rules.describe_state(state),
    )
    await completion.record_progress(tx, head, None, attempt.module_id, state)
    locked = await evidence_queries.lock_head(tx, attempt.enrollment_id)  # with what the completion has added
    after = await attempt_queries.find_attempt(tx, attempt.id)
    quiz_after = await attempt_queries.find_quiz_attempt(tx, attempt.id)
    assert after is not None
    assert quiz_after is not None
    return locked, after, quiz_after


async def close_due(tx: Tx) -> int:
    """Closes a batch of the attempts whose time is over, and returns its size. If the enrollment has expired,
    the attempt stays open.
    """
    due = await queries.list_overdue_attempts(tx, _BATCH)
    for overdue in due:
        head = await evidence_queries.lock_head(tx, overdue.enrollment_id)
        attempt = await attempt_queries.find_attempt(tx, overdue.id)
        quiz = await attempt_queries.find_quiz_attempt(tx, overdue.id)
        if attempt is None or quiz is None:
            continue
        if head.status == EnrollmentStatus.EXPIRED:
            await queries.stop_closing(tx, attempt.id)
        elif rules.is_time_over(quiz, tx.now):
            await close(tx, head, attempt, quiz)
    return len(due)
