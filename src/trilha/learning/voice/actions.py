"""Stores the recording that answers a voice question."""

from uuid import UUID

from trilha.core.database import Tx
from trilha.core.errors import NotFound
from trilha.learning.attempts import quiz_attempt_queries
from trilha.learning.attempts.schema import Attempt, QuizAttempt
from trilha.learning.completion import actions as completion
from trilha.learning.evidence import log
from trilha.learning.evidence.schema import LogHead
from trilha.learning.launches import queries as launch_queries
from trilha.learning.launches import rules as launch_rules
from trilha.learning.launches.schema import Launch
from trilha.learning.quizzes import queries as quiz_queries
from trilha.learning.quizzes import rules as quiz_rules
from trilha.learning.quizzes.schema import Answer
from trilha.learning.reports import actions as reports
from trilha.learning.reports.schema import Outcome
from trilha.learning.voice import queries
from trilha.learning.voice.schema import Recording, RecordingResult, StoredRecording
from trilha.quizzes.schema import Question


async def apply_recording(
    tx: Tx, launch_id: UUID, question_id: UUID, kept: StoredRecording, seconds: object
) -> RecordingResult:
    """The answer to a voice question, in the place of one that there may be. `seconds`: how long the question
    was looked at, as the browser says.

    Raises NotFound (launch_not_found, question_not_found). What is not APPLIED is not kept.
    """
    head, launch, attempt = await launch_queries.lock_launch(tx, launch_id)
    quiz = await quiz_attempt_queries.find_quiz_attempt(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    question = next((each for each in quiz.questions if each.id == question_id), None)
    if question is None or question.kind != "voice":
        raise NotFound("question_not_found")
    superseded = launch.superseded_by is not None
    outcome = _decide_outcome(tx, head, launch, attempt, quiz)
    if outcome != "APPLIED":
        await log.append(tx, head, "voice", launch.id, outcome=outcome, question=question_id)
        return RecordingResult(outcome, superseded)
    await _store_answer(tx, head, launch, attempt, quiz, question, kept, seconds)
    return RecordingResult(outcome, superseded)


def _decide_outcome(tx: Tx, head: LogHead, launch: Launch, attempt: Attempt, quiz: QuizAttempt) -> Outcome:
    standing = reports.describe_launch(head, launch, attempt)
    if standing.over or launch_rules.is_expired(standing.seen_at, tx.now):
        return "EXPIRED"
    if standing.superseded and standing.newer_applied:
        return "SUPERSEDED"
    return "APPLIED" if quiz.state == "OPEN" else "CLOSED"


async def _store_answer(
    tx: Tx,
    head: LogHead,
    launch: Launch,
    attempt: Attempt,
    quiz: QuizAttempt,
    question: Question,
    kept: StoredRecording,
    seconds: object,
) -> None:
    recording = Recording(
        id=kept.id,
        attempt_id=attempt.id,
        question_id=question.id,
        media_type=kept.media_type,
        size=kept.size,
    )
    await queries.insert_recording(tx, recording)
    latency = quiz_rules.read_latency(seconds, await quiz_queries.get_seconds_since_start(tx, attempt.id))
    said = Answer(question_id=question.id, response=str(kept.id), latency_seconds=latency)
    await quiz_queries.store_answers(tx, attempt.id, [said])
    state = quiz_rules.compute_open_state(quiz, len(await quiz_queries.list_answers(tx, attempt.id)))
    await quiz_queries.update_attempt(tx, attempt, state, told=attempt.told, launch=launch)
    head = await log.append(
        tx, head, "voice", launch.id, outcome="APPLIED", question=question.id, recording=kept.id
    )
    await completion.record_progress(tx, head, launch.id, attempt.module_id, state)
