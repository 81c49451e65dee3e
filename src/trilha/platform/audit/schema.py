"""Audit records, as stored and as displayed."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery


class NewRecord(Struct, frozen=True):
    """A new audit record. It is never changed or removed, so it must not hold names of people, secrets or
    documents.

    `target_id` is None if the record has no single target. The size of `detail` is limited.
    """

    action: str
    target_id: UUID | None = None
    target_name: str = ""
    detail: Mapping[str, Any] = {}


class AuditRow(Struct, frozen=True):
    """A stored record."""

    id: UUID
    created_at: Timestamp
    action: str
    target_id: UUID | None
    target_name: str
    actor_kind: str
    actor: str
    source: str
    detail: dict[str, Any]


class AuditRecord(Struct, frozen=True):
    """A record with the current names of its target and its actor. A name is empty if there is none."""

    id: UUID
    created_at: Timestamp
    action: str
    target_id: UUID | None
    target_name: str
    actor_kind: str
    actor: str
    actor_name: str
    source: str
    detail: dict[str, Any]


Prefix = Annotated[str, Meta(min_length=1, max_length=100, examples=["enrollment."])]
ActorName = Annotated[str, Meta(min_length=1, max_length=200)]
Search = Annotated[str, Meta(min_length=1, max_length=200, examples=["Ana"])]


class AuditQuery(ListQuery, frozen=True, kw_only=True):
    actor: (
        Annotated[ActorName, Meta(description="Only by this one: an id, or an operator's login.")] | None
    ) = None
    action: Annotated[Prefix, Meta(description="Only actions that begin so.")] | None = None
    target_id: Annotated[UUID, Meta(description="Only what was done to this.")] | None = None
    since: Annotated[Timestamp, Meta(description="Only at or after this moment.")] | None = None
    until: Annotated[Timestamp, Meta(description="Only before this moment.")] | None = None
    search: (
        Annotated[Search, Meta(description="Only with this text in a name, an action or a source.")] | None
    ) = None
