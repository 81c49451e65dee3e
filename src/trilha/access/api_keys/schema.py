"""Structs of API keys, for the command line and the panel."""

from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import Meta, Struct

from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery


class ApiKey(Struct, frozen=True):
    """An API key. `hint` is enough to recognize the key, but not to use it."""

    id: UUID
    name: str
    hint: str
    scopes: list[str]
    networks: str
    expires_at: Timestamp | None
    revoked_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp


class IssuedKey(Struct, frozen=True):
    """A key with its secret, which is never shown again."""

    api_key: ApiKey
    key: str
    previous_expires_at: Timestamp | None = None

    def to_dict(self) -> dict[str, Any]:
        plain = {name: getattr(self.api_key, name) for name in self.api_key.__struct_fields__}
        members = {"id": plain.pop("id"), "key": self.key, **plain}
        if self.previous_expires_at:
            members["previous_expires_at"] = self.previous_expires_at
        return members


KeyState = Literal["live", "expiring", "expired", "revoked"]


class KeyQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of the name. `expiring` keys are live but expire soon. Without `state`, all keys are
    listed.
    """

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    state: KeyState | None = None
    sort: Literal["created", "-created", "name", "-name"] = "-created"


class KeyPrefix(str):
    """The prefix of every API key of this server."""

    __slots__ = ()
