"""Answers a voice question with a recording whose file is stored already."""

from typing import Any
from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.training.learning.attempts import queries as attempt_queries
from trilha.training.learning.attempts.schema import QuizAttempt
from trilha.training.learning.completion import actions as completion
from trilha.training.learning.evidence import log
from trilha.training.learning.launches import queries as launch_queries
from trilha.training.learning.launches import rules as launch_rules
from trilha.training.learning.launches.schema import LockedLaunch
from trilha.training.learning.player_reports import rules as report_rules
from trilha.training.learning.player_reports.schema import Outcome, ReportResult
from trilha.training.learning.quizzes import queries as quiz_queries
from trilha.training.learning.quizzes import rules as quiz_rules
from trilha.training.learning.quizzes.schema import Answer
from trilha.training.learning.voice_answers import queries
from trilha.training.learning.voice_answers.schema import Recording, StoredRecording


async def apply_recording(
    tx: Tx, launch_id: UUID, question_id: UUID, stored: StoredRecording, latency: object
) -> ReportResult:
    """Answers a voice question, in place of an earlier answer. `latency` is in seconds, as the browser says.

    Raises NotFound (launch_not_found, question_not_found). The caller deletes the file unless it is APPLIED.
    """
    locked = await launch_queries.lock_launch(tx, launch_id)
    head, launch, attempt = locked[:3]
    quiz = await attempt_queries.find_quiz_attempt(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    question = next((question for question in quiz.questions if question.id == question_id), None)
    if question is None or question.kind != "voice":
        raise NotFound("question_not_found")
    outcome = _decide_outcome(tx, locked, quiz)
    if outcome != "APPLIED":
        await log.append(tx, head, "voice", launch.id, outcome=outcome, question=question_id)
    else:
        recording = Recording(stored.id, attempt.id, question_id, stored.media_type, stored.size)
        await _store_answer(tx, locked, quiz, recording, latency)
    return ReportResult(outcome, locked.is_superseded)


def _decide_outcome(tx: Tx, locked: LockedLaunch, quiz: QuizAttempt) -> Outcome:
    state = report_rules.build_launch_state(locked)
    if state.over or launch_rules.is_expired(state.seen_at, tx.now):
        return "EXPIRED"
    if state.superseded and state.newer_applied:
        return "SUPERSEDED"
    is_open = quiz.state == "OPEN" and quiz.is_started and not quiz_rules.is_time_over(quiz, tx.now)
    return "APPLIED" if is_open else "CLOSED"


async def _store_answer(
    tx: Tx, locked: LockedLaunch, quiz: QuizAttempt, recording: Recording, latency: object
) -> None:
    head, launch, attempt = locked[:3]
    await queries.insert_recording(tx, recording)
    seconds = quiz_rules.read_latency(latency, await quiz_queries.get_seconds_since_start(tx, attempt.id))
    answer = Answer(recording.question_id, str(recording.id), seconds)
    await quiz_queries.store_answers(tx, attempt.id, [answer])
    state = quiz_rules.compute_open_state(quiz, len(await quiz_queries.list_answers(tx, attempt.id)))
    await quiz_queries.update_attempt(tx, attempt, state, last_event=attempt.last_event, launch=launch)
    detail: dict[str, Any] = {"question": recording.question_id, "recording": recording.id}
    head = await log.append(tx, head, "voice", launch.id, outcome="APPLIED", **detail)
    await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
