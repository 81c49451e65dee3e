"""Messages of RFC 7644 as the description has them."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from trilha.scim import urns
from trilha.scim.users.schema import UserResource


class UserList(Struct, frozen=True, rename="camel"):
    """`start_index` is there on pages by number, `next_cursor` on pages by cursor but the last."""

    schemas: Annotated[list[str], Meta(examples=[[urns.LIST_RESPONSE]])]
    total_results: int
    items_per_page: int
    resources: list[UserResource] = field(name="Resources")
    start_index: int | None = None
    next_cursor: str | None = None


class SearchBody(Struct, frozen=True, rename="camel"):
    """What a list is asked for with (RFC 7644 §3.4.3)."""

    schemas: Annotated[list[str], Meta(examples=[[urns.SEARCH_REQUEST]])] = []
    filter: Annotated[str, Meta(examples=['userName eq "ana.lima@example.com"'])] | None = None
    attributes: list[str] | None = None
    sort_by: Annotated[str, Meta(examples=["userName"])] | None = None
    sort_order: Annotated[str, Meta(examples=["ascending"])] | None = None
    start_index: Annotated[int, Meta(examples=[1])] | None = None
    count: Annotated[int, Meta(examples=[100])] | None = None


class PatchOperation(Struct, frozen=True):
    op: Annotated[str, Meta(examples=["replace"])]
    path: Annotated[str, Meta(examples=["title"])] | None = None
    value: Annotated[Any, Meta(examples=["Motorista"])] = None


class PatchBody(Struct, frozen=True):
    """Operations, done in their order: all of them or none (RFC 7644 §3.5.2)."""

    operations: Annotated[list[PatchOperation], Meta(min_length=1)] = field(name="Operations")
    schemas: Annotated[list[str], Meta(examples=[[urns.PATCH_OP]])] = []
