"""OAuth clients as the command line shows them, and what /oauth answers."""

from typing import Any
from uuid import UUID

from msgspec import UNSET, Struct, UnsetType

from trilha.core.types import Timestamp
from trilha.oauth.rules import client_name


class OAuthClient(Struct, frozen=True):
    id: UUID
    name: str
    scopes: list[str]
    networks: str
    disabled_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

    def shown(self, **more: Any) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__struct_fields__}
        return {"id": plain.pop("id"), "client_id": client_name(self.id), **more, **plain}


class IssuedSecret(Struct, frozen=True):
    """A client with its secret, shown this once. None for a client that signs instead."""

    client: OAuthClient
    secret: str | None
    previous_expires_at: Timestamp | None = None

    def shown(self) -> dict[str, Any]:
        more = {"client_secret": self.secret} if self.secret else {}
        if self.previous_expires_at:
            more["previous_expires_at"] = self.previous_expires_at
        return self.client.shown(**more)


class NewToken(Struct, frozen=True):
    """An access token that is signed and not yet stored."""

    jti: UUID
    tenant_id: UUID
    client_id: UUID
    kid: str
    scope: str


class TokenAnswer(Struct, frozen=True):
    access_token: str
    token_type: str
    expires_in: int
    scope: str


class Introspection(Struct, frozen=True):
    """RFC 7662 section 2.2. Of a token that is not active nothing else is told."""

    active: bool
    scope: str | UnsetType = UNSET
    client_id: str | UnsetType = UNSET
    token_type: str | UnsetType = UNSET
    exp: int | UnsetType = UNSET
    iat: int | UnsetType = UNSET
    sub: str | UnsetType = UNSET
    aud: str | UnsetType = UNSET
    iss: str | UnsetType = UNSET
    jti: str | UnsetType = UNSET


class SigningClient(Struct, frozen=True):
    """A client that proves who it is with assertions, and the keys they are checked with."""

    id: UUID
    tenant_id: UUID
    tenant_active: bool
    scopes: list[str]
    networks: str
    public_keys: dict[str, Any]
    disabled_at: str | None


class StoredSigningKey(Struct, frozen=True):
    """A key that access tokens are signed with, its private part sealed."""

    number: int
    kid: str
    private: bytes
    public: dict[str, Any]
    signs_from: str
    created_at: str
