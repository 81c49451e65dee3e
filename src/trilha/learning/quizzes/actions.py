"""Answers to a quiz: kept as they are given, graded here alone when the attempt is handed in.

As with commits, nothing that a script sends raises beyond `launch_not_found` and a body that is none: what
does not count is in the log, and the outcome tells why.
"""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.web.parsing import parse_uuid
from trilha.enrollments.schema import EnrollmentStatus
from trilha.events.outbox import emit
from trilha.learning.attempts import queries as attempt_queries
from trilha.learning.attempts import quiz_attempt_queries, quiz_attempts
from trilha.learning.attempts.schema import Attempt, QuizAttempt
from trilha.learning.completion import actions as completion
from trilha.learning.completion.schema import ModuleProgress
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import Launch
from trilha.learning.quizzes import events, queries, rules
from trilha.learning.quizzes.schema import Answer, AnswerReport, AnswerResult, RawAnswer
from trilha.learning.reports import actions as reports
from trilha.learning.reports import parsing, unapplied
from trilha.learning.reports import queries as report_queries
from trilha.learning.reports import rules as report_rules
from trilha.learning.reports.schema import Outcome
from trilha.learning.reports.unapplied import ReportSummary
from trilha.quizzes import queries as quizzes
from trilha.quizzes import responses
from trilha.quizzes.responses import Unacceptable
from trilha.quizzes.schema import MOST_QUESTIONS
from trilha.scorm.runtime.mapping import State


def read_answers(raw: bytes) -> AnswerReport:
    """`{answers: {question id: {response, latency}}, hand_in, again, launch: {sequence, final}}`; latency is
    in seconds. Raises BadRequest (malformed_json) and Invalid."""
    body, members = parsing.read_report(raw)
    said = body.get("answers", {})
    if not isinstance(said, dict):
        raise invalid("answers", "invalid_type")
    if len(said) > MOST_QUESTIONS:
        raise invalid("answers", "too_long")
    answers, unknown = dict[UUID, RawAnswer](), list[str]()
    for name, each in said.items():
        id = parse_uuid(name)
        if id is None or not isinstance(each, dict):
            unknown.append(name[:40])
        else:
            answers[id] = RawAnswer(each.get("response"), each.get("latency"))
    return AnswerReport(
        answers=answers,
        unknown=unknown,
        hand_in=body.get("hand_in") is True,
        again=body.get("again") is True,
        **members,
    )


async def apply_answers(tx: Tx, launch_id: UUID, sent: AnswerReport, *, held: bool = False) -> AnswerResult:
    """Takes answers, and the attempt with them where it is handed in; or begins the next one.

    What is APPLIED or REPEATED is saved; STALE was overtaken by what is. CLOSED: the attempt was handed in
    before, or there is no other one to begin. Raises NotFound (launch_not_found) where it is no launch of a
    quiz.
    """
    head, launch, attempt = await launch_queries.lock_launch(tx, launch_id)
    quiz = await quiz_attempt_queries.find_quiz_attempt(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    outcome = reports.decide_report_outcome(tx, head, launch, attempt, sent, held=held)
    superseded = launch.superseded_by is not None
    if outcome == "REPEATED":
        return AnswerResult(outcome, superseded)
    if outcome == "APPLIED" and sent.again:
        outcome = await _begin_again(tx, head, launch, attempt, quiz)
    elif outcome == "APPLIED" and quiz.state != "OPEN":
        outcome = "CLOSED"
    if outcome == "APPLIED":
        await report_queries.set_last_report(tx, launch, sent, held=held)
        if superseded:
            await report_queries.count_late_commit(tx, attempt, launch)
    if outcome != "APPLIED" or sent.again:
        await _log_answers(tx, head, launch, sent, outcome, held=held)
        if report_rules.is_unappliable(outcome, held=held) and not sent.again:
            summary = ReportSummary(answers=len(sent.answers))
            await unapplied.store_unapplied(tx, launch, "answers", outcome, sent, summary)
        return AnswerResult(outcome, superseded)
    problems = await _store_answers(tx, attempt, quiz, sent)
    completed = await _update_state(tx, head, launch, attempt, quiz, sent, held=held)
    return AnswerResult(outcome, superseded, completed, problems)


async def _store_answers(
    tx: Tx, attempt: Attempt, quiz: QuizAttempt, sent: AnswerReport
) -> Mapping[str, str]:
    """What is no answer to its question is not kept: the codes of why, by question."""
    begun = await queries.get_seconds_since_start(tx, attempt.id)
    known = {each.id: each for each in quiz.questions}
    problems = dict.fromkeys(sent.unknown, "invalid_value")
    kept, taken_back = list[Answer](), list[UUID]()
    for id, said in sent.answers.items():
        if (question := known.get(id)) is None:
            problems[str(id)] = "invalid_value"
            continue
        try:
            response = responses.accept(question, said.response)
        except Unacceptable as error:
            problems[str(id)] = str(error)
            continue
        if response is None:
            taken_back.append(id)
        else:
            seconds = rules.read_latency(said.latency, begun)
            kept.append(Answer(question_id=id, response=response, latency_seconds=seconds))
    if kept:
        await queries.store_answers(tx, attempt.id, kept)
    if taken_back:
        await queries.delete_answers(tx, attempt.id, taken_back)
        await queries.remove_recordings(tx, attempt.id, taken_back)
    return problems


async def _update_state(
    tx: Tx,
    head: LogHead,
    launch: Launch,
    attempt: Attempt,
    quiz: QuizAttempt,
    sent: AnswerReport,
    *,
    held: bool,
) -> bool:
    """Whether the enrollment is completed by this."""
    given = await queries.list_answers(tx, attempt.id)
    if not sent.hand_in:
        state = rules.compute_open_state(quiz, len(given))
        await queries.update_attempt(tx, attempt, state, told=attempt.told, launch=launch)
    else:
        state = await _hand_in(tx, head, launch, attempt, quiz, given)
    more = {"answered": len(given), "state": _told(state)}
    head = await _log_answers(tx, head, launch, sent, "APPLIED", held=held, **more)
    return await completion.record_progress(tx, head, launch.id, attempt.module_id, state)


async def _hand_in(
    tx: Tx,
    head: LogHead,
    launch: Launch,
    attempt: Attempt,
    quiz: QuizAttempt,
    given: Mapping[UUID, Answer],
) -> State:
    points = rules.grade_answers(quiz, given)
    decided = None not in points.values()
    await queries.store_points(tx, attempt.id, points, decided=decided)
    given = await queries.list_answers(tx, attempt.id)
    state = rules.compute_final_state(quiz, given)
    await attempt_queries.store_interactions(tx, attempt.id, rules.build_interactions(quiz, given))
    voices = [each for each in quiz.questions if each.kind == "voice" and each.id in given]
    await emit(tx, *events.build_voice_events(head, attempt.module_id, len(voices), tx.now))
    await events.store_final_state(tx, head, attempt, state, launch=launch, ended=True)
    return state


async def _begin_again(tx: Tx, head: LogHead, launch: Launch, attempt: Attempt, quiz: QuizAttempt) -> Outcome:
    """The launch goes on with the next attempt, which another tab may have begun."""
    last = await attempt_queries.find_last_attempt(tx, head.enrollment_id, attempt.module_id)
    assert last is not None
    if last.attempt.number > attempt.number:
        await queries.move_launch(tx, launch.id, last.attempt.id)
        return "APPLIED"
    if not await may_begin_again(tx, head, attempt, quiz):
        return "CLOSED"
    begun = await quiz_attempts.begin(tx, head.enrollment_id, attempt.module_id, attempt.number + 1)
    await queries.move_launch(tx, launch.id, begun.id)
    return "APPLIED"


async def may_begin_again(tx: Tx, head: LogHead, attempt: Attempt, quiz: QuizAttempt) -> bool:
    """Whether another attempt may follow this one, the last so far."""
    if quiz.state != "GRADED" or head.status != EnrollmentStatus.IN_PROGRESS:
        return False
    quiz_id = await quiz_attempt_queries.find_quiz_id(tx, attempt.module_id)
    now = await quizzes.find(tx, quiz_id) if quiz_id else None
    if now is None or not await quizzes.list_questions(tx, now.id):
        return False
    return rules.count_attempts_left(now.attempts, attempt.number) != 0


def reached(state: State) -> ModuleProgress:
    """What is failed, or awaits grading, is not met."""
    return ModuleProgress(state.progress, state.score, state.success == "passed")


def _told(state: State) -> dict[str, Any]:
    return reports.describe_state(state)


async def _log_answers(
    tx: Tx, head: LogHead, launch: Launch, sent: AnswerReport, outcome: Outcome, *, held: bool, **more: Any
) -> LogHead:
    """The body is told by its hash: what was answered is in the answers."""
    detail = {
        "sequence": sent.sequence,
        "final": sent.final,
        "outcome": outcome,
        "body": sent.hash.hex(),
        "questions": [str(each) for each in sent.answers],
        "hand_in": sent.hand_in,
        "again": sent.again,
        **reports.describe_delivery(sent, held=held),
    }
    return await log.append(tx, head, "answer", launch.id, **detail, **more)
