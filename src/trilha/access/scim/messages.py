"""Messages of RFC 7644, for the API description."""

from typing import Annotated, Any

from msgspec import Meta, Struct, field

from trilha.access.scim import urns
from trilha.access.scim.users.schema import UserResource


class UserList(Struct, frozen=True, rename="camel"):
    """A page of users. `start_index` is present on pages by number, `next_cursor` on all pages by cursor but
    the last.
    """

    schemas: Annotated[list[str], Meta(examples=[[urns.LIST_RESPONSE]])]
    total_results: int
    items_per_page: int
    resources: list[UserResource] = field(name="Resources")
    start_index: int | None = None
    next_cursor: str | None = None


class SearchBody(Struct, frozen=True, rename="camel"):
    """The parameters of a list (RFC 7644 §3.4.3)."""

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
    """Operations, applied in order. Either all of them are applied or none (RFC 7644 §3.5.2)."""

    operations: Annotated[list[PatchOperation], Meta(min_length=1)] = field(name="Operations")
    schemas: Annotated[list[str], Meta(examples=[[urns.PATCH_OP]])] = []
