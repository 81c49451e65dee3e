"""Structs of keys, for the command line and the panel."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery


class XapiKey(Struct, frozen=True):
    """A key. `key` is the user name of HTTP Basic."""

    id: UUID
    name: str
    key: str
    scopes: list[str]
    revoked_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class IssuedXapiKey(Struct, frozen=True):
    """A key with its secret, which is never shown again."""

    xapi_key: XapiKey
    secret: str

    def to_dict(self) -> dict[str, Any]:
        key = self.xapi_key
        return {
            "id": key.id,
            "name": key.name,
            "key": key.key,
            "secret": self.secret,
            "scopes": key.scopes,
            "created_at": key.created_at,
        }


class XapiKeyQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of the name, or the whole key. Without `state`, all keys are listed."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    state: Literal["live", "revoked"] | None = None
    sort: Literal["created", "-created", "name", "-name"] = "-created"
