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
from trilha.learning.completion.schema import Reached
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import Head
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches.schema import Launch
from trilha.learning.quizzes import events, queries, rules
from trilha.learning.quizzes.schema import Answer, Answered, Answers, Said
from trilha.learning.reports import actions as reports
from trilha.learning.reports import parsing, unapplied
from trilha.learning.reports import queries as report_queries
from trilha.learning.reports import rules as report_rules
from trilha.learning.reports.schema import Outcome
from trilha.learning.reports.unapplied import Summary
from trilha.quizzes import queries as quizzes
from trilha.quizzes import responses
from trilha.quizzes.responses import Unacceptable
from trilha.quizzes.schema import MOST_QUESTIONS
from trilha.scorm.runtime.mapping import State


def read_answers(raw: bytes) -> Answers:
    """`{answers: {question id: {response, latency}}, hand_in, again, launch: {sequence, final}}`; latency is
    in seconds. Raises BadRequest (malformed_json) and Invalid."""
    body, members = parsing.read_report(raw)
    said = body.get("answers", {})
    if not isinstance(said, dict):
        raise invalid("answers", "invalid_type")
    if len(said) > MOST_QUESTIONS:
        raise invalid("answers", "too_long")
    answers, unknown = dict[UUID, Said](), list[str]()
    for name, each in said.items():
        id = parse_uuid(name)
        if id is None or not isinstance(each, dict):
            unknown.append(name[:40])
        else:
            answers[id] = Said(each.get("response"), each.get("latency"))
    return Answers(
        answers=answers,
        unknown=unknown,
        hand_in=body.get("hand_in") is True,
        again=body.get("again") is True,
        **members,
    )


async def answer(tx: Tx, launch_id: UUID, sent: Answers, *, held: bool = False) -> Answered:
    """Takes answers, and the attempt with them where it is handed in; or begins the next one.

    What is APPLIED or REPEATED is saved; STALE was overtaken by what is. CLOSED: the attempt was handed in
    before, or there is no other one to begin. Raises NotFound (launch_not_found) where it is no launch of a
    quiz.
    """
    head, launch, attempt = await launch_queries.locked(tx, launch_id)
    quiz = await quiz_attempt_queries.find(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    outcome = reports.judge(tx, head, launch, attempt, sent, held=held)
    superseded = launch.superseded_by is not None
    if outcome == "REPEATED":
        return Answered(outcome, superseded)
    if outcome == "APPLIED" and sent.again:
        outcome = await _begin_again(tx, head, launch, attempt, quiz)
    elif outcome == "APPLIED" and quiz.state != "OPEN":
        outcome = "CLOSED"
    if outcome == "APPLIED":
        await report_queries.take_commit(tx, launch, sent, held=held)
        if superseded:
            await report_queries.note_late(tx, attempt, launch)
    if outcome != "APPLIED" or sent.again:
        await _log(tx, head, launch, sent, outcome, held=held)
        if report_rules.is_given_up(outcome, held=held) and not sent.again:
            summary = Summary(answers=len(sent.answers))
            await unapplied.keep_report(tx, launch, "answers", outcome, sent, summary)
        return Answered(outcome, superseded)
    problems = await _keep(tx, attempt, quiz, sent)
    completed = await _settle(tx, head, launch, attempt, quiz, sent, held=held)
    return Answered(outcome, superseded, completed, problems)


async def _keep(tx: Tx, attempt: Attempt, quiz: QuizAttempt, sent: Answers) -> Mapping[str, str]:
    """What is no answer to its question is not kept: the codes of why, by question."""
    begun = await queries.begun_seconds(tx, attempt.id)
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
            seconds = rules.latency(said.latency, begun)
            kept.append(Answer(question_id=id, response=response, latency_seconds=seconds))
    if kept:
        await queries.write_answers(tx, attempt.id, kept)
    if taken_back:
        await queries.delete_answers(tx, attempt.id, taken_back)
        await queries.remove_recordings(tx, attempt.id, taken_back)
    return problems


async def _settle(
    tx: Tx, head: Head, launch: Launch, attempt: Attempt, quiz: QuizAttempt, sent: Answers, *, held: bool
) -> bool:
    """Whether the enrollment is completed by this."""
    given = await queries.list_answers(tx, attempt.id)
    if not sent.hand_in:
        state = rules.open_state(quiz, len(given))
        await queries.update_attempt(tx, attempt, state, told=attempt.told, launch=launch)
    else:
        state = await _hand_in(tx, head, launch, attempt, quiz, given)
    more = {"answered": len(given), "state": _told(state)}
    head = await _log(tx, head, launch, sent, "APPLIED", held=held, **more)
    return await completion.evaluate(tx, head, launch.id, attempt.module_id, reached(state))


async def _hand_in(
    tx: Tx,
    head: Head,
    launch: Launch,
    attempt: Attempt,
    quiz: QuizAttempt,
    given: Mapping[UUID, Answer],
) -> State:
    points = rules.graded(quiz, given)
    decided = None not in points.values()
    await queries.hand_in(tx, attempt.id, points, decided=decided)
    given = await queries.list_answers(tx, attempt.id)
    state = rules.state_of(quiz, given)
    await attempt_queries.write_interactions(tx, attempt.id, rules.interactions(quiz, given))
    voices = [each for each in quiz.questions if each.kind == "voice" and each.id in given]
    await emit(tx, *events.voice_events(head, attempt.module_id, len(voices), tx.now))
    await events.tell(tx, head, attempt, state, launch=launch, ended=True)
    return state


async def _begin_again(tx: Tx, head: Head, launch: Launch, attempt: Attempt, quiz: QuizAttempt) -> Outcome:
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


async def may_begin_again(tx: Tx, head: Head, attempt: Attempt, quiz: QuizAttempt) -> bool:
    """Whether another attempt may follow this one, the last so far."""
    if quiz.state != "GRADED" or head.status != EnrollmentStatus.IN_PROGRESS:
        return False
    quiz_id = await quiz_attempt_queries.find_quiz_id(tx, attempt.module_id)
    now = await quizzes.find(tx, quiz_id) if quiz_id else None
    if now is None or not await quizzes.list_questions(tx, now.id):
        return False
    return rules.attempts_left(now.attempts, attempt.number) != 0


def reached(state: State) -> Reached:
    """What is failed, or awaits grading, is not met."""
    return Reached(state.progress, state.score, state.success == "passed")


def _told(state: State) -> dict[str, Any]:
    return reports.told_state(state)


async def _log(
    tx: Tx, head: Head, launch: Launch, sent: Answers, outcome: Outcome, *, held: bool, **more: Any
) -> Head:
    """The body is told by its hash: what was answered is in the answers."""
    detail = {
        "sequence": sent.sequence,
        "final": sent.final,
        "outcome": outcome,
        "body": sent.hash.hex(),
        "questions": [str(each) for each in sent.answers],
        "hand_in": sent.hand_in,
        "again": sent.again,
        **reports.told_sending(sent, held=held),
    }
    return await log.append(tx, head, "answer", launch.id, **detail, **more)
