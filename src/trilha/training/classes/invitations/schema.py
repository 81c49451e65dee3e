"""Notices, and invitations as people have them."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp

NoticeKind = Literal["SESSION", "SESSION_CANCELLED", "REGISTERED", "UNREGISTERED"]


class Notice(Struct, frozen=True):
    """Something that people in a class have to be told. `last_user_id` is the last person who was."""

    class_id: UUID
    number: int
    kind: NoticeKind
    session_id: UUID | None
    user_ids: list[UUID] | None
    last_user_id: UUID | None


class SessionNotice(Struct, frozen=True):
    """What people are told about a session."""

    session_id: UUID
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None
    meeting_url: str | None


class Invitation(Struct, frozen=True):
    """What a person's calendar has of a session. `ends_at` is the end of which they were told last."""

    session_id: UUID
    user_id: UUID
    sequence: int
    ends_at: Timestamp
    is_cancelled: bool


class ClassNames(Struct, frozen=True):
    """The titles of a class and its course. `course_title` is in the course's own language."""

    title: str
    course_title: str
