"""Recordings of voice answers."""

from uuid import UUID

from msgspec import Struct


class Recording(Struct, frozen=True):
    """A recording that answers a question."""

    id: UUID
    attempt_id: UUID
    question_id: UUID
    media_type: str
    size: int


class StoredRecording(Struct, frozen=True):
    """A recording whose file is stored, before it answers anything."""

    id: UUID
    media_type: str
    size: int
