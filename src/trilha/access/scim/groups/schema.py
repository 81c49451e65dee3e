"""Structs of SCIM groups, in and out."""

from typing import Annotated
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType, field

from trilha.access.scim import urns
from trilha.access.scim.users.schema import MetaOutput
from trilha.core.types import Timestamp


class ScimGroup(Struct, frozen=True):
    """A group. `members` is their number; `member_added_at` is when the last one was added."""

    id: UUID
    external_id: str | None
    display_name: str
    members: int
    member_added_at: Timestamp | None
    version: int
    created_at: Timestamp
    modified_at: Timestamp


class Membership(Struct, frozen=True):
    group_id: UUID
    user_id: UUID


class Change(Struct, frozen=True):
    """A change to a group. The `steps` change its members, in order."""

    display_name: str | UnsetType = UNSET
    external_id: str | None | UnsetType = UNSET
    steps: tuple["Step", ...] = ()


class Step(Struct, frozen=True):
    """`set` replaces all members; `add` and `remove` leave the others."""

    kind: str
    members: frozenset[UUID]


class MemberOutput(Struct, frozen=True, omit_defaults=True):
    value: str | None = None
    ref: str | None = field(name="$ref", default=None)
    type: Annotated[str, Meta(examples=["User"])] | None = None


class GroupResource(Struct, frozen=True, rename="camel", omit_defaults=True):
    """A learning group."""

    schemas: Annotated[list[str], Meta(examples=[[urns.GROUP]])]
    id: str
    external_id: str | None = None
    display_name: Annotated[str, Meta(examples=["Motoristas"])] | None = None
    members: list[MemberOutput] | None = None
    meta: MetaOutput | None = None


class GroupMember(Struct, frozen=True):
    value: str


class GroupBody(Struct, frozen=True, rename="camel"):
    display_name: Annotated[str, Meta(min_length=1, max_length=120, examples=["Motoristas"])]
    schemas: Annotated[list[str], Meta(examples=[[urns.GROUP]])] = []
    external_id: Annotated[str, Meta(max_length=254)] | None = None
    members: list[GroupMember] | None = None


class GroupList(Struct, frozen=True, rename="camel"):
    schemas: Annotated[list[str], Meta(examples=[[urns.LIST_RESPONSE]])]
    total_results: int
    items_per_page: int
    resources: list[GroupResource] = field(name="Resources")
    start_index: int | None = None
    next_cursor: str | None = None
