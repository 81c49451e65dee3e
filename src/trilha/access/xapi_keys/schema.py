"""Structs of keys, for the command line and the panel."""

from typing import Any
from uuid import UUID

from msgspec import Struct

from trilha.core.types import Timestamp


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
