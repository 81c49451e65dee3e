"""Structs of calendar feeds: the events, and the owner of a feed."""

from typing import Literal
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp
from trilha.kit.page import Locale

EventKind = Literal["course_due", "path_due", "certificate_expiry"]


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


class FeedOwner(Struct, frozen=True):
    """The person who subscribed, with the language, time zone and company for the texts of the feed."""

    tenant_id: UUID
    user_id: UUID
    locale: Locale
    time_zone: str
    tenant_name: str
