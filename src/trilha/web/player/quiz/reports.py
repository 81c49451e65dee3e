"""Reports of a quiz: answers, submission, recordings."""

from collections.abc import Mapping
from uuid import UUID

from msgspec import Struct

from trilha.core import metrics
from trilha.core.database import Database, Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import AnyQuery, RawBody, Routes
from trilha.training.learning.player_reports.schema import ReportResult
from trilha.training.learning.quizzes import actions as quizzes
from trilha.training.learning.quizzes.schema import AnswerResult
from trilha.training.learning.voice_answers import actions as voice
from trilha.training.learning.voice_answers import recordings
from trilha.training.learning.voice_answers.queries import find_recording_of_launch
from trilha.web.player.identity import OF_LAUNCH, OF_LIVE_LAUNCH, get_context
from trilha.web.player.reports import COMMIT_FAILED, SAVED_OUTCOMES

routes = Routes("Quizzes", "Answers and recordings of a quiz.")
_ANSWERS_BYTES = 2 * 1024 * 1024
_VOICE = "/l/{token}/voice/{question_id}"


class QuizReportAnswer(Struct, frozen=True, rename="camel"):
    """The answer to a report, with error codes (`problems`) by question for answers that were not saved.

    `remaining` are the seconds until the attempt's deadline, by the server's clock.
    """

    result: bool
    error_code: int
    outcome: str
    superseded: bool
    completed: bool = False
    problems: Mapping[str, str] = {}
    remaining: float | None = None


class VoiceAnswers:
    """Stores recordings and adds them to attempts."""

    def __init__(self, files: FileStore, database: Database) -> None:
        self._files = SealedFiles(files, database.keyring)
        self._database = database

    async def take(self, caller: Caller, question_id: UUID, content: bytes, seconds: object) -> ReportResult:
        """Stores a recording and adds it to the attempt; if that fails, no file is left.

        Raises NotFound and Invalid.
        """
        recording = await recordings.store_recording(self._files, caller.tenant_id, content)
        try:
            async with self._database.transaction(caller.tenant_id, actor=caller.actor) as tx:
                launch_id = get_context(caller).launch_id
                result = await voice.apply_recording(tx, launch_id, question_id, recording, seconds)
        except BaseException:
            await recordings.delete_unused_recording(self._files, self._database, caller.tenant_id, recording)
            raise
        if result.outcome != "APPLIED":
            await recordings.delete_unused_recording(self._files, self._database, caller.tenant_id, recording)
        return result


def _build_answer(result: AnswerResult) -> Answer:
    saved = result.outcome in SAVED_OUTCOMES
    answer = QuizReportAnswer(
        saved,
        0 if saved else COMMIT_FAILED,
        result.outcome,
        result.superseded,
        result.completed,
        result.problems,
        result.remaining,
    )
    return json_answer(200 if saved else 409, answer)


@routes.post(
    "/l/{token}/answers", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_ANSWERS_BYTES
)
async def answers(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Save answers, and grade them if the attempt is submitted."""
    sent = quizzes.read_answers(data.content)
    result = await quizzes.apply_answers(tx, get_context(caller).launch_id, sent)
    metrics.count_report("answers", result.outcome)
    return _build_answer(result)


class Recording(Struct, frozen=True):
    """`seconds`: how long the question was visible, as the browser states."""

    seconds: float = 0.0


@routes.put(_VOICE, access=OF_LAUNCH, rate_limit="voice", urgent=True, max_body=recordings.MAX_BYTES)
async def speak(
    caller: Caller, voices: VoiceAnswers, token: str, question_id: UUID, query: Recording, data: RawBody
) -> Answer:
    """Save a recording as the answer to a question. Its media type is read from its bytes."""
    result = await voices.take(caller, question_id, data.content, query.seconds)
    metrics.count_report("voice", result.outcome)
    return _build_answer(AnswerResult(result.outcome, result.superseded))


@routes.get(_VOICE, access=OF_LIVE_LAUNCH)
async def listen(
    tx: Tx, caller: Caller, files: FileStore, token: str, question_id: UUID, query: AnyQuery
) -> Answer:
    """Send the learner's own recording in the attempt of this launch."""
    recording = await find_recording_of_launch(tx, get_context(caller).launch_id, question_id)
    if recording is None:
        raise NotFound("file_not_found")
    return StoredFile(
        SealedFiles(files, tx.keyring),
        recordings.build_key(tx.tenant_id, recording.id),
        recording.size,
        recording.media_type,
        etag=str(recording.id),
        headers={"cache-control": "private, no-store"},
    )
