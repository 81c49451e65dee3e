"""Structs of learning groups."""

from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.core.types import STORABLE, Name, Timestamp
from trilha.core.web.pagination import ListQuery

Description = Annotated[str, Meta(max_length=2000, extra_json_schema=STORABLE)]


class NewLearningGroup(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    name: Name
    description: Description | None = None


class LearningGroupPatch(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Members that are left out do not change; null clears the description."""

    name: Name | UnsetType = UNSET
    description: Description | None | UnsetType = UNSET


class LearningGroup(Struct, frozen=True):
    """A group with the number of its `members`."""

    id: UUID
    name: str
    description: str | None
    members: int
    created_at: Timestamp
    updated_at: Timestamp


class GroupName(Struct, frozen=True):
    id: UUID
    name: str


class GroupQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is the beginning of a group's name."""

    q: Annotated[str, Meta(max_length=120)] | None = None
