"""Voice answers: a recording is kept as soon as it arrives, and heard by whoever grades it."""

import asyncio
from contextlib import suppress
from pathlib import Path
from uuid import UUID, uuid4

from msgspec import Struct

from trilha.core.database import EXHAUSTED, LOST, Database, Tx
from trilha.core.errors import NotFound, invalid
from trilha.core.sealed_files import SealedFiles
from trilha.learning import completion, log, quiz_queries, quiz_rules, reporting, rules
from trilha.learning.answering import reached
from trilha.learning.quiz_schema import Answer, QuizAttempt, Recorded, Recording
from trilha.learning.rules import Outcome
from trilha.learning.schema import Attempt, Head, Launch
from trilha.quizzes.schema import Question

# Ten minutes at 256 kbit/s, the most that browsers record with.
MOST_BYTES = 20 * 1024 * 1024
_FIRST = 64


class KeptVoice(Struct, frozen=True):
    """A recording in the store."""

    id: UUID
    media_type: str
    size: int


def key(tenant_id: UUID, recording_id: UUID) -> str:
    return f"{of_tenant(tenant_id)}/{recording_id}"


def of_tenant(tenant_id: UUID) -> str:
    """Below it is everything of a tenant."""
    return f"voice/{tenant_id}"


def media_type_of(first: bytes) -> str | None:
    """Of a recording, by its first bytes: what browsers record, and what phones keep. None for anything
    else."""
    if first.startswith(b"\x1a\x45\xdf\xa3"):
        return "audio/webm"
    if first.startswith(b"OggS"):
        return "audio/ogg"
    if first[4:8] == b"ftyp":
        return "audio/mp4"
    if first.startswith(b"RIFF") and first[8:12] == b"WAVE":
        return "audio/wav"
    if first.startswith(b"ID3") or (len(first) > 1 and first[0] == 0xFF and first[1] & 0xE6 == 0xE2):
        return "audio/mpeg"
    return None


def judge(size: int, first: bytes) -> str:
    """The media type. Raises Invalid (recording_too_large, unknown_recording, required)."""
    if not size:
        raise invalid("recording", "required")
    if size > MOST_BYTES:
        raise invalid("recording", "recording_too_large")
    if (media_type := media_type_of(first)) is None:
        raise invalid("recording", "unknown_recording")
    return media_type


async def keep(files: SealedFiles, tenant_id: UUID, content: bytes | Path) -> KeptVoice:
    """A copy, before the transaction that names it. Whoever does not name it calls `drop`.

    Raises as `judge`.
    """
    size, first = await asyncio.to_thread(_look_at, content)
    kept = KeptVoice(uuid4(), judge(size, first), size)
    read = content if isinstance(content, bytes) else await asyncio.to_thread(content.read_bytes)
    await files.put(key(tenant_id, kept.id), read)
    return kept


async def drop(files: SealedFiles, database: Database, tenant_id: UUID, kept: KeptVoice) -> None:
    """Unless a COMMIT whose answer was lost names it. Where the database cannot be asked, the file stays."""
    with suppress(*LOST, *EXHAUSTED):
        async with database.transaction(tenant_id, read_only=True) as tx:
            named = await quiz_queries.is_recording_kept(tx, kept.id)
        if not named:
            await files.delete(key(tenant_id, kept.id))


def _look_at(content: bytes | Path) -> tuple[int, bytes]:
    if isinstance(content, bytes):
        return len(content), content[:_FIRST]
    with content.open("rb") as file:
        return content.stat().st_size, file.read(_FIRST)


async def record(tx: Tx, launch_id: UUID, question_id: UUID, kept: KeptVoice, seconds: object) -> Recorded:
    """The answer to a voice question, in the place of one that there may be. `seconds`: how long the question
    was looked at, as the browser says.

    Raises NotFound (launch_not_found, question_not_found). What is not APPLIED is not kept.
    """
    head, launch, attempt = await reporting.locked(tx, launch_id)
    quiz = await quiz_queries.find(tx, attempt.id)
    if quiz is None:
        raise NotFound("launch_not_found")
    question = next((each for each in quiz.questions if each.id == question_id), None)
    if question is None or question.kind != "voice":
        raise NotFound("question_not_found")
    superseded = launch.superseded_by is not None
    outcome = _outcome(tx, head, launch, attempt, quiz)
    if outcome != "APPLIED":
        await log.append(tx, head, "voice", launch.id, outcome=outcome, question=question_id)
        return Recorded(outcome, superseded)
    await _take(tx, head, launch, attempt, quiz, question, kept, seconds)
    return Recorded(outcome, superseded)


def _outcome(tx: Tx, head: Head, launch: Launch, attempt: Attempt, quiz: QuizAttempt) -> Outcome:
    standing = reporting.standing(head, launch, attempt)
    if standing.over or rules.is_expired(standing.seen_at, tx.now):
        return "EXPIRED"
    if standing.superseded and standing.newer_applied:
        return "SUPERSEDED"
    return "APPLIED" if quiz.state == "OPEN" else "CLOSED"


async def _take(
    tx: Tx,
    head: Head,
    launch: Launch,
    attempt: Attempt,
    quiz: QuizAttempt,
    question: Question,
    kept: KeptVoice,
    seconds: object,
) -> None:
    recording = Recording(
        id=kept.id,
        attempt_id=attempt.id,
        question_id=question.id,
        media_type=kept.media_type,
        size=kept.size,
    )
    await quiz_queries.insert_recording(tx, recording)
    latency = quiz_rules.latency(seconds, await quiz_queries.begun_seconds(tx, attempt.id))
    said = Answer(question_id=question.id, response=str(kept.id), latency_seconds=latency)
    await quiz_queries.write_answers(tx, attempt.id, [said])
    state = quiz_rules.open_state(quiz, len(await quiz_queries.list_answers(tx, attempt.id)))
    await quiz_queries.update_attempt(tx, attempt, state, told=attempt.told, launch=launch)
    head = await log.append(
        tx, head, "voice", launch.id, outcome="APPLIED", question=question.id, recording=kept.id
    )
    await completion.evaluate(tx, head, launch.id, attempt, reached(state))
