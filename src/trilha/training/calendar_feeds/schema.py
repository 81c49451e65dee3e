"""Structs of calendar feeds: the events, and the owner of a feed."""

from typing import Literal, get_args
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.kit.page import Locale

EventKind = Literal["course_due", "path_due", "certificate_expiry"]
# A person's own dates, or all sessions of the company, for administrators.
FeedKind = Literal["own", "company"]
KINDS: tuple[FeedKind, ...] = get_args(FeedKind)


class CalendarEvent(Struct, frozen=True):
    """A day in a person's calendar. `uid` never changes, so that programs move the event instead of adding
    another one. `path` is the page about it.
    """

    uid: str
    kind: EventKind
    title: str
    at: Timestamp
    path: str
    changed_at: Timestamp


class SessionEvent(Struct, frozen=True):
    """A session of a class in a calendar, at its times in the time zone of its place."""

    uid: str
    sequence: int
    title: str
    course: str
    starts_at: Timestamp
    ends_at: Timestamp
    time_zone: str
    room: str | None
    meeting_url: str | None
    path: str
    changed_at: Timestamp


class FeedOwner(Struct, frozen=True):
    """The person who subscribed, with the language, time zone and company for the texts of the feed."""

    tenant_id: UUID
    user_id: UUID
    locale: Locale
    time_zone: str
    tenant_name: str
    kind: FeedKind
