"""Stores answers to a quiz as they are given, and grades them when the attempt is handed in.

Whatever a script sends, no report raises anything beyond `launch_not_found` and a malformed body: the log
holds what does not count, and the outcome says why.
"""

from collections.abc import Mapping
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.types import Timestamp
from trilha.core.web.parsing import parse_uuid
from trilha.platform.events.catalogue import VoiceActivityCompleted
from trilha.platform.events.outbox import emit
from trilha.training.enrollments.schema import EnrollmentStatus
from trilha.training.learning.attempts import events as attempt_events
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts import quiz_attempts
from trilha.training.learning.attempts.schema import Attempt, QuizAttempt
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.evidence.schema import LogHead
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches.schema import Launch, LockedLaunch
from trilha.training.learning.player_reports import parsing
from trilha.training.learning.player_reports import queries as report_queries
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import Outcome, ReportSummary
from trilha.training.learning.quizzes import queries, rules
from trilha.training.learning.quizzes.rules import Answers
from trilha.training.learning.quizzes.schema import Answer, AnswerReport, AnswerResult, RawAnswer
from trilha.training.quizzes import queries as quizzes
from trilha.training.quizzes import responses
from trilha.training.quizzes.responses import Unacceptable
from trilha.training.quizzes.schema import MAX_QUESTIONS, Quiz
from trilha.training.scorm.runtime.mapping import State


def read_answers(raw: bytes) -> AnswerReport:
    """Reads `{answers: {id: {response, latency}}, hand_in, again, launch: {sequence, final}}`.

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
        **members,
    )


async def apply_answers(tx: Tx, launch_id: UUID, report: AnswerReport, *, held: bool = False) -> AnswerResult:
    """Stores answers, hands the attempt in, or begins the next one.

    A report that is APPLIED or REPEATED is stored, and a STALE one is contained in what is stored. CLOSED:
    the attempt was handed in before, or there is no next one. Raises NotFound (launch_not_found) if it is no
    launch of a quiz.
    """
    locked = await launch_queries.lock_launch(tx, launch_id)
    head, launch, attempt = locked[:3]
    quiz = await attempt_queries.find_quiz_attempt(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    outcome = report_rules.decide_report_outcome(locked, report, tx.now, held=held)
    if outcome == "REPEATED":
        return AnswerResult(outcome, locked.is_superseded)
    if outcome == "APPLIED" and report.again:
        outcome = await _begin_again(tx, locked, quiz)
    elif outcome == "APPLIED" and quiz.state != "OPEN":
        outcome = "CLOSED"
    if outcome == "APPLIED":
        await report_queries.set_last_report(tx, launch, report, held=held)
        if locked.is_superseded:
            await report_queries.count_late_commit(tx, locked)
    detail = report_rules.describe_report(report, outcome, held=held)
    detail |= {"questions": [str(id) for id in report.answers], "hand_in": report.hand_in}
    detail["again"] = report.again
    if outcome != "APPLIED" or report.again:
        await log.append(tx, head, "answer", launch.id, **detail)
        if report_rules.is_unappliable(outcome, held=held) and not report.again:
            summary = ReportSummary(answers=len(report.answers))
            await report_queries.store_unapplied(tx, launch, "answers", outcome, report, summary)
        return AnswerResult(outcome, locked.is_superseded)
    problems = await _store_answers(tx, attempt, quiz, report)
    state, answered = await _update_state(tx, locked, quiz, hands_in=report.hand_in)
    detail |= {"answered": answered, "state": report_rules.describe_state(state)}
    head = await log.append(tx, head, "answer", launch.id, **detail)
    completed = await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
    return AnswerResult(outcome, locked.is_superseded, completed, problems=problems)


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
        return await _hand_in(tx, locked, quiz, answers), len(answers)
    state = rules.compute_open_state(quiz, len(answers))
    await queries.update_attempt(tx, attempt, state, last_event=attempt.last_event, launch=launch)
    return state, len(answers)


async def _hand_in(tx: Tx, locked: LockedLaunch, quiz: QuizAttempt, answers: Answers) -> State:
    """Grades the answers, and emits one event for each voice answer."""
    head, launch, attempt = locked[:3]
    points = rules.grade_answers(quiz, answers)
    await queries.hand_in(tx, attempt.id, points, decided=None not in points.values())
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
    voices = sum(question.kind == "voice" and question.id in answers for question in quiz.questions)
    await emit(tx, *[event] * voices)
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
    if current is None or not await quizzes.list_questions(tx, current.id):
        return False
    return rules.count_attempts_left(current.attempts, attempt.number) != 0
