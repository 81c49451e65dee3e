"""Stores answers to a quiz as they are given, and grades them when the attempt is handed in.

Whatever a script sends, no report raises anything beyond `launch_not_found` and a malformed body: the log
holds what does not count, and the outcome says why.
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any
from uuid import UUID

from msgspec import structs

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import Timestamp
from trilha.core.web.parsing import parse_uuid
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts import quiz_attempts
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import LockedLaunch
from trilha.training.learning.player_reports import parsing
from trilha.training.learning.player_reports import queries as report_queries
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import Outcome, ReportSummary
from trilha.training.learning.quizzes import closing, queries, rules, submission
from trilha.training.learning.quizzes.schema import Answer, AnswerReport, AnswerResult, RawAnswer
from trilha.training.quizzes import responses
from trilha.training.quizzes.responses import Unacceptable
from trilha.training.quizzes.schema import MAX_QUESTIONS, Quiz
from trilha.training.scorm.runtime.mapping import State


def read_answers(raw: bytes) -> AnswerReport:
    """Reads `{answers: {id: {response, latency}}, start, hand_in, again, launch: {sequence, final}}`.

    The latency is in seconds. Raises BadRequest (malformed_json) and Invalid.
    """
    body, members = parsing.read_report(raw)
    sent = body.get("answers", {})
    if not isinstance(sent, dict):
        raise invalid("answers", "invalid_type")
    if len(sent) > MAX_QUESTIONS:
        raise invalid("answers", "too_long")
    answers, unknown = dict[UUID, RawAnswer](), list[str]()
    for name, answer in sent.items():
        id = parse_uuid(name)
        if id is None or not isinstance(answer, dict):
            unknown.append(name[:40])
        else:
            answers[id] = RawAnswer(answer.get("response"), answer.get("latency"))
    return AnswerReport(
        answers=answers,
        unknown=unknown,
        hand_in=body.get("hand_in") is True,
        again=body.get("again") is True,
        start=body.get("start") is True,
        **members,
    )


async def apply_answers(tx: Tx, launch_id: UUID, report: AnswerReport, *, held: bool = False) -> AnswerResult:
    """Stores answers, starts the time of the attempt, hands it in, or begins the next one.

    An attempt whose time is over is handed in first, with the answers that were stored. A report that is
    APPLIED or REPEATED is stored, and a STALE one is contained in what is stored. CLOSED: the attempt was
    handed in before or not started, or there is no next one. Raises NotFound (launch_not_found) if it is no
    launch of a quiz.
    """
    locked = await launch_queries.lock_launch(tx, launch_id)
    head, launch, attempt = locked[:3]
    quiz = await attempt_queries.find_quiz_attempt(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    if rules.is_time_over(quiz, tx.now) and head.status != EnrollmentStatus.EXPIRED:
        head, attempt, quiz = await closing.close(tx, head, attempt, quiz)
        locked = locked._replace(head=head, attempt=attempt)
    outcome = report_rules.decide_report_outcome(locked, report, tx.now, held=held)
    if outcome == "REPEATED":
        return AnswerResult(outcome, locked.is_superseded, remaining=quiz.count_remaining_seconds(tx.now))
    if outcome == "APPLIED":
        outcome, quiz = await _advance_attempt(tx, locked, quiz, report)
    if outcome == "APPLIED":
        await report_queries.set_last_report(tx, launch, report, held=held)
        if locked.is_superseded:
            await report_queries.count_late_commit(tx, locked)
    detail = _describe(report, outcome, quiz, held=held)
    if outcome != "APPLIED" or report.again:
        await log.append(tx, head, "answer", launch.id, **detail)
        if report_rules.is_unappliable(outcome, held=held) and report.answers and not report.again:
            summary = ReportSummary(answers=len(report.answers))
            await report_queries.store_unapplied(tx, launch, "answers", outcome, report, summary)
        return AnswerResult(outcome, locked.is_superseded)
    problems = await _store_answers(tx, attempt, quiz, report)
    state, answered = await _update_state(tx, locked, quiz, hands_in=report.hand_in)
    detail |= {"answered": answered, "state": report_rules.describe_state(state)}
    head = await log.append(tx, head, "answer", launch.id, **detail)
    completed = await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
    remaining = None if report.hand_in else quiz.count_remaining_seconds(tx.now)
    return AnswerResult(outcome, locked.is_superseded, completed, problems=problems, remaining=remaining)


async def _advance_attempt(
    tx: Tx, locked: LockedLaunch, quiz: QuizAttempt, report: AnswerReport
) -> tuple[Outcome, QuizAttempt]:
    """Begins the next attempt, or starts the time of this one, if the report says so.

    CLOSED: the attempt takes no answers.
    """
    if report.again:
        return await _begin_again(tx, locked, quiz), quiz
    if report.start and quiz.state == "OPEN":
        return "APPLIED", await _start(tx, quiz)
    return "APPLIED" if quiz.state == "OPEN" and quiz.is_started else "CLOSED", quiz


def _describe(report: AnswerReport, outcome: Outcome, quiz: QuizAttempt, *, held: bool) -> dict[str, Any]:
    """Returns what the log says of the report."""
    detail = report_rules.describe_report(report, outcome, held=held)
    detail |= {"questions": [str(id) for id in report.answers], "hand_in": report.hand_in}
    detail["again"] = report.again
    if report.start:
        detail["deadline"] = quiz.deadline_at
    return detail


async def _start(tx: Tx, quiz: QuizAttempt) -> QuizAttempt:
    """Starts the time of an attempt, unless another tab has done so or there is no limit."""
    if quiz.is_started or quiz.time_limit_minutes is None:
        return quiz
    deadline = tx.now + timedelta(minutes=quiz.time_limit_minutes)
    await queries.start_time(tx, quiz.attempt_id, deadline, deadline + rules.GRACE)
    return structs.replace(quiz, deadline_at=Timestamp.of(deadline))


async def _store_answers(
    tx: Tx, attempt: Attempt, quiz: QuizAttempt, report: AnswerReport
) -> Mapping[str, str]:
    """Stores the answers that fit their question; returns the codes of the problems by question."""
    seconds = await queries.get_seconds_since_start(tx, attempt.id)
    questions = {question.id: question for question in quiz.questions}
    problems = dict.fromkeys(report.unknown, "invalid_value")
    answers, withdrawn = list[Answer](), list[UUID]()
    for id, raw in report.answers.items():
        if (question := questions.get(id)) is None:
            problems[str(id)] = "invalid_value"
            continue
        try:
            response = responses.accept(question, raw.response)
        except Unacceptable as error:
            problems[str(id)] = str(error)
            continue
        if response is None:
            withdrawn.append(id)
        else:
            latency = rules.read_latency(raw.latency, seconds)
            answers.append(Answer(question_id=id, response=response, latency_seconds=latency))
    if answers:
        await queries.store_answers(tx, attempt.id, answers)
    if withdrawn:
        await queries.delete_answers(tx, attempt.id, withdrawn)
        await queries.remove_recordings(tx, attempt.id, withdrawn)
    return problems


async def _update_state(
    tx: Tx, locked: LockedLaunch, quiz: QuizAttempt, *, hands_in: bool
) -> tuple[State, int]:
    """Returns the new state of the attempt, and how many questions are answered."""
    _, launch, attempt = locked[:3]
    answers = await queries.list_answers(tx, attempt.id)
    if hands_in:
        state = await submission.hand_in(tx, locked.head, attempt, quiz, answers, launch=launch)
        return state, len(answers)
    state = rules.compute_open_state(quiz, len(answers))
    await queries.update_attempt(tx, attempt, state, last_event=attempt.last_event, launch=launch)
    return state, len(answers)


async def _begin_again(tx: Tx, locked: LockedLaunch, quiz: QuizAttempt) -> Outcome:
    """Continues the launch in the next attempt, which another tab may have begun before."""
    head, launch, attempt = locked[:3]
    last = await attempt_queries.find_last_attempt(tx, head.enrollment_id, attempt.module_id)
    assert last is not None
    new = last.attempt
    if new.number == attempt.number:
        current = await attempt_queries.find_quiz(tx, attempt.module_id)
        if not await may_begin_again(tx, head, attempt, quiz, current):
            return "CLOSED"
        new = await quiz_attempts.begin(tx, head.enrollment_id, attempt.module_id, attempt.number + 1)
    await queries.move_launch(tx, launch.id, new.id)
    return "APPLIED"


async def may_begin_again(
    tx: Tx, head: LogHead, attempt: Attempt, quiz: QuizAttempt, current: Quiz | None
) -> bool:
    """Tells whether another attempt may follow the last one. `current` is the module's quiz as it is now."""
    if quiz.state != "GRADED" or head.status != EnrollmentStatus.IN_PROGRESS:
        return False
    if current is None or not await quiz_attempts.has_questions(tx, current):
        return False
    return rules.count_attempts_left(current.attempts, attempt.number) != 0
