"""Structs of the store's rows, and the filter of a list of statements."""

from typing import Annotated
from uuid import UUID

from msgspec import Meta, Struct

# A time with six digits of its fraction, as `stored` has.
Microseconds = Annotated[
    str, Meta(examples=["2026-11-28T09:30:00.123456Z"], extra_json_schema={"format": "date-time"})
]


class StatementFilter(Struct, frozen=True, kw_only=True):
    """Which statements a list has, in which order. Keys are those of `identifiers`, times microseconds since
    1970. `after` is where the previous page ended. With `follows_references`, statements that refer to
    matching ones match too.
    """

    agent: UUID | None = None
    verb: UUID | None = None
    activity: UUID | None = None
    registration: UUID | None = None
    related_agents: bool = False
    related_activities: bool = False
    since: int | None = None
    until: int | None = None
    limit: int = 100
    ascending: bool = False
    after: int | None = None
    follows_references: bool = True


class StoredStatement(Struct, frozen=True):
    """A statement of the store. `content` has every property but `stored`."""

    id: UUID
    stored: int
    content: str
    attachments: list[str] | None


class Record(Struct, frozen=True):
    """A statement as administrators see it, voided or not. `voids`: it voids the one that it refers to."""

    id: UUID
    stored: int
    is_voided: bool
    voids: bool
    refers_to: UUID | None
    registration: UUID | None
    content: str
    attachments: list[str] | None


class KnownStatement(Struct, frozen=True):
    """What decides whether a statement with the same id is the same."""

    id: UUID
    stored: int
    digest: bytes
    sent_at: str | None
    voids: bool
    refers_to: UUID | None


class ActivityRow(Struct, frozen=True):
    key: UUID
    iri: str
    definition: str


class Attachment(Struct, frozen=True):
    sha2: str
    content_type: str
    content: bytes


class Document(Struct, frozen=True):
    """A state or a profile. `updated` is in microseconds since 1970."""

    content_type: str
    content: bytes
    etag: str
    updated: int


class DocumentName(Struct, frozen=True):
    name: str
    updated: int
