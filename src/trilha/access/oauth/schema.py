"""Structs of OAuth clients and of /oauth."""

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal
from uuid import UUID

from msgspec import UNSET, Meta, Struct, UnsetType

from trilha.access.oauth.rules import client_name
from trilha.core.credentials import Credential, CredentialKind, Scope
from trilha.core.types import STORABLE, Timestamp
from trilha.core.web.pagination import ListQuery


class OAuthClient(Struct, frozen=True):
    id: UUID
    name: str
    scopes: list[str]
    networks: str
    disabled_at: Timestamp | None
    last_used_at: Timestamp | None
    created_at: Timestamp
    updated_at: Timestamp

    def to_dict(self, **extra: Any) -> dict[str, Any]:
        plain = {name: getattr(self, name) for name in self.__struct_fields__}
        return {"id": plain.pop("id"), "client_id": client_name(self.id), **extra, **plain}


class KnownClient(OAuthClient, frozen=True):
    """A client. `public_keys` is the JWK set of a client that authenticates with assertions and has no
    secret.
    """

    public_keys: dict[str, Any] | None

    @property
    def key_names(self) -> list[str]:
        """Names to tell the keys apart: the `kid`, or else the key type."""
        return [str(key.get("kid") or key.get("kty")) for key in (self.public_keys or {}).get("keys", [])]


class ClientQuery(ListQuery, frozen=True, kw_only=True):
    """`q` is a part of the name. Without `state`, all clients are listed."""

    q: Annotated[str, Meta(max_length=200, extra_json_schema=STORABLE)] | None = None
    state: Literal["live", "disabled"] | None = None
    sort: Literal["created", "-created", "name", "-name"] = "-created"


class IssuedSecret(Struct, frozen=True):
    """A client with its secret, which is never shown again; None for a client with public keys."""

    client: OAuthClient
    secret: str | None
    previous_expires_at: Timestamp | None = None

    def to_dict(self) -> dict[str, Any]:
        members = {"client_secret": self.secret} if self.secret else {}
        if self.previous_expires_at:
            members["previous_expires_at"] = self.previous_expires_at
        return self.client.to_dict(**members)


class NewToken(Struct, frozen=True):
    """A signed access token that is not stored yet."""

    jti: UUID
    tenant_id: UUID
    client_id: UUID
    kid: str
    scope: str


_SCOPE = "|".join(map(re.escape, Scope))
_SCOPES = {"pattern": f"^(({_SCOPE})( ({_SCOPE}))*)?$"}
_SCOPE_MEANS = "Scopes, separated by spaces. Defaults to all scopes of the client."
_GRANTS = {"enum": ["client_credentials"]}
# An empty field counts as left out.
_NONEMPTY = {"minLength": 1, **STORABLE}
FormText = Annotated[str, Meta(extra_json_schema=STORABLE)]
Token = Annotated[
    str, Meta(extra_json_schema=_NONEMPTY, examples=["eyJhbGciOiJFUzI1NiJ9.eyJzdWIiOiJ0cmwifQ.c2ln"])
]
ScopeNames = Annotated[
    str, Meta(description=_SCOPE_MEANS, extra_json_schema=_SCOPES, examples=["users:read"])
]


class ClientForm(Struct, frozen=True, kw_only=True):
    """Client credentials, for clients that do not use the Authorization header."""

    client_id: FormText | None = None
    client_secret: FormText | None = None
    client_assertion_type: FormText | None = None
    client_assertion: FormText | None = None


class TokenRequest(ClientForm, frozen=True, kw_only=True):
    """A token request. Unknown fields are ignored (RFC 6749 section 3.2).

    Clients that do not use the Authorization header authenticate with these fields.
    """

    grant_type: Annotated[str, Meta(extra_json_schema=_GRANTS, examples=["client_credentials"])]
    scope: ScopeNames | None = None


class TokenQuestion(ClientForm, frozen=True, kw_only=True):
    """A request about one token.

    Clients that do not use the Authorization header authenticate with these fields.
    """

    token: Token
    token_type_hint: FormText | None = None


class TokenAnswer(Struct, frozen=True):
    """An access token (RFC 6749 section 5.1). `expires_in` is in seconds."""

    access_token: Token
    token_type: Annotated[str, Meta(examples=["Bearer"])]
    expires_in: Annotated[int, Meta(examples=[3600])]
    scope: Annotated[str, Meta(examples=["users:read"])]


class Introspection(Struct, frozen=True):
    """The state of a token (RFC 7662 section 2.2). If the token is not active, only `active` is present.
    Times are Unix timestamps in seconds.
    """

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


class JwkSet(Struct, frozen=True):
    """Public keys as a JWK set (RFC 7517 section 5)."""

    keys: list[dict[str, Any]]


class ServerMetadata(Struct, frozen=True, kw_only=True):
    """Authorization server metadata (RFC 8414 section 2)."""

    issuer: str
    token_endpoint: str
    revocation_endpoint: str
    introspection_endpoint: str
    jwks_uri: str
    scopes_supported: Sequence[str]
    response_types_supported: Sequence[str]
    grant_types_supported: Sequence[str]
    token_endpoint_auth_methods_supported: Sequence[str]
    revocation_endpoint_auth_methods_supported: Sequence[str]
    introspection_endpoint_auth_methods_supported: Sequence[str]
    token_endpoint_auth_signing_alg_values_supported: Sequence[str]
    revocation_endpoint_auth_signing_alg_values_supported: Sequence[str]
    introspection_endpoint_auth_signing_alg_values_supported: Sequence[str]
    access_token_signing_alg_values_supported: Sequence[str]
    service_documentation: str


class SigningClient(Struct, frozen=True):
    """A client that authenticates with assertions, and the keys that verify them."""

    id: UUID
    tenant_id: UUID
    tenant_active: bool
    scopes: list[str]
    networks: str
    public_keys: dict[str, Any]
    disabled_at: str | None

    def as_credential(self) -> Credential:
        """Returns the credential of an authenticated client, of the same kind as with a secret."""
        return Credential(
            kind=CredentialKind.CLIENT_SECRET,
            key=b"",
            id=self.id,
            tenant_id=self.tenant_id,
            tenant_active=self.tenant_active,
            scopes=self.scopes,
            networks=self.networks,
            expires_at=None,
            secret_expires_at=None,
            revoked_at=self.disabled_at,
        )


class StoredSigningKey(Struct, frozen=True):
    """A key that signs access tokens; its private part is sealed."""

    number: int
    kid: str
    private: bytes
    public: dict[str, Any]
    signs_from: str
    created_at: str
