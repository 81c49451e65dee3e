"""Audit records, as they are added and as they are read."""

from collections.abc import Mapping
from typing import Annotated, Any
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import Timestamp
from trilha.core.web.pagination import ListQuery


class NewRecord(Struct, frozen=True):
    """What was done to what. It is never changed or removed: no name of a person, no secret, no document.

    `target_id` is None where the target is not one thing. `detail` is bounded, however much was changed.
    """

    action: str
    target_id: UUID | None = None
    target_name: str = ""
    detail: Mapping[str, Any] = {}


class AuditRow(Struct, frozen=True):
    """A record as it is stored."""

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
    """A record with the names that its target and its actor have now; empty where they have none."""

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
