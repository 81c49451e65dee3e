"""What the page of a quiz sends: answers, the attempt, recordings."""

from collections.abc import Mapping
from uuid import UUID

from msgspec import Struct

from trilha.core.database import Database, Tx
from trilha.core.errors import NotFound
from trilha.core.file_store import FileStore
from trilha.core.sealed_files import SealedFiles
from trilha.core.web.answers import Answer, json_answer
from trilha.core.web.callers import Caller
from trilha.core.web.files import StoredFile
from trilha.core.web.routes import AnyQuery, RawBody, Routes
from trilha.learning.quizzes import actions as quizzes
from trilha.learning.reports.schema import ReportResult
from trilha.learning.voice import actions as voice
from trilha.learning.voice import recordings
from trilha.learning.voice.queries import find_recording_of_launch
from trilha.player.identity import OF_LAUNCH, OF_LIVE_LAUNCH, get_context
from trilha.player.reports import COMMIT_FAILED, SAVED

routes = Routes("Quizzes", "What is answered in a quiz.")
_ANSWERS_BYTES = 2 * 1024 * 1024
_VOICE = "/l/{token}/voice/{question_id}"


class Answered(Struct, frozen=True, rename="camel"):
    """As to every report; `problems` are codes by question, of answers that were not kept."""

    result: bool
    error_code: int
    outcome: str
    superseded: bool
    completed: bool = False
    problems: Mapping[str, str] = {}


class VoiceAnswers:
    """Recordings on their way into the store, and then into an attempt."""

    def __init__(self, files: FileStore, database: Database) -> None:
        self._files = SealedFiles(files, database.keyring)
        self._database = database

    async def take(self, caller: Caller, question_id: UUID, content: bytes, seconds: object) -> ReportResult:
        """What is not taken leaves no file. Raises NotFound and Invalid."""
        kept = await recordings.store_recording(self._files, caller.tenant_id, content)
        try:
            async with self._database.transaction(caller.tenant_id, actor=caller.actor) as tx:
                launch_id = get_context(caller).launch_id
                done = await voice.apply_recording(tx, launch_id, question_id, kept, seconds)
        except BaseException:
            await recordings.delete_unused_recording(self._files, self._database, caller.tenant_id, kept)
            raise
        if done.outcome != "APPLIED":
            await recordings.delete_unused_recording(self._files, self._database, caller.tenant_id, kept)
        return done


def _reported(outcome: str, superseded: bool, completed: bool, problems: Mapping[str, str]) -> Answer:
    saved = outcome in SAVED
    answer = Answered(saved, 0 if saved else COMMIT_FAILED, outcome, superseded, completed, problems)
    return json_answer(200 if saved else 409, answer)


@routes.post(
    "/l/{token}/answers", access=OF_LAUNCH, rate_limit="report", urgent=True, max_body=_ANSWERS_BYTES
)
async def answers(tx: Tx, caller: Caller, token: str, data: RawBody) -> Answer:
    """Keep answers; grade them where the attempt is handed in."""
    sent = quizzes.read_answers(data.content)
    done = await quizzes.apply_answers(tx, get_context(caller).launch_id, sent)
    return _reported(done.outcome, done.superseded, done.completed, done.problems)


class Recording(Struct, frozen=True):
    """`seconds`: how long the question was looked at, as the browser says."""

    seconds: float = 0.0


@routes.put(_VOICE, access=OF_LAUNCH, rate_limit="voice", urgent=True, max_body=recordings.MAX_BYTES)
async def speak(
    caller: Caller, voices: VoiceAnswers, token: str, question_id: UUID, query: Recording, data: RawBody
) -> Answer:
    """Keep a recording as the answer to a question. What it is, its own bytes say."""
    done = await voices.take(caller, question_id, data.content, query.seconds)
    return _reported(done.outcome, done.superseded, False, {})


@routes.get(_VOICE, access=OF_LIVE_LAUNCH)
async def listen(
    tx: Tx, caller: Caller, files: FileStore, token: str, question_id: UUID, query: AnyQuery
) -> Answer:
    """The learner's own recording, in the attempt of this launch."""
    found = await find_recording_of_launch(tx, get_context(caller).launch_id, question_id)
    if found is None:
        raise NotFound("file_not_found")
    return StoredFile(
        SealedFiles(files, tx.keyring),
        recordings.build_key(tx.tenant_id, found.id),
        found.size,
        found.media_type,
        etag=str(found.id),
        headers={"cache-control": "private, no-store"},
    )
