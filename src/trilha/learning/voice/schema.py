"""Recordings, as they are stored and as the player hears of them."""

from uuid import UUID

from msgspec import Struct

from trilha.learning.reports.schema import Outcome


class RecordingResult(Struct, frozen=True):
    """`outcome` is as of answers."""

    outcome: Outcome
    superseded: bool


class Recording(Struct, frozen=True):
    id: UUID
    attempt_id: UUID
    question_id: UUID
    media_type: str
    size: int


class StoredRecording(Struct, frozen=True):
    """A recording in the store."""

    id: UUID
    media_type: str
    size: int
